# SPDX-License-Identifier: Apache-2.0
"""A results file with every group, row and member of the plan, made of invented numbers: what the report is tested with."""

import json
import random
import zlib
from unittest import mock

from runner import plan, report, stats
from runner.measure import Outcome
from runner.program import Stopped
from runner.rounds import ROUNDS, is_for_long_ones


class Line(dict):
    """A result line; fields that only one problem has are there in all."""

    def __init__(self, member, group, ns):
        options = [*group.arguments, *member.options()]
        size = next((v for o, v in zip(options, options[1:]) if o in ("--size", "--tasks")), "1000")
        super().__init__(
            competitor=member.competitor, ns_per_op=ns, seconds=ns / 1e3, operations=1000, passes=1, cpu_seconds=ns / 1e6,
            peak_rss_delta=5 << 20, size=int(size), advances=4352, atomics=599, bytes_per_suspended=4321.0,
            edges_per_second=4e9 / ns,
            peak_bytes_per_vertex=42.0, bytes_per_queued=64.0, started_early=0, resident_after=[100, 101], peak_live=20,
            allowed_live=40, first_phase_seconds=3.2, waiting_bytes=4.1e8, waiting_threads=2, clock_wakeups_by_atomic=0,
            most_running=3, bytes_per_place=3e5, bytes_per_neighbour=900.0,
            bytes_per_array=4e3, resident_of_a_rank=3e7, threads=member.threads, steps=20, update_seconds=ns / 2e4, peak_bytes=1e8 + ns,
            utilisation_sigma=4.5, steals=7, served_us=840.0, runs=self.runs(options, ns))

    @staticmethod
    def runs(options, ns):
        names = next((v for o, v in zip(options, options[1:]) if o == "--runs"), "")
        return {name: {"seconds": ns / (10 + place), "efficiency": 0.8, "utilisation_sigma": 20.0 / (1 + place), "migrations": 100 * place,
                       "processors_used": 0.2, "late": 0.01, "simulated_over_real": 1.02} for place, name in enumerate(names.split(","))}


def _outcome(group, member):
    if member.competitor == "libgomp" and group.section == "spanning_tree":
        return Outcome(stopped=Stopped("died", "killed by SIGSEGV: <stack> & \"depth\""))
    rng = random.Random(zlib.crc32(f"{group.title} {member.label}".encode()))
    middle = 10 ** (0.3 if member.competitor == "serial" else rng.uniform(0.5, 5))  # overheads are over the serial program
    rounds = range(group.repetitions) if group.alone else filter(is_for_long_ones, range(ROUNDS))
    return Outcome(samples={r: Line(member, group, middle * rng.uniform(0.9, 1.2)) for r in rounds},
                   disturbed=rng.choice((0, 0, 1)))


def record(full=True):
    """What the runner writes, as JSON has it."""
    groups = []
    with mock.patch.object(stats, "RESAMPLES", 40):
        for group in plan.groups(full):
            results = {member: _outcome(group, member) for member in group.members}
            rows = [row.evaluate(results) for row in group.rows]
            groups.append(report.group_record(group, results, rows, 10.0, 0.4))
    return json.loads(json.dumps({
        "format": report.FORMAT,
        "machine": {"cpu": "Invented <CPU>", "cores": 2, "kernel": "6.1", "memory_bytes": 1 << 34, "system": "Debian"},
        "load_at_start": 0.12,
        "build": {"compiler": "GNU 12.2.0", "flags": "-O3", "onetbb": "2021.8.0", "onetbb_new": "2023.2.0",
                  "boost": "", "left_out": ["boost_fiber"], "source": "/home/somebody"},
        "revision": "0123456789abcdef+changes", "time": "2026-01-02T03:04:05+00:00", "full": full, "inputs": None, "names": [],
        "not_run": ["xrx: one that time did not suffice for"], "groups": groups}))
