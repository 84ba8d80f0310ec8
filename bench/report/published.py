# SPDX-License-Identifier: Apache-2.0
"""What the papers say, and what is published of libraries that cannot be run here: one JSON file for each in published/.

Tables are there as printed. Of a figure that is only drawn there is what the text states in numbers or words; nothing is
read off a drawing. Each entry names its figure or table (item), the section that discusses it, and where our figures are:
measures of rows, with {row} and {sizes} filled in, or regular expressions of measures (listed)."""

import dataclasses
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "published"
ORDER = ("work-stealing", "uclocks", "phaser-accumulators", "ghost-regions")


class Printed(float):
    """A number that shows the digits with which it was printed: 1.00 stays 1.00."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


@dataclasses.dataclass(frozen=True)
class Entry:
    item: str
    section: str
    what: str
    unit: str = ""
    statements: tuple = ()        # {what, machine, value, unit, ours}
    table: dict | None = None     # {row, rows, columns: [{label, machine, values, drawn}]}
    ours: tuple = ()              # columns beside the table: {label, measure or member and field, drawn}
    keys: dict = dataclasses.field(default_factory=dict)   # the table's row -> what {row} is
    sizes: dict = dataclasses.field(default_factory=dict)  # name of a placeholder -> its values
    listed: tuple = ()
    curve: dict | None = None     # a line chart of our medians, see curves.py
    pairs: dict | None = None     # a line chart of the quotients of every two columns of the table
    reading: str = ""


@dataclasses.dataclass(frozen=True)
class Paper:
    file: str
    title: str
    authors: str
    sections: dict
    method: str
    machines: dict
    left_out: str
    entries: tuple


def papers():
    return [_read(name) for name in ORDER]


def other_libraries():
    """What their authors say of libraries that cannot be run here, in the form of a paper."""
    return _read("other-libraries")


def _read(name):
    return _paper(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"), parse_float=Printed))


def _paper(record):
    entries = tuple(Entry(**entry) for entry in record.pop("entries"))
    return Paper(**record, entries=entries)
