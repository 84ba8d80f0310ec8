#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report: which files it reads, what is on the page, and its command line."""

import contextlib
import copy
import gzip
import html.parser
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_specimen  # noqa: E402
from report import main, numbers, published  # noqa: E402
from report.page import page  # noqa: E402
from report.results import ResultsError, from_record, limit, read  # noqa: E402
from runner.goals import MET, MISSED, SHORT, UNSURE, Row  # noqa: E402
from webpage.numbers import interval, with_unit  # noqa: E402

RECORD = report_specimen.record()
RESULTS = from_record("specimen", RECORD)


def changed(change):
    """The specimen's first group only, after change(record)."""
    record = copy.deepcopy({**RECORD, "groups": RECORD["groups"][:1]})
    change(record)
    return record


def as_tree(text):
    """The page as a tree; it is XML but for the end tags of meta."""
    return ElementTree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", text.removeprefix("<!DOCTYPE html>")))


class Reading(unittest.TestCase):
    def refused(self, record, *words):
        with self.assertRaises(ResultsError) as caught:
            from_record("some.json", record)
        for word in ("some.json", *words):
            self.assertIn(word, str(caught.exception))

    def test_takes_all_that_the_runner_writes(self):
        self.assertEqual(len(RESULTS.rows()), sum(len(g["rows"]) for g in RECORD["groups"]))
        self.assertEqual(RESULTS.load_at_start, 0.12)

    def test_a_compressed_file_is_read_and_a_damaged_one_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json.gz"
            whole = gzip.compress(json.dumps(RECORD).encode())
            path.write_bytes(whole)
            self.assertEqual(len(read(path).groups), len(RECORD["groups"]))
            for damaged in (whole[:-20], b"{}", whole[:50] + b"\0\0\0\0" + whole[54:]):
                path.write_bytes(damaged)
                with self.assertRaisesRegex(ResultsError, "run.json.gz"):
                    read(path)

    def test_a_file_that_is_missing_or_cut_short_is_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.json"
            with self.assertRaisesRegex(ResultsError, "cut.json.*./dev bench"):
                read(path)
            path.write_text(json.dumps(RECORD)[:1000])
            with self.assertRaisesRegex(ResultsError, "cut.json: not JSON"):
                read(path)

    def test_other_json_is_refused(self):
        self.refused([], "no list 'groups'")
        self.refused({"groups": 3}, "no list 'groups'")

    def test_a_newer_format_is_refused_with_the_commit_to_use(self):
        self.refused({**RECORD, "format": 3}, "format 3", "formats 1 to 2", RECORD["revision"])
        self.refused({**RECORD, "format": "2"}, "format '2'")

    def test_a_field_that_is_missing_or_wrong_is_named(self):
        def drop(record):
            del record["groups"][0]["rows"][0]["measure"]

        def spoil(record):
            record["groups"][0]["members"][0]["median_ns"] = "fast"

        title = RECORD["groups"][0]["title"]
        self.refused(changed(drop), title, "no 'measure'")
        self.refused(changed(spoil), title, "'median_ns'", "'fast'")

    def test_format_1_gets_the_labels_that_it_lacks(self):
        def age(record):
            del record["format"]
            for group in record["groups"]:
                for member in group["members"]:
                    del member["label"]

        older = copy.deepcopy(RECORD)
        age(older)
        labels = [[m.label for m in g.members] for g in from_record("old", older).groups]
        self.assertEqual(labels, [[m.label for m in g.members] for g in RESULTS.groups])

    def test_format_1_is_judged_anew(self):
        def row(value, low, high, goal, stretch=False, verdict=MET):
            return {**RECORD["groups"][0]["rows"][0], "value": value, "low": low, "high": high, "goal": goal,
                    "stretch": stretch, "verdict": verdict}

        def age(record):
            del record["format"]
            record["groups"][0]["rows"] = [
                row(2, 1, 3, "<= 1.5 x"), row(1, 0.9, 3, "<= 1.5 x"), row(1.2, 1, 2, ">= 1.5 x"), row(1, 0.9, 1.2, ">= 1.5 x"),
                row(2, 1.6, 3, "<= 1.5 x", stretch=True), row(None, None, None, "completes"), row(2, 1.6, 3, "<= 1.5 x", verdict="-")]

        verdicts = [r.verdict for r in from_record("old", changed(age)).rows()]
        self.assertEqual(verdicts, [UNSURE, MET, UNSURE, MISSED, SHORT, MET, "-"])

    def test_a_limit_is_read_from_the_goal(self):
        goals = ["<= 0.15 x", ">= 1e+06 x", "completes", "18 to 900 us", ""]
        self.assertEqual([limit(Row("m", 1, goal=g)) for g in goals], [(0.15, True), (1e6, False), None, None, None])


class Balance(html.parser.HTMLParser):
    """Every element is closed by its own end tag."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.tags, self.words = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        self.words.append(data)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = page(RESULTS)
        cls.tree = as_tree(cls.text)
        cls.parsed = Balance()
        cls.parsed.feed(cls.text)
        cls.words = "\n".join(cls.parsed.words)

    def test_is_balanced_html(self):
        self.assertEqual((self.parsed.open, self.parsed.faults), ([], []))

    def test_has_no_script_and_asks_for_nothing(self):
        for tag, attributes in self.parsed.tags:
            self.assertNotIn(tag, ("script", "link", "img", "iframe", "object"))
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on") or name == "src" or (name == "href" and not value.startswith("#")), name)
        self.assertNotIn("url(", self.text)
        self.assertNotIn("@import", self.text)

    def test_has_every_row_and_every_competitor_of_the_results(self):
        for group in RESULTS.groups:
            self.assertIn(group.title, self.words)
            names = (*(r.measure for r in group.rows), *(r.note for r in group.rows), *(m.label for m in group.members))
            for name in names:
                self.assertIn(name, self.words)

    def test_gives_each_row_in_its_group_with_value_interval_and_verdict(self):
        articles = [a for s in self.tree.iter("section") if (s.get("id") or "").startswith("problem-") for a in s.findall("article")]
        self.assertEqual(len(articles), len(RESULTS.groups))
        for article, group in zip(articles, (g for groups in RESULTS.sections().values() for g in groups)):
            lines_ = ["|".join("".join(c.itertext()) for c in (*r.findall("th"), *r.findall("td"))) for r in article.iter("tr")]
            for row in group.rows:
                expected = [row.measure, str(row.workers), numbers.nanoseconds(row.ours), numbers.nanoseconds(row.theirs),
                            with_unit(row.value, row.unit),
                            interval(row.low, row.high), numbers.goal(row.goal),
                            (numbers.verdict(row) or ("reported",))[0]]
                self.assertTrue(any(line.startswith("|".join(expected)) for line in lines_), row.measure)

    def test_has_every_figure_of_the_papers(self):
        for paper in published.papers():
            for entry in paper.entries:
                self.assertIn(entry.what, self.words)

    def test_escapes_what_came_from_outside(self):
        def attack(record):
            record["groups"][0]["title"] = "<script>alert('x')</script>"
            record["groups"][0]["rows"][0]["measure"] = "</td>\x00\x1b[31m & \"<b>\""
            record["machine"]["cpu"] = "\"><img src=x>"

        results = from_record("x", changed(attack))
        text = page(results)
        as_tree(text)
        for forbidden in ("<script", "<img", "<b>\"", "\x00", "\x1b"):
            self.assertNotIn(forbidden, text)
        self.assertIn("&lt;script&gt;", text)

    def test_names_are_unique_and_links_lead_somewhere(self):
        names = [e.get("id") for e in self.tree.iter() if e.get("id")]
        self.assertEqual(len(names), len(set(names)))
        for link in self.tree.iter("a"):
            self.assertIn(link.get("href")[1:], names)

    def test_every_drawing_says_what_it_shows(self):
        drawings = [e for e in self.tree.iter("svg") if e.get("role") == "img"]
        self.assertGreater(len(drawings), 500)
        for drawing in drawings:
            self.assertTrue(drawing.findtext("title") and drawing.findtext("desc"))

    def test_every_chart_has_its_data_as_a_table_beside_it(self):
        for place in (*self.tree.iter("article"), *self.tree.iter("section")):
            if any(e.get("class") == "chart" for e in place.findall("figure")):
                self.assertIsNotNone(place.find(".//table"), place.get("id"))

    def test_warns_of_what_spoils_the_figures(self):
        for words in ("12 % of the machine was in use", "differed from the commit", "Not built, its library was missing: boost_fiber",
                      "Not run, out of time: xrx: one", "hypervisor took more than 2 %"):
            self.assertIn(words, self.words)
        self.assertNotIn("format 1", self.words)

    def test_names_every_version_of_onetbb_that_was_measured(self):
        self.assertIn("oneTBB 2021.8.0 and 2023.2.0, Boost none", self.words)
        for build, words in (({"onetbb": "2021.8.0", "onetbb_new": ""}, "oneTBB 2021.8.0, Boost"), ({}, "oneTBB none, Boost")):
            self.assertIn(words, page(from_record("x", {**RECORD, "build": build, "groups": []})))

    def test_shows_no_interval_of_too_few_processes(self):
        bare = {r.measure for r in RESULTS.rows() if "no interval" in r.note}
        self.assertIn("KC 128: X10 model, overall gain (figures 16, 21)", bare)
        self.assertIn("Of fewer than 5 processes there is none", self.words)
        shown = 0
        for item in self.tree.iter("li"):
            if "bar" in (item.get("class") or "").split() and item.findtext("span").rpartition(" @")[0] in bare:
                shown += 1
                self.assertNotIn("[", "".join(item.itertext()), item.findtext("span"))
                self.assertEqual([line.get("class") for line in item.iter("line") if line.get("class") == "whisker"], [])
        self.assertGreater(shown, 5)

    def test_counts_goals_as_the_runner_does(self):
        held = [r for r in RESULTS.rows() if r.goal and not r.stretch]
        tiles = next(e for e in self.tree.iter("ul") if e.get("class") == "tiles")
        counts = [int(b.text) for b in tiles.iter("b")]
        self.assertEqual(counts[:3], [sum(r.verdict == v for r in held) for v in (MET, UNSURE, MISSED)])
        self.assertEqual(sum(counts), len(held))

    def test_of_an_empty_run_can_be_written(self):
        as_tree(page(from_record("x", {**RECORD, "groups": []})))


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with (mock.patch.object(sys, "argv", ["report", *arguments]), contextlib.redirect_stdout(out),
              contextlib.redirect_stderr(err)):
            try:
                status = main.main()
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def test_writes_page_and_chart_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "r.json"
            file.write_text(json.dumps(changed(lambda record: None)))
            status, out, _ = self.run_main("--from", str(file), "--out", folder, "--chart", folder)
            self.assertEqual(status, 0)
            self.assertIn("index.html", out)
            for name in ("index.html", "headline.svg", "headline.json"):
                self.assertTrue((pathlib.Path(folder) / name).exists())

    def test_says_what_is_wrong_with_a_file(self):
        status, _, err = self.run_main("--from", "no/such.json")
        self.assertEqual((status, "no/such.json" in err), (2, True))

    def test_refuses_to_read_and_to_run_at_once(self):
        status, _, err = self.run_main("--from", "x.json", "fib")
        self.assertEqual((status, "runs nothing" in err), (2, True))

    def test_runs_the_benchmarks_and_reports_even_when_one_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "bench").mkdir()

            def run(command, check):
                (pathlib.Path(folder) / "bench" / "bench-results-named.json").write_text(json.dumps(changed(lambda record: None)))
                self.assertEqual(command[2:], [folder, "--all", "--full", "fib"])
                return mock.Mock(returncode=1)

            with mock.patch.object(main.subprocess, "run", run):
                status, out, _ = self.run_main("--build", folder, "--out", folder, "--all", "--full", "fib")
            self.assertEqual((status, "index.html" in out), (1, True))

    def test_does_not_report_an_older_run_as_this_one(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "bench").mkdir()
            file = pathlib.Path(folder) / "bench" / "bench-results.json"
            file.write_text(json.dumps(changed(lambda record: None)))
            os.utime(file, (1, 1))
            with mock.patch.object(main.subprocess, "run", lambda command, check: mock.Mock(returncode=2)):
                status, _, err = self.run_main("--build", folder, "--out", folder)
            self.assertEqual((status, "wrote no results" in err), (2, True))


if __name__ == "__main__":
    unittest.main()
