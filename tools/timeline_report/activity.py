# SPDX-License-Identifier: Apache-2.0
"""What a timeline says in sum: how busy the workers were, where the time of tasks went, and what they waited for."""

import collections
import dataclasses
import functools
import re
from statistics import median

ROOT = "root"  # what the library calls the task that the run begins with


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


@dataclasses.dataclass(frozen=True)
class Tasks:
    """Those of one name. short: how many ran for less than a microsecond."""
    name: str
    ran: Spread
    slices: int
    short: int


@dataclasses.dataclass(frozen=True)
class Waits:
    """Those for one reason, numbers aside. moved: after how many the task went on on another worker. of: the name of most of the
    tasks."""
    reason: str
    lengths: Spread
    moved: int
    of: str


class Activity:
    """Of a timeline; each part is computed once."""

    def __init__(self, timeline):
        self.timeline = timeline

    @functools.cached_property
    def workers(self):
        slices, won = collections.defaultdict(list), collections.defaultdict(list)
        for one in self.timeline.slices:
            slices[one.worker].append(one)
        for steal in self.timeline.steals:
            won[steal.thief].append(steal)
        robbed = collections.Counter(steal.victim for steal in self.timeline.steals)
        return [self._worker(number, slices[number], won[number], robbed[number]) for number in self.timeline.workers]

    def _worker(self, number, slices, won, robbed):
        ends = [self.timeline.begin, *(s.end for s in slices)]
        begins = [*(s.begin for s in slices), self.timeline.end]
        gap = max(zip(ends, begins), key=lambda pair: pair[1] - pair[0])
        return Worker(number, sum(s.length for s in slices), len(slices), len(won), sum(s.entries for s in won), robbed, gap)

    @property
    def busy_share(self):
        """Of the time of all workers."""
        whole = self.timeline.length * len(self.timeline.workers)
        return sum(worker.busy for worker in self.workers) / whole if whole > 0 else 0.0

    def over_time(self, parts):
        """{worker: [how much of each of so many equal parts of the time it was busy]}"""
        step = self.timeline.length / parts
        shares = {number: [0.0] * parts for number in self.timeline.workers}
        if step <= 0:
            return shares
        for one in self.timeline.slices:
            begin, end = ((t - self.timeline.begin) / step for t in (one.begin, one.end))
            for i in range(int(begin), min(parts, int(end) + 1)):
                shares[one.worker][i] += max(0.0, min(end, i + 1) - max(begin, i))
        return {number: [min(1.0, share) for share in row] for number, row in shares.items()}

    @functools.cached_property
    def tasks(self):
        """The greatest sum first."""
        ran, slices = collections.Counter(), collections.Counter()
        for one in self.timeline.slices:
            ran[one.task] += one.length
            slices[one.name] += 1
        lengths = collections.defaultdict(list)
        for task, length in ran.items():
            lengths[self._names[task]].append(length)
        rows = [Tasks(name, Spread.of(some), slices[name], sum(length < 1 for length in some)) for name, some in lengths.items()]
        return sorted(rows, key=lambda row: -row.ran.total)

    @functools.cached_property
    def _names(self):
        return {one.task: one.name for one in self.timeline.slices}

    @functools.cached_property
    def waits(self):
        """The greatest sum first."""
        groups = collections.defaultdict(list)
        for wait in self.timeline.waits:
            groups[re.sub(r"\d+", "#", wait.reason)].append(wait)
        rows = []
        for reason, some in groups.items():
            of = collections.Counter(self._names.get(wait.task, "") for wait in some).most_common(1)[0][0]
            same = {wait.reason for wait in some}
            rows.append(Waits(same.pop() if len(same) == 1 else reason, Spread.of([wait.length for wait in some]),
                              sum(wait.moved for wait in some), of))
        return sorted(rows, key=lambda row: -row.lengths.total)

    @property
    def delays(self):
        """[(after what, spread, how many tasks came to another worker)]"""
        groups = collections.defaultdict(list)
        for delay in self.timeline.delays:
            groups[delay.after].append(delay)
        return [(after, Spread.of([one.length for one in some]), sum(one.moved for one in some)) for after, some in sorted(groups.items())]

    @functools.cached_property
    def turns(self):
        """[(clock or phaser, turns, spread of the times between them or None)], the most turns first."""
        of = collections.defaultdict(list)
        for turn in self.timeline.turns:
            of[turn.of].append(turn.time)
        rows = []
        for what, times in of.items():
            times.sort()
            between = [b - a for a, b in zip(times, times[1:])]
            rows.append((what, len(times), Spread.of(between) if between else None))
        return sorted(rows, key=lambda row: -row[1])

    @functools.cached_property
    def moved(self):
        """[(name, from, to, bytes, spread of how long they were under way)], the most moves first."""
        groups = collections.defaultdict(list)
        for move in self.timeline.moves:
            groups[move.name, move.giver, move.taker].append(move)
        rows = [(*key, sum(one.size for one in some), Spread.of([one.length for one in some])) for key, some in groups.items()]
        return sorted(rows, key=lambda row: (-row[4].count, row[:3]))

    @functools.cached_property
    def has_places(self):
        """Several."""
        return len(set(self.timeline.places.values())) > 1

    def called(self, worker):
        """With its place, where there are several."""
        place = f" at place {self.timeline.places[worker]}" if self.has_places and worker in self.timeline.places else ""
        return f"worker {worker}{place}"

    @functools.cached_property
    def stolen(self):
        """[(thief, victim, steals, entries)], the most steals first."""
        found = collections.defaultdict(lambda: (0, 0))
        for steal in self.timeline.steals:
            count, entries = found[steal.thief, steal.victim]
            found[steal.thief, steal.victim] = (count + 1, entries + steal.entries)
        return sorted(((*pair, *counts) for pair, counts in found.items()), key=lambda row: (-row[2], row))
