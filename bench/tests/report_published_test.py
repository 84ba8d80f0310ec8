#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the report says of the papers: sections and figures exist, tables are whole, and the plan has what stands beside them."""

import dataclasses
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_specimen  # noqa: E402
from report import compare, curves, numbers, paper_section, published  # noqa: E402
from report.page import page  # noqa: E402
from report.results import from_record  # noqa: E402
from webpage import lines  # noqa: E402

RESULTS = from_record("specimen", report_specimen.record())


ROMAN = {"I": "1", "II": "2", "III": "3"}


def named_items(text):
    """{("figure", 15), ...} of a text such as 'figures 15 to 18, table 2', or 'table II'."""
    found = set()
    text = re.sub(r"\btable (I+)\b", lambda match: "table " + ROMAN[match[1]], text)
    for kind, numbers_ in re.findall(r"(figure|table)s? ((?:\d+(?:, | to | and )?)+)", text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", numbers_):
            found |= {(kind, n) for n in range(int(first), int(last or first) + 1)}
    return found


class Published(unittest.TestCase):
    def each(self):
        return [(paper, entry) for paper in published.papers() for entry in paper.entries]

    def everything(self):
        libraries = published.other_libraries()
        return [*self.each(), *((libraries, entry) for entry in libraries.entries)]

    def test_every_entry_names_a_section_and_machines_of_its_paper(self):
        for paper, entry in self.everything():
            self.assertIn(entry.section, paper.sections, entry.item)
            columns = entry.table["columns"] if entry.table else ()
            for part in (*entry.statements, *columns):
                self.assertIn(part.get("machine", next(iter(paper.machines))), paper.machines, entry.item)

    def test_every_entry_is_a_figure_or_table_that_the_map_of_the_papers_names(self):
        maps = (BENCH.parent / "docs" / "papers.md").read_text()
        for paper, entry in self.each():
            chapter = re.search(rf"^## .*\({re.escape(paper.file)}\)$(.*?)(^## |\Z)", maps, re.M | re.S)
            self.assertIsNotNone(chapter, paper.file)
            sections = "\n".join(line.split("|")[1] for line in chapter[1].splitlines() if line.startswith("|"))
            self.assertTrue(named_items(entry.item), entry.item)
            self.assertLessEqual(named_items(entry.item), named_items(sections), entry.item)

    def test_tables_are_complete_and_cells_are_numbers_words_or_intervals(self):
        for _, entry in self.each():
            self.assertTrue(entry.statements or entry.table, entry.item)
            for column in entry.table["columns"] if entry.table else ():
                self.assertEqual(len(column["values"]), len(entry.table["rows"]), (entry.item, column["label"]))
                for value in column["values"]:
                    if isinstance(value, list):
                        middle, low, high = value
                        self.assertTrue(low <= middle <= high, (entry.item, value))

    def test_figures_of_other_libraries_are_said_to_be_from_other_machines(self):
        libraries = published.other_libraries()
        text = str(paper_section.section(libraries, compare.Ours(RESULTS), RESULTS))
        self.assertIn("other machines", text)
        for name in ("HPX", "LCI", "UPC++"):
            self.assertIn(name, text)
        for entry in libraries.entries:
            for statement in entry.statements:
                self.assertTrue("ours" in statement or statement["machine"].startswith("theirs"), statement["what"])

    def test_numbers_keep_the_digits_that_were_printed(self):
        entry = next(e for _, e in self.each() if e.item == "figure 19")
        self.assertEqual(numbers.printed(entry.table["columns"][0]["values"][1], "x"), "1.00 \u00d7")

    def test_gains_multiply_to_the_overall_gain_as_the_paper_says(self):
        columns = next(e for _, e in self.each() if e.item == "figure 19").table["columns"]
        for machine in range(2):
            *steps, overall = (c["values"] for c in columns[4 * machine:4 * machine + 4])
            for opt1, opt2, extension, product in zip(*steps, overall):
                self.assertAlmostEqual(opt1 * opt2 * extension / product, 1, delta=0.02)

    def test_what_is_put_beside_it_exists_in_the_plan(self):
        ours = compare.Ours(RESULTS)
        for paper, entry in self.everything():
            for pattern in entry.listed:
                self.assertTrue(ours.listed([pattern]), pattern)
            for statement in entry.statements:
                if "ours" in statement:
                    for source in statement["ours"]:
                        self.assertTrue(ours.statement([source], entry.sizes), source)
            found = ours.columns(entry)
            for source in entry.ours:
                labels = {label for label, _ in compare.filled(source["label"], entry.sizes)}
                self.assertTrue(labels & {column.label for column in found}, source)

    def test_the_table_of_properties_has_what_was_measured_of_tactus(self):
        paper, entry = next((p, e) for p, e in self.each() if p.file == "uclocks.txt" and e.item == "figure 13")
        ours = compare.Ours(RESULTS)
        [column] = ours.columns(entry)
        self.assertEqual([(c.unit, c.label.partition(":")[0]) for c in column.cells],
                         [("x", "figure 7"), ("threads", "100,000 clocked tasks wait"), ("x", "clock")])
        words = str(paper_section.section(dataclasses.replace(paper, entries=(entry,)), ours, RESULTS))
        self.assertIn("ours: Tactus clocks", words)
        self.assertIn("2 threads", words)

    def test_throughput_stands_in_the_unit_of_figure_13(self):
        entry = next(e for p, e in self.each() if p.file == "work-stealing.txt" and e.item == "figure 13")
        units = {row.measure: row.unit for row in compare.Ours(RESULTS).listed(entry.listed)}
        for policy in ("work_first", "help_first"):
            self.assertEqual(units[f"span 1 M: million edges a second, tactus {policy}"], "M/s")

    def test_line_charts_name_members_of_the_plan(self):
        drawn = [curves.Curve(**e.curve) for _, e in self.each() if e.curve]
        for curve in (*drawn, *curves.OF_SECTIONS):
            self.assertLessEqual(len(curve.labels), lines.MOST_SERIES)
            legend = ElementTree.fromstring(curves.drawn(curve, RESULTS)).findall("ul/li")
            self.assertEqual(len(legend), len(curve.labels), curve.caption)

    def test_an_inverse_ratio_has_its_interval_turned_round(self):
        measure = RESULTS.rows()[0].measure
        row = compare.Ours(RESULTS).row(measure)
        [figure] = compare.Ours(RESULTS).statement([{"measure": measure, "inverse": True}], {})
        self.assertEqual((figure.value, figure.low, figure.high), (1 / row.value, 1 / row.high, 1 / row.low))

    def test_what_the_results_hold_nothing_of_is_folded_and_not_in_the_contents(self):
        def figures(results):
            """Of the papers: those that are folded, and the others."""
            tree = ElementTree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", page(results).removeprefix("<!DOCTYPE html>")))
            every = {article.get("id") for article in tree.iter("article") if article.get("id")}
            folded = {article.get("id") for part in tree.iter("details") for article in part.iter("article")}
            linked = {link.get("href").removeprefix("#") for link in tree.find(".//nav").iter("a")}
            self.assertEqual(folded, every - linked)
            return folded, every - folded

        folded, shown = figures(dataclasses.replace(RESULTS, groups=tuple(g for g in RESULTS.groups if g.section == "fib")))
        self.assertIn("work-stealing-figure-12", shown)
        self.assertIn("work-stealing-figure-13", folded)
        self.assertFalse(any(name.startswith("uclocks") for name in shown))
        self.assertIn("work-stealing-figure-13", figures(RESULTS)[1])


if __name__ == "__main__":
    unittest.main()
