# SPDX-License-Identifier: Apache-2.0
"""CRC-32C, as files of arrays have it."""


def _table():
    table = []
    for number in range(256):
        for _ in range(8):
            number = (number >> 1) ^ (0x82F63B78 if number & 1 else 0)
        table.append(number)
    return table


_TABLE = _table()


def crc32c(data, before=0):
    """Of what `before` is of, and of these bytes behind it."""
    table = _TABLE
    number = before ^ 0xFFFFFFFF
    for byte in data:
        number = table[(number ^ byte) & 0xFF] ^ (number >> 8)
    return number ^ 0xFFFFFFFF
