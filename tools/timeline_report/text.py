# SPDX-License-Identifier: Apache-2.0
"""Timelines for the terminal."""

from timeline_report import tables
from timeline_report.words import findings

WIDEST = 48  # characters of a name


def texts(activities):
    """activities: by the names of their files, of which one alone says nothing."""
    if len(activities) == 1:
        return text(*activities.values())
    return "\n\n".join(f"Timeline {_printable(name)}\n\n{text(activity)}" for name, activity in activities.items())


def text(activity):
    parts = ["\n".join(f"{name}: {_printable(told)}" for name, told in tables.facts(activity.timeline)),
             "\n".join(f"- {_printable(sentence)}" for sentence in findings(activity)), *map(_table, tables.all_tables(activity))]
    return "\n\n".join(part for part in parts if part)


def _table(table):
    rows = [[_cut(_printable(cell)) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    flush_left = (0, *table.words)
    lines = ["  ".join(cell.ljust(width) if i in flush_left else cell.rjust(width)
                       for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
    return "\n".join(filter(None, [table.title, *lines, table.left_out]))


def _printable(words):
    """Names may have anything in them that a program gave them; a terminal obeys some of it."""
    return "".join(c if c.isprintable() else "\ufffd" for c in words)


def _cut(cell):
    """Names of closures differ at both ends."""
    if len(cell) <= WIDEST:
        return cell
    half = (WIDEST - 1) // 2
    return cell[:WIDEST - 1 - half] + "\u2026" + cell[-half:]
