# SPDX-License-Identifier: Apache-2.0
"""Axes: where a value lies, in per cent of the width or height, and which ticks are shown."""

import math

from webpage.numbers import number

LOG_FROM = 8  # the greatest over the least value from which an axis is logarithmic
EDGE = 2.0    # per cent left free on both sides, for what is drawn around a point
CHARACTER = 2.5  # per cent that a character of a label takes on the narrowest plot


class Scale:
    """low..high to per cent. A logarithmic axis begins and ends at a 1, 2 or 5 times a power of ten; a linear one has 0 on it, but
    where from_zero is false."""

    def __init__(self, values, log=None, from_zero=True):
        values = [v for v in values if v is not None and math.isfinite(v)] or [0.0, 1.0]
        positive = min(values) > 0
        self.log = positive and (max(values) / min(values) >= LOG_FROM if log is None else log)
        if self.log:
            self.low, self.high = _round_down(min(values)), _round_up(max(values))
            if self.low == self.high:
                self.low, self.high = _round_down(self.low * 0.99), _round_up(self.high * 1.01)
        else:
            self.low, self.high = _linear_bounds(min(0.0, *values) if from_zero else min(values), max(values))

    def at(self, value):
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return EDGE + (100 - 2 * EDGE) * min(1.0, max(0.0, part))

    def ticks(self):
        """[(value, label)], as many as have room on a phone."""
        ticks = [(value, _label(value)) for value in self._steps()]
        stride = 1
        while not self._have_room(ticks[::stride]):
            stride += 1
        return ticks[::stride]

    def _have_room(self, ticks):
        """The outer labels do not stand in the middle of their ticks, so a label may take half more on one side."""
        return all(self.at(b) - self.at(a) >= 0.75 * CHARACTER * (len(left) + len(right)) + 1
                   for (a, left), (b, right) in zip(ticks, ticks[1:]))

    def _steps(self):
        if not self.log:
            step = _step(self.high - self.low)
            return [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        powers = [10.0**i for i in range(first, last + 1)]
        if len(powers) < 3:
            powers = [m * 10.0**i for i in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [v for v in powers if self.low * 0.999 <= v <= self.high * 1.001]


def _label(value):
    if value and 1e4 <= abs(value) < 1e9:
        return f"{value / 1e3:g} k" if abs(value) < 1e6 else f"{value / 1e6:g} M"
    if 0 < abs(value) < 1e-3:
        power = math.floor(math.log10(abs(value)) + 1e-9)
        return f"{value / 10.0**power:g}e{power}"  # there is room for four characters beside a chart on a phone
    return f"{value:,g}" if abs(value) < 1e9 else number(value)


def _round_down(value):
    power = 10.0 ** math.floor(math.log10(value) + 1e-12)
    return next(m * power for m in (5, 2, 1) if m * power <= value * (1 + 1e-9))


def _round_up(value):
    power = 10.0 ** math.floor(math.log10(value) + 1e-12)
    return next(m * power for m in (1, 2, 5, 10) if m * power >= value * (1 - 1e-9))


def _step(span):
    """1, 2 or 5 times a power of ten, so that there are three to seven steps."""
    return _round_up(span / 6) if span > 0 else 1.0


def _linear_bounds(low, high):
    if low == high:
        high = low + 1
    step = _step(high - low)
    return step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
