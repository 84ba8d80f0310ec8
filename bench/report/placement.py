# SPDX-License-Identifier: Apache-2.0
"""The page of placement: how well the policies would use more and more places. All of its figures are simulated."""

import dataclasses

from placement_tools import simulate
from webpage.document import document
from webpage.lines import Series, chart
from webpage.markup import element
from webpage.tables import table

FILE = "placement.html"
TREE = "binomial:20000,8,0.12,7"
LATENCY_US = 2
SEED = 1
PLACES = (4, 16, 64, 256, 1024)
GRAINS_US = (20, 1)
POLICIES = ("hybrid", "lifeline", "random_stealing", "sender_threshold", "work_dealing")  # as many lines as a chart can tell apart


@dataclasses.dataclass(frozen=True)
class Cell:
    policy: str
    grain_us: int
    places: int
    efficiency: float
    sigma: float
    moves: int
    messages: int
    tasks: int


def simulated():
    """All cells, one after the other: a generator, since each takes about a second. simulate.SimulationError where there is no simulator."""
    for grain in GRAINS_US:
        for policy in POLICIES:
            for places in PLACES:
                yield cell(policy, grain, places)


def cell(policy, grain, places):
    seen = simulate.outcome({"places": places, "policy": policy, "workload": TREE, "grain_ns": 1000 * grain,
                             "latency_ns": 1000 * LATENCY_US, "seed": SEED})
    return Cell(policy, grain, places, seen["efficiency"], seen["utilisation_sigma"], seen["moves"], seen["messages"], seen["tasks"])


def page(cells):
    """The text of the HTML file."""
    main = element("main", element("h1", "Tactus: placement policies, simulated"), reading(cells),
                   [section(grain, [c for c in cells if c.grain_us == grain]) for grain in GRAINS_US])
    foot = element("footer", element("p", "Written by ./dev report. What is simulated, and what is not: docs/simulator.md.", class_="absent"))
    return document("Tactus: placement policies, simulated", main, foot)


def reading(cells):
    return [element("p", "None of these figures was measured. ", element("code", "tactus simulate"), " runs the library's own policies in "
                    "simulated time, so they are the same on every machine. Whether real places do the same, only a run on real places shows."),
            element("p", f"The work is a tree of {cells[0].tasks:,} tasks ({TREE}), each of which spawns its children when it ends and may move "
                    "until it starts. All of it begins at place 0. Each place has one worker."),
            element("p", f"The cost model is the simulator's default, a guess at a cluster: a message is {LATENCY_US} us on its way, 0.1 us of its "
                    "sender's time and 0.2 us of its receiver's, and a place that computes looks at messages when a task ends, or after 20 us. "
                    f"Policies draw from seed {SEED}."),
            element("p", "Efficiency is the time in tasks over places times makespan. Without a policy (none) it is 1 / places: the work stays at "
                    "place 0.")]


def section(grain, cells):
    series = [Series(policy, tuple((c.places, 100 * c.efficiency) for c in cells if c.policy == policy)) for policy in POLICIES]
    caption = f"Tasks of {grain} us: efficiency"
    lines = [[policy, *(f"{c.efficiency:.3f}" for c in cells if c.policy == policy)] for policy in POLICIES]
    most = max(PLACES)
    at_most = [[c.policy, f"{c.efficiency:.3f}", f"{c.sigma:.2f}", f"{c.moves / c.tasks:.3f}", f"{c.messages / c.tasks:.3f}"]
               for c in cells if c.places == most]
    return element("section", element("h2", f"Tasks of {grain} us"),
                   chart(caption, series, "places", "efficiency, %", "%", log=False),
                   table(caption, ["policy", *(f"{p} places" for p in PLACES)], lines, range(1, 1 + len(PLACES))),
                   table(f"At {most} places, tasks of {grain} us", ["policy", "efficiency", "sigma over places, %", "moves per task",
                                                                   "messages per task"], at_most, range(1, 5)))
