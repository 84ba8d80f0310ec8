# SPDX-License-Identifier: Apache-2.0
"""Numbers, units and intervals in words, the same in every table and chart."""


def number(value):
    """Three significant digits; 1,234 and 0.00123 without exponents as far as they can be read."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-4:
        return f"{value:.3g}"
    if size >= 100:
        return f"{float(f'{value:.3g}') if size >= 1e5 else value:,.0f}"
    digits = 2 - _exponent(size)
    return f"{value:.{digits}f}"


def _exponent(size):
    return int(f"{size:.2e}".split("e")[1])


UNITS = {"x": "\u00d7"}


MEASURED = ("x", "ns", "us", "ms", "s")  # other units count something


def with_unit(value, unit):
    if value is None:
        return ""
    counted = unit not in MEASURED and abs(value) < 1e6 and value == int(value)
    return f"{f'{value:,.0f}' if counted else number(value)} {UNITS.get(unit, unit)}"


def interval(low, high):
    """The ends of an interval; of one round only there is none, and both are the value."""
    if low is None or high is None:
        return ""
    return "one round" if low == high else f"{number(low)} to {number(high)}"
