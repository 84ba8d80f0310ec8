#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The simulator against real places whose tasks sleep: the makespan under each policy is nearly the same. How nearly is measured by the
benchmark replay; here it has to hold on a machine that does some other things besides. One on which sleepers are not woken in time says nothing:
the test ends with status 77 then."""

import json
import pathlib
import statistics
import subprocess
import sys
import unittest

POLICIES = ("none", "work_dealing", "eager_dealing", "lifeline", "hybrid", "random_stealing", "sender_threshold", "proportional")
PLACES = 4
OFF = 0.25  # the figure of the benchmark is 0.05
MOST_LATE = 0.1  # of the time that tasks were to sleep, how much longer they did


class Makespan(unittest.TestCase):
    @staticmethod
    def median(policy, field):
        return statistics.median(line["runs"][policy][field] for line in LINES)

    def test_is_nearly_the_same_under_each_policy(self):
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.assertLess(abs(self.median(policy, "simulated_over_real") - 1), OFF)

    def test_tells_policies_apart(self):
        for field in ("seconds", "simulated_seconds"):
            self.assertGreater(self.median("none", field), 0.8 * PLACES * self.median("hybrid", field))


def measure():
    done = subprocess.run([PROGRAMS / "replay" / "tactus", "--threads", str(PLACES), "--shape", "tree", "--size", "300", "--form", "simulated",
                           "--body-ns", "4000000", "--min-ms", "0", "--reps", "3", "--runs", ",".join(POLICIES)],
                          capture_output=True, text=True, check=True, timeout=400)
    return [json.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1))
    LINES = measure()
    if any(run["late"] > MOST_LATE for line in LINES for run in line["runs"].values()):
        print("tasks slept much longer than they were to: the machine is busy")
        sys.exit(77)
    unittest.main()
