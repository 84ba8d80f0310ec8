# SPDX-License-Identifier: Apache-2.0
"""Line charts of medians over a size: which groups make one, and their points."""

import dataclasses
import re

from webpage.lines import Series, chart


@dataclasses.dataclass(frozen=True)
class Curve:
    """Of the groups of a section whose title matches. option: the command-line option that gives x. labels: members'
    labels, as many as a line chart can hold."""
    section: str
    title: str
    option: str
    x_name: str
    caption: str
    labels: tuple


OF_SECTIONS = (
    Curve("lockstep", "one increment in each phase", "--size", "tasks",
          "Tasks in lock step: median time per task and phase",
          ("tactus adaptive clock @2", "tactus adaptive finish @2", "tactus adaptive lockstep @2", "onetbb task_group @2",
           "boost_fiber @2", "libgomp static @2")),
    Curve("syncbench", "add up in each phase", "--tasks", "tasks", "A sum in every phase: median time per task and phase",
          ("tactus adaptive none @2", "tactus adaptive automatic @2", "tactus adaptive eager @2",
           "tactus adaptive dynamic_lazy @2", "tactus adaptive fixed_lazy @2", "tactus adaptive tree @2")),
    Curve("producer_consumer", "bound", "--bound", "bound", "Producer and consumer: median time per item",
          ("tactus adaptive phaser @2", "tactus adaptive stream @2", "std_queue @2", "std_semaphore @2", "boost_spsc @2",
           "onetbb_new @2")),
)


def drawn(curve, results):
    """The figure, or None where fewer than two sizes were measured."""
    series = [Series(label, tuple(_points(curve, label, results))) for label in curve.labels]
    series = [one for one in series if len(one.points) > 1]
    if not series:
        return None
    return chart(curve.caption, series, curve.x_name, "ns", "ns")


def _points(curve, label, results):
    found = {}
    for group in results.groups:
        if group.section != curve.section or not re.search(curve.title, group.title):
            continue
        for member in group.members:
            x = _x(member.options, curve.option)
            if member.label == label and member.median_ns and x is not None:
                found[x] = member.median_ns
    return sorted(found.items())


def _x(options, option):
    for name, value in zip(options, options[1:]):
        if name == option:
            return float(value)
    return None
