# SPDX-License-Identifier: Apache-2.0
"""Medians, spread, and the ratio of two medians, or one median, with its 95 % interval.

Samples of the two sides come in rounds: what both have of one round was measured a few seconds apart at most. A program
has several processes one after the other, of some rounds each (rounds.py): where memory lies and what the machine does
differs more between processes than within one, and rounds of one process are no news of that. The interval is a percentile
bootstrap of two stages, as Kalibera and Jones draw at each level of an experiment ("Rigorous benchmarking in reasonable
time", 2013): processes are drawn with replacement, then rounds within each of them, the same for both sides, so that what
disturbed a whole round disturbs both. Fewer than LEAST_PROCESSES say too little of how processes differ: the figure then
has no interval, and both of its ends are None.
"""

import math
import random
import typing
from statistics import median

from runner.rounds import process_of

RESAMPLES = 4000
LEAST_PROCESSES = 5  # of which an interval is made


class Estimate(typing.NamedTuple):
    """A figure over some rounds, and the ends of its 95 % interval: None of too few processes."""
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
    """The rounds that all sides took part in, and the samples of each side in them; a side is {round: sample}."""
    rounds = sorted(set.intersection(*(set(side) for side in sides)))
    return rounds, [[side[r] for r in rounds] for side in sides]


def ratio_interval(numerator, denominators, seed=1):
    """The Estimate of median(numerator) / least median of the denominators; None without a common round.

    Each side is {round: sample}. With several denominators the best of them is chosen anew in each resample."""
    rounds, sides = common_rounds(numerator, *denominators)
    if not rounds:
        return None

    def ratio(indices):
        medians = [median([side[i] for i in indices]) for side in sides]
        return medians[0] / min(medians[1:])

    return _interval(ratio, rounds, seed)


def difference_interval(minuend, subtrahend, seed=1):
    """The Estimate of median(minuend) - median(subtrahend); None without a common round."""
    rounds, sides = common_rounds(minuend, subtrahend)
    if not rounds:
        return None

    def difference(indices):
        more, less = (median([side[i] for i in indices]) for side in sides)
        return more - less

    return _interval(difference, rounds, seed)


def excess_ratio_interval(numerator, denominators, base, seed=1):
    """The Estimate, as ratio_interval has it, of what both sides take beyond median(base). None without a common
    round, or where the best denominator takes no more than the base."""
    rounds, sides = common_rounds(numerator, base, *denominators)
    if not rounds:
        return None

    def ratio(indices):
        over, least, *others = (median([side[i] for i in indices]) for side in sides)
        excess = min(others) - least
        return (over - least) / excess if excess > 0 else math.inf

    interval = _interval(ratio, rounds, seed)
    return None if math.inf in interval else interval


def median_interval(side, seed=1):
    """The Estimate of the median of one side that has samples."""
    rounds, (samples,) = common_rounds(side)
    return _interval(lambda indices: median([samples[i] for i in indices]), rounds, seed)


def _by_process(rounds):
    """The indices of these rounds: a list for each process that they are of."""
    indices = {}
    for i, number in enumerate(rounds):
        indices.setdefault(process_of(number), []).append(i)
    return list(indices.values())


def _drawn(processes, rng):
    """Indices of rounds: as many processes as there are, and of each as many rounds as it has."""
    return [rng.choice(own) for own in rng.choices(processes, k=len(processes)) for _ in own]


def _ends(figure, rng):
    """Of the 95 % interval of figure(rng), which draws anew in each call."""
    drawn = sorted(figure(rng) for _ in range(RESAMPLES))
    tail = RESAMPLES * 25 // 1000
    return drawn[tail], drawn[-1 - tail]


def _interval(figure, rounds, seed):
    """figure(indices of rounds) over all of them, and the 95 % interval of it over drawn ones."""
    value, processes = figure(range(len(rounds))), _by_process(rounds)
    if len(processes) < LEAST_PROCESSES:
        return Estimate(value, None, None, len(rounds))
    return Estimate(value, *_ends(lambda rng: figure(_drawn(processes, rng)), random.Random(seed)), len(rounds))


def geometric_mean_interval(pairs, seed=1):
    """The Estimate of the geometric mean of median(numerator) / median(denominator) over pairs of sides; None if one has no
    common round. Its rounds are those of the pair that has the fewest.

    In each resample every pair draws processes and rounds of its own, the same for both of its sides."""
    common = [common_rounds(numerator, denominator) for numerator, denominator in pairs]
    if not common or not all(rounds for rounds, _ in common):
        return None

    def mean(indices_of_pairs):
        logarithms = [math.log(median([a[i] for i in indices]) / median([b[i] for i in indices]))
                      for (_, (a, b)), indices in zip(common, indices_of_pairs)]
        return math.exp(sum(logarithms) / len(logarithms))

    value, fewest = mean(range(len(rounds)) for rounds, _ in common), min(len(rounds) for rounds, _ in common)
    processes = [_by_process(rounds) for rounds, _ in common]
    if min(map(len, processes)) < LEAST_PROCESSES:
        return Estimate(value, None, None, fewest)
    return Estimate(value, *_ends(lambda rng: mean(_drawn(own, rng) for own in processes), random.Random(seed)), fewest)
