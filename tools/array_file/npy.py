# SPDX-License-Identifier: Apache-2.0
"""A file of an array as NumPy's: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html."""

import itertools
import os

import whole_file
from array_file.reader import ArrayFileError

SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (4, 8), "c": (8, 16)}


def header(head, shape):
    order = "|" if head.element_bytes == 1 else head.order
    words = f"{{'descr': '{order}{head.kind}{head.element_bytes}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    before = 10  # the magic string, the version, the length
    words += " " * (-(before + len(words) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words.encode("ascii")


def write(file, out):
    """ArrayFileError: its elements, or its region, have no form there; it is damaged; or `out` cannot be written, and is as it was."""
    head = file.head
    if head.element_bytes not in SIZES.get(head.kind, ()):
        raise ArrayFileError(f"{file.path}: its elements are {head.type}, and NumPy's files have numbers, complex ones and bools only")
    if len(head.region) > 1:
        raise ArrayFileError(f"{file.path}: its region consists of {len(head.region)} boxes, and NumPy's files have one; "
                             "load it with a program, and save a part")
    try:
        if os.path.exists(out) and os.path.samefile(out, file.path):
            raise ArrayFileError(f"{out}: is the file of the array itself; name another one")
        if whole_file.is_stream(out):
            raise ArrayFileError(f"{out}: is no file; rows go to where they belong in the whole, and only a file has such places")
        with whole_file.written(out, "wb") as target:
            target.write(header(head, head.region[0].extents if head.region else (0,) * head.axes))
            begin = target.tell()
            target.truncate(begin + head.points * head.element_bytes)
            written = bytearray(head.points)  # cell by cell: none may be there twice
            for number in range(len(head.blocks)):
                write_block(file, number, target, begin, written)
    except OSError as error:
        raise ArrayFileError(f"{out}: {error.strerror}") from None


def write_block(file, number, target, begin, written):
    """Row by row, each to where it belongs in the whole. A row may be longer than memory."""
    head = file.head
    whole, box = head.region[0], head.blocks[number].box
    if any(low < first or high > last for low, high, first, last in zip(box.lower, box.upper, whole.lower, whole.upper)):
        raise ArrayFileError(f"{file.path}: is damaged: block {number} is not in its region")
    strides = [1] * head.axes
    for axis in range(head.axes - 2, -1, -1):
        strides[axis] = strides[axis + 1] * whole.extents[axis + 1]
    row = box.extents[-1] * head.element_bytes
    pieces = file.pieces(number)
    data = memoryview(b"")
    for before in itertools.product(*(range(low, high) for low, high in zip(box.lower[:-1], box.upper[:-1]))):
        first = (*before, box.lower[-1])
        cell = sum((i - low) * stride for i, low, stride in zip(first, whole.lower, strides))
        if written.find(1, cell, cell + box.extents[-1]) >= 0:
            raise ArrayFileError(f"{file.path}: is damaged: block {number} has cells that a block before has")
        written[cell:cell + box.extents[-1]] = b"\x01" * box.extents[-1]
        target.seek(begin + cell * head.element_bytes)
        left = row
        while left > 0:
            data = data or memoryview(next(pieces))
            done = target.write(data[:left])
            data, left = data[done:], left - done
    for _ in pieces:
        pass  # there is none; behind the last one it looks at the checksum
