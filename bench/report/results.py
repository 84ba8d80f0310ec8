# SPDX-License-Identifier: Apache-2.0
"""A results file of bench/run, read and checked. Files of every earlier format are read too; a newer one is refused."""

import dataclasses
import gzip
import json
import re
import zlib

from runner.goals import MET, UNSURE, SHORT, MISSED, Row
from runner.report import FORMAT


class ResultsError(Exception):
    """A file that cannot be reported on: which, what is wrong with it, and what to do."""


@dataclasses.dataclass(frozen=True)
class Member:
    """One competitor in one group. samples: nanoseconds per operation, round by round; without them, the medians only."""
    label: str
    competitor: str
    workers: int
    options: tuple
    median_ns: float | None
    spread: float | None
    median_cpu_ns: float | None
    stopped: str | None
    environment: dict
    disturbed: int  # repetitions kept although the hypervisor took time
    samples: tuple
    lines: tuple  # whole result lines


@dataclasses.dataclass(frozen=True)
class Group:
    section: str
    title: str
    unit: str
    seconds: float
    seconds_of_others: float
    members: tuple
    rows: tuple


@dataclasses.dataclass(frozen=True)
class Results:
    file: str
    format: int
    machine: dict
    build: dict
    revision: str | None
    time: str
    all: bool
    full: bool
    published_inputs: bool
    names: tuple
    load_at_start: float | None
    not_run: tuple
    finished: bool  # unless the run was ended before it had come to its last group
    groups: tuple

    def rows(self):
        return [row for group in self.groups for row in group.rows]

    def sections(self):
        """{section: its groups}, in the order of the file."""
        sections = {}
        for group in self.groups:
            sections.setdefault(group.section, []).append(group)
        return sections


def read(path):
    """The results in a file, which may be compressed (*.gz); ResultsError when it is none."""
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            record = json.load(file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ResultsError(f"{path}: not compressed by gzip, or cut short ({error})") from None
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}; ./dev bench writes build/bench/bench/bench-results.json") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ResultsError(f"{path}: not JSON ({error}); was it cut short? ./dev bench writes a whole one") from None
    return from_record(str(path), record)


def from_record(name, record):
    if not isinstance(record, dict) or not isinstance(record.get("groups"), list):
        raise ResultsError(f"{name}: not a results file of bench/run, it has no list 'groups'; ./dev bench writes one")
    version = record.get("format", 1)
    if not isinstance(version, int) or not 1 <= version <= FORMAT:
        raise ResultsError(f"{name}: is of format {version!r}, and this report reads formats 1 to {FORMAT}; use the "
                           f"./dev report of the commit that wrote it ({record.get('revision')}), or measure anew")
    try:
        return _results(name, version, record)
    except _Wrong as wrong:
        raise ResultsError(f"{name}: format {version}, {wrong}; the file was changed or cut short, measure anew by "
                           "./dev bench") from None


class _Wrong(Exception):
    pass


_NUMBER = (int, float)
_REQUIRED = object()


def _take(record, where, key, kinds, otherwise=_REQUIRED):
    """A field of the right kind. otherwise: what a missing or null field is, if it may be missing."""
    value = record.get(key) if isinstance(record, dict) else None
    if value is None:
        if otherwise is _REQUIRED:
            raise _Wrong(f"{where} has no '{key}'")
        return otherwise
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        raise _Wrong(f"'{key}' of {where} is {value!r:.60}")
    return value


def _results(name, version, record):
    where = "the record"
    return Results(
        file=name, format=version, machine=_take(record, where, "machine", dict), build=_take(record, where, "build", dict),
        revision=_take(record, where, "revision", str, None), time=_take(record, where, "time", str),
        all=_take(record, where, "all", bool, False), full=_take(record, where, "full", bool), published_inputs=bool(record.get("inputs")),
        names=tuple(_take(record, where, "names", list, ())), load_at_start=_take(record, where, "load_at_start", _NUMBER, None),
        not_run=tuple(_take(record, where, "not_run", list, ())), finished=_take(record, where, "finished", bool, True),
        groups=tuple(_group(version, i, group) for i, group in enumerate(record["groups"])))


def _group(version, i, record):
    where = f"group {i}"
    title = _take(record, where, "title", str)
    where = f"group {i} ('{title}')"
    return Group(
        section=_take(record, where, "section", str), title=title, unit=_take(record, where, "unit", str),
        seconds=_take(record, where, "seconds", _NUMBER),
        seconds_of_others=_take(record, where, "processor_seconds_of_others", _NUMBER),
        members=tuple(_member(where, member) for member in _take(record, where, "members", list)),
        rows=tuple(_row(version, where, row) for row in _take(record, where, "rows", list)))


def _member(where, record):
    where = f"a member of {where}"
    lines = _take(record, where, "repetitions", list)
    stopped = _take(record, where, "stopped", dict, None)
    return Member(
        label=_take(record, where, "label", str, None) or _label(where, record),
        competitor=_take(record, where, "competitor", str), workers=_take(record, where, "workers", int),
        options=tuple(_take(record, where, "options", list)), median_ns=_take(record, where, "median_ns", _NUMBER, None),
        spread=_take(record, where, "spread", _NUMBER, None),
        median_cpu_ns=_take(record, where, "median_cpu_ns", _NUMBER, None),
        stopped=_take(stopped, where, "text", str) if stopped else None,
        environment=_take(record, where, "environment", dict, {}),
        disturbed=_take(record, where, "kept_with_stolen_time", int, 0),
        samples=tuple(_take(line, where, "ns_per_op", _NUMBER) for line in lines), lines=tuple(lines))


def _label(where, record):
    """As runner.members makes it: format 1 has the options only, the group's before --threads, the member's own after."""
    options = _take(record, where, "options", list)
    own = options[options.index("--threads"):] if "--threads" in options else []
    words = [value for option, value in zip(own[::2], own[1::2]) if option != "--threads"]
    return " ".join([_take(record, where, "competitor", str), *words]) + f" @{_take(record, where, 'workers', int)}"


def _row(version, where, record):
    where = f"a row of {where}"
    row = Row(measure=_take(record, where, "measure", str), workers=_take(record, where, "workers", int),
              **{key: _take(record, where, key, str, "") for key in ("ours", "theirs", "goal", "note")},
              **{key: _take(record, where, key, _NUMBER, None) for key in ("value", "low", "high")},
              unit=_take(record, where, "unit", str), verdict=_take(record, where, "verdict", str),
              stretch=_take(record, where, "stretch", bool, False))
    return row if version > 1 else _judged_anew(row)


def limit(row):
    """(number, whether it is the most that is allowed) of a row's goal; None where the goal is not such a limit."""
    found = re.match(r"(<=|>=) (\S+) ", row.goal)
    try:
        return (float(found[2]), found[1] == "<=") if found else None
    except ValueError:
        return None


def _judged_anew(row):
    """Format 1 called a goal met as soon as the interval held the limit."""
    goal = limit(row)
    if goal is None or row.value is None or row.low is None or row.verdict not in (MET, MISSED, SHORT):
        return row
    most, at_most = goal
    if row.value <= most if at_most else row.value >= most:
        verdict = MET
    elif row.low <= most if at_most else row.high >= most:
        verdict = UNSURE
    else:
        verdict = SHORT if row.stretch else MISSED
    return dataclasses.replace(row, verdict=verdict)
