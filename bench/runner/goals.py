# SPDX-License-Identifier: Apache-2.0
"""Rows of the table: a figure, the limit it has to keep, and whether it does.

A limit is met when the figure keeps it, and missed when the whole 95 % interval lies on its wrong side. Between the two
nothing is proved. Of fewer processes than an interval needs (stats.py), the figure alone decides, and the note says how many
rounds they were of. A row without a limit is only reported. `results` maps members to Outcome (measure.py)."""

import dataclasses
import math
import re
from statistics import median

from runner import stats
from runner.members import Member
from runner.rounds import ROUNDS

MET, UNSURE, MISSED, SHORT = "met", "unsure", "MISSED", "not reached"
REPORTED, NONE, VOID = "-", "no result", "does not count"


@dataclasses.dataclass
class Row:
    """One evaluated row, as it is printed and written."""
    measure: str
    workers: int
    ours: str = ""
    theirs: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = "x"
    goal: str = ""
    verdict: str = REPORTED
    stretch: bool = False
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Median of `ours` over the least median of `theirs`, interleaved. at_most=False: the ratio has to exceed the limit.

    When ours was stopped at its cap, the ratio is what it is at least."""
    measure: str
    workers: int
    ours: Member
    theirs: tuple
    limit: float | None = None
    at_most: bool = True
    stretch: bool = False  # a wish, counted apart

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal=_goal(self.limit, self.at_most, " x"), stretch=self.stretch)
        ours = _times_at_least(results[self.ours])
        if ours is None or (results[self.ours].stopped and self.limit is not None and self.at_most):
            return _without_result(row, self.ours, results, self.limit)
        row.ours = f"{median(ours.values()):.3g}"
        able = [m for m in self.theirs if results[m].complete]
        unable = [m for m in self.theirs if not results[m].complete]
        row.note = "; ".join([*_at_least([self.ours], results), *(f"{m.label}: {results[m].why_not()}" for m in unable)])
        if not able:
            row.verdict = REPORTED if self.limit is None else NONE
            return row
        interval = stats.ratio_interval(ours, [results[m].times() for m in able])
        if interval is not None:
            _name_best(row, able, len(self.theirs), results)
        return _judged(row, interval, self.limit, self.at_most)


@dataclasses.dataclass(frozen=True)
class Difference:
    """Median nanoseconds per operation of `ours` less those of `base`, interleaved: what ours has more to do. times: how
    many operations the figure is given for."""
    measure: str
    workers: int
    ours: Member
    base: Member
    limit: float | None = None
    stretch: bool = False
    times: int = 1

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit="ns", goal=_goal(self.limit, True, " ns"), stretch=self.stretch)
        for member in (self.ours, self.base):
            if not results[member].complete:
                return _without_result(row, member, results, self.limit)
        row.ours, row.theirs = (_nanoseconds(results[m]) for m in (self.ours, self.base))
        interval = stats.difference_interval(results[self.ours].times(), results[self.base].times())
        return _judged(row, interval, self.limit, True, self.times)


@dataclasses.dataclass(frozen=True)
class Overhead:
    """Ratio, to be at most the limit, of what `ours` and the best of `theirs` take beyond `base`, interleaved. Without a
    result where that best one does not surely take more than the base."""
    measure: str
    workers: int
    ours: Member
    theirs: tuple
    base: Member
    limit: float | None = None
    stretch: bool = False

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal=_goal(self.limit, True, " x"), stretch=self.stretch)
        for member in (self.ours, self.base):
            if not results[member].complete:
                return _without_result(row, member, results, self.limit)
        row.ours = _nanoseconds(results[self.ours])
        able = [m for m in self.theirs if results[m].complete]
        row.note = "; ".join(f"{m.label}: {results[m].why_not()}" for m in self.theirs if m not in able)
        interval = able and stats.excess_ratio_interval(results[self.ours].times(), [results[m].times() for m in able],
                                                        results[self.base].times())
        if not interval:
            row.verdict = REPORTED if self.limit is None else NONE
            return row
        _name_best(row, able, len(self.theirs), results)
        _put(row, interval)
        if self.limit is not None:
            row.verdict = _kept(row, self.limit, at_most=True)
        return row


@dataclasses.dataclass(frozen=True)
class GeometricMean:
    """Of the ratios of pairs (ours, theirs), interleaved. An `ours` that was stopped at its cap counts with the cap, unless
    the mean has to stay below a limit."""
    measure: str
    workers: int
    pairs: tuple
    limit: float | None = None
    at_most: bool = True
    stretch: bool = False

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal=_goal(self.limit, self.at_most, " x"), stretch=self.stretch)
        ours = {a: None if self.at_most and results[a].stopped else _times_at_least(results[a]) for a, _ in self.pairs}
        missing = [m for pair in self.pairs for m in pair if not (ours.get(m) or results[m].complete)]
        if missing:
            return _without_result(row, missing[0], results, self.limit)
        row.note = "; ".join(_at_least(ours, results))
        interval = stats.geometric_mean_interval([(ours[a], results[b].times()) for a, b in self.pairs])
        return _judged(row, interval, self.limit, self.at_most)


@dataclasses.dataclass(frozen=True)
class MeanOfRows:
    """Geometric mean of the rows, of whatever groups, whose measures match a pattern and have a value. It has a verdict only
    when all that are planned have one.

    Groups are measured one after the other, so the errors of their rows have nothing to do with each other: distances
    from the values to the ends of the intervals add up as squares of logarithms. Without the interval of one of them the
    mean has none."""
    measure: str
    workers: int
    pattern: str
    limit: float | None = None

    def matches(self, row):
        return getattr(row, "workers", None) == self.workers and re.search(self.pattern, row.measure) is not None

    def over(self, rows, planned):
        """planned: the measures of all rows that it is meant to be over. None where there is none of the rows."""
        known = [r for r in rows if self.matches(r) and r.value is not None]
        if not known:
            return None
        n = len(known)
        mean = sum(math.log(r.value) for r in known) / n
        row = Row(self.measure, self.workers, value=math.exp(mean), goal=_goal(self.limit, True, " x"), note=f"of {n} rows")
        if all(r.low is not None for r in known):
            below, above = (math.sqrt(sum(math.log(r.value / end(r)) ** 2 for r in known)) / n
                            for end in (lambda r: r.low, lambda r: r.high))
            row.low, row.high = math.exp(mean - below), math.exp(mean + above)
        missing = set(planned) - {r.measure for r in known}
        if missing:
            row.note += f", {len(missing)} more have no result"
        if self.limit is not None:
            row.verdict = VOID if missing else _kept(row, self.limit, True)
        return row


@dataclasses.dataclass(frozen=True)
class Above:
    """Every one of some ratios exceeds every one of others: the least of `upper` over the greatest of `lower`, each a
    tuple of pairs of members."""
    measure: str
    workers: int
    upper: tuple
    lower: tuple

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal=_goal(1, False, " x"))
        for member in (m for pair in (*self.upper, *self.lower) for m in pair):
            if not results[member].complete:
                return _without_result(row, member, results, 1)

        def ratio(pair):
            return median(results[pair[0]].times().values()) / median(results[pair[1]].times().values())

        row.value = min(map(ratio, self.upper)) / max(map(ratio, self.lower))
        row.verdict = MET if row.value >= 1 else MISSED
        row.note = " over ".join(", ".join(f"{ratio(p):.2f}" for p in pairs) for pairs in (self.upper, self.lower))
        return row


@dataclasses.dataclass(frozen=True)
class Within:
    """Median nanoseconds per operation of a member lie in a range: where a rival has to be for a comparison to be fair."""
    measure: str
    workers: int
    member: Member
    low: float
    high: float

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit="us", goal=f"{self.low / 1e3:g} to {self.high / 1e3:g} us")
        outcome = results[self.member]
        if not outcome.complete:
            return _without_result(row, self.member, results, self.high)
        time = median(outcome.times().values())
        row.value = time / 1e3
        row.verdict = MET if self.low <= time <= self.high else MISSED
        return row


@dataclasses.dataclass(frozen=True)
class Time:
    """Median nanoseconds per operation of one member: a sanity figure, for it depends on the machine."""
    measure: str
    workers: int
    member: Member
    limit: float | None = None
    stretch: bool = False

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit="ns", goal=_goal(self.limit, True, " ns"), stretch=self.stretch)
        outcome = results[self.member]
        if not outcome.complete:
            return _without_result(row, self.member, results, self.limit)
        row.ours = _nanoseconds(outcome)
        _put(row, stats.median_interval(outcome.times()))
        if self.limit is not None:
            row.verdict = _kept(row, self.limit, True)
        return row


@dataclasses.dataclass(frozen=True)
class OnlyWhile:
    """A row that proves something only while others are met: being faster than what is slow itself is no merit."""
    row: object
    conditions: tuple

    def evaluate(self, results):
        row = self.row.evaluate(results)
        unmet = [c.evaluate(results) for c in self.conditions]
        unmet = [c for c in unmet if c.verdict != MET]
        if row.value is not None and unmet:
            row.verdict = VOID
            row.note = "; ".join([*filter(None, [row.note]), *(f"{c.measure} is not {c.goal}" for c in unmet)])
        return row


@dataclasses.dataclass(frozen=True)
class Figure:
    """A field of the result lines, or a function of a line; the worst of all repetitions counts."""
    measure: str
    workers: int
    member: Member
    value: object
    unit: str
    limit: float | None = None
    stretch: bool = False

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit=self.unit, goal=_goal(self.limit, True, " " + self.unit),
                  stretch=self.stretch)
        outcome = results[self.member]
        read = self.value if callable(self.value) else lambda line: line.get(self.value)
        values = [v for v in map(read, outcome.lines()) if v is not None]
        if not values or not outcome.complete:
            return _without_result(row, self.member, results, self.limit)
        row.value = max(values)
        if self.limit is not None:
            row.verdict = MET if row.value <= self.limit else SHORT if self.stretch else MISSED
        return row


@dataclasses.dataclass(frozen=True)
class MedianOf:
    """Median of a function of the result lines, with its interval: a figure in a unit of its own, with or without a limit."""
    measure: str
    workers: int
    member: Member
    value: object
    unit: str
    limit: float | None = None
    at_most: bool = True

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit=self.unit, goal=_goal(self.limit, self.at_most, " " + self.unit))
        outcome = results[self.member]
        if not outcome.complete:
            return _without_result(row, self.member, results, self.limit)
        row.ours = _nanoseconds(outcome)
        _put(row, stats.median_interval({r: self.value(line) for r, line in outcome.samples.items()}))
        if self.limit is not None:
            row.verdict = _kept(row, self.limit, self.at_most)
        return row


@dataclasses.dataclass(frozen=True)
class RatioOf:
    """Median of a function of the result lines of `ours` over the least median of `theirs`: of what is not time, as memory."""
    measure: str
    workers: int
    ours: Member
    theirs: tuple
    value: object
    limit: float | None = None
    at_most: bool = True

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal=_goal(self.limit, self.at_most, " x"))
        if not results[self.ours].complete:
            return _without_result(row, self.ours, results, self.limit)
        able = [m for m in self.theirs if results[m].complete]
        row.note = "; ".join(f"{m.label}: {results[m].why_not()}" for m in self.theirs if m not in able)
        if not able:
            row.verdict = REPORTED if self.limit is None else NONE
            return row
        ours, *theirs = ({r: self.value(line) for r, line in results[m].samples.items()} for m in (self.ours, *able))
        interval = stats.ratio_interval(ours, theirs)
        return _judged(row, interval, self.limit, self.at_most)


@dataclasses.dataclass(frozen=True)
class DifferenceOf:
    """Median of a function of the result lines of `ours` less that of `base`, interleaved: what ours has more, of what is not time."""
    measure: str
    workers: int
    ours: Member
    base: Member
    value: object
    unit: str
    limit: float | None = None

    def evaluate(self, results):
        row = Row(self.measure, self.workers, unit=self.unit, goal=_goal(self.limit, True, " " + self.unit))
        for member in (self.ours, self.base):
            if not results[member].complete:
                return _without_result(row, member, results, self.limit)
        ours, base = ({r: self.value(line) for r, line in results[m].samples.items()} for m in (self.ours, self.base))
        return _judged(row, stats.difference_interval(ours, base), self.limit, True)


@dataclasses.dataclass(frozen=True)
class Completes:
    """The member gives right answers with the library's default limits."""
    measure: str
    workers: int
    member: Member

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal="completes")
        if results[self.member].complete:
            row.verdict, row.ours = MET, _nanoseconds(results[self.member])
            return row
        return _without_result(row, self.member, results, limit=True)


@dataclasses.dataclass(frozen=True)
class Refuses:
    """The member cannot do this size, and says so by the error that names the limit."""
    measure: str
    workers: int
    member: Member

    def evaluate(self, results):
        row = Row(self.measure, self.workers, goal="resource_error")
        outcome = results[self.member]
        if outcome.stopped and outcome.stopped.kind == "refused":
            row.verdict, row.note = MET, str(outcome.stopped)
        elif outcome.failed:
            row.verdict, row.note = MISSED, outcome.why_not()
        elif outcome.samples:
            row.verdict, row.note = MET, "this machine has the memory: it completed"
        else:
            row.verdict, row.note = NONE, outcome.why_not()
        return row


def _goal(limit, at_most, unit):
    return "" if limit is None else f"{'<=' if at_most else '>='} {limit:g}{unit}"


def _kept(row, limit, at_most):
    if row.value <= limit if at_most else row.value >= limit:
        return MET
    if row.low is not None and (row.low <= limit if at_most else row.high >= limit):
        return UNSURE
    return SHORT if row.stretch else MISSED


def _times_at_least(outcome):
    """What it took, or the cap at which it was stopped, in every round; None if it did not get through otherwise."""
    if outcome.stopped is None:
        return outcome.times() or None
    least_ns = outcome.stopped.least_ns
    return None if least_ns is None else dict.fromkeys(range(ROUNDS), least_ns)


def _at_least(members, results):
    return [f"at least, for {m.label}: {results[m].why_not()}" for m in members if results[m].stopped]


def _put(row, estimate, times=1):
    """The figure with its interval; where there is none, the note says of how many rounds the figure is."""
    row.value, row.low, row.high = (None if number is None else times * number for number in estimate[:3])
    if estimate.low is None:
        rounds = f"{estimate.rounds} round{'' if estimate.rounds == 1 else 's'}, no interval"
        row.note = "; ".join(filter(None, [row.note, rounds]))


def _name_best(row, able, of, results):
    """Which of several rivals the row is against."""
    best = min(able, key=lambda m: median(results[m].times().values()))
    row.theirs = _nanoseconds(results[best])
    if of > 1:
        row.note = "; ".join(filter(None, [f"best: {best.label}", row.note]))


def _judged(row, interval, limit, at_most, times=1):
    """With the figure and its interval, if there is one, and what that says of the limit."""
    if interval is None:
        row.verdict = NONE
        return row
    _put(row, interval, times)
    if limit is not None:
        row.verdict = _kept(row, limit, at_most)
    return row


def _without_result(row, member, results, limit):
    row.note = f"{member.label}: {results[member].why_not()}"
    row.verdict = REPORTED if limit is None else MISSED if results[member].failed else NONE
    return row


def _nanoseconds(outcome):
    return f"{median(outcome.times().values()):.3g}"
