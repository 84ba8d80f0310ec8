# SPDX-License-Identifier: Apache-2.0
"""Finds, for what a paper published, what we have measured."""

import dataclasses
import itertools
import re
from statistics import median

from report import numbers


@dataclasses.dataclass(frozen=True)
class Figure:
    """A number of ours or of a paper, with its interval where there is one. words: as printed in a paper; or what stands
    instead of a number."""
    label: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    words: str = ""
    mark: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Column:
    """cells: a Figure or None for each row of the paper's table."""
    label: str
    cells: tuple
    drawn: bool


def filled(template, sizes, **known):
    """The template with every combination of the sizes that it names, in turn: (text, the combination)."""
    names = [name for name in sizes if "{" + name + "}" in str(template)]
    for values in itertools.product(*(sizes[name] for name in names)):
        chosen = dict(zip(names, values))
        yield _fill(template, {**known, **chosen}), chosen


def _fill(template, values):
    for name, value in values.items():
        template = template.replace("{" + name + "}", str(value))
    return template


class Ours:
    """Looks up rows by measure, and members by label."""

    def __init__(self, results):
        self._results = results
        self._rows = {}
        for row in results.rows():
            self._rows.setdefault(row.measure, []).append(row)

    def row(self, measure):
        """The row with the most workers; None if there is none with a value or verdict."""
        return max(self._rows.get(measure, ()), key=lambda row: row.workers, default=None)

    def listed(self, patterns):
        return [row for row in self._results.rows() if any(re.search(p, row.measure) for p in patterns)]

    def statement(self, sources, sizes):
        """What stands beside one statement of a paper."""
        figures = []
        for source in sources:
            for measure, chosen in filled(source["measure"], sizes):
                row = self.row(measure)
                over = self.row(_fill(source["over"], chosen)) if "over" in source else None
                figure = row and _figure(row, source, over)
                if figure:
                    figures.append(figure)
        return figures

    def columns(self, entry):
        """The columns of ours beside a table; those of which the results have nothing are left out."""
        found = []
        for source in entry.ours:
            for label, chosen in filled(source["label"], entry.sizes):
                keys = [{"row": entry.keys.get(row, row), **chosen} for row in entry.table["rows"]]
                cells = tuple(self._cell(source, key) for key in keys)
                if any(cells):
                    found.append(Column(label, cells, source.get("drawn", False)))
        return found

    def _cell(self, source, key):
        if "member" in source:
            return self._field(source, key)
        row = self.row(_fill(source["measure"], key)) or ("else" in source and self.row(_fill(source["else"], key)))
        return _figure(row, {}, None) if row else None

    def _field(self, source, key):
        """The median of a field of a member's result lines."""
        label = _fill(source["member"], key)
        option, value = (_fill(word, key) for word in source["option"])
        for group in self._results.groups:
            for member in group.members:
                if member.label != label or not _has(member.options, option, value):
                    continue
                values = [line[source["field"]] for line in member.lines if source["field"] in line]
                if values:
                    return Figure(value=median(values))
        return None


def _has(options, option, value):
    return any(pair == (option, value) for pair in zip(options, options[1:]))


def _figure(row, source, over):
    """A row's figure; its inverse, or its quotient by another row's, where the paper has it so."""
    if "over" in source:
        if not (over and over.value and row.value):
            return None
        return Figure(f"{row.measure} / {over.measure.rsplit(', ', 1)[-1]}", row.value / over.value, unit="x")
    mark = numbers.verdict(row)
    label = numbers.named(row)
    if row.value is None:
        return Figure(label, words=row.note or "", mark=mark) if mark else None
    if source.get("inverse"):
        low, high = (1 / row.high, 1 / row.low) if row.low and row.high and row.low > 0 else (None, None)
        return Figure(f"inverse of: {label}", 1 / row.value, low, high, row.unit, mark=mark)
    return Figure(label, row.value, row.low, row.high, row.unit, mark=mark)


def published_cell(value, unit):
    """A cell of a paper's table: a number, [number, low, high], words, or nothing. Digits are as printed."""
    if value is None:
        return None
    if isinstance(value, str):
        return Figure(words=value)
    if isinstance(value, list):
        middle, low, high = map(numbers.printed, value)
        return Figure(value=value[0], unit=unit, words=f"{middle} [{low} to {high}]")
    return Figure(value=value, unit=unit, words=numbers.printed(value))
