#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner against programs that are fast, wrong, refuse, crash or hang on purpose."""

import argparse
import contextlib
import dataclasses
import io
import os
import pathlib
import stat
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import goals, main, plan, report, shelves, stats  # noqa: E402
from runner.goals import (Above, Completes, Difference, DifferenceOf, Figure, GeometricMean, MeanOfRows, MedianOf,  # noqa: E402
                          OnlyWhile, Overhead, Ratio, RatioOf, Refuses, Row, Time, Within)
from runner.measure import Measurement, Outcome  # noqa: E402
from runner.members import Group, Member, tactus  # noqa: E402
from runner.plan import lock_step  # noqa: E402
from runner.program import Program, Stopped  # noqa: E402
from runner.rounds import ROUNDS, ROUNDS_OF_A_PROCESS  # noqa: E402

FIRST_OF_SEVEN = range(0, 7 * ROUNDS_OF_A_PROCESS, ROUNDS_OF_A_PROCESS)  # rounds, one of each process

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

    def test_a_median_of_a_field_is_given_in_its_own_unit(self):
        results = {tactus(1): Outcome(samples={r: {"ns_per_op": 1, "edges_per_second": e * 1e6} for r, e in
                                               zip(FIRST_OF_SEVEN, (2, 9, 3, 4, 1, 3, 5))})}
        row = MedianOf("m", 1, tactus(1), lambda line: line["edges_per_second"] / 1e6, "M/s").evaluate(results)
        self.assertEqual((row.value, row.unit, row.verdict, row.low < 3 < row.high), (3, "M/s", goals.REPORTED, True))
        for limit, at_most, verdict in ((3, True, goals.MET), (0.5, True, goals.MISSED), (2.5, True, goals.UNSURE),
                                        (3, False, goals.MET), (9.5, False, goals.MISSED)):
            row = MedianOf("m", 1, tactus(1), lambda line: line["edges_per_second"] / 1e6, "M/s", limit, at_most)
            row = row.evaluate(results)
            self.assertEqual((row.verdict, row.goal), (verdict, f"{'<=' if at_most else '>='} {limit:g} M/s"))
        stopped = {tactus(1): Outcome(stopped=Stopped("died", "killed"))}
        row = MedianOf("m", 1, tactus(1), lambda line: line["edges_per_second"], "M/s").evaluate(stopped)
        self.assertEqual((row.value, row.verdict, "killed" in row.note), (None, goals.REPORTED, True))

    def test_a_ratio_of_what_is_no_time_has_its_interval_and_limit(self):
        ours, theirs = tactus(1), Member("ga", 1)
        results = {m: Outcome(samples={r: {"ns_per_op": 1, "peak_bytes": b + r} for r in range(ROUNDS)})
                   for m, b in ((ours, 50), (theirs, 100))}

        def evaluated(limit, *more):
            return RatioOf("m", 1, ours, (theirs,), lambda line: line["peak_bytes"], limit, *more).evaluate(results)

        row = evaluated(None)
        self.assertEqual((row.value, row.unit, row.verdict), (57 / 107, "x", goals.REPORTED))
        self.assertTrue(row.low <= row.value <= row.high)
        self.assertEqual([evaluated(0.6).verdict, evaluated(0.4).verdict, evaluated(0.4, False).verdict],
                         [goals.MET, goals.MISSED, goals.MET])
        results[theirs] = Outcome(stopped=Stopped("died", "killed"))
        self.assertEqual([(r.value, r.verdict, "killed" in r.note) for r in (evaluated(None), evaluated(0.6))],
                         [(None, goals.REPORTED, True), (None, goals.NONE, True)])
        results[ours] = Outcome(stopped=Stopped("wrong", "killed"))
        self.assertEqual(evaluated(None).value, None)

    def test_a_difference_of_what_is_no_time_is_given_in_its_own_unit(self):
        ours, base = tactus(2), Member("mpi", 2)
        results = {m: Outcome(samples={r: {"ns_per_op": 1, "mib": b + r % 3} for r in range(ROUNDS)}) for m, b in ((ours, 17), (base, 10))}

        def evaluated(limit=None):
            return DifferenceOf("m", 2, ours, base, lambda line: line["mib"], "MiB", limit).evaluate(results)

        self.assertEqual((evaluated().value, evaluated().unit, evaluated().verdict), (7, "MiB", goals.REPORTED))
        self.assertEqual([(evaluated(limit).verdict, evaluated(limit).goal) for limit in (8, 4)],
                         [(goals.MET, "<= 8 MiB"), (goals.MISSED, "<= 4 MiB")])
        results[base] = Outcome(stopped=Stopped("died", "killed"))
        self.assertEqual((evaluated(8).value, evaluated(8).verdict, "killed" in evaluated().note), (None, goals.MISSED, True))

    def test_a_row_names_the_best_of_several_rivals(self):
        members = {ns: Member(f"rival_{ns}", 1) for ns in (5, 7)}
        results = {m: Outcome(samples={r: {"ns_per_op": ns} for r in range(ROUNDS)}) for ns, m in members.items()}
        results[tactus(1)] = results[members[5]]
        for theirs, note in ((tuple(members.values()), "best: rival_5 @1"), ((members[7],), "")):
            self.assertEqual(Ratio("r", 1, tactus(1), theirs).evaluate(results).note, note)

    def test_long_repetitions_take_part_in_seven_rounds(self):
        self.program("tactus", seconds=2)
        results, _ = self.take([tactus(1)])
        self.assertEqual(len(results[tactus(1)].samples), 7)

    def test_all_of_a_sparing_group_take_part_in_seven_rounds(self):
        self.program("tactus")
        self.program("serial")
        members = [tactus(1), Member("serial", 1)]
        group = Group("fake", "fake", "fake", "call", members, [Ratio("r", 1, members[0], (members[1],), 1)], sparing=True)
        results = Measurement(self.path, None).take(group)
        self.assertEqual([len(results[m].samples) for m in members], [7] * 2)
        self.assertEqual(group.rows[0].evaluate(results).verdict, goals.MET)

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

    def test_a_capped_run_counts_with_its_cap_where_more_is_better(self):
        line = '{"refused": "capped: not over after 6 s", "capped_seconds": 6, "operations": 3000000}'
        self.program("xrx", behaviour=f"print({line!r}, flush=True); sys.exit(3)")
        self.program("tactus", ns=100)
        model, ours = Member("xrx", 1), tactus(1)
        results, rows = self.take([model, ours], [
            Ratio("r", 1, model, (ours,), 19, at_most=False), Ratio("r", 1, model, (ours,), 21, at_most=False),
            Ratio("r", 1, model, (ours,)), Ratio("r", 1, model, (ours,), 21),
            GeometricMean("g", 1, ((model, ours),), 19, at_most=False), GeometricMean("g", 1, ((model, ours),), 21),
            Ratio("r", 1, ours, (model,), 1)], alone=True)
        self.assertEqual(results[model].stopped.kind, "capped")
        self.assertEqual([r.verdict for r in rows], [goals.MET, goals.MISSED, goals.REPORTED, goals.MISSED, goals.MET,
                                                     goals.MISSED, goals.NONE])
        self.assertEqual([r.value for r in rows[:3]], [20, 20, 20])
        for row in rows:
            self.assertIn("not over after 6 s", row.note)

    def test_all_of_some_ratios_are_above_all_of_others(self):
        members = {ns: Member("xrx", ns) for ns in (1, 2, 3, 5, 7)}
        results = {m: Outcome(samples={0: {"ns_per_op": ns}}) for ns, m in members.items()}
        one, two, three, five, seven = members.values()
        for upper, verdict in ((((five, one), (seven, two)), goals.MET), (((five, one), (five, two)), goals.MISSED)):
            row = Above("a", 2, upper, ((three, one),)).evaluate(results)
            self.assertEqual(row.verdict, verdict)

    def test_a_time_outside_its_range_is_a_miss_on_both_sides(self):
        results = {Member("xrx", 1): Outcome(samples={0: {"ns_per_op": 50}})}
        verdicts = [Within("w", 1, Member("xrx", 1), low, high).evaluate(results).verdict
                    for low, high in ((40, 60), (51, 60), (40, 49))]
        self.assertEqual(verdicts, [goals.MET, goals.MISSED, goals.MISSED])

    def test_an_answer_that_is_not_json_is_a_crash(self):
        self.program("tactus", behaviour="print('{0,5}', flush=True)")
        results, _ = self.take([tactus(2)])
        stopped = results[tactus(2)].stopped
        self.assertEqual((stopped.kind, "not JSON" in str(stopped)), ("died", True))

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

    def test_a_wish_that_is_not_fulfilled_is_no_miss(self):
        outcome = Outcome(samples={0: {"x": 7, "ns_per_op": 7}})
        for row in (Figure("f", 1, tactus(1), "x", "B", 5, stretch=True), Time("t", 1, tactus(1), 5, stretch=True)):
            evaluated = row.evaluate({tactus(1): outcome})
            self.assertEqual((evaluated.verdict, evaluated.stretch), (goals.SHORT, True))

    def test_a_time_is_the_median_of_its_rounds(self):
        results = {tactus(1): Outcome(samples={r: {"ns_per_op": ns} for r, ns in zip(FIRST_OF_SEVEN, (11, 11, 11, 12, 90, 90, 90))})}
        rows = [Time("t", 1, tactus(1), limit).evaluate(results) for limit in (12, 11, 10)]
        self.assertEqual([(r.value, r.verdict) for r in rows],
                         [(12, goals.MET), (12, goals.UNSURE), (12, goals.MISSED)])

    def test_a_row_counts_only_while_its_condition_holds(self):
        ours, theirs = tactus(1), Member("serial", 1)
        results = {m: Outcome(samples={0: {"ns_per_op": ns}}) for m, ns in ((ours, 10), (theirs, 20))}
        row = Ratio("r", 1, ours, (theirs,), 0.6)
        verdicts = [OnlyWhile(row, (Time("sanity", 1, ours, limit),)).evaluate(results) for limit in (10, 9)]
        self.assertEqual([r.verdict for r in verdicts], [goals.MET, goals.VOID])
        self.assertIn("sanity is not <= 9 ns", verdicts[1].note)

    def test_a_crash_is_a_miss_whatever_the_condition(self):
        ours, theirs = tactus(1), Member("serial", 1)
        results = {ours: Outcome(stopped=Stopped("died", "killed")), theirs: Outcome(samples={0: {"ns_per_op": 1}})}
        row = OnlyWhile(Ratio("r", 1, ours, (theirs,), 1), (Time("sanity", 1, ours, 10),)).evaluate(results)
        self.assertEqual(row.verdict, goals.MISSED)

    def test_openmp_is_measured_with_the_kinder_way_to_wait(self):
        for competitor, faster in (("libgomp", "passive"), ("libomp", "passive"), ("libomp", None)):
            ns = f"(1 if os.environ.get('OMP_WAIT_POLICY') == {faster!r} else 9)"
            self.program(competitor, ns=ns)
            member = Member(competitor, 2)
            results, _ = self.take([member])
            self.assertEqual(set(results[member].times().values()), {1})
            self.assertEqual(results[member].environment.get("OMP_WAIT_POLICY"), faster)


    def test_a_geometric_mean_weighs_all_pairs(self):
        results = {tactus(t, "adaptive", "--kernel", k): Outcome(samples={r: {"ns_per_op": ns} for r in range(3)})
                   for t, k, ns in ((1, "A", 8), (2, "A", 2), (1, "B", 1), (2, "B", 1))}
        a1, a2, b1, b2 = results
        for limit, verdict in ((2, goals.MET), (1.9, goals.MISSED)):
            row = GeometricMean("g", 2, ((a1, a2), (b1, b2)), limit).evaluate(results)
            self.assertAlmostEqual(row.value, 2)
            self.assertEqual(row.verdict, verdict)

    def constant(self, *nanoseconds):
        """Members that take so long in every round, and their results."""
        members = [Member(f"constant_{k}", 1) for k in range(len(nanoseconds))]
        results = {m: Outcome(samples={r: {"ns_per_op": ns} for r in range(ROUNDS)}) for m, ns in zip(members, nanoseconds)}
        return [*members, results]

    def test_a_difference_is_what_ours_takes_more(self):
        ours, base, results = self.constant(17, 12)
        rows = [Difference("d", 1, ours, base, limit, stretch=wish).evaluate(results)
                for limit, wish in ((5, False), (4.9, False), (4.9, True), (None, False))]
        self.assertEqual([(r.value, r.verdict) for r in rows],
                         [(5, goals.MET), (5, goals.MISSED), (5, goals.SHORT), (5, goals.REPORTED)])
        self.assertEqual((rows[0].ours, rows[0].theirs, rows[0].unit, rows[0].goal), ("17", "12", "ns", "<= 5 ns"))
        self.assertEqual(Difference("d", 1, base, ours, 0).evaluate(results).value, -5)

    def test_a_difference_can_be_given_for_several_operations(self):
        ours, base, results = self.constant(17, 12)
        row = Difference("d", 1, ours, base, 20, times=4).evaluate(results)
        self.assertEqual((row.value, row.low, row.high, row.verdict), (20, 20, 20, goals.MET))

    def test_an_overhead_is_compared_without_what_both_have_to_do(self):
        ours, slow, fast, base, results = self.constant(20, 40, 30, 10)
        rows = [Overhead("o", 1, ours, (slow, fast), base, limit, stretch=wish).evaluate(results)
                for limit, wish in ((0.5, False), (0.4, False), (0.4, True), (None, False))]
        self.assertEqual([(r.value, r.verdict) for r in rows],
                         [(0.5, goals.MET), (0.5, goals.MISSED), (0.5, goals.SHORT), (0.5, goals.REPORTED)])
        self.assertEqual(rows[0].theirs, "30")

    def test_an_overhead_needs_a_rival_that_has_one(self):
        ours, rival, base, results = self.constant(20, 10, 10)
        row = Overhead("o", 1, ours, (rival,), base, 5).evaluate(results)
        self.assertEqual((row.verdict, row.value), (goals.NONE, None))
        results[rival] = Outcome(samples={r: {"ns_per_op": 9 + 2 * (r % 2)} for r in range(ROUNDS)})  # above it now and then
        self.assertEqual(Overhead("o", 1, ours, (rival,), base, 5).evaluate(results).verdict, goals.NONE)

    def test_our_crash_is_a_miss_in_a_difference_and_an_overhead(self):
        ours, rival, base, results = self.constant(20, 30, 10)
        results[ours] = Outcome(stopped=Stopped("died", "killed"))
        for row in (Difference("d", 1, ours, base, 5), Overhead("o", 1, ours, (rival,), base, 5)):
            evaluated = row.evaluate(results)
            self.assertEqual((evaluated.verdict, evaluated.value), (goals.MISSED, None))
            self.assertIn("killed", evaluated.note)

    def test_a_rival_that_cannot_is_left_out_of_an_overhead(self):
        ours, fast, slow, base, results = self.constant(20, 15, 30, 10)
        results[fast] = Outcome(stopped=Stopped("absent", "not built"))
        row = Overhead("o", 1, ours, (fast, slow), base, 0.5).evaluate(results)
        self.assertEqual((row.value, row.verdict), (0.5, goals.MET))
        self.assertIn("not built", row.note)
        results[slow] = results[fast]
        self.assertEqual(Overhead("o", 1, ours, (fast, slow), base, 0.5).evaluate(results).verdict, goals.NONE)

    def test_of_fewer_than_five_processes_a_row_has_no_interval_and_its_figure_decides(self):
        ours, base, rival, results = self.constant(20, 10, 40)

        def rows(limit):
            return [row.evaluate(results) for row in (
                Ratio("r", 1, ours, (base,), limit), Difference("d", 1, ours, base, 5 * limit), Time("t", 1, ours, 10 * limit),
                Overhead("o", 1, ours, (rival,), base, limit / 6), GeometricMean("g", 1, ((ours, base),), limit))]

        for rounds in (15, 12, 1):
            # Noise that an interval would have in it.
            for member, ns in ((ours, 20), (base, 10), (rival, 40)):
                results[member] = Outcome(samples={r: {"ns_per_op": ns * (3 if r == 5 else 1)} for r in range(rounds)})
            for row in (*rows(2), *rows(1.9)):
                self.assertEqual(row.low is None, rounds < 15, row)
                self.assertEqual(row.high is None, rounds < 15, row)
                said = {15: "", 12: "12 rounds, no interval", 1: "1 round, no interval"}[rounds]
                self.assertTrue(row.note.endswith(said) and (said or "round" not in row.note), row)
            if rounds < 15:
                self.assertEqual([r.verdict for r in rows(2)], [goals.MET] * 5)
                self.assertEqual([r.verdict for r in rows(1.9)], [goals.MISSED] * 5)

    def test_a_table_shows_no_brackets_where_there_is_no_interval(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            report.print_rows([Row("some", 2, value=1.5, note="3 rounds, no interval"), Row("enough", 2, value=1.5, low=1, high=2)])
        some, enough = out.getvalue().splitlines()[2:]
        self.assertEqual((".." in some, ".." in enough), (False, True))
        self.assertIn("1.500 x", some)

    def test_a_mean_over_rows_without_an_interval_has_none(self):
        rows = [Row("a: ours / theirs", 2, value=2.0, low=1.0, high=4.0), Row("b: ours / theirs", 2, value=8.0)]
        mean = MeanOfRows("all", 2, "ours / theirs$", 3.0).over(rows, [r.measure for r in rows])
        self.assertAlmostEqual(mean.value, 4.0)
        self.assertEqual((mean.low, mean.high, mean.verdict), (None, None, goals.MISSED))

    def test_a_mean_of_rows_is_over_those_that_match_and_says_what_is_missing(self):
        rows = [Row("a: ours / theirs", 2, value=2.0, low=1.0, high=4.0), Row("b: ours / theirs", 2, value=8.0, low=8.0, high=8.0),
                Row("b: ours / theirs", 1, value=100.0, low=99.0, high=101.0), Row("a: ours / others", 2, value=50.0),
                Row("c: ours / theirs", 2)]
        planned = ["a: ours / theirs", "b: ours / theirs"]
        mean = MeanOfRows("all", 2, "ours / theirs$", 1.0).over(rows, planned)
        self.assertAlmostEqual(mean.value, 4.0)
        self.assertAlmostEqual(mean.low, 4.0 / 2 ** 0.5)  # one of two rows is halved
        self.assertAlmostEqual(mean.high, 4.0 * 2 ** 0.5)
        self.assertEqual((mean.verdict, mean.goal, mean.note), (goals.MISSED, "<= 1 x", "of 2 rows"))
        mean = MeanOfRows("all", 2, "ours / theirs$", 1.0).over(rows, [*planned, "c: ours / theirs", "d: ours / theirs"])
        self.assertEqual((mean.verdict, mean.note), (goals.VOID, "of 2 rows, 2 more have no result"))
        self.assertIsNone(MeanOfRows("all", 2, "ours / nobody").over(rows, []))

    def test_a_geometric_mean_needs_all_its_members(self):
        results = {tactus(1): Outcome(samples={0: {"ns_per_op": 1}}), tactus(2): Outcome(stopped=Stopped("died", "gone"))}
        row = GeometricMean("g", 2, ((tactus(1), tactus(1)), (tactus(1), tactus(2))), 5).evaluate(results)
        self.assertEqual((row.verdict, row.value), (goals.MISSED, None))
        self.assertIn("gone", row.note)


class Plan(unittest.TestCase):
    def rows(self, full):
        """(group, row) of all rows, also those that only count on conditions."""
        for group in plan.groups(full):
            for row in group.rows:
                yield group, row.row if isinstance(row, OnlyWhile) else row

    def test_every_row_against_onetbb_takes_the_better_of_both_versions(self):
        seen = 0
        for group, row in (*self.rows(False), *self.rows(True)):
            theirs = [m for m in getattr(row, "theirs", ()) if m.competitor.startswith("onetbb")]
            if theirs and row.ours.competitor == "tactus":
                seen += 1
                both = {dataclasses.replace(m, competitor=c) for m in theirs for c in ("onetbb", "onetbb_new")}
                self.assertEqual(set(theirs), both, row.measure)
                self.assertLessEqual(both, set(group.members), row.measure)
        self.assertGreater(seen, 50)

    def test_lockstep_is_measured_against_every_form_that_onetbb_has(self):
        row = next(row for _, row in self.rows(False) if row.measure == "lockstep 64: clock / oneTBB, best form")
        self.assertEqual({m.label for m in row.theirs}, {f"{c} {shape} @2" for c in ("onetbb", "onetbb_new")
                                                         for shape in ("task_group", "grain_1", "automatic")})

    def test_a_clock_beats_a_finish_only_while_that_beats_every_onetbb_with_a_task_for_each(self):
        group = next(g for g in plan.lockstep(False) if g.title.startswith("64 "))
        row = next(r for r in group.rows if isinstance(r, OnlyWhile) and "own finish" in r.row.measure)
        for fast, verdict in (("onetbb task_group @2", goals.VOID), ("onetbb_new grain_1 @2", goals.VOID),
                              ("onetbb_new automatic @2", goals.MET)):
            results = {m: Outcome(samples={r: {"ns_per_op": 1 if m.label == fast else 100} for r in range(ROUNDS)})
                       for m in group.members}
            results[lock_step.CLOCK[2]] = Outcome(samples={r: {"ns_per_op": 2} for r in range(ROUNDS)})
            results[lock_step.FINISH_PER_PHASE] = Outcome(samples={r: {"ns_per_op": 20} for r in range(ROUNDS)})
            self.assertEqual(row.evaluate(results).verdict, verdict, fast)

    def test_producer_and_consumer_are_held_against_the_best_of_all_queues_between_threads(self):
        for group in plan.producer_consumer():
            rows = {row.measure.partition(": ")[2]: row for row in group.rows}
            rivals = {m.competitor for m in group.members} - {"tactus"}
            self.assertEqual(rivals, {"std_queue", "std_semaphore", "boost_spsc", "onetbb", "onetbb_new"})
            for shape in ("phaser", "stream"):
                self.assertEqual({m.competitor for m in rows[f"{shape} / best rival"].theirs}, rivals)
                textbook = rows[f"{shape} / mutex and condition variables"].theirs
                self.assertEqual([m.competitor for m in textbook], ["std_queue"])

    def test_small_tasks_are_measured_batched_too(self):
        limits = {}
        for group, row in self.rows(False):
            if ": batched / " in row.measure:
                self.assertEqual(row.ours, tactus(row.workers, "adaptive", "--shape", "batched"), row.measure)
                self.assertIn(row.ours, group.members)
                limits[row.measure, row.workers] = row.limit
        for name in ("flat", "tree", "span 1 M"):
            for workers in (1, 2):
                self.assertEqual(limits[f"{name}: batched / adaptive", workers], 0.6)
                self.assertIn((f"{name}: batched / oneTBB", workers), limits)
        for form in ("adaptive", "batched"):
            rows = {r.measure: r.limit for _, r in self.rows(False) if r.workers == 2 and f"tree: {form} / oneTBB" in r.measure}
            self.assertEqual(rows, {f"tree: {form} / oneTBB": 0.30, f"tree: {form} / oneTBB, stretch": 0.18})

    def test_programs_of_figures_14_and_15_have_rows_of_both_policies_with_one_worker_and_two(self):
        measures = {(row.measure, row.workers) for _, row in self.rows(False)}
        for name in ("NPB CG S, forked", "NPB CG A, forked", "nas_mg S", "nas_mg W", "jgf_moldyn A", "jgf_raytracer A",
                     "jgf_montecarlo A", *(f"JGF {kernel} A" for kernel in ("Series", "LUFact", "SOR", "Crypt", "SparseMatmult"))):
            for row in ("work_first / help_first", "serial / work_first", "serial / help_first"):
                for workers in (1, 2):
                    self.assertIn((f"{name}: {row}", workers), measures)

    def test_npb_cg_is_forked_under_every_policy_by_default_in_its_small_class(self):
        groups = [g for g in plan.groups(False) if g.section == "nas_cg" and "forked" in g.title]
        self.assertEqual([(g.arguments[1], plan.is_in_default_set(g)) for g in groups], [("S", True), ("A", False)])
        for group in groups:
            forked = {(m.policy, m.threads) for m in group.members if "forked" in m.arguments}
            self.assertEqual(forked, {(p, t) for p in ("work_first", "help_first", "adaptive", "work_sharing") for t in (1, 2)})

    def test_what_is_measured_when_asked_for_only_is_marked_in_the_list_and_not_in_its_sum(self):
        groups = [Group("fib", title, "fib", "x", [], [], seconds=s, when_asked=w) for title, s, w in
                  (("short", 7, False), ("long", 500, True))]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main.print_list(groups)
        self.assertEqual([" ".join(line.split()) for line in out.getvalue().splitlines()[1:]],
                         ["fib 7 s", "short", "long (500 s, only when asked for)"])

    def test_the_list_goes_from_shelf_to_shelf_and_has_each_problem_once(self):
        groups = list(plan.groups(False))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main.print_list(groups)
        listed, shelf = [], None
        for line in out.getvalue().splitlines():
            if not line.startswith(" "):
                shelf = line.partition(":")[0]
            elif not line.startswith("   "):
                listed.append(line.split()[0])
                self.assertEqual(shelves.of(listed[-1]), shelf)
        self.assertEqual(sorted(listed), sorted({g.section for g in groups}))

    def test_every_folder_of_a_shelf_has_its_paragraph_and_every_paragraph_a_folder(self):
        for shelf in shelves.names():
            folders = {page.name for page in (shelves.BENCH / shelf).iterdir() if page.is_dir()}
            described = shelves.described(shelf)
            self.assertEqual(sorted(described), sorted(folders), shelf)

    def test_every_problem_of_the_plan_stands_on_a_shelf(self):
        for group in plan.groups(True):
            self.assertIn(group.problem, shelves.described(shelves.of(group.problem)))
            self.assertIn(group.section, shelves.described(shelves.of(group.section)))

    def test_a_problem_on_no_shelf_is_refused_by_name(self):
        with self.assertRaisesRegex(LookupError, "'nonesuch'"):
            shelves.of("nonesuch")

    def test_every_paragraph_says_in_which_unit_its_problem_is_measured(self):
        for shelf in shelves.names():
            page = (shelves.BENCH / shelf / "README.md").read_text(encoding="utf-8")
            for name, _, text in (paragraph.partition("\n") for paragraph in page.split("\n## ")[1:]):
                self.assertIn("\n*Unit:* ", text, f"{shelf}, {name}")

    def test_the_page_of_all_benchmarks_leads_to_every_shelf(self):
        page = (shelves.BENCH / "README.md").read_text(encoding="utf-8")
        for shelf in shelves.names():
            self.assertIn(f"| [{shelf}]({shelf}/README.md) | ", page)

    def test_steps_of_sor_have_their_goal_against_both_forms_of_openmp(self):
        rows = [row for _, row in self.rows(False) if "SOR step" in row.measure and "OpenMP" in row.measure]
        self.assertEqual([row.limit for row in rows], [1.5, 1.5, None])
        for row in rows:
            self.assertEqual({m.label for m in row.theirs}, {f"{c}{shape} @2" for c in ("libgomp", "libomp")
                                                             for shape in ("", " parallel_for")})

    def test_the_model_of_x10_is_measured_in_rounds_where_that_is_short(self):
        alone = {g.title.partition(":")[0]: g.alone for g in plan.xrx(False, None)}
        self.assertEqual(alone, {"figure 7": False, "KC, HS, LCR, BY with 64 nodes": True,
                                 "BF, DST, MIS, MST, VC, DS, DP with 64 nodes": False, "KC, BY with 128 nodes": True})

    def test_published_inputs_are_handed_to_imsuite_only(self):
        for group in plan.groups(False, "folder"):
            self.assertEqual("folder" in group.arguments, group.problem == "imsuite")
        self.assertFalse(any("--inputs" in group.arguments for group in plan.groups(False)))

    def test_every_row_is_about_members_of_its_group(self):
        for full in (False, True):
            for group in plan.groups(full):
                with contextlib.redirect_stdout(io.StringIO()):
                    results = {m: Outcome() for m in group.members}
                    rows = [row.evaluate(results) for row in group.rows]
                    report.print_group(group, results, rows, 0, 0)
                self.assertEqual(len(rows), len(group.rows))

    def test_every_mean_of_the_overview_is_over_rows_that_there_are(self):
        for mean in plan.OVERVIEW:
            matching = plan.measures_of(mean)
            self.assertEqual(len(matching), len(set(matching)), mean.measure)
            self.assertGreaterEqual(len(matching), 11, mean.measure)

    def test_the_default_set_is_expected_to_keep_its_cap(self):
        self.assertLess(sum(g.seconds for g in plan.groups(False) if plan.is_in_default_set(g)), main.CAP_SECONDS)

    def test_what_is_measured_by_name_only_exists_and_can_be_asked_for(self):
        def sections(*names, every=False, full=False, listed=False):
            arguments = argparse.Namespace(all=every, full=full, list=listed, inputs=None, names=names)
            return {g.section for g in main.chosen_groups(argparse.ArgumentParser(), arguments)}

        by_name_only = set(plan.BY_NAME_ONLY)
        everything = {g.section for g in plan.groups(False)}
        self.assertLessEqual(by_name_only, everything)
        self.assertEqual(sections(), everything - by_name_only)
        self.assertEqual(sections(every=True), everything)
        self.assertEqual(sections(full=True), everything)
        self.assertEqual(sections(listed=True), everything)
        for name in by_name_only:
            self.assertEqual(sections(name), {name})

    def test_options_may_stand_anywhere_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as build:
            for words in ([build, "--full", "fib", "uts"], ["--full", build, "fib", "uts"], ["--build", build, "fib", "--full", "uts"]):
                _, arguments = main.parse(words)
                self.assertEqual((arguments.build, arguments.full, arguments.names), (build, True, ["fib", "uts"]), words)

    def test_kernels_of_java_grande_have_a_verdict_on_every_goal_when_all_have_run(self):
        for full in (False, True):
            classes = [group.arguments[1] for group in plan.jgf_kernels(full)]
            self.assertEqual("".join(classes), "AB" + 4 * "ABC" if full else 5 * "A")
            for group in plan.jgf_kernels(full):
                self.assertEqual(len(set(group.members)), len(group.members))
                results = {m: Outcome(samples={0: {"ns_per_op": 5.0}}) for m in group.members}
                evaluated = [row.evaluate(results) for row in group.rows]
                self.assertEqual([row.value for row in evaluated], [1] * len(evaluated))
                self.assertEqual([row.goal for row in evaluated if row.verdict == goals.MET],
                                 ["<= 1.1 x", "<= 1.15 x", "<= 1.15 x"])

    def test_lockstep_is_expected_to_take_less_than_four_minutes(self):
        self.assertLess(sum(g.seconds for g in plan.lockstep(False)), 4 * 60)

    def test_lockstep_has_a_verdict_on_every_goal_when_all_have_run(self):
        line = {"ns_per_op": 5.0, "peak_rss_delta": 5 << 30, "size": 1000000, "first_phase_seconds": 1.0,
                "waiting_bytes": 5e8, "waiting_threads": 3, "cpu_seconds": 1, "operations": 1, "seconds": 1, "passes": 1}
        for full in (False, True):
            for group in plan.lockstep(full):
                results = {m: Outcome(samples={0: line}) for m in group.members}
                for row in group.rows:
                    evaluated = row.evaluate(results)
                    self.assertIsNotNone(evaluated.value, evaluated.measure)
                    self.assertEqual(evaluated.verdict == goals.REPORTED, evaluated.goal == "", evaluated.measure)

    def test_programs_with_accumulators_are_expected_to_take_less_than_a_minute(self):
        self.assertLess(sum(g.seconds for g in (*plan.nas_cg(False), *plan.spectral_norm(False))), 60)

    def test_programs_with_accumulators_have_a_verdict_on_every_goal_when_all_have_run(self):
        for full in (False, True):
            goals_met = []
            for group in (*plan.nas_cg(full), *plan.spectral_norm(full)):
                self.assertEqual(len(set(group.members)), len(group.members))
                results = {m: Outcome(samples={0: {"ns_per_op": 5.0}}) for m in group.members}
                for row in group.rows:
                    evaluated = row.evaluate(results)
                    self.assertEqual(evaluated.value, 1, evaluated.measure)
                    self.assertEqual(evaluated.verdict, goals.MET if evaluated.goal else goals.REPORTED)
                    goals_met += [evaluated.measure] if evaluated.goal else []
            self.assertEqual(goals_met, [f"{name}: accumulator / better OpenMP{suffix}" for name in
                                         ("NPB CG A", "spectral norm 2000, rows") for suffix in ("", ", stretch")])

    def test_every_strategy_has_its_speed_up(self):
        for group in (*plan.nas_cg(True), *plan.spectral_norm(True)):
            speed_ups = [row.measure for row in group.rows if "figures 11 to 13" in row.measure]
            self.assertEqual(len(speed_ups), len(plan.accumulators.STRATEGIES), group.title)

    def test_lockstep_measures_no_competitor_outside_its_limits(self):
        for group in plan.lockstep(True):
            size = next((int(a) for name, a in zip(group.arguments, group.arguments[1:]) if name == "--size"), None)
            for member in group.members:
                if member.competitor == "std_barrier":
                    self.assertLessEqual(size, 512)
                if "barrier" in member.arguments:
                    self.assertEqual(size, member.threads)

    def test_accumulators_have_a_verdict_on_every_goal_when_all_have_run(self):
        def line(member):
            ns = {"serial": 1, "tactus": 2, "xrx": 200}.get(member.competitor, 30)
            return {"ns_per_op": ns, "peak_rss_delta": 1, "cpu_seconds": 1, "operations": 1, "seconds": 1, "passes": 1}

        for full in (False, True):
            for group in (*plan.syncbench(full), *plan.stencil_p2p(full)):
                results = {m: Outcome(samples={0: line(m)}) for m in group.members}
                for row in group.rows:
                    evaluated = row.evaluate(results)
                    self.assertIsNotNone(evaluated.value, evaluated.measure)
                    self.assertEqual(evaluated.verdict == goals.REPORTED, evaluated.goal == "", evaluated.measure)

    def test_trees_over_places_have_a_verdict_on_every_goal_when_all_have_run(self):
        evaluated = {}
        for group in plan.uts_places():
            self.assertEqual(len(set(group.members)), len(group.members))
            results = {m: Outcome(samples={0: {"ns_per_op": 100 / m.threads, "messages": 299}}) for m in group.members}
            evaluated |= {(row.measure, row.workers): row.evaluate(results) for row in group.rows}
        goals_of = {measure: (row.goal, row.verdict) for (measure, _), row in evaluated.items() if row.goal}
        self.assertFalse([row for row in evaluated.values() if row.value is None])
        expected = {"UTS T1 over places: hybrid / oneTBB": ("<= 1.11111 x", goals.MET)}
        for tree, speed_up, messages in (("T1", 1.75, 33000), ("T3", 1.9, 300)):
            for mpi in ("Open MPI", "MPICH"):
                name = f"UTS {tree} over {mpi}"
                expected |= {f"{name}: one rank / two": (f">= {speed_up} x", goals.MET),
                             f"{name}: Tactus / stealing by hand": ("<= 0.909091 x", goals.MISSED),
                             f"{name}: between ranks": (f"<= {messages} messages", goals.MET)}
        self.assertEqual(goals_of, expected)

    def test_the_simulator_may_be_off_by_five_percent_under_each_policy(self):
        groups = list(plan.placement_programs.simulated_and_real())
        self.assertEqual([m.threads for group in groups for m in group.members], [2, 4, 8])
        for group in groups:
            for over_real, used, verdict in ((1.04, 0.4, goals.MET), (0.96, 0.4, goals.MET), (0.94, 0.4, goals.MISSED), (1.06, 0.4, goals.MISSED),
                                             (1.04, 0.6, goals.VOID)):
                run = {"simulated_over_real": over_real, "processors_used": used, "late": 0.05}
                line = {"ns_per_op": 1, "runs": dict.fromkeys(plan.placement_programs.POLICIES, run)}
                results = {m: Outcome(samples={r: line for r in FIRST_OF_SEVEN}) for m in group.members}
                off = [row.evaluate(results) for row in group.rows if "is off" in getattr(row, "row", row).measure]
                self.assertEqual([(row.goal, row.verdict) for row in off], [("<= 5 %", verdict)] * 8)

    def test_what_tasks_that_may_move_cost_at_home_has_a_verdict_on_every_goal(self):
        evaluated = {}
        for group in plan.label_costs():
            ns = {member: 60 * (1.02 if "hybrid" in member.arguments else 1.0) for member in group.members}
            results = {m: Outcome(samples={r: {"ns_per_op": ns[m]} for r in FIRST_OF_SEVEN}) for m in group.members}
            evaluated |= {row.measure: row.evaluate(results) for row in group.rows}
        self.assertEqual({measure: (row.goal, row.verdict) for measure, row in evaluated.items() if row.goal}, {
            "tasks of 10 us: place_flexible under none / plain async_at": ("<= 1.01 x", goals.MET),
            "tasks of 10 us: under hybrid, while nobody starves / under none": ("<= 1.01 x", goals.MISSED),
            "tasks of 10 us: with a profile / without": ("<= 1.05 x", goals.MET),
            "place_flexible under hybrid, spawned and run at home / async_at(here(), f) under none": ("<= 1.3 x", goals.MET),
            "place_flexible under hybrid, spawned and run at home": ("<= 80 ns", goals.MET)})

    def test_a_busy_victim_has_to_serve_somebody_within_a_millisecond(self):
        for group in plan.busy_victim():
            for steals, us, verdicts in ((1, 900, [goals.MET] * 2), (0, 1100, [goals.MISSED] * 2)):
                results = {m: Outcome(samples={r: {"ns_per_op": 1, "steals": steals, "served_us": us} for r in FIRST_OF_SEVEN})
                           for m in group.members}
                rows = [row.evaluate(results) for row in group.rows]
                self.assertEqual([(r.goal, r.verdict) for r in rows if r.goal], list(zip((">= 1 tasks", "<= 1 ms"), verdicts)))

    def test_a_crowd_of_idle_workers_may_take_a_twentieth_of_the_machine(self):
        group = next(g for g in plan.many_places() if "what places take" in g.title)
        row = next(r for r in group.rows if "of the machine" in r.measure)
        self.assertEqual(row.member.threads, 512)
        for cpu, verdict in ((0.049, goals.MET), (0.051, goals.MISSED)):
            results = {row.member: Outcome(samples={0: {"cpu_seconds": cpu * os.cpu_count() * 10, "seconds": 10}})}
            self.assertEqual((row.evaluate(results).verdict, row.goal if hasattr(row, "goal") else row.limit), (verdict, 5))

    def test_syncbench_gives_openmp_a_thread_for_each_task_and_for_each_worker_and_the_others_two_workers(self):
        for group in plan.syncbench(True):
            tasks = int(group.arguments[group.arguments.index("--tasks") + 1])
            for member in group.members:
                expected = {tasks, min(2, tasks)} if member.competitor in ("libgomp", "libomp") else {min(2, tasks)}
                self.assertIn(member.threads, expected, member.label)

    def test_sums_have_to_beat_openmp_with_a_thread_for_each_worker_and_onetbb(self):
        rows = {row.measure: row for group in plan.syncbench(False) for row in group.rows}
        for tasks in (2, 4):
            row = rows[f"syncbench, balanced, {tasks} tasks: overhead, automatic / best OpenMP or oneTBB reduction"]
            self.assertLessEqual({("libgomp", 2), ("libomp", 2), ("libgomp", tasks), ("onetbb", 2)},
                                 {(m.competitor, m.threads) for m in row.theirs})
            self.assertEqual(row.limit, 1.0)

    def test_clocks_of_two_workers_have_to_beat_boost_fiber_with_either_number(self):
        rows = {row.measure: row for group in plan.lockstep(False) for row in group.rows if isinstance(row, goals.Ratio)}
        row = rows["lockstep 4096: clock / Boost.Fiber barrier, best number of workers"]
        self.assertEqual({(m.competitor, m.threads) for m in row.theirs}, {("boost_fiber", 1), ("boost_fiber", 2)})

    def test_ranks_by_hand_are_measured_in_every_way_that_a_good_user_may_choose(self):
        rows = [row for group in plan.rank_messages() for row in group.rows if isinstance(row, goals.Ratio)]
        self.assertTrue(rows)
        for row in rows:
            ways = {m.arguments[-4:] for m in row.theirs if m.competitor == "openmpi"}
            if "Open MPI" in row.measure:
                self.assertIn(("--launch", "yielding", "--wait", "calls"), ways, row.measure)
            if "of 1 MiB" in row.measure:
                self.assertTrue(any("in_place" in m.arguments for m in row.theirs), row.measure)
        for group in (*plan.rank_messages(), *plan.ghost_update()):
            for row in group.rows:
                for member in getattr(row, "theirs", ()):
                    self.assertIn(member, group.members, row.measure)
                    if member.competitor == "mpich":  # whose calls keep the processor from who is waited for
                        self.assertNotIn("calls", member.arguments)

    def test_ghosts_over_mpi_have_to_beat_every_form_by_messages(self):
        rows = [row for group in plan.ghost_update() for row in group.rows if "over " in getattr(row, "measure", "") and "by messages" in row.measure]
        self.assertEqual(len(rows), 2 + 2 * 4)
        for row in rows:
            self.assertEqual({m.arguments[1] for m in row.theirs}, {"pack", "types", "persistent_pack", "persistent_types", "neighbours"})

    def test_a_flow_has_to_be_six_times_as_fast_as_cells_kept_as_the_sample_keeps_them(self):
        limits = {(row.measure, row.workers): row.limit for group in plan.lattice_boltzmann() for row in group.rows
                  if isinstance(row, (goals.Ratio, goals.MedianOf)) and row.limit is not None and not row.stretch}
        name = "Tactus / Global Arrays, cells as its sample's"
        expected = {(f"cavity 1024^2 in one process, 1 place: {name}", 1): 1 / 6,
                    **{(f"cavity 1024^2 {where}, 2 places: {name}", 2): 1 / 6
                       for where in ("in one process", "over Open MPI", "over MPICH")}}
        self.assertEqual({key: limit for key, limit in limits.items() if "place" in key[0] and "plain" not in key[0] and "1 place / 2" not in key[0]},
                         expected)


class Interval(unittest.TestCase):
    def test_covers_the_ratio_and_narrows_with_less_noise(self):
        noisy = {i: 10 + i % 5 for i in range(ROUNDS)}
        steady = {i: 10.0 for i in range(ROUNDS)}
        ratio, low, high, _ = stats.ratio_interval(noisy, [steady])
        self.assertTrue(low <= ratio <= high)
        self.assertLess(low, high)
        self.assertEqual(stats.ratio_interval(steady, [steady]), (1, 1, 1, ROUNDS))

    def test_the_best_of_several_sides_is_taken(self):
        self.assertEqual(stats.ratio_interval({0: 10}, [{0: 20}, {0: 5}])[0], 2)

    def test_the_geometric_mean_has_an_interval_too(self):
        noisy = {i: 10 + i % 5 for i in range(ROUNDS)}
        steady = {i: 10.0 for i in range(ROUNDS)}
        mean, low, high, _ = stats.geometric_mean_interval([(noisy, steady), (steady, steady)])
        self.assertTrue(low <= mean <= high)
        self.assertLess(low, high)
        self.assertIsNone(stats.geometric_mean_interval([(noisy, steady), ({0: 1}, {1: 1})]))

    def test_rounds_that_one_side_missed_are_left_out(self):
        self.assertEqual(stats.ratio_interval({0: 10, 3: 10}, [{0: 10, 1: 99, 3: 10}])[0], 1)
        self.assertIsNone(stats.ratio_interval({0: 1}, [{1: 1}]))


if __name__ == "__main__":
    unittest.main()
