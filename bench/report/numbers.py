# SPDX-License-Identifier: Apache-2.0
"""Numbers, intervals and verdicts in words, the same in every table and chart."""

from runner.goals import MET, MISSED, NONE, SHORT, UNSURE, VOID

# A verdict's word and sign, and its class in the style sheet. Never told by colour alone.
VERDICTS = {
    MET: ("\u2713 met", "met"),
    UNSURE: ("? unsure", "unsure"),
    MISSED: ("\u2717 missed", "missed"),
    SHORT: ("\u2717 not reached", "short"),
    NONE: ("no result", "none"),
    VOID: ("does not count", "none"),
}


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


def with_unit(value, unit):
    return "" if value is None else f"{number(value)} {UNITS.get(unit, unit)}"


def interval(low, high):
    return "" if low is None or high is None else f"{number(low)} to {number(high)}"


def goal(text):
    """A goal as the runner writes it, with the signs of print."""
    return text.replace("<=", "\u2264").replace(">=", "\u2265").replace(" x", " \u00d7")


def verdict(row):
    """(word, class) of a row's verdict; None of a row that is only reported."""
    return VERDICTS.get(row.verdict)
