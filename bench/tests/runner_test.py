#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner against programs that are fast, wrong, refuse, crash or hang on purpose."""

import contextlib
import io
import pathlib
import stat
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import goals, plan, report, stats  # noqa: E402
from runner.goals import Completes, Figure, GeometricMean, Ratio, Refuses  # noqa: E402
from runner.measure import ROUNDS, Measurement, Outcome  # noqa: E402
from runner.members import Group, Member, tactus  # noqa: E402
from runner.program import Program, Stopped  # noqa: E402

FAKE = """#!{python}
import json, os, signal, sys, time
print(json.dumps({{"ready": True}}), flush=True)
n = 0
for command in sys.stdin:
    if command.strip() == "quit":
        break
    n += 1
    {behaviour}
    print(json.dumps({{"seconds": {seconds}, "passes": 1, "ns_per_op": {ns}, "peak_rss_delta": 5, "operations": 1,
                      "cpu_seconds": 0}}), flush=True)
"""


class Runner(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.directory.name)
        (self.path / "fake").mkdir()

    def tearDown(self):
        self.directory.cleanup()

    def program(self, name, behaviour="pass", ns=10, seconds=0.001):
        path = self.path / "fake" / name
        path.write_text(FAKE.format(python=sys.executable, behaviour=behaviour, ns=ns, seconds=seconds))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def take(self, members, rows=(), timeout=10, alone=False):
        group = Group("fake", "fake", "fake", "call", members, list(rows), timeout=timeout, alone=alone)
        results = Measurement(self.path, None).take(group)
        return results, [row.evaluate(results) for row in rows]

    def test_takes_all_rounds_of_both_sides_and_meets_a_limit(self):
        self.program("tactus", ns=10)
        self.program("serial", ns=5)
        ours, theirs = tactus(1), Member("serial", 1)
        results, rows = self.take([ours, theirs], [Ratio("r", 1, ours, (theirs,), 2), Ratio("r", 1, ours, (theirs,), 1.9)])
        self.assertEqual(len(results[ours].samples), ROUNDS)
        self.assertEqual([(r.value, r.verdict) for r in rows], [(2, goals.MET), (2, goals.MISSED)])

    def test_long_repetitions_take_part_in_every_third_round(self):
        self.program("tactus", seconds=2)
        results, _ = self.take([tactus(1)])
        self.assertEqual(len(results[tactus(1)].samples), ROUNDS // 3)

    def test_a_wrong_answer_is_a_failure(self):
        self.program("tactus", behaviour='print(json.dumps({"error": "41, not 42"}), flush=True); sys.exit(1)')
        results, rows = self.take([tactus(1)], [Completes("c", 1, tactus(1))])
        self.assertEqual(results[tactus(1)].stopped.kind, "wrong")
        self.assertEqual(rows[0].verdict, goals.MISSED)
        self.assertIn("41, not 42", rows[0].note)

    def test_a_crash_in_the_middle_leaves_no_figure(self):
        self.program("tactus", behaviour="n == 4 and os.kill(os.getpid(), signal.SIGSEGV)")
        self.program("serial")
        ours, theirs = tactus(1), Member("serial", 1)
        results, rows = self.take([ours, theirs], [Ratio("r", 1, ours, (theirs,), 100)])
        self.assertIn("SIGSEGV", str(results[ours].stopped))
        self.assertEqual(rows[0].verdict, goals.MISSED)
        self.assertEqual(len(results[theirs].samples), ROUNDS)

    def test_a_rival_that_cannot_is_no_miss(self):
        self.program("tactus")
        self.program("libgomp", behaviour="os.kill(os.getpid(), signal.SIGSEGV)")
        ours, theirs = tactus(1), Member("libgomp", 1)
        _, rows = self.take([ours, theirs], [Ratio("r", 1, ours, (theirs,), 0.5)])
        self.assertEqual(rows[0].verdict, goals.NONE)
        self.assertIn("SIGSEGV", rows[0].note)

    def test_a_refusal_is_told_from_a_crash(self):
        self.program("tactus", behaviour='print(json.dumps({"refused": "limit"}), flush=True); sys.exit(3)')
        _, rows = self.take([tactus(1)], [Refuses("r", 1, tactus(1))], alone=True)
        self.assertEqual((rows[0].verdict, rows[0].note), (goals.MET, "limit"))
        self.program("tactus", behaviour="os.abort()")
        _, rows = self.take([tactus(1)], [Refuses("r", 1, tactus(1))], alone=True)
        self.assertEqual(rows[0].verdict, goals.MISSED)

    def test_a_hang_ends_at_the_time_limit(self):
        program = Program([str(self.program("tactus", behaviour="time.sleep(1000)"))], {}, timeout=2)
        with self.assertRaises(Stopped) as end:
            program.run()
        self.assertEqual(end.exception.kind, "timeout")
        program.close()

    def test_a_program_that_was_not_built_is_no_miss(self):
        _, rows = self.take([tactus(1)], [Completes("c", 1, tactus(1)), Figure("f", 1, tactus(1), "peak_rss_delta", "B", 1)])
        self.assertEqual({r.verdict for r in rows}, {goals.NONE})

    def test_the_worst_repetition_counts_for_a_figure(self):
        outcome = Outcome(samples={0: {"x": 1}, 1: {"x": 7}, 2: {"x": 3}})
        self.assertEqual(Figure("f", 1, tactus(1), "x", "B", 5).evaluate({tactus(1): outcome}).verdict, goals.MISSED)


    def test_a_geometric_mean_weighs_all_pairs(self):
        results = {tactus(t, "adaptive", "--kernel", k): Outcome(samples={r: {"ns_per_op": ns} for r in range(3)})
                   for t, k, ns in ((1, "A", 8), (2, "A", 2), (1, "B", 1), (2, "B", 1))}
        a1, a2, b1, b2 = results
        for limit, verdict in ((2, goals.MET), (1.9, goals.MISSED)):
            row = GeometricMean("g", 2, ((a1, a2), (b1, b2)), limit).evaluate(results)
            self.assertAlmostEqual(row.value, 2)
            self.assertEqual(row.verdict, verdict)

    def test_a_geometric_mean_needs_all_its_members(self):
        results = {tactus(1): Outcome(samples={0: {"ns_per_op": 1}}), tactus(2): Outcome(stopped=Stopped("died", "gone"))}
        row = GeometricMean("g", 2, ((tactus(1), tactus(1)), (tactus(1), tactus(2))), 5).evaluate(results)
        self.assertEqual((row.verdict, row.value), (goals.MISSED, None))
        self.assertIn("gone", row.note)


class Plan(unittest.TestCase):
    def test_published_inputs_are_handed_to_imsuite_only(self):
        for group in plan.groups(False, "folder"):
            self.assertEqual("folder" in group.arguments, group.section == "imsuite")
        self.assertFalse(any("--inputs" in group.arguments for group in plan.groups(False)))

    def test_every_row_is_about_members_of_its_group(self):
        for full in (False, True):
            for group in plan.groups(full):
                with contextlib.redirect_stdout(io.StringIO()):
                    results = {m: Outcome() for m in group.members}
                    rows = [row.evaluate(results) for row in group.rows]
                    report.print_group(group, results, rows, 0, 0)
                self.assertEqual(len(rows), len(group.rows))

    def test_the_default_set_is_expected_to_keep_its_cap(self):
        self.assertLess(sum(g.seconds for g in plan.groups(False)), 18 * 60)


class Interval(unittest.TestCase):
    def test_covers_the_ratio_and_narrows_with_less_noise(self):
        noisy = {i: 10 + i % 5 for i in range(21)}
        steady = {i: 10.0 for i in range(21)}
        ratio, low, high = stats.ratio_interval(noisy, [steady])
        self.assertTrue(low <= ratio <= high)
        self.assertLess(low, high)
        self.assertEqual(stats.ratio_interval(steady, [steady]), (1, 1, 1))

    def test_the_best_of_several_sides_is_taken(self):
        self.assertEqual(stats.ratio_interval({0: 10}, [{0: 20}, {0: 5}])[0], 2)

    def test_the_geometric_mean_has_an_interval_too(self):
        noisy = {i: 10 + i % 5 for i in range(21)}
        steady = {i: 10.0 for i in range(7)}
        mean, low, high = stats.geometric_mean_interval([(noisy, steady), (steady, steady)])
        self.assertTrue(low <= mean <= high)
        self.assertLess(low, high)
        self.assertIsNone(stats.geometric_mean_interval([(noisy, steady), ({0: 1}, {1: 1})]))

    def test_rounds_that_one_side_missed_are_left_out(self):
        self.assertEqual(stats.ratio_interval({0: 10, 3: 10}, [{0: 10, 1: 99, 3: 10}])[0], 1)
        self.assertIsNone(stats.ratio_interval({0: 1}, [{1: 1}]))


if __name__ == "__main__":
    unittest.main()
