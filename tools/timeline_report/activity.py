# SPDX-License-Identifier: Apache-2.0
"""What a timeline says in sum: how busy the workers were, where the time of tasks went, and what they waited for."""

import collections
import dataclasses
import re
from statistics import median


@dataclasses.dataclass(frozen=True)
class Spread:
    """Of some lengths, in microseconds."""
    count: int
    total: float
    median: float
    nearly_all: float  # of 100 lengths, 95 are at most this
    longest: float

    @staticmethod
    def of(lengths):
        ordered = sorted(lengths)
        return Spread(len(ordered), sum(ordered), median(ordered), ordered[(95 * len(ordered) - 1) // 100], ordered[-1])


@dataclasses.dataclass(frozen=True)
class Worker:
    """longest_gap: the longest time between two slices, or before the first or after the last: (begin, end)."""
    number: int
    busy: float
    slices: int
    steals: int
    entries: int
    robbed: int
    longest_gap: tuple


def within(timeline):
    """Its slices, cut to the time in which all workers are known."""
    return [dataclasses.replace(s, begin=max(s.begin, timeline.begin)) for s in timeline.slices if s.end > timeline.begin]


def workers(timeline):
    of = collections.defaultdict(list)
    for one in within(timeline):
        of[one.worker].append(one)
    robbed = collections.Counter(s.victim for s in timeline.steals)
    return [_worker(timeline, number, of[number], robbed[number]) for number in timeline.workers]


def _worker(timeline, number, slices, robbed):
    won = [s for s in timeline.steals if s.thief == number]
    ends = [timeline.begin, *(s.end for s in slices)]
    begins = [*(s.begin for s in slices), timeline.end]
    gap = max(zip(ends, begins), key=lambda pair: pair[1] - pair[0])
    return Worker(number, sum(s.length for s in slices), len(slices), len(won), sum(s.entries for s in won), robbed, gap)


def busy_share(timeline):
    """Of the time of all workers."""
    whole = timeline.length * len(timeline.workers)
    return sum(s.length for s in within(timeline)) / whole if whole > 0 else 0.0


def over_time(timeline, parts):
    """{worker: [how much of each of so many equal parts of the time it was busy]}"""
    step = timeline.length / parts
    shares = {number: [0.0] * parts for number in timeline.workers}
    if step <= 0:
        return shares
    for one in within(timeline):
        begin, end = ((t - timeline.begin) / step for t in (one.begin, one.end))
        for i in range(int(begin), min(parts, int(end) + 1)):
            shares[one.worker][i] += max(0.0, min(end, i + 1) - max(begin, i))
    return {number: [min(1.0, share) for share in row] for number, row in shares.items()}


def tasks(timeline):
    """[(name, spread of the times that tasks of this name ran, slices)], the greatest sum first."""
    ran, name_of, slices = collections.Counter(), {}, collections.Counter()
    for one in timeline.slices:
        ran[one.task] += one.length
        name_of.setdefault(one.task, one.name)
        slices[one.name] += 1
    lengths = collections.defaultdict(list)
    for task, length in ran.items():
        lengths[name_of[task]].append(length)
    return sorted(((name, Spread.of(some), slices[name]) for name, some in lengths.items()), key=lambda row: -row[1].total)


def waits(timeline):
    """[(reason, spread, how many went on on another worker, name of most of the tasks)], the greatest sum first. Reasons that
    differ in numbers only are one."""
    name_of = {one.task: one.name for one in timeline.slices}
    groups = collections.defaultdict(list)
    for wait in timeline.waits:
        groups[re.sub(r"\d+", "#", wait.reason)].append(wait)
    rows = []
    for reason, some in groups.items():
        who = collections.Counter(name_of.get(wait.task, "") for wait in some).most_common(1)[0][0]
        same = {wait.reason for wait in some}
        rows.append((same.pop() if len(same) == 1 else reason, Spread.of([w.length for w in some]), sum(w.moved for w in some), who))
    return sorted(rows, key=lambda row: -row[1].total)


def turns(timeline):
    """[(clock or phaser, turns, spread of the times between them or None)]"""
    of = collections.defaultdict(list)
    for turn in timeline.turns:
        of[turn.of].append(turn.time)
    rows = []
    for what, times in of.items():
        times.sort()
        between = [b - a for a, b in zip(times, times[1:])]
        rows.append((what, len(times), Spread.of(between) if between else None))
    return sorted(rows, key=lambda row: -row[1])


def stolen(timeline):
    """{(thief, victim): (steals, entries)}"""
    found = collections.defaultdict(lambda: (0, 0))
    for steal in timeline.steals:
        count, entries = found[steal.thief, steal.victim]
        found[steal.thief, steal.victim] = (count + 1, entries + steal.entries)
    return dict(found)
