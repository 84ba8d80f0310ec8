# SPDX-License-Identifier: Apache-2.0
"""Examples with places, unchanged, with a place in each process: python3 examples_test.py FOLDER MPI MPIRUN [ARGUMENT...]

In FOLDER are the programs, NAME_MPI each. What an example says of its number of places, `ts::config{.places = 4}`, is
said otherwise by TACTUS_PLACES."""
import os
import pathlib
import subprocess
import sys
import unittest

FOLDER, MPI, *MPIRUN = sys.argv[1:]
LONGEST = 60  # seconds


def job(name, ranks):
    return subprocess.run([*MPIRUN, "-n", str(ranks), pathlib.Path(FOLDER) / f"{name}_{MPI}"], timeout=LONGEST, check=False,
                          env=os.environ | {"TACTUS_PLACES": str(ranks)}, capture_output=True, text=True)


class Examples(unittest.TestCase):
    def assert_prints(self, name, ranks, *lines):
        result = job(name, ranks)
        self.assertEqual((result.returncode, result.stdout.splitlines(), result.stderr), (0, list(lines), ""))

    def test_places(self):
        self.assert_prints("17_places", 3, "place 0 of 3, then place 1", "at: 42", "at_future: 0 1 4", "visitors: 3", "sum: 4498500")

    def test_ghosts(self):
        self.assert_prints("20_ghosts", 4, "sum 280.870, warmest 1.872 at (3,6)", "place 1 gets 4 cells",
                           "2800 1 2 1603 4 5 2806 7 8 1609 10 11", "with what others had of it: 28", "5 1")

    def test_heat(self):
        self.assert_prints("21_heat", 3, "226 steps, 24.498 in the middle, 87.310 beside the warm edge")

    def test_particles(self):
        self.assert_prints("22_particles", 4, "320 particles, 16 at home", "320 particles, 320 at home")

    def test_placement(self):
        for ranks in 2, 3:
            self.assert_prints("24_placement", ranks, "59542", "4", "meant for place 0")
            self.assert_prints("26_reaching_back", ranks, "1, 100, in all 5050")

    def test_what_other_libraries_become(self):
        self.assert_prints("life_tactus", 3, "151 alive")
        self.assert_prints("gray_scott_tactus", 2, "u 1518.6950, v 29.6597")
        self.assert_prints("product_tactus", 4, "29382000")
        self.assert_prints("diffusion_tactus", 2, "12.606 at (15,15), 1000.000 in all")

    def test_a_place_that_is_not_there_is_named(self):
        result = job("17_places", 2)  # it calls a function at place 2
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("place 2", result.stderr)

    def test_teams(self):
        self.assert_prints("18_teams", 2, "2 places, rows up to 1 1; product 500, sums 2 1, meanwhile 500")
        self.assert_prints("18_teams", 3, "3 places, rows up to 1 1 2; product 750, sums 3 3, meanwhile 500")

    def test_word_count(self):
        self.assert_prints("word_count_tactus", 2, "ishmael: 1")
        self.assert_prints("word_count_tactus", 3, "ishmael: 2")

    def test_pi(self):
        self.assert_prints("pi_tactus", 2, "pi: 3.141593")
        self.assert_prints("pi_tactus", 3, "pi: 3.141593")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
