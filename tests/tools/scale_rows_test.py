#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of scale that the report shows are what the library's protocols cost; and what the program says of bad arguments."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]

from report import scale  # noqa: E402

FEW = 64


class Rows(unittest.TestCase):
    def test_those_of_few_places_are_counted_again(self):
        kept = [row for row in scale.kept() if row.places <= FEW]
        self.assertEqual(len(kept), sum(1 for places in scale.PLACES if places <= FEW) * len(scale.OPERATIONS))
        for row in kept:
            self.assertEqual(scale.counted(row.operation, row.places), row)

    def test_all_operations_at_all_places_are_there(self):
        self.assertEqual([(row.places, row.operation) for row in scale.kept()],
                         [(places, operation) for places in scale.PLACES for operation in scale.OPERATIONS])


class Arguments(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        return done.stderr

    def test_bad_ones_are_named(self):
        self.assertIn("these are 0 arguments", self.refused())
        self.assertIn("OPERATION 'gather' is none of finish, round", self.refused("gather", "4"))
        self.assertIn("PLACES '1' is no whole number from 2", self.refused("finish", "1"))
        self.assertIn("PLACES '4x' is no whole number", self.refused("finish", "4x"))
        self.assertIn("LATENCY '0' is no whole number from 1", self.refused("finish", "4", "0", "0", "0"))
        self.assertIn("these are 4 arguments", self.refused("finish", "4", "1", "1"))

    def test_a_program_that_is_not_there_is_named(self):
        os.environ["TACTUS_SCALE"] = "/no/such/program"
        try:
            with self.assertRaisesRegex(scale.ScaleError, "/no/such/program"):
                scale.counted("finish", 2)
        finally:
            os.environ["TACTUS_SCALE"] = PROGRAM


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    os.environ["TACTUS_SCALE"] = PROGRAM
    unittest.main()
