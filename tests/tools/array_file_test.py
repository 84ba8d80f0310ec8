#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus array: what is told of files that the library has written, what becomes of them for NumPy, and what is said of others.

    array_file_test.py SPECIMEN     a program that writes such files into a folder
"""
import ast
import contextlib
import io
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import tracemalloc
import unittest

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path[:0] = [str(TOOLS)]

from array_file import reader  # noqa: E402
from array_file.crc32c import crc32c  # noqa: E402
from timeline_report.main import main  # noqa: E402

SPECIMEN = None


def run(*arguments):
    """Exit status, standard output, standard error."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
    out.seek(0)
    return status, out.read(), err.getvalue()


def turned_head(text, kind):
    """The bytes with another kind, and sums that are right."""
    text = bytearray(text)
    text[40:44] = struct.pack("=I", ord(kind))
    text[76:80] = struct.pack("=I", crc32c(text[:76]))
    return bytes(text)


def file_of(values):
    """A file of an array of one axis and at most one block."""
    data, boxes = struct.pack(f"={len(values)}d", *values), 1 if values else 0
    offset = 80 + 8 + boxes * (16 + 16 + 24)
    box = struct.pack("=2q", 0, len(values))
    rest = b"float64\0" + boxes * (box + box + struct.pack("=QQI4x", offset, len(data), crc32c(data)))
    begin = struct.pack("=8sII3Q2I3QI", b"TACTUSAR", 0x01020304, 1, offset + len(data), 8, 0, ord("f"), 1, 7, boxes, boxes, crc32c(rest))
    return begin + struct.pack("=I", crc32c(begin)) + rest + data


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tactus-array-")
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([SPECIMEN, cls.folder], check=True, timeout=100)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def npy(self, name):
        """Shape, description, and the bytes of the elements."""
        out = self.folder / f"{name}.npy"
        self.assertEqual(run("array", self.folder / name, "--npy", out), (0, f"{out}\n", ""))
        data = out.read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", data[8:10])[0]
        self.assertEqual((10 + length) % 64, 0)
        self.assertEqual(data[9 + length:10 + length], b"\n")
        header = ast.literal_eval(data[10:10 + length].decode("ascii"))
        self.assertEqual(set(header), {"descr", "fortran_order", "shape"})
        self.assertIs(header["fortran_order"], False)
        return header["shape"], header["descr"], data[10 + length:]

    def test_sums_are_those_of_the_library(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(crc32c(b"56789", crc32c(b"1234")), 0xE3069283)

    def test_numbers_are_told_of(self):
        status, out, err = run("array", self.folder / "double")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("elements: float64, 8 bytes each\n", out)
        self.assertIn("region: 30 points, 2 axes, 1 box\n  [(-2,1),(4,6))\n", out)
        self.assertIn("9 blocks\n  [(-2,1),(0,3)) 32 bytes at ", out)
        self.assertIn("values: least -4.75, most 8.75, mean 2; all checksums are right", out)

    def test_what_is_not_finite_is_counted(self):
        _, out, _ = run("array", self.folder / "odd")
        self.assertIn("values: least 0.0, most 3.0, mean 1.333333333; 1 are not finite", out)

    def test_elements_of_any_length_are_told_of(self):
        status, out, _ = run("array", self.folder / "string")
        self.assertEqual(status, 0)
        self.assertIn("elements: string, each as long as it is\n", out)
        self.assertIn("all checksums are right", out)

    def test_json(self):
        status, out, _ = run("array", "--json", self.folder / "short")
        self.assertEqual((status, out.count("\n")), (0, 1))
        told = json.loads(out)
        self.assertEqual((told["type"], told["kind"], told["element_bytes"], told["points"]), ("int16", "i", 2, 7))
        self.assertEqual(told["values"], {"least": -11, "most": -5, "mean": -8.0, "not_finite": 0})
        self.assertEqual(told["region"], [{"lower": [5], "upper": [12]}])
        self.assertEqual(sum(block["bytes"] for block in told["blocks"]), 14)

    def test_numpy_gets_each_cell_where_it_belongs(self):
        shape, descr, data = self.npy("double")
        self.assertEqual((shape, descr[1:]), ((6, 5), "f8"))
        expected = [(10 * i + j) / 4 for i in range(-2, 4) for j in range(1, 6)]
        self.assertEqual(list(struct.unpack(f"{descr[0]}30d", data)), expected)
        shape, descr, data = self.npy("short")
        self.assertEqual((shape, descr[1:]), ((7,), "i2"))
        self.assertEqual(list(struct.unpack(f"{descr[0]}7h", data)), [-i for i in range(5, 12)])
        self.assertEqual(self.npy("bool"), ((5,), "|b1", bytes([0, 0, 0, 1, 0])))
        shape, descr, data = self.npy("complex")
        self.assertEqual((shape, descr[1:]), ((3,), "c8"))
        self.assertEqual(list(struct.unpack(f"{descr[0]}6f", data)), [0, 1, 1, 1, 2, 1])

    def test_what_numpy_has_not_is_refused(self):
        out = self.folder / "none.npy"
        for name, words in (("string", "its elements are string, and NumPy's files have numbers"),
                            ("triangle", "its region consists of ")):
            status, printed, err = run("array", self.folder / name, "--npy", out)
            self.assertEqual((status, printed, err.count("\n")), (2, "", 1), err)
            self.assertIn(words, err)
            self.assertFalse(out.exists())
        status, _, err = run("array", self.folder / "double", "--npy", self.folder / "double")
        self.assertEqual(status, 2)
        self.assertIn("is the file of the array itself", err)
        status, _, err = run("array", self.folder / "double", "--npy", self.folder / "no" / "x.npy")
        self.assertEqual(status, 2)
        self.assertIn("No such file", err)
        compound = self.folder / "compound"
        compound.write_bytes(turned_head((self.folder / "double").read_bytes(), "V"))
        self.assertEqual(run("array", compound, "--npy", out)[0], 2)
        self.assertEqual(run("array", compound)[0], 0)
        self.assertEqual(run("array", compound, "--npy", out, "--json")[0], 2)

    def test_an_array_without_elements_is_told_of_and_is_one_for_numpy(self):
        (self.folder / "empty").write_bytes(file_of([]))
        status, out, err = run("array", self.folder / "empty")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("region: 0 points, 1 axis, 0 boxes\n0 blocks\nvalues: none; all checksums are right", out)
        self.assertEqual(json.loads(run("array", self.folder / "empty", "--json")[1])["values"], {"not_finite": 0})
        self.assertEqual(self.npy("empty")[::2], ((0,), b""))

    def test_the_mean_of_numbers_whose_sum_is_none_is_a_number(self):
        for values, mean in (([1.5e308] * 3, 1.5e308), ([1.5e308] * 2 + [-1.5e308] * 2, 0), ([1.5e308, 1.5e308, math.inf], 1.5e308)):
            (self.folder / "large").write_bytes(file_of(values))
            told = json.loads(run("array", self.folder / "large", "--json")[1], parse_constant=self.fail)
            self.assertEqual(told["values"]["mean"], mean)

    def test_a_row_for_numpy_is_written_piece_by_piece(self):
        (self.folder / "long").write_bytes(file_of([1.0] * 30_000))
        before = reader.PIECE
        reader.PIECE = 4099  # no whole number of elements
        tracemalloc.start()
        try:
            _, _, data = self.npy("long")
            tracemalloc.reset_peak()
            run("array", self.folder / "long", "--npy", self.folder / "again.npy")
            peak = tracemalloc.get_traced_memory()[1] - tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
            reader.PIECE = before
        self.assertEqual(data, struct.pack("=d", 1.0) * 30_000)
        self.assertLess(peak, 200_000)  # 30,000 of which say which cells there were, and the row has 240,000

    def test_for_numpy_only_files_are_written(self):
        pipe, link, taken = self.folder / "pipe", self.folder / "link.npy", self.folder / "double.npy.part"
        os.mkfifo(pipe)
        link.symlink_to("linked.npy")
        taken.write_text("of the user")
        for out in (pipe, self.folder, ".", "", "/", self.folder / ("x" * 300)):
            status, printed, err = run("array", self.folder / "double", "--npy", out)
            self.assertEqual((status, printed, err.count("\n")), (2, "", 1), err)
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(run("array", self.folder / "double", "--npy", link)[0], 0)
        self.assertTrue(link.is_symlink())
        self.npy("double")
        self.assertEqual(taken.read_text(), "of the user")

    def test_damage_is_told_and_leaves_nothing(self):
        text = (self.folder / "short").read_bytes()
        bad, out = self.folder / "bad", self.folder / "bad.npy"
        for size in range(len(text)):
            bad.write_bytes(text[:size])
            self.assertEqual(run("array", bad)[0], 2, size)
        for at in range(len(text)):
            bad.write_bytes(text[:at] + bytes([text[at] ^ 16]) + text[at + 1:])
            status, printed, err = run("array", bad)
            self.assertEqual((status, printed, err.count("\n")), (2, "", 1), (at, err))
            self.assertEqual(run("array", bad, "--npy", out)[0], 2, at)
            self.assertEqual(list(self.folder.glob("bad.npy*")), [])

    def test_what_is_no_file_of_an_array_is_told(self):
        for path, words in ((self.folder / "none", "No such file"), (self.folder, "Is a directory"),
                            (pathlib.Path(__file__), "is no file of an array")):
            status, _, err = run("array", path)
            self.assertEqual((status, err.count("\n")), (2, 1), err)
            self.assertIn(words, err)


if __name__ == "__main__":
    SPECIMEN = sys.argv.pop(1)
    unittest.main()
