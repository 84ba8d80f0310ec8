# SPDX-License-Identifier: Apache-2.0
"""Files that dist_array::save() has written: docs/checkpoint-format.md."""

import math
import struct
from dataclasses import dataclass

from array_file.crc32c import crc32c

BEGIN = 80
PIECE = 1 << 20


class ArrayFileError(Exception):
    """What is wrong with a file, as it is told to people."""


@dataclass
class Box:
    lower: tuple
    upper: tuple

    @property
    def extents(self):
        return tuple(high - low for low, high in zip(self.lower, self.upper))

    @property
    def points(self):
        return math.prod(self.extents)

    def __str__(self):
        return f"[({','.join(map(str, self.lower))}),({','.join(map(str, self.upper))}))"


@dataclass
class Block:
    box: Box
    offset: int
    bytes: int
    sum: int


@dataclass
class Head:
    order: str  # of struct: < or >
    version: int
    file_bytes: int
    element_bytes: int  # 0: each is as long as it is
    kind: str
    type: str
    axes: int
    region: list
    blocks: list

    @property
    def points(self):
        return sum(box.points for box in self.region)


class ArrayFile:
    """An open file whose head is sound. ArrayFileError: it is not, or cannot be read."""

    def __init__(self, path):
        self.path = path
        try:
            self._file = open(path, "rb")
            self._bytes = self._file.seek(0, 2)
        except OSError as error:
            raise ArrayFileError(f"{path}: {error.strerror}") from None
        try:
            self.head = self._head()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def read(self, offset, size):
        try:
            self._file.seek(offset)
            data = self._file.read(size)
        except OSError as error:
            raise ArrayFileError(f"{self.path}: {error.strerror}") from None
        if len(data) != size:
            self._damaged(f"it ends at byte {offset + len(data)}")
        return data

    def pieces(self, number):
        """The bytes of a block, a million at a time; ArrayFileError at the end if its checksum is wrong."""
        block = self.head.blocks[number]
        found = 0
        for at in range(0, block.bytes, PIECE):
            data = self.read(block.offset + at, min(PIECE, block.bytes - at))
            found = crc32c(data, found)
            yield data
        if found != block.sum:
            self._damaged(f"block {number}, at byte {block.offset}: its checksum is wrong")

    def _damaged(self, what):
        raise ArrayFileError(f"{self.path}: is damaged: {what}")

    def _head(self):
        if self._bytes < BEGIN or self.read(0, 8) != b"TACTUSAR":
            raise ArrayFileError(f"{self.path}: is no file of an array: it does not begin with TACTUSAR, or is too short")
        begin = self.read(0, BEGIN)
        order = {b"\x04\x03\x02\x01": "<", b"\x01\x02\x03\x04": ">"}.get(begin[8:12])
        if order is None:
            self._damaged("the mark of its byte order is none, at byte 8")
        version, file_bytes, element_bytes, _, kind, axes, name_bytes, boxes, blocks, rest_sum, begin_sum = struct.unpack(
            order + "I3Q2I3Q2I", begin[12:])
        if begin_sum != crc32c(begin[:76]):
            self._damaged("the checksum of its beginning is wrong, at byte 76")
        if version != 1:
            raise ArrayFileError(f"{self.path}: is of version {version} of the format, and this reads version 1")
        if file_bytes != self._bytes:
            self._damaged(f"it is to have {file_bytes} bytes and has {self._bytes}")
        padded = (name_bytes + 7) // 8 * 8
        rest = padded + 16 * axes * (boxes + blocks) + 24 * blocks
        if not 0 < axes <= 64 or name_bytes > 4096 or BEGIN + rest > file_bytes:
            self._damaged("its head is longer than the file")
        data = self.read(BEGIN, rest)
        if crc32c(data) != rest_sum:
            self._damaged("the checksum of its table is wrong, at byte 72")
        head = Head(order, version, file_bytes, element_bytes, chr(kind), data[:name_bytes].decode("utf-8", "backslashreplace"),
                    axes, [], [])
        at = padded

        def box():
            nonlocal at
            numbers = struct.unpack_from(f"{order}{2 * axes}q", data, at)
            at += 16 * axes
            return Box(numbers[:axes], numbers[axes:])

        head.region = [box() for _ in range(boxes)]
        for _ in range(blocks):
            of = box()
            head.blocks.append(Block(of, *struct.unpack_from(order + "QQI", data, at)))
            at += 24
        self._check(head, BEGIN + rest)
        return head

    def _check(self, head, at):
        for number, block in enumerate(head.blocks):
            if min(block.box.extents) <= 0 or block.offset != at or (
                    head.element_bytes and block.bytes != block.box.points * head.element_bytes):
                self._damaged(f"block {number} is not where and as long as it has to be")
            at += block.bytes
        if at != head.file_bytes or sum(block.box.points for block in head.blocks) != head.points:
            self._damaged("its blocks are not all of the file and of its region")
