# SPDX-License-Identifier: Apache-2.0
"""A timeline's tables as text, for the page and for the terminal."""

import dataclasses

from timeline_report.words import counted, duration, percent

MOST_ROWS = 40
LENGTHS = ("median", "95 of 100 at most", "longest")


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
    places = str(len(set(timeline.places.values())))
    told = [("command", timeline.command), ("machine", timeline.machine), ("revision of Tactus", timeline.revision),
            ("length", duration(timeline.end)), ("workers", str(len(timeline.workers))), ("places", places if int(places) > 1 else "")]
    return [(name, text) for name, text in told if text]


def all_tables(activity):
    """Those that have rows."""
    made = (workers(activity), tasks(activity), waits(activity), delays(activity), moves(activity), turns(activity), steals(activity))
    return [one for one in made if one.rows]


def workers(activity):
    length = activity.timeline.length
    rows = [(activity.called(w.number), percent(w.busy / length if length else 0), f"{w.slices:,}", f"{w.steals:,}", f"{w.entries:,}",
             f"{w.robbed:,}", duration(w.longest_gap[1] - w.longest_gap[0])) for w in activity.workers]
    return Table("Workers", ("worker", "busy", "slices", "steals", "entries stolen", "robbed", "longest gap"), rows)


def tasks(activity):
    whole = sum(row.ran.total for row in activity.tasks) or 1.0
    rows = [(row.name, f"{row.ran.count:,}", duration(row.ran.total), percent(row.ran.total / whole), *_lengths(row.ran),
             f"{row.slices:,}") for row in activity.tasks]
    return _shortened(Table("Tasks by name", ("task", "tasks", "ran in all", "share", *LENGTHS, "slices"), rows), "name")


def waits(activity):
    rows = [(row.reason, f"{row.lengths.count:,}", duration(row.lengths.total), *_lengths(row.lengths), f"{row.moved:,}", row.of)
            for row in activity.waits]
    head = ("wait for", "waits", "in all", *LENGTHS, "went on elsewhere", "most often of")
    return _shortened(Table("Waits", head, rows, words=(len(head) - 1,)), "reason")


def delays(activity):
    named = {"spawn": "from the spawn to the begin", "wake": "from the end of a wait to going on",
             "result": "from the end of what runs at another place to its caller's going on"}
    rows = [(named.get(after, after), f"{spread.count:,}", *_lengths(spread), f"{moved:,}") for after, spread, moved in activity.delays]
    return Table("How long ready tasks wait for a worker", ("from what to what", "times", *LENGTHS, "on another worker"), rows)


def moves(activity):
    rows = [(name, f"place {giver}", f"place {taker}", f"{spread.count:,}", f"{size:,}", *_lengths(spread))
            for name, giver, taker, size, spread in activity.moved]
    head = ("task", "from", "to", "moves", "bytes", *(f"{name} under way" for name in LENGTHS))
    return _shortened(Table("Tasks that moved", head, rows, words=(1, 2)), "row")


def turns(activity):
    rows = [(what, f"{count:,}", *(_lengths(spread) if spread else ("", "", ""))) for what, count, spread in activity.turns]
    head = ("clock or phaser", "phases turned", *(f"{name} between two" for name in LENGTHS))
    return _shortened(Table("Phases", head, rows), "one")


def steals(activity):
    rows = [(activity.called(thief), activity.called(victim), f"{count:,}", f"{entries:,}") for thief, victim, count, entries in activity.stolen]
    return _shortened(Table("Steals", ("thief", "victim", "steals", "entries"), rows, words=(1,)), "pair")


def _lengths(spread):
    return duration(spread.median), duration(spread.nearly_all), duration(spread.longest)


def _shortened(table, noun):
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return table
    return dataclasses.replace(table, rows=table.rows[:MOST_ROWS], left_out=f"and {counted(more, 'other ' + noun)}")
