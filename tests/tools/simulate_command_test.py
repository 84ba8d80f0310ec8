#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus simulate, from outside: what it prints, and what it says of arguments that are none."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = pathlib.Path(__file__).resolve().parents[2] / "tools" / "tactus"
TREE = "binomial:100,8,0.12,3"


def simulate(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", COMMAND, "simulate", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "TACTUS_SIMULATE": SIMULATOR, **environment})


def outcome(*arguments):
    done = simulate("--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Simulate(unittest.TestCase):
    def refused(self, *arguments, **environment):
        """The line that is printed."""
        done = simulate(*arguments, **environment)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("tactus: "), done.stderr)
        return done.stderr

    def test_an_object_on_one_line(self):
        done = simulate("--places", "8", "--workers", "2", "--workload", TREE, "--grain", "20", "--json")
        self.assertEqual(done.stdout.count("\n"), 1)
        seen = json.loads(done.stdout)
        self.assertEqual(list(seen), ["efficiency", "makespan_us", "utilisation_sigma", "tasks", "busy_us", "moves", "messages"])
        self.assertEqual(seen["tasks"], 6469)
        self.assertAlmostEqual(seen["busy_us"], 6469 * 20)
        self.assertAlmostEqual(seen["efficiency"], seen["busy_us"] / (16 * seen["makespan_us"]), 5)

    def test_text_says_the_same(self):
        arguments = ("--places", "4", "--workload", TREE)
        seen = outcome(*arguments)
        text = simulate(*arguments).stdout
        self.assertIn(f"efficiency     {seen['efficiency']:.4f}\n", text)
        self.assertIn(f"messages       {seen['messages']}\n", text)

    def test_policies_differ(self):
        none, hybrid = (outcome("--policy", policy, "--places", "8", "--workload", TREE) for policy in ("none", "hybrid"))
        self.assertAlmostEqual(none["efficiency"], 1 / 8, 5)
        self.assertGreater(hybrid["efficiency"], 0.9)

    def test_times_are_microseconds(self):
        near = outcome("--places", "8", "--workload", TREE, "--grain", "0.5", "--latency", "0.1")
        far = outcome("--places", "8", "--workload", TREE, "--grain", "0.5", "--latency", "30")
        self.assertAlmostEqual(near["busy_us"], 6469 * 0.5)
        self.assertGreater(near["efficiency"], far["efficiency"] + 0.1)

    def test_near_places_and_tuning_and_seeds(self):
        arguments = ["--places", "32", "--workload", TREE, "--grain", "1", "--latency", "10"]
        plain = outcome(*arguments)
        for more in (["--near-latency", "0.5", "--group", "8"], ["--random-steals", "3"], ["--lifeline-base", "2"], ["--seed", "2"]):
            self.assertNotEqual(outcome(*arguments, *more), plain, more)

    def test_costs_and_tables_come_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            costs = pathlib.Path(folder, "costs")
            costs.write_text("receive_ns 50000\n")
            table = pathlib.Path(folder, "run.tpp")
            table.write_text("tactus-tasks 1\n1 0 0 5000 8 0 sensitive root\n" +
                             "".join(f"{i} 1 0 100000 8 8 flexible f\n" for i in range(2, 42)))
            dear = outcome("--workload", str(table), "--places", "4", "--costs", str(costs))
            cheap = outcome("--workload", str(table), "--places", "4")
            self.assertEqual(cheap["tasks"], 41)
            self.assertAlmostEqual(cheap["busy_us"], 4005)
            self.assertGreater(cheap["efficiency"], dear["efficiency"])
            costs.write_text("receive 5\n")
            self.assertIn(f"{costs}:1: there is no cost 'receive'", self.refused("--costs", str(costs)))
            table.write_text("something else\n")
            self.assertIn(f"{table}:1: the first line", self.refused("--workload", str(table)))

    def test_what_is_not_allowed_is_named_in_one_line(self):
        for name, value in (("--places", "0"), ("--places", "many"), ("--places", "1e3"), ("--workers", "-1"), ("--policy", "best"),
                            ("--workload", "T9"), ("--workload", "binomial:1"), ("--grain", "0"), ("--grain", "nan"), ("--latency", "-1"),
                            ("--near-latency", "x"), ("--group", "0"), ("--random-steals", "-1"), ("--lifeline-base", "1"),
                            ("--costs", "/no/such/file"), ("--seed", "-1"), ("--nonsense", "1")):
            line = self.refused(name, value)
            self.assertIn(name, line)
            self.assertIn(value, line)

    def test_near_latency_and_group_need_each_other(self):
        self.assertIn("each needs the other", self.refused("--group", "4"))
        self.assertIn("each needs the other", self.refused("--near-latency", "1"))

    def test_a_simulator_that_is_not_there_is_named(self):
        self.assertIn("/no/such/program", self.refused(TACTUS_SIMULATE="/no/such/program"))

    def test_a_simulator_that_prints_no_outcome_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program")
            for line in ("", "hello", "[]", "{}", '{"efficiency": "good"}'):
                program.write_text(f"#!/bin/sh\necho '{line}'\n")
                program.chmod(0o755)
                for form in ([], ["--json"]):
                    self.assertEqual(self.refused(*form, TACTUS_SIMULATE=str(program)),
                                     f"tactus: simulate: what {program} prints is no outcome: {line!r}\n")
        self.assertIn("ended with status 1", self.refused(TACTUS_SIMULATE="/bin/false"))

    def test_help_lists_the_policies(self):
        done = simulate("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("sender_threshold", done.stdout)


if __name__ == "__main__":
    SIMULATOR = sys.argv.pop(1)
    unittest.main()
