#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""That intervals take processes for what differs, and how often they hold what is true."""

import pathlib
import random
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from runner import plan, stats  # noqa: E402
from runner.rounds import PROCESSES, ROUNDS, is_for_long_ones, process_of  # noqa: E402

ONE = dict.fromkeys(range(ROUNDS), 1.0)


def simulated(rng, of_process, rounds=range(ROUNDS)):
    """Times whose logarithms have such an error in each process, and one of 1 in each round, in parts of 3 %."""
    processes = [rng.gauss(0, of_process) for _ in range(PROCESSES)]
    return {r: 1.03 ** (processes[process_of(r)] + rng.gauss(0, 1)) for r in rounds}


class Interval(unittest.TestCase):
    def test_holds_what_processes_differ_by_when_their_rounds_are_all_alike(self):
        """Two of five processes are slow. Were rounds drawn from all of them alike, hardly one sample in forty would have most of
        them slow; of five processes drawn, three in ten have."""
        side = {r: 2.0 if process_of(r) < 2 else 1.0 for r in range(ROUNDS)}
        for estimate in (stats.ratio_interval(side, [ONE]), stats.median_interval(side), stats.geometric_mean_interval([(side, ONE)])):
            self.assertEqual(estimate, (1, 1, 2, ROUNDS))
        one_slow = {r: 2.0 if process_of(r) == 0 else 1.0 for r in range(ROUNDS)}
        self.assertEqual(stats.ratio_interval(one_slow, [ONE]).high, 2)  # in 1 of 17 samples: more than 2.5 %
        self.assertEqual(stats.difference_interval(one_slow, ONE).high, 1)
        self.assertEqual(stats.excess_ratio_interval({r: 1 + v for r, v in one_slow.items()}, [{r: 2.0 for r in ONE}], ONE).high, 2)

    def test_draws_rounds_within_a_process_too(self):
        side = {r: (1.0, 2.0, 3.0)[r % 3] for r in range(ROUNDS)}  # all processes are alike
        _, low, high, _ = stats.median_interval(side)
        self.assertTrue(low < 2 < high, (low, high))

    def test_is_made_of_five_processes_and_of_no_fewer(self):
        of_long = {r: 1.0 for r in ONE if is_for_long_ones(r)}
        self.assertEqual(stats.median_interval(of_long), (1, 1, 1, 7))
        four = {r: v for r, v in ONE.items() if process_of(r) < 4}
        self.assertEqual(stats.median_interval(four), (1, None, None, 12))
        self.assertEqual(stats.ratio_interval(ONE, [four])[1:], (None, None, 12))
        self.assertEqual(stats.geometric_mean_interval([(ONE, ONE), (ONE, four)])[1:], (None, None, 12))

    def test_of_95_per_cent_holds_the_ratio_in_about_as_many_cases(self):
        rng, cases = random.Random(1), 200
        for of_process, rounds, least in ((1, range(ROUNDS), 0.92), (2, range(ROUNDS), 0.89), (1, list(filter(is_for_long_ones, ONE)), 0.88)):
            held = 0
            with mock.patch.object(stats, "RESAMPLES", 200):
                for _ in range(cases):
                    _, low, high, _ = stats.ratio_interval(simulated(rng, of_process, rounds), [simulated(rng, of_process, rounds)])
                    held += low <= 1 <= high
            self.assertGreaterEqual(held / cases, least, (of_process, rounds))

    def test_is_not_made_of_a_group_that_is_alone_and_thus_of_one_process(self):
        for full in (False, True):
            for group in plan.groups(full):
                if group.alone:
                    self.assertLess(process_of(group.repetitions - 1) + 1, stats.LEAST_PROCESSES, group.title)


if __name__ == "__main__":
    unittest.main()
