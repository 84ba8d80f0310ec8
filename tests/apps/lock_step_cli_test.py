# SPDX-License-Identifier: Apache-2.0
"""The program lock_step from outside: every form in the table and verified, the model stopped at its cap, bad command lines.

Usage: lock_step_cli_test.py PROGRAM
"""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
FORMS = ["a loop, no tasks", "Tactus lockstep", "Tactus clock", "Tactus async_finish", "X10 model, uClocks",
         "X10 model, baseline"]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=100, text=True)


def rows(table):
    """The columns of each form; they are at least two blanks apart."""
    columns = (re.split(r" {2,}", line) for line in table.splitlines())
    return {line[0]: line[1:] for line in columns if line[0] in FORMS}


class Electing(unittest.TestCase):
    def elect(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_every_form_stands_in_the_table_and_is_verified(self):
        for threads in (1, 2):
            with self.subTest(threads=threads):
                table = self.elect("--nodes", 8, "--reps", 1, "--threads", threads)
                thread = "1 thread" if threads == 1 else "2 threads"
                self.assertIn(f"election in a ring of 8 nodes: 8 rounds with a barrier in each, {thread}\n", table)
                found = rows(table)
                self.assertEqual(list(found), FORMS)
                for form, columns in found.items():
                    self.assertEqual(len(columns), 5, columns)
                    self.assertEqual(columns[4], "yes", form)
                    if form != "a loop, no tasks":  # which may be shorter than the last digit
                        self.assertGreater(float(columns[1]), 0, form)
                self.assertEqual(found["Tactus clock"][3], "1.00x")

    def test_only_the_model_needs_a_thread_for_each_node(self):
        found = rows(self.elect("--nodes", 20, "--reps", 1, "--threads", 2))
        for form, columns in found.items():
            if form.startswith("X10"):
                self.assertGreater(int(columns[0]), 20, form)
            else:
                self.assertLessEqual(int(columns[0]), 2, form)

    def test_the_model_is_stopped_at_its_cap_and_the_others_are_not(self):
        table = self.elect("--nodes", 100, "--reps", 1, "--cap", 0.001)
        found = rows(table)
        for form, columns in found.items():
            self.assertEqual(columns[-1], "stopped" if form.startswith("X10") else "yes", form)
            self.assertEqual(f"\n{form}: " in table, form.startswith("X10"), table)


class Refusing(unittest.TestCase):
    def test_bad_command_lines(self):
        for arguments in (["--nodes", 1], ["--threads", -1], ["--reps", 0], ["--cap", 0], ["--cap", "nan"], ["--seed", -1], ["ring"], ["--quickly"]):
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertNotEqual(result.stderr, "")

    def test_a_table_that_goes_nowhere(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--nodes", "4", "--reps", "1"], stdout=full, stderr=subprocess.PIPE,
                                    timeout=100)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left on device", result.stderr)


if __name__ == "__main__":
    unittest.main()
