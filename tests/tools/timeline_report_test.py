#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus report: what is read out of a timeline, what is said of it, and what of a file that is none."""

import contextlib
import io
import html.parser
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools"
sys.path[:0] = [str(HERE), str(TOOLS)]

import timeline_specimen as specimen  # noqa: E402
from timeline_report import tables, words  # noqa: E402
from timeline_report.activity import Activity, Spread  # noqa: E402
from timeline_report.main import main  # noqa: E402
from timeline_report.page import page  # noqa: E402
from timeline_report.text import text  # noqa: E402
from timeline_report.timeline import from_record  # noqa: E402


def activity(record):
    return Activity(from_record(record, "specimen.json"))


def findings(*events, **of_record):
    return words.findings(activity(specimen.record(list(events), **of_record)))


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
        self.activity = activity(specimen.small())

    def assert_table(self, table, *rows):
        self.assertEqual(table.rows, list(rows))
        for row in rows:
            self.assertEqual(len(row), len(table.head))

    def test_workers(self):
        self.assert_table(tables.workers(self.activity), ("worker 0", "90.0 %", "3", "1", "1", "2", "10.0 us"),
                          ("worker 1", "31.0 %", "2", "2", "5", "1", "40.0 us"))
        self.assertEqual([w.longest_gap for w in self.activity.workers], [(50.0, 60.0), (0.0, 40.0)])
        self.assertEqual(self.activity.busy_share, 0.605)

    def test_busy_over_time_adds_up(self):
        shares = self.activity.over_time(10)
        self.assertEqual(shares[0], [1, 1, 1, 1, 1, 0, 1, 1, 1, 1])
        self.assertEqual([round(share, 9) for share in shares[1]], [0, 0, 0, 0, 1, 1, 1, 0.1, 0, 0])
        uneven = self.activity.over_time(7)
        self.assertAlmostEqual(sum(uneven[0]) / 7, 0.9)
        self.assertAlmostEqual(sum(uneven[1]) / 7, 0.31)

    def test_the_time_of_a_task_is_that_of_all_its_slices(self):
        self.assert_table(tables.tasks(self.activity), ("child", "3", "61.0 us", "50.4 %", "21.0 us", "30.0 us", "30.0 us", "3"),
                          ("main", "1", "60.0 us", "49.6 %", "60.0 us", "60.0 us", "60.0 us", "2"))

    def test_95_of_100_lengths(self):
        self.assertEqual([Spread.of(range(1, n + 1)).nearly_all for n in (1, 2, 19, 20, 21, 100)], [1, 2, 19, 19, 20, 95])

    def test_waits_whose_reasons_differ_in_numbers_are_one_and_the_greatest_sum_is_first(self):
        self.assert_table(tables.waits(self.activity), ("a value", "1", "49.0 us", "49.0 us", "49.0 us", "49.0 us", "1", "child"),
                          ("clock # in phase #", "3", "43.0 us", "2.00 us", "40.0 us", "40.0 us", "1", "child"))
        ((reason, *_),) = tables.waits(activity(specimen.record(specimen.waited(1, "clock 7", 0.0, 5.0)))).rows
        self.assertEqual(reason, "clock 7")

    def test_delays(self):
        self.assert_table(tables.delays(self.activity),
                          ("from the spawn to the begin", "2", "19.0 us", "30.0 us", "30.0 us", "1"),
                          ("from the end of a wait to going on", "1", "10.0 us", "10.0 us", "10.0 us", "1"))

    def test_turns(self):
        self.assert_table(tables.turns(self.activity), ("phaser 9", "4", "2.00 us", "90.0 us", "90.0 us"),
                          ("clock 7", "3", "15.0 us", "20.0 us", "20.0 us"))
        self.assert_table(tables.turns(activity(specimen.record([specimen.turned(0, "clock 1", 3.0, 0)]))), ("clock 1", "1", "", "", ""))

    def test_steals(self):
        self.assert_table(tables.steals(self.activity), ("worker 1", "worker 0", "2", "5"), ("worker 0", "worker 1", "1", "1"))

    def test_where_a_worker_has_lost_events_all_is_of_the_time_from_which_on_it_has_not(self):
        events = [*specimen.ran(0, 1, "a", 1000.0, 2000.0), *specimen.ran(1, 2, "before", 10.0, 20.0),
                  *specimen.ran(1, 3, "across", 900.0, 1100.0), *specimen.ran(1, 4, "late", 1990.0, 1999.0),
                  specimen.stole(1, 0, 5.0, 1), specimen.stole(1, 0, 1500.0, 7), specimen.turned(1, "clock 1", 6.0, 0),
                  specimen.turned(1, "clock 1", 1600.0, 9), *specimen.waited(2, "early", 20.0, 1500.0),
                  *specimen.waited(3, "in time", 1100.0, 1200.0)]
        cut = activity(specimen.record(events, lost=(3,)))
        self.assertEqual((cut.timeline.begin, cut.timeline.end), (1000.0, 2000.0))
        self.assertEqual([(w.busy, w.slices, w.steals, w.entries) for w in cut.workers], [(1000.0, 1, 0, 0), (109.0, 2, 1, 7)])
        self.assertEqual([row.name for row in cut.tasks], ["a", "across", "late"])
        self.assertEqual(([row.reason for row in cut.waits], [row[1] for row in cut.turns]), (["in time"], [1]))
        self.assertIn("3 events of the beginning are lost", words.findings(cut)[0])
        self.assertIn("from 1.00 ms on", words.findings(cut)[0])
        whole = activity(specimen.record(events))
        self.assertEqual((whole.timeline.begin, len(whole.timeline.slices), len(whole.timeline.waits)), (0.0, 4, 2))

    def test_a_run_of_nothing(self):
        empty = activity(specimen.record([]))
        self.assertEqual((empty.busy_share, empty.tasks, words.findings(empty)), (0.0, [], []))
        Elements(page({"empty.json": empty}))
        self.assertIn("worker 1", text(empty))


class OfSeveralPlaces(unittest.TestCase):
    def setUp(self):
        self.activity = activity(specimen.two_places())

    def test_workers_are_told_with_their_places(self):
        self.assertEqual([row[0] for row in tables.workers(self.activity).rows], ["worker 0 at place 0", "worker 1 at place 1"])
        self.assertIn(("places", "2"), tables.facts(self.activity.timeline))
        self.assertNotIn("places", dict(tables.facts(activity(specimen.small()).timeline)))
        self.assertIn("worker 1's, at place 1: 30.0 us", words.findings(self.activity)[1])
        self.assertIn("<title>worker 1 at place 1</title>", page({"job.json": self.activity}))

    def test_says_how_sure_it_is_of_the_clocks_where_they_are_not_one(self):
        self.assertNotIn("clocks", " ".join(words.findings(activity(specimen.small()))))
        apart = specimen.small()
        apart["otherData"]["clocks_may_differ_us"] = 12.5
        self.assertIn("known to within 12.5 us", words.findings(activity(apart))[0])

    def test_says_how_many_moves_are_lost(self):
        self.assertIn("1 move of tasks between places is lost", " ".join(words.findings(self.activity)))
        self.assertNotIn("move", " ".join(words.findings(activity(specimen.small()))))

    def test_arrows_may_have_lost_an_end_and_may_go_back_by_what_clocks_differ(self):
        self.assertEqual(tables.delays(self.activity).rows, [
            ("from the end of what runs at another place to its caller's going on", "1", "0", "0", "0", "1"),
            ("from the spawn to the begin", "2", "39.0 us", "58.0 us", "58.0 us", "1")])

    def test_moves_are_told_and_are_no_tasks(self):
        self.assertEqual(tables.moves(self.activity).rows, [("child", "place 1", "place 0", "1", "48", "3.00 us", "3.00 us", "3.00 us")])
        self.assertEqual([row.name for row in self.activity.tasks], ["root", "body", "child"])
        self.assertIn("Tasks that moved", text(self.activity))
        Elements(page({"job.json": self.activity}))


class WhatIsSaid(unittest.TestCase):
    def test_durations(self):
        said = [words.duration(v) for v in (0, 0.012, 0.5, 1, 999.4, 1234, 5e6, 3.6e9)]
        self.assertEqual(said, ["0", "12.0 ns", "500 ns", "1.00 us", "999 us", "1.23 ms", "5.00 s", "3,600 s"])

    def test_idle_workers(self):
        (idle, *_) = words.findings(activity(specimen.small()))
        self.assertIn("60.5 %", idle)
        self.assertIn("worker 1's: 40.0 us, from 0 on", idle)

    def test_busy_workers_are_not_remarked(self):
        for busy, remarked in ((79.0, True), (81.0, False)):
            said = findings(*specimen.ran(0, 1, "a", 0.0, 100.0), *specimen.ran(1, 2, "b", 0.0, 2 * busy - 100))
            self.assertEqual(any("longest gap" in sentence for sentence in said), remarked, busy)

    def test_a_task_that_decides_how_long_the_run_takes(self):
        def said(root, big, workers=2):
            begin = 0.0 if workers > 1 else 100.0
            events = [*specimen.ran(0, 1, "root", 0.0, root), *specimen.ran(0, 2, "main", root, 100.0),
                      *specimen.ran(workers - 1, 3, "big", begin, big)]
            return " ".join(findings(*events, workers=workers))
        self.assertIn("“big” ran for 60.0 us, 60.0 % of the time", said(55.0, 60.0))
        self.assertIn("“big” ran for 98.0 us", said(99.0, 98.0))
        self.assertNotIn("ran for", said(55.0, 49.0))  # nor the root, which waits for the others
        self.assertNotIn("ran for", said(1.0, 400.0, workers=1).replace("ran for less", ""))

    def test_tasks_that_are_too_short(self):
        def said(short, long):
            ends = [0.5] * short + [1.5] * long
            return " ".join(findings(*(e for i, length in enumerate(ends) for e in specimen.ran(0, i, "t", 2.0 * i, 2.0 * i + length))))
        self.assertIn("31 of 60 tasks ran for less than 1 us", said(31, 29))
        self.assertNotIn("grain", said(30, 30))
        self.assertNotIn("grain", said(19, 0))

    def test_waits(self):
        self.assertIn("The longest wait was for a value: 49.0 us, of “child”.", words.findings(activity(specimen.small())))
        several = findings(*specimen.ran(0, 1, "root", 0.0, 1.0), *specimen.ran(0, 2, "t", 1.0, 2.0),
                           *specimen.waited(1, "the tasks of a finish", 1.0, 99.0), *specimen.waited(2, "clock 1", 2.0, 4.0), *specimen.waited(2, "clock 1", 5.0, 8.0))
        self.assertIn("Waits for clock 1 were the longest in sum: 2 waits, 5.00 us over all tasks, most often of \u201ct\u201d.", several[-1])
        self.assertFalse(any("finish" in sentence for sentence in several))

    def test_the_page_is_whole_and_shows_every_table(self):
        markup = page({"t.json": activity(specimen.small())})
        elements = Elements(markup)
        shown = " ".join(elements.words)
        for one in tables.all_tables(activity(specimen.small())):
            for cell in (one.title, *one.head, *(cell for row in one.rows for cell in row)):
                self.assertIn(cell, shown)
        for label, busy in (("all workers", "60.5 %"), ("worker 0", "90.0 %"), ("worker 1", "31.0 %")):
            self.assertIn(f"<title>{label}</title><desc>{busy} busy</desc>", markup)
        self.assertEqual(markup.count("http"), 1)  # the Content-Security-Policy's http-equiv
        self.assertNotIn("script", elements.names)

    def test_names_are_text_and_long_tables_say_what_they_leave_out(self):
        many = activity(specimen.crowd())
        elements = Elements(page({"t.json": many}))
        self.assertNotIn("script", elements.names)
        self.assertIn("<script>alert(1)</script>", elements.words)
        table = tables.tasks(many)
        self.assertEqual(len(table.rows), tables.MOST_ROWS)
        self.assertEqual(table.left_out, f"and {len(many.tasks) - tables.MOST_ROWS} other names")
        self.assertIn(table.left_out, elements.words)
        self.assertIn(table.left_out, text(many))
        self.assertIn(f" (and {len(many.tasks) - 15} more names in the table)", elements.words)

    def test_the_terminal_gets_no_control_characters_and_both_ends_of_a_long_name(self):
        name = "begin\x1b[31m\n" + 100 * "x" + "end"
        shown = text(activity(specimen.record(specimen.ran(0, 1, name, 0.0, 1.0))))
        self.assertNotIn("\x1b", shown)
        self.assertRegex(shown, "begin�.31m�x+…x+end ")


class TheCommand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "run.json"
        self.file.write_text(json.dumps(specimen.small()))

    def run_it(self, *arguments):
        """(status, output, errors)"""
        out, errors = io.TextIOWrapper(io.BytesIO(), encoding="ascii"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status = main(["report", *map(str, arguments)])
            except SystemExit as ended:
                status = ended.code
        out.flush()
        return status, out.buffer.getvalue().decode("ascii"), errors.getvalue()

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
        for expected in ("command: ./program --size 3", "- The workers ran tasks in 60.5 %", "Waits\n", "clock # in phase #"):
            self.assertIn(expected, out)
        self.assertFalse((self.folder / "run.html").exists())

    def test_of_several_timelines_there_is_one_page_or_text(self):
        other = self.folder / "run-2.json"
        other.write_text(json.dumps(specimen.two_places()))
        self.assertEqual(self.run_it(self.file, other), (0, f"{self.folder / 'run.html'}\n", ""))
        page_of_both = (self.folder / "run.html").read_text()
        Elements(page_of_both)
        for expected in (f"Timeline {self.file}</h1>", f"Timeline {other}</h1>", "./program --size 3", "./job"):
            self.assertIn(expected, page_of_both)
        status, out, _ = self.run_it("--text", self.file, other)
        self.assertEqual(status, 0)
        for expected in (f"Timeline {self.file}\n\ncommand: ./program --size 3", f"Timeline {other}\n\ncommand: ./job"):
            self.assertIn(expected, out)
        self.assertIn("is the timeline itself", self.run_it(self.file, other, "--out", other)[2])

    def test_what_is_no_timeline_is_refused(self):
        self.assert_refused("", "is empty", "when its run ends")
        self.assert_refused(json.dumps(specimen.small())[:-200], "not a whole JSON file")
        self.assert_refused("[" * 100_000, "not a whole JSON file")
        self.assert_refused(5000 * "1", "JSON")
        self.assert_refused("[]", "not a timeline of Tactus", "TACTUS_TRACE")
        self.assert_refused('{"traceEvents": []}', "not a timeline of Tactus")
        self.file.write_bytes(b"\xe9")
        self.assertIn("not text in UTF-8", self.run_it(self.file)[2])

    def test_a_changed_file_is_refused_by_what_it_lacks(self):
        def changed(change):
            record = specimen.small()
            change(record["traceEvents"])
            return json.dumps(record)

        def with_value(index, *path, value):
            def change(events):
                at = events[index]
                for key in path[:-1]:
                    at = at[key]
                at[path[-1]] = value
            return changed(change)
        self.assert_refused(changed(lambda events: events.append({"ph": "E", "tid": 0, "ts": 1.0})), "Was the file changed?")
        self.assert_refused(changed(lambda events: events.extend(specimen.ran(0, 9, "x", 1.0, 2.0)[:1])), "without an end")
        self.assert_refused(changed(lambda events: events[5].pop("ph")), "'ph'")
        self.assert_refused(json.dumps(specimen.record([], workers=0)), "no worker")
        begin, steal, wait, arrow = 2, 6, 15, 23
        kinds = [specimen.small()["traceEvents"][i]["ph"] for i in (begin, steal, wait, arrow)]
        self.assertEqual(kinds, ["B", "i", "b", "s"])
        for value in (float("nan"), float("inf"), 10**400, "x", None, [1], 1e9):
            self.assert_refused(with_value(begin, "ts", value=value), "Was the file changed?")
        for value in ([1], "1", -1, 1.5, None):
            self.assert_refused(with_value(begin, "args", "task", value=value), "where a count is expected")
            self.assert_refused(with_value(steal, "args", "entries", value=value), "where a count is expected")
            self.assert_refused(with_value(steal, "args", "from", value=value), "where a count is expected")
            self.assert_refused(with_value(arrow, "id", value=value), "where a count is expected")
        for value in ([1], 1, "x", None):
            self.assert_refused(with_value(wait, "id2", "local", value=value), "Was the file changed?")
        self.assert_refused(with_value(begin, "name", value=None), "where a text is expected")
        self.assert_refused(with_value(begin, "tid", value=5), "of worker 5, which is not named")
        self.assert_refused(with_value(steal, "tid", value=5), "of worker 5, which is not named")

    def test_files_that_cannot_be_read_or_written(self):
        status, _, errors = self.run_it(self.folder / "none.json")
        self.assertEqual(status, 2)
        self.assertIn("none.json: No such file", errors)
        for folder in (self.folder, ""):
            status, _, errors = self.run_it(folder)
            self.assertEqual((status, "Is a directory" in errors), (2, True))
        status, _, errors = self.run_it(self.file, "--out", self.folder / "no" / "where.html")
        self.assertEqual(status, 2)
        self.assertIn("where.html: No such file", errors)

    def test_the_timeline_is_never_written_over(self):
        before = self.file.read_bytes()
        other = self.folder / "other name"
        os.link(self.file, other)
        for out in (self.file, other):
            status, _, errors = self.run_it(self.file, "--out", out)
            self.assertEqual(status, 2)
            self.assertIn("is the timeline itself", errors)
            self.assertEqual(self.file.read_bytes(), before)

    def test_a_page_for_which_there_is_no_room_leaves_the_one_before(self):
        out = self.folder / "page.html"
        out.write_text("before")
        ended = subprocess.run([sys.executable, TOOLS / "tactus", "report", self.file, "--out", out], capture_output=True, text=True,
                               check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual((ended.returncode, ended.stderr), (2, f"tactus: {out}: File too large\n"))
        self.assertEqual(out.read_text(), "before")

    def test_who_has_read_enough_is_no_error_and_a_full_disk_is_one(self):
        command = [sys.executable, TOOLS / "tactus", "report", "--text", self.file]
        reader, writer = os.pipe()
        os.close(reader)
        ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))
        with open("/dev/full", "wb") as full:
            ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (2, b"tactus: the standard output: No space left on device\n"))

    def test_a_closed_standard_output_is_told(self):
        for arguments in (["report", "--text", self.file], ["report", self.file], ["--help"]):
            ended = subprocess.run([sys.executable, TOOLS / "tactus", *arguments], stderr=subprocess.PIPE, check=False,
                                   preexec_fn=lambda: os.close(1))
            self.assertEqual((ended.returncode, ended.stderr), (2, b"tactus: the standard output: is closed\n"))

    def test_a_command_line_without_meaning(self):
        status, _, errors = self.run_it("--text", self.file, "--out", "x")
        self.assertEqual(status, 2)
        self.assertIn("leave out --out", errors)

    def test_the_version_is_that_of_the_project(self):
        project = re.search(r"^ *VERSION ([\d.]+)$", (TOOLS.parent / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
        ended = subprocess.run([TOOLS / "tactus", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(ended.stdout, f"tactus {project[1]}\n")

    def test_the_help_names_the_commands(self):
        ended = subprocess.run([TOOLS / "tactus", "--help"], capture_output=True, text=True, check=True)
        for word in ("report", "--version", "--tactus-help"):
            self.assertIn(word, ended.stdout)


if __name__ == "__main__":
    unittest.main()
