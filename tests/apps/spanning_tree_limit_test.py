# SPDX-License-Identifier: Apache-2.0
"""What spanning_tree says when a policy meets the memory limit. With one worker, the search of a torus nests nearly as
deep as there are vertices, and 250,000 live stacks do not fit into 128 MiB: work_first meets it, the others pass.

Usage: spanning_tree_limit_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
GRAPH = ("--torus", "500", "500", "--threads", "1", "--reps", "1", "--memory", "128")


class MeetingALimit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "file"

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *GRAPH, *arguments], capture_output=True, text=True, timeout=100)

    def test_a_limit_is_a_result_among_all_policies(self):
        result = self.run_program("--json", str(self.file))
        self.assertEqual(result.returncode, 0, result)
        rows = json.loads(self.file.read_text())["versions"]
        self.assertEqual([row["result"] for row in rows], ["ok", "limit", "ok", "ok", "ok"])
        self.assertIn("memory limit reached", rows[1]["message"])

    def test_a_limit_is_a_failure_of_the_one_policy_asked_for(self):
        result = self.run_program("--policy", "work_first")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stdout, r"\nwork_first +1 .* limit\n")
        self.assertIn("\nwork_first: limit: ", result.stdout)

    def test_an_incomplete_forest_is_not_written(self):
        result = self.run_program("--policy", "work_first", "--forest", str(self.file))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.file}: not written", result.stderr)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
