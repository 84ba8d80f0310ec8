#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report's page of placement: what is on it, and its command line."""

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
from report import placement  # noqa: E402
from report.page import page  # noqa: E402
from report.results import from_record  # noqa: E402

# A simulator that is the better the fewer places there are.
SIMULATOR = f"""#!{sys.executable}
import sys
given = dict(word.split("=") for word in sys.argv[1:])
print('{{"efficiency": %.6f, "makespan_us": 1, "utilisation_sigma": 1.5, "tasks": 1000, "busy_us": 1, "moves": 200, "messages": 50}}'
      % (1 - int(given["places"]) / 10000 - (0.1 if given["policy"] != "hybrid" else 0)))
"""


def invented():
    return [placement.Cell(policy, grain, places, 0.9 - 0.0001 * places, 1.5, 200, 50, 1000)
            for grain in placement.GRAINS_US for policy in placement.POLICIES for places in placement.PLACES]


class Page(unittest.TestCase):
    def setUp(self):
        self.text = placement.page(invented())
        self.tree = ElementTree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", self.text.removeprefix("<!DOCTYPE html>")))

    def test_each_policy_is_a_line_of_each_chart_and_of_each_table(self):
        self.assertEqual([len(figure.findall("svg/g")) for figure in self.tree.iter("figure")], [5, 5])
        for policy in placement.POLICIES:
            self.assertEqual(sum(1 for cell in self.tree.iter("th") if cell.text == policy), 4)

    def test_efficiencies_stand_beside_their_places(self):
        first = next(self.tree.iter("table"))
        self.assertEqual([cell.text for cell in first.findall("thead/tr/th")], ["policy", *(f"{p} places" for p in placement.PLACES)])
        self.assertEqual([cell.text for cell in first.find("tbody/tr")], ["hybrid", "0.900", "0.898", "0.894", "0.874", "0.798"])

    def test_it_says_that_nothing_was_measured_and_by_what_model(self):
        for words in ("None of these figures was measured", placement.TREE, "2 us on its way", "seed 1"):
            self.assertIn(words, self.text)

    def test_the_report_has_a_link_to_it_where_it_is_there(self):
        results = from_record("specimen", report_specimen.record())
        self.assertIn('href="placement.html"', page(results, [placement.FILE]))
        self.assertNotIn('href="placement.html"', page(results))


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.simulator = self.folder / "simulator"
        self.simulator.write_text(SIMULATOR)
        self.simulator.chmod(stat.S_IRWXU)

    def test_the_page_alone(self):
        few = {"PLACES": (4, 16), "GRAINS_US": (20,)}
        with mock.patch.multiple(placement, **few):
            status, said, _ = run("--placement", "--out", str(self.folder / "out"), TACTUS_SIMULATE=str(self.simulator))
        self.assertEqual(status, 0)
        self.assertIn("placement.html: 10 simulated runs", said)
        self.assertEqual([file.name for file in (self.folder / "out").iterdir()], ["placement.html"])
        self.assertIn("0.998", (self.folder / "out" / "placement.html").read_text(encoding="utf-8"))

    def test_a_simulator_that_is_not_there_is_named(self):
        status, _, said = run("--placement", "--out", str(self.folder / "out"), TACTUS_SIMULATE="/no/such/program")
        self.assertEqual(status, 1)
        self.assertIn("report: placement.html: simulate: /no/such/program", said)
        self.assertFalse((self.folder / "out").exists())

    def test_options_for_benchmarks_have_no_meaning_with_it(self):
        for more in (["fib"], ["--all"], ["--from", "x.json"], ["--chart", "x"]):
            status, _, said = run("--placement", *more, TACTUS_SIMULATE=str(self.simulator))
            self.assertEqual(status, 2)
            self.assertIn("--placement runs a simulation only", said)


if __name__ == "__main__":
    unittest.main()
