# SPDX-License-Identifier: Apache-2.0
"""Medians, spread, and the ratio of two medians, or one median, with its 95 % interval.

Samples of the two sides come in rounds: index i of both was measured within one round, a few seconds apart at most.
The interval is a percentile bootstrap over rounds: rounds are drawn with replacement, the same rounds for both
sides, so what disturbed a whole round disturbs both. Each program is restarted several times within the rounds
(see measure.py), so that differences between processes, such as the placement of memory, are in the interval too.
Fewer than LEAST_ROUNDS say nothing of a spread: the figure then has no interval, and both of its ends are None.
"""

import math
import random
import typing
from statistics import median

RESAMPLES = 4000
LEAST_ROUNDS = 7  # of which an interval is made


class Estimate(typing.NamedTuple):
    """A figure over some rounds, and the ends of its 95 % interval: None of too few rounds."""
    value: float
    low: float | None
    high: float | None
    rounds: int


def spread(samples):
    """Half of the samples lie within this range, as a part of the median."""
    ordered = sorted(samples)
    if len(ordered) < 4:
        return (ordered[-1] - ordered[0]) / median(ordered) if ordered else 0.0
    quarter = len(ordered) // 4
    return (ordered[-1 - quarter] - ordered[quarter]) / median(ordered)


def common_rounds(*sides):
    """Lists with the samples of the rounds that all sides took part in; a side is {round: sample}."""
    rounds = sorted(set.intersection(*(set(side) for side in sides)))
    return [[side[r] for r in rounds] for side in sides]


def ratio_interval(numerator, denominators, seed=1):
    """The Estimate of median(numerator) / least median of the denominators; None without a common round.

    Each side is {round: sample}. With several denominators the best of them is chosen anew in each resample."""
    sides = common_rounds(numerator, *denominators)
    n = len(sides[0])
    if n == 0:
        return None

    def ratio(indices):
        medians = [median([side[i] for i in indices]) for side in sides]
        return medians[0] / min(medians[1:])

    return _interval(ratio, n, seed)


def difference_interval(minuend, subtrahend, seed=1):
    """The Estimate of median(minuend) - median(subtrahend); None without a common round."""
    sides = common_rounds(minuend, subtrahend)
    n = len(sides[0])
    if n == 0:
        return None

    def difference(indices):
        more, less = (median([side[i] for i in indices]) for side in sides)
        return more - less

    return _interval(difference, n, seed)


def excess_ratio_interval(numerator, denominators, base, seed=1):
    """The Estimate, as ratio_interval has it, of what both sides take beyond median(base). None without a common
    round, or where the best denominator takes no more than the base."""
    sides = common_rounds(numerator, base, *denominators)
    n = len(sides[0])
    if n == 0:
        return None

    def ratio(indices):
        over, least, *others = (median([side[i] for i in indices]) for side in sides)
        excess = min(others) - least
        return (over - least) / excess if excess > 0 else math.inf

    interval = _interval(ratio, n, seed)
    return None if math.inf in interval else interval


def median_interval(side, seed=1):
    """The Estimate of the median of one side that has samples."""
    samples = list(side.values())
    return _interval(lambda indices: median([samples[i] for i in indices]), len(samples), seed)


def _interval(figure, n, seed):
    """figure(indices of rounds) over all n rounds, and the 95 % interval of it over rounds drawn with replacement."""
    if n < LEAST_ROUNDS:
        return Estimate(figure(range(n)), None, None, n)
    rng = random.Random(seed)
    drawn = sorted(figure([rng.randrange(n) for _ in range(n)]) for _ in range(RESAMPLES))
    tail = RESAMPLES * 25 // 1000
    return Estimate(figure(range(n)), drawn[tail], drawn[-1 - tail], n)


def geometric_mean_interval(pairs, seed=1):
    """The Estimate of the geometric mean of median(numerator) / median(denominator) over pairs of sides; None if one has no
    common round. Its rounds are those of the pair that has the fewest.

    In each resample every pair draws rounds of its own, the same for both of its sides."""
    common = [common_rounds(numerator, denominator) for numerator, denominator in pairs]
    if not common or not all(sides[0] for sides in common):
        return None

    def mean(indices_of):
        logarithms = [math.log(median([a[i] for i in rounds]) / median([b[i] for i in rounds]))
                      for (a, b), rounds in zip(common, map(indices_of, common))]
        return math.exp(sum(logarithms) / len(logarithms))

    value, rounds = mean(lambda sides: range(len(sides[0]))), min(len(a) for a, _ in common)
    if rounds < LEAST_ROUNDS:
        return Estimate(value, None, None, rounds)
    rng = random.Random(seed)
    drawn = sorted(mean(lambda sides: [rng.randrange(len(sides[0])) for _ in sides[0]]) for _ in range(RESAMPLES))
    tail = RESAMPLES * 25 // 1000
    return Estimate(value, drawn[tail], drawn[-1 - tail], rounds)
