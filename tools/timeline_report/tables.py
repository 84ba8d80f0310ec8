# SPDX-License-Identifier: Apache-2.0
"""A timeline's tables as text, for the page and for the terminal."""

import dataclasses

from timeline_report import activity
from timeline_report.words import counted, duration, percent

MOST_ROWS = 40


@dataclasses.dataclass(frozen=True)
class Table:
    """The first column names its row, the others are numbers but for those in `words`."""
    title: str
    head: tuple
    rows: list
    words: tuple = ()
    left_out: str = ""


def facts(timeline):
    """[(name, text)]"""
    told = [("command", timeline.command), ("machine", timeline.machine), ("revision of Tactus", timeline.revision),
            ("length", duration(timeline.end)), ("workers", str(len(timeline.workers)))]
    return [(name, text) for name, text in told if text]


def all_tables(timeline):
    made = (workers(timeline), tasks(timeline), waits(timeline), turns(timeline), steals(timeline))
    return [one for one in made if one.rows]


def workers(timeline):
    rows = [(f"worker {w.number}", percent(w.busy / timeline.length if timeline.length else 0), f"{w.slices:,}", f"{w.steals:,}",
             f"{w.entries:,}", f"{w.robbed:,}", duration(w.longest_gap[1] - w.longest_gap[0])) for w in activity.workers(timeline)]
    return Table("Workers", ("worker", "busy", "slices", "steals", "entries stolen", "robbed", "longest gap"), rows)


def tasks(timeline):
    found = activity.tasks(timeline)
    whole = sum(spread.total for _, spread, _ in found) or 1.0
    rows = [(name, f"{spread.count:,}", duration(spread.total), percent(spread.total / whole), *_lengths(spread), f"{slices:,}")
            for name, spread, slices in found]
    return _shortened(Table("Tasks by name", ("task", "tasks", "ran in all", "share", *LENGTHS, "slices"), rows), "name")


def waits(timeline):
    rows = [(reason, f"{spread.count:,}", duration(spread.total), *_lengths(spread), f"{moved:,}", who)
            for reason, spread, moved, who in activity.waits(timeline)]
    head = ("wait for", "waits", "in all", *LENGTHS, "went on elsewhere", "most of them of")
    return _shortened(Table("Waits", head, rows, words=(len(head) - 1,)), "reason")


def turns(timeline):
    rows = [(what, f"{count:,}", *(_lengths(spread) if spread else ("", "", ""))) for what, count, spread in activity.turns(timeline)]
    head = ("clock or phaser", "phases turned", *(f"{name} between two" for name in LENGTHS))
    return _shortened(Table("Phases", head, rows), "clock or phaser")


def steals(timeline):
    rows = [(f"worker {thief}", f"worker {victim}", f"{count:,}", f"{entries:,}")
            for (thief, victim), (count, entries) in sorted(activity.stolen(timeline).items(), key=lambda item: -item[1][0])]
    return _shortened(Table("Steals", ("thief", "victim", "steals", "entries"), rows, words=(1,)), "pair")


LENGTHS = ("median", "95 of 100 at most", "longest")


def _lengths(spread):
    return duration(spread.median), duration(spread.nearly_all), duration(spread.longest)


def _shortened(table, noun):
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    return dataclasses.replace(table, rows=table.rows[:MOST_ROWS], left_out=f"and {counted(more, 'other ' + noun)}")
