# SPDX-License-Identifier: Apache-2.0
"""Verdicts, goals and published numbers in words, the same in every table and chart."""

from runner.goals import MET, MISSED, NONE, SHORT, UNSURE, VOID
from webpage.numbers import UNITS, number

# A verdict's word and sign, and its class in the style sheet. Never told by colour alone.
VERDICTS = {
    MET: ("\u2713 met", "met"),
    UNSURE: ("? unsure", "unsure"),
    MISSED: ("\u2717 missed", "missed"),
    SHORT: ("\u2717 not reached", "short"),
    NONE: ("no result", "none"),
    VOID: ("does not count", "none"),
}


def nanoseconds(text):
    """Of a row, whose times are text already: 1.76e+03 becomes 1,760."""
    return number(float(text)) if "e" in text else text


def printed(value, unit=""):
    """A published number with its own digits."""
    text = getattr(value, "text", None) or f"{value:,}"
    return f"{text} {UNITS.get(unit, unit)}".strip()


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
