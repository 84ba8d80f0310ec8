#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run leaves in its results file when it ends early, and which file that is."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_command  # noqa: E402
import report_specimen  # noqa: E402
from report.results import from_record, read  # noqa: E402
from report.summary import warnings  # noqa: E402
from runner import machine, main, report  # noqa: E402
from runner.measure import Measurement, Outcome  # noqa: E402
from runner.members import Group, tactus  # noqa: E402

GROUPS = [Group(section, title, section, "call", [tactus(1)], []) for section, title in
          (("fib", "small"), ("fib", "large"), ("flat", "small"))]
TITLES = ["fib: small", "fib: large", "flat: small"]


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bench-build.json").write_text(json.dumps({"compiler": "", "flags": "", "left_out": [], "source": "/"}))

    def run_of(self, take, *names, out_of_time=lambda self: False):
        """The runner's status, with this in place of a measurement."""
        with (mock.patch.object(sys, "argv", ["run", str(self.folder), *names]), contextlib.redirect_stdout(io.StringIO()),
              mock.patch.object(main, "chosen_groups", lambda *_: GROUPS), mock.patch.object(machine, "load_of_others", lambda: 0),
              mock.patch.object(Measurement, "take", take), mock.patch.object(Measurement, "out_of_time", out_of_time)):
            return main.main()

    def record(self, name="bench-results.json"):
        return json.loads((self.folder / name).read_text())

    @staticmethod
    def nothing(_, group):
        return {member: Outcome() for member in group.members}

    def interrupted_at(self, title):
        def take(measurement, group):
            if f"{group.section}: {group.title}" == title:
                raise KeyboardInterrupt
            return self.nothing(measurement, group)

        with contextlib.suppress(KeyboardInterrupt):
            self.run_of(take)

    def test_of_an_interrupted_run_say_what_is_missing(self):
        self.interrupted_at("fib: large")
        record = self.record()
        self.assertEqual((record["not_run"], record["finished"], len(record["groups"])), (TITLES[1:], False, 1))
        self.assertIn("The run did not come to its end: 2 groups are missing, of fib, flat.",
                      warnings(read(self.folder / "bench-results.json")))

    def test_of_a_whole_run_miss_nothing(self):
        self.assertEqual(self.run_of(self.nothing), 0)
        self.assertEqual((self.record()["not_run"], self.record()["finished"]), ([], True))
        self.assertFalse([w for w in warnings(read(self.folder / "bench-results.json")) if "run" in w.lower()])

    def test_of_a_run_without_time_for_all_are_finished_and_name_the_rest(self):
        times = iter((False, True, True))
        self.run_of(self.nothing, out_of_time=lambda _: next(times))
        self.assertEqual((self.record()["not_run"], self.record()["finished"]), (TITLES[1:], True))
        self.assertIn("Not run, out of time: flat: small.", warnings(read(self.folder / "bench-results.json")))

    def test_of_named_problems_do_not_take_the_place_of_those_of_all(self):
        self.run_of(self.nothing)
        of_all = (self.folder / "bench-results.json").read_bytes()
        self.run_of(self.nothing, "fib")
        self.assertEqual((self.folder / "bench-results.json").read_bytes(), of_all)
        self.assertEqual(self.record("bench-results-named.json")["names"], ["fib"])

    def test_are_whole_even_when_writing_them_fails(self):
        file = self.folder / "some.json"
        report.write(file, {"groups": [1]})

        def half(path, text):
            with open(path, "w", encoding="utf-8") as opened:
                opened.write(text[:5])
            raise OSError("no space left")

        with mock.patch.object(pathlib.Path, "write_text", half), contextlib.suppress(OSError):
            report.write(file, {"groups": [1, 2]})
        self.assertEqual(json.loads(file.read_text()), {"groups": [1]})

    def test_written_before_there_was_that_field_count_as_finished(self):
        self.assertTrue(from_record("x", report_specimen.record()).finished)


class Report(unittest.TestCase):
    def test_reads_what_a_run_of_named_problems_has_written_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "bench").mkdir()
            file = pathlib.Path(folder) / "bench" / "bench-results-named.json"

            def run(command, check):
                file.write_text(json.dumps(report_specimen.record()))
                return mock.Mock(returncode=0)

            with mock.patch("report.main.subprocess.run", run):
                status, out, _ = report_command.run("--build", folder, "--out", folder, "fib")
            self.assertEqual((status, f"from {file}" in out), (0, True))
            self.assertIn(f"<dd>{file}</dd>", (pathlib.Path(folder) / "index.html").read_text())


if __name__ == "__main__":
    unittest.main()
