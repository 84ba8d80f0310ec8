# SPDX-License-Identifier: Apache-2.0
"""tactus simulate: how long a workload takes on so many places under a placement policy."""

import json
import subprocess

from placement_tools import programs
from placement_tools.arguments import MOST_PLACES, MOST_WORKERS, microseconds, whole

POLICIES = ("none", "work_dealing", "eager_dealing", "lifeline", "hybrid", "random_stealing", "sender_threshold", "proportional")
NAME = "tactus_simulate"
OUTCOME = ("efficiency", "makespan_us", "utilisation_sigma", "tasks", "busy_us", "moves", "messages")


class SimulationError(Exception):
    """What cannot be simulated; its text is one line."""


def add_to(commands):
    parser = commands.add_parser(
        "simulate", help="run a workload on simulated places",
        description="Runs a tree or a recorded table of tasks on simulated places, under one of the library's placement policies.",
        epilog="docs/simulator.md says what is simulated, what things cost, and what the file of a table looks like.")
    parser.add_argument("--places", type=whole(1, MOST_PLACES), default=16, metavar="P", help="how many (16)")
    parser.add_argument("--workers", type=whole(1, MOST_WORKERS), default=1, metavar="W", help="of each place (1)")
    parser.add_argument("--policy", choices=POLICIES, default="hybrid", metavar="NAME", help=", ".join(POLICIES) + " (hybrid)")
    parser.add_argument("--workload", default="T1", metavar="TREE|FILE",
                        help="T1, T2 or T3 of UTS, binomial:B0,M,Q,SEED, or a table of tasks (T1)")
    parser.add_argument("--grain", type=microseconds(0.001), default=20_000, metavar="US", help="of a node of a tree (20)")
    parser.add_argument("--latency", type=microseconds(0), metavar="US", help="of a message (as the costs say, or 2)")
    parser.add_argument("--near-latency", type=microseconds(0), metavar="US", help="of one within a group (as the others)")
    parser.add_argument("--group", type=whole(1, MOST_PLACES), metavar="N", help="places that are near each other (1)")
    parser.add_argument("--random-steals", type=whole(0, 1000), default=1, metavar="N", help="before lifelines (1)")
    parser.add_argument("--lifeline-base", type=whole(2, 1000), default=4, metavar="N", help="of the cube (4)")
    parser.add_argument("--costs", metavar="FILE", help="what things cost, instead of the defaults")
    parser.add_argument("--seed", type=whole(0, 2**64 - 1), default=1, metavar="N", help="of what policies draw (1)")
    parser.add_argument("--json", action="store_true", help="print one line, an object")


def words(parsed):
    """Simulates it and says what came out."""
    if (parsed.near_latency is None) != (parsed.group is None):
        raise SimulationError("--near-latency and --group: each needs the other")
    values = {"places": parsed.places, "workers": parsed.workers, "policy": parsed.policy, "workload": parsed.workload,
              "grain_ns": parsed.grain, "group": parsed.group or 1,
              "random_steals": parsed.random_steals, "lifeline_base": parsed.lifeline_base, "seed": parsed.seed}
    values |= {name: value for name, value in (("latency_ns", parsed.latency), ("near_latency_ns", parsed.near_latency),
                                               ("costs", parsed.costs)) if value is not None}
    line = simulated(values)
    seen = outcome_in(line)
    return line if parsed.json else text(seen)


def outcome(values):
    """The object that the simulator prints for these values; what is left out has its default."""
    return outcome_in(simulated({"grain_ns": 1000, "group": 1, "seed": 1, **values}))


def outcome_in(line):
    try:
        seen = json.loads(line)
        if all(isinstance(seen[name], (int, float)) for name in OUTCOME):
            return seen
    except (ValueError, LookupError, TypeError):
        pass
    raise SimulationError(f"simulate: what {programs.find(NAME)} prints is no outcome: {line[:60]!r}")


def simulated(values):
    """Its line."""
    program = programs.find(NAME)
    if program is None:
        raise SimulationError(f"simulate: {programs.remedy(NAME)}")
    try:
        done = subprocess.run([program, *(f"{name}={value}" for name, value in values.items())], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    except (OSError, ValueError) as error:
        raise SimulationError(f"simulate: {program}: {error}") from None
    if done.returncode != 0:
        end = f"by signal {-done.returncode}" if done.returncode < 0 else f"with status {done.returncode}"
        raise SimulationError(done.stderr.strip().removeprefix("tactus: ") or f"simulate: {NAME} ended {end}")
    return done.stdout.rstrip("\n")


def text(seen):
    return (f"efficiency     {seen['efficiency']:.4f}\n"
            f"makespan       {seen['makespan_us']:.3f} us\n"
            f"sigma          {seen['utilisation_sigma']:.2f} % of the time, over places\n"
            f"tasks          {seen['tasks']}\n"
            f"busy           {seen['busy_us']:.3f} us, all workers\n"
            f"moves          {seen['moves']}\n"
            f"messages       {seen['messages']}")
