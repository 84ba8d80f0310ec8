# SPDX-License-Identifier: Apache-2.0
"""The program tour from outside: each stop is there, with its forms, its deadlock and its timeline; bad command lines.

Usage: tour_cli_test.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
ALWAYS_THERE = ["plain calls, partly inlined, one thread", "Tactus", "std::async, a thread for each",
                "20 std::thread, std::barrier", "the rounds as loops: Tactus, for_each",
                "one plain thread, all memory its own", "Tactus, a task sent for each update"]


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=100, text=True,
                          env=environment or None)


class Touring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.timeline = pathlib.Path(folder.name) / "timeline.json"

    def tour(self, *arguments, **environment):
        result = run("--quick", "--rounds", 1, *arguments, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_every_form_has_a_time_and_stands_beside_ours(self):
        text = self.tour()
        rows = re.findall(r"^  (.*?) {2,}([0-9.]+) ns (?:a call|a wait|an update) +([0-9.]+) x$", text, re.MULTILINE)
        names = [name for name, _, _ in rows]
        for name in ALWAYS_THERE:
            self.assertIn(name, names)
        self.assertEqual([times for name, _, times in rows if name == "Tactus"], ["1.0", "1.0", "1.0"])
        for name, time, _ in rows:
            self.assertGreater(float(time), 0, name)

    def test_the_deadlock_is_explained(self):
        text = self.tour("--threads", 1)
        self.assertIn("deadlock: nothing can run and 2 tasks wait", text)
        for name in ("miller", "baker"):
            self.assertRegex(text, rf"\n    task '{name}' waits for future \d+ of a promise\n")

    def test_the_timeline_has_the_run(self):
        text = self.tour("--timeline", self.timeline)
        self.assertIn(str(self.timeline), text)
        self.assertIn("listener", {event.get("name") for event in json.loads(self.timeline.read_text())["traceEvents"]})

    def test_the_number_of_threads_is_that_of_the_command_line_or_the_environment(self):
        self.assertIn("rounds in turn, 3 threads,", self.tour("--threads", 3))
        self.assertIn("rounds in turn, 1 thread,", self.tour(TACTUS_THREADS="1"))


class Refusing(unittest.TestCase):
    def test_what_it_does_not_understand(self):
        for arguments in (("--threads", -1), ("--rounds", 0), ("--fast",)):
            self.assertEqual(run(*arguments).returncode, 2, arguments)

    def test_a_timeline_that_cannot_be_written(self):
        result = run("--quick", "--rounds", 1, "--timeline", "/no/such/folder/file")
        self.assertEqual(result.returncode, 2)
        self.assertIn("/no/such/folder/file", result.stderr)

    def test_tables_that_go_nowhere(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--quick", "--rounds", "1"], stdout=full, stderr=subprocess.PIPE,
                                    timeout=100)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left on device", result.stderr)


if __name__ == "__main__":
    unittest.main()
