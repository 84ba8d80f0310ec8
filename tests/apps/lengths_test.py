# SPDX-License-Identifier: Apache-2.0
"""How long the flow in a cavity is: lines that are neither empty nor comments, as ghost-regions.txt counts them in section IV-C, where an
application of 600 stands against one of 900 in Fortran.

Usage: lengths_test.py FOLDER, that of the application.
"""
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(sys.argv.pop())
MOST_OF_THE_SOLVER, MOST_OF_ALL = 60, 600
# What neither the paper's application nor the one that it is compared with has: an image, the literature's figures, the same once more.
BESIDE = {"picture.cpp", "picture.hpp", "ghia.cpp", "ghia.hpp", "serial_cavity.hpp", "serial_cavity.cpp"}


def lines(text):
    without = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return sum(bool(line.strip()) and not line.lstrip().startswith("//") for line in without.splitlines())


class Lengths(unittest.TestCase):
    def test_comments_and_empty_lines_do_not_count(self):
        self.assertEqual(lines("// a\n\n  int x;  // b\n/* c\n   d */\n   // e\n}\n"), 2)

    def test_the_flow_in_a_cavity_is_as_short_as_the_paper_s(self):
        of_files = {file.name: lines(file.read_text()) for file in FOLDER.glob("*.?pp")}
        self.assertLessEqual(BESIDE | {"solver.cpp", "main.cpp"}, set(of_files))
        self.assertLessEqual(of_files["solver.cpp"], MOST_OF_THE_SOLVER)
        self.assertLessEqual(sum(n for name, n in of_files.items() if name not in BESIDE), MOST_OF_ALL)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
