# SPDX-License-Identifier: Apache-2.0
"""A timeline for the terminal."""

from timeline_report import tables
from timeline_report.words import findings

WIDEST = 48  # characters of a name


def text(timeline):
    parts = ["\n".join(f"{name}: {told}" for name, told in tables.facts(timeline)),
             "\n".join(f"- {sentence}" for sentence in findings(timeline)), *map(_table, tables.all_tables(timeline))]
    return "\n\n".join(part for part in parts if part)


def _table(table):
    rows = [[_cut(cell) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    flush_left = (0, *table.words)
    lines = ["  ".join(cell.ljust(width) if i in flush_left else cell.rjust(width)
                       for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
    return "\n".join(filter(None, [table.title, *lines, table.left_out]))


def _cut(cell):
    return cell if len(cell) <= WIDEST else cell[:WIDEST - 1] + "\u2026"
