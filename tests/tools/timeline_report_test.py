#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus report: what is read out of a timeline, what is said of it, and what of a file that is none."""

import contextlib
import html.parser
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]

import timeline_specimen as specimen  # noqa: E402
from timeline_report import activity, tables, words  # noqa: E402
from timeline_report.main import main  # noqa: E402
from timeline_report.page import page  # noqa: E402
from timeline_report.timeline import TimelineError, from_record  # noqa: E402


def timeline(record):
    return from_record(record, "specimen.json")


class Elements(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""
    VOID = ("meta", "br", "hr", "col")

    def __init__(self, text):
        super().__init__()
        self.names, self._open, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


class WhatIsRead(unittest.TestCase):
    def setUp(self):
        self.timeline = timeline(specimen.small())

    def test_how_busy_each_worker_was_and_its_longest_gap(self):
        first, second = activity.workers(self.timeline)
        self.assertEqual((first.busy, first.longest_gap), (90.0, (50.0, 60.0)))
        self.assertEqual((second.busy, second.longest_gap), (30.0, (0.0, 40.0)))
        self.assertEqual(activity.busy_share(self.timeline), 0.6)
        self.assertEqual((first.robbed, second.steals, second.entries), (1, 1, 2))

    def test_busy_over_time_adds_up(self):
        shares = activity.over_time(self.timeline, 10)
        self.assertEqual(shares[0], [1, 1, 1, 1, 1, 0, 1, 1, 1, 1])
        self.assertEqual(shares[1], [0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        uneven = activity.over_time(self.timeline, 7)
        self.assertAlmostEqual(sum(uneven[0]) / 7, 0.9)
        self.assertAlmostEqual(sum(uneven[1]) / 7, 0.3)

    def test_the_time_of_a_task_is_that_of_all_its_slices(self):
        (one, main_spread, main_slices), (two, child, _) = activity.tasks(self.timeline)
        self.assertEqual((one, main_spread.count, main_spread.total, main_slices), ("main", 1, 60.0, 2))
        self.assertEqual((two, child.count, child.total, child.median, child.longest), ("child", 3, 60.0, 20.0, 30.0))

    def test_95_of_100_lengths(self):
        self.assertEqual(activity.Spread.of(range(1, 101)).nearly_all, 95)
        self.assertEqual(activity.Spread.of([7]).nearly_all, 7)

    def test_waits_whose_reasons_differ_in_numbers_are_one(self):
        ((reason, spread, moved, who),) = activity.waits(self.timeline)
        self.assertEqual((reason, spread.count, spread.total, moved), ("clock # in phase #", 2, 42.0, 1))
        self.assertIn(who, ("main", "child"))
        ((reason, *_),) = activity.waits(timeline(specimen.record(specimen.waited(1, "clock 7", 0.0, 5.0))))
        self.assertEqual(reason, "clock 7")

    def test_turns_of_a_clock(self):
        ((what, count, spread),) = activity.turns(self.timeline)
        self.assertEqual((what, count, spread.total, spread.longest), ("clock 7", 3, 30.0, 20.0))

    def test_where_events_are_lost_workers_are_judged_from_when_all_are_known(self):
        events = [*specimen.ran(0, 1, "a", 10.0, 50.0), *specimen.ran(1, 2, "b", 30.0, 50.0)]
        cut = timeline(specimen.record(events, lost=3))
        self.assertEqual((cut.begin, cut.end), (30.0, 50.0))
        self.assertEqual([w.busy for w in activity.workers(cut)], [20.0, 20.0])
        self.assertIn("3 events", words.findings(cut)[0])
        self.assertEqual(timeline(specimen.record(events)).begin, 0.0)

    def test_a_run_of_nothing(self):
        empty = timeline(specimen.record([]))
        self.assertEqual((activity.busy_share(empty), activity.tasks(empty), words.findings(empty)), (0.0, [], []))
        Elements(page(empty, "empty.json"))


class WhatIsSaid(unittest.TestCase):
    def test_durations(self):
        said = [words.duration(v) for v in (0, 0.012, 0.5, 1, 999.4, 1234, 5e6, 3.6e9)]
        self.assertEqual(said, ["0", "12.0 ns", "500 ns", "1.00 us", "999 us", "1.23 ms", "5.00 s", "3,600 s"])

    def test_idle_workers(self):
        (idle, *_) = words.findings(timeline(specimen.small()))
        self.assertIn("60.0 %", idle)
        self.assertIn("worker 1's: 40.0 us, from 0 on", idle)

    def test_busy_workers_are_not_remarked(self):
        events = [*specimen.ran(0, 1, "a", 0.0, 45.0), *specimen.ran(1, 2, "b", 0.0, 45.0), *specimen.ran(0, 3, "c", 45.0, 50.0)]
        self.assertFalse(any("longest gap" in text for text in words.findings(timeline(specimen.record(events)))))

    def test_a_task_that_decides_how_long_the_run_takes(self):
        events = [*specimen.ran(0, 1, "main", 0.0, 100.0), *specimen.ran(1, 2, "big", 0.0, 60.0)]
        self.assertTrue(any("big" in text and "60.0 %" in text for text in words.findings(timeline(specimen.record(events)))))
        self.assertFalse(any("big" in text for text in words.findings(timeline(specimen.record(events[:2] + specimen.ran(1, 2, "big", 0.0, 40.0))))))

    def test_tasks_that_are_too_short(self):
        def of(length):
            return timeline(specimen.record([e for i in range(30) for e in specimen.ran(0, i, "t", 2.0 * i, 2.0 * i + length)]))
        self.assertTrue(any("grain" in text for text in words.findings(of(0.5))))
        self.assertFalse(any("grain" in text for text in words.findings(of(1.5))))

    def test_the_page_is_whole_and_shows_every_table(self):
        text = page(timeline(specimen.small()), "t.json")
        elements = Elements(text)
        shown = " ".join(elements.words)
        for one in tables.all_tables(timeline(specimen.small())):
            for cell in (one.title, *one.head, *one.rows[0]):
                self.assertIn(cell, shown)
        self.assertEqual(text.count("http"), 1)  # the Content-Security-Policy's http-equiv
        self.assertNotIn("script", elements.names)

    def test_names_are_text_and_long_tables_say_what_they_leave_out(self):
        many = timeline(specimen.crowd())
        elements = Elements(page(many, "t.json"))
        self.assertNotIn("script", elements.names)
        self.assertIn("<script>alert(1)</script>", elements.words)
        self.assertEqual(len(tables.tasks(many).rows), tables.MOST_ROWS)
        self.assertEqual(tables.tasks(many).left_out, f"and {2 + 200 - tables.MOST_ROWS} other names")


class TheCommand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "run.json"
        self.file.write_text(json.dumps(specimen.small()))

    def run_it(self, *arguments):
        """(status, output, errors)"""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status = main(["report", *map(str, arguments)])
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), errors.getvalue()

    def assert_refused(self, text, *expected):
        self.file.write_text(text)
        status, out, errors = self.run_it(self.file)
        self.assertEqual((status, out), (2, ""))
        for words_of_it in (str(self.file), *expected):
            self.assertIn(words_of_it, errors)
        self.assertFalse(self.file.with_suffix(".html").exists())

    def test_the_page_lies_beside_the_timeline_or_where_it_is_told(self):
        for arguments, expected in (((), self.folder / "run.html"), (("--out", self.folder / "other"), self.folder / "other")):
            self.assertEqual(self.run_it(self.file, *arguments), (0, f"{expected}\n", ""))
            self.assertTrue(expected.read_text().startswith("<!DOCTYPE html>"))

    def test_text(self):
        status, out, _ = self.run_it("--text", self.file)
        self.assertEqual(status, 0)
        for expected in ("command: ./program --size 3", "- The workers ran tasks in 60.0 %", "Waits\n", "clock # in phase #"):
            self.assertIn(expected, out)
        self.assertFalse((self.folder / "run.html").exists())

    def test_what_is_no_timeline_is_refused(self):
        self.assert_refused("", "not a whole JSON file")
        self.assert_refused(json.dumps(specimen.small())[:-200], "not a whole JSON file")
        self.assert_refused("[]", "not a timeline of Tactus", "TACTUS_TRACE")
        self.assert_refused('{"traceEvents": []}', "not a timeline of Tactus")

    def test_a_changed_file_is_refused_by_what_it_lacks(self):
        def changed(change):
            record = specimen.small()
            change(record["traceEvents"])
            return json.dumps(record)
        self.assert_refused(changed(lambda events: events.append({"ph": "E", "tid": 0, "ts": 1.0})), "Was the file changed?")
        self.assert_refused(changed(lambda events: events.extend(specimen.ran(0, 9, "x", 1.0, 2.0)[:1])), "without an end")
        self.assert_refused(changed(lambda events: events[5].pop("ph")), "'ph'")
        self.assert_refused(json.dumps(specimen.record([], workers=0)), "no worker")

    def test_files_that_cannot_be_read_or_written(self):
        status, _, errors = self.run_it(self.folder / "none.json")
        self.assertEqual(status, 2)
        self.assertIn("none.json: No such file", errors)
        status, _, errors = self.run_it(self.file, "--out", self.folder / "no" / "where.html")
        self.assertEqual(status, 2)
        self.assertIn("where.html: No such file", errors)

    def test_the_timeline_is_never_written_over(self):
        before = self.file.read_bytes()
        status, _, errors = self.run_it(self.file, "--out", self.file)
        self.assertEqual(status, 2)
        self.assertIn("is the timeline itself", errors)
        self.assertEqual(self.file.read_bytes(), before)

    def test_a_command_line_without_meaning(self):
        status, _, errors = self.run_it("--text", self.file, "--out", "x")
        self.assertEqual(status, 2)
        self.assertIn("leave out --out", errors)


if __name__ == "__main__":
    unittest.main()
