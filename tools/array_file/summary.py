# SPDX-License-Identifier: Apache-2.0
"""What is told of a file of an array: as text, and as JSON."""

import array
import json
import math
import sys

MOST_LINES = 12
SMALL = 2.0**-64  # so many times a number, numbers whose sum is none can be added up
# Kinds of numbers that Python's arrays have, by what the file calls them.
CODES = {("i", 1): "b", ("i", 2): "h", ("i", 4): "i", ("i", 8): "q", ("u", 1): "B", ("u", 2): "H", ("u", 4): "I", ("u", 8): "Q",
         ("f", 4): "f", ("f", 8): "d", ("b", 1): "B"}


def statistics(file):
    """Of the values: least, most, sum, and how many are no numbers; None where they are no numbers at all. All checksums are checked."""
    head = file.head
    code = CODES.get((head.kind, head.element_bytes))
    least, most, total, small_total, odd = math.inf, -math.inf, 0, 0, 0
    rest = b""
    for number in range(len(head.blocks)):
        for data in file.pieces(number):
            if code is None:
                continue
            data = rest + data
            whole = len(data) // head.element_bytes * head.element_bytes
            rest = data[whole:]
            values = array.array(code, data[:whole])
            if (head.order == "<") != (sys.byteorder == "little"):
                values.byteswap()
            if head.kind == "f":
                finite = [value for value in values if math.isfinite(value)]
                odd += len(values) - len(finite)
                values = finite
                small_total += sum(value * SMALL for value in values)
            if values:
                least, most, total = min(least, min(values)), max(most, max(values)), total + sum(values)
    if code is None:
        return None
    count = head.points - odd
    if count == 0:
        return {"not_finite": odd}
    mean = total / count if head.kind != "f" or math.isfinite(total) else min(max(small_total / count / SMALL, least), most)
    return {"least": least, "most": most, "mean": mean, "not_finite": odd}


def text(file, values):
    head = file.head
    form = f"{head.element_bytes} bytes each" if head.element_bytes else "each as long as it is"
    lines = [f"{file.path}: {head.file_bytes} bytes, format {head.version}, {'little' if head.order == '<' else 'big'}-endian",
             f"elements: {head.type}, {form}",
             f"region: {head.points} points, {head.axes} {'axis' if head.axes == 1 else 'axes'}, {count_of(head.region, 'box', 'boxes')}"]
    lines += some(head.region, str)
    lines.append(count_of(head.blocks, "block", "blocks"))
    lines += some(head.blocks, lambda block: f"{block.box} {block.bytes} bytes at {block.offset}, sum {block.sum:08x}")
    if values is None:
        lines.append("all checksums are right")
    elif "least" in values:
        lines.append(f"values: least {values['least']}, most {values['most']}, mean {values['mean']:.10g}"
                     + (f"; {values['not_finite']} are not finite" if values["not_finite"] else "") + "; all checksums are right")
    elif head.points == 0:
        lines.append("values: none; all checksums are right")
    else:
        lines.append(f"values: {values['not_finite']} are not finite; all checksums are right")
    return "\n".join(lines)


def as_json(file, values):
    head = file.head

    def corners(box):
        return {"lower": list(box.lower), "upper": list(box.upper)}

    return json.dumps({
        "file": str(file.path), "bytes": head.file_bytes, "version": head.version,
        "byte_order": "little" if head.order == "<" else "big", "type": head.type, "kind": head.kind,
        "element_bytes": head.element_bytes, "axes": head.axes, "points": head.points,
        "region": [corners(box) for box in head.region],
        "blocks": [corners(block.box) | {"offset": block.offset, "bytes": block.bytes, "crc32c": block.sum}
                   for block in head.blocks],
        "values": values})


def count_of(things, one, many):
    return f"{len(things)} {one if len(things) == 1 else many}"


def some(things, line):
    shown = [f"  {line(thing)}" for thing in things[:MOST_LINES]]
    return shown + ([f"  and {len(things) - MOST_LINES} more"] if len(things) > MOST_LINES else [])
