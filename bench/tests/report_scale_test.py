#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report's page of scale: what is on it, and its command line."""

import pathlib
import re
import stat
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_specimen  # noqa: E402
from report_command import run  # noqa: E402
from report import scale  # noqa: E402
from report.page import page  # noqa: E402
from report.results import from_record  # noqa: E402

# Takes three messages for each place; a hop is a unit of time.
PROGRAM = f"""#!{sys.executable}
import sys
operation, places, *costs = sys.argv[1:]
print('{{"operation": "%s", "places": %s, "messages": %d, "at_busiest": 7, "time": %d}}'
      % (operation, places, 3 * int(places), 5 * int(costs[0]) if costs else 5))
"""


class Page(unittest.TestCase):
    def setUp(self):
        rows = [scale.Row(operation, places, 3 * places, 7, 5, 10000) for places in scale.PLACES for operation in scale.OPERATIONS]
        self.text = scale.page(rows)
        self.tree = ElementTree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", self.text.removeprefix("<!DOCTYPE html>")))

    def test_each_operation_is_a_line_of_each_chart_and_has_a_table(self):
        self.assertEqual([len(figure.findall("svg/g")) for figure in self.tree.iter("figure")], [5, 5, 5])
        self.assertEqual(len(list(self.tree.iter("table"))), 5)

    def test_a_row_for_each_number_of_places(self):
        rows = next(self.tree.iter("table")).findall("tbody/tr")
        self.assertEqual([row.find("th").text for row in rows], [f"{places:,}" for places in scale.PLACES])
        self.assertEqual([cell.text for cell in rows[-1].findall("td")], ["12,288", "3.00", "7", "5", "10.0"])

    def test_it_says_that_nothing_was_measured_and_what_was_guessed(self):
        for words in ("None of these figures was measured", "2 us on its way", "0.1 us of its sender"):
            self.assertIn(words, self.text)

    def test_the_report_has_a_link_to_it_where_it_is_there(self):
        results = from_record("specimen", report_specimen.record())
        self.assertIn('href="scale.html"', page(results, [scale.FILE]))
        self.assertNotIn('href="scale.html"', page(results))


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(stat.S_IRWXU)

    def test_the_page_and_its_rows(self):
        with mock.patch.multiple(scale, PLACES=(2, 4)):
            status, said, _ = run("--scale", "--out", str(self.out), TACTUS_SCALE=str(self.program))
        self.assertEqual(status, 0)
        self.assertIn("scale.html: 10 operations in virtual time", said)
        self.assertEqual(sorted(file.name for file in self.out.iterdir()), ["scale.html", "scale.json"])
        with mock.patch.object(scale, "KEPT", self.out / "scale.json"):
            self.assertEqual(scale.kept()[-1], scale.Row("verdict", 4, 12, 7, 5, 10000))

    def test_a_program_that_fails_is_told(self):
        self.program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('tactus_scale: no more threads')\n")
        status, _, said = run("--scale", "--out", str(self.out), TACTUS_SCALE=str(self.program))
        self.assertEqual(status, 1)
        self.assertIn("report: scale.html: tactus_scale: no more threads", said)
        self.assertFalse(self.out.exists())

    def test_options_for_benchmarks_have_no_meaning_with_it(self):
        for more in (["fib"], ["--all"], ["--from", "x.json"], ["--placement"]):
            status, _, said = run("--scale", *more, TACTUS_SCALE=str(self.program))
            self.assertEqual(status, 2)
            self.assertIn("--scale", said)


if __name__ == "__main__":
    unittest.main()
