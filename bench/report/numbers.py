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


MEASURED = ("x", "ns", "us", "s")  # other units count something


def with_unit(value, unit):
    if value is None:
        return ""
    counted = unit not in MEASURED and abs(value) < 1e6 and value == int(value)
    return f"{f'{value:,.0f}' if counted else number(value)} {UNITS.get(unit, unit)}"


def nanoseconds(text):
    """Of a row, whose times are text already: 1.76e+03 becomes 1,760."""
    return number(float(text)) if "e" in text else text


def printed(value, unit=""):
    """A published number with its own digits."""
    text = getattr(value, "text", None) or f"{value:,}"
    return f"{text} {UNITS.get(unit, unit)}".strip()


def interval(low, high):
    """The ends of an interval; of one round only there is none, and both are the value."""
    if low is None or high is None:
        return ""
    return "one round" if low == high else f"{number(low)} to {number(high)}"


def named(row):
    """A row's measure and its workers, unless the measure says them."""
    workers = f" @{row.workers}"
    return row.measure if row.measure.endswith(workers) else row.measure + workers


def goal(text):
    """A goal as the runner writes it, with the signs of print."""
    return text.replace("<=", "\u2264").replace(">=", "\u2265").replace(" x", " \u00d7")


def verdict(row):
    """(word, class) of a row's verdict; None of a row that is only reported."""
    return VERDICTS.get(row.verdict)
