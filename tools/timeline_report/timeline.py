# SPDX-License-Identifier: Apache-2.0
"""Reads the file that a run with TACTUS_TRACE=FILE leaves. All times are in microseconds from the beginning of the run."""

import collections
import dataclasses
import json


class TimelineError(Exception):
    """What is wrong with which file, and what to do."""


@dataclasses.dataclass(frozen=True)
class Slice:
    """A worker runs a task from when it begins, or goes on, to when it ends or stops."""
    worker: int
    task: int
    name: str
    begin: float
    end: float

    @property
    def length(self):
        return self.end - self.begin


@dataclasses.dataclass(frozen=True)
class Wait:
    """A task is stopped: from one worker, to be gone on with by the same or another."""
    task: int
    reason: str
    begin: float
    end: float
    moved: bool

    @property
    def length(self):
        return self.end - self.begin


@dataclasses.dataclass(frozen=True)
class Steal:
    time: float
    thief: int
    victim: int
    entries: int


@dataclasses.dataclass(frozen=True)
class Turn:
    """A clock or phaser goes to its next phase."""
    time: float
    of: str
    phase: int


@dataclasses.dataclass(frozen=True)
class Timeline:
    """Of each worker, the slices are in the order of time and do not overlap. Where events were lost, `begin` is the time from
    which on no worker lost any."""
    workers: tuple
    slices: tuple
    waits: tuple
    steals: tuple
    turns: tuple
    begin: float
    end: float
    lost: int
    command: str
    revision: str
    machine: str

    @property
    def length(self):
        return self.end - self.begin


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except OSError as error:
        raise TimelineError(f"{path}: {error.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise TimelineError(f"{path}: not a whole JSON file ({error}). A timeline is written when its run ends; a program that "
                            "was killed leaves none") from None
    return from_record(record, path)


def from_record(record, path):
    """path: for messages."""
    about = record.get("otherData") if isinstance(record, dict) else None
    if not isinstance(about, dict) or "events_lost" not in about or not isinstance(record.get("traceEvents"), list):
        raise TimelineError(f"{path}: not a timeline of Tactus; those are what a run with TACTUS_TRACE=FILE leaves")
    try:
        return _timeline(record["traceEvents"], about)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TimelineError(f"{path}: an event lacks something, or has what it should not: {error!r}. Was the file changed?"
                            ) from None


def _timeline(events, about):
    by_phase = collections.defaultdict(list)
    for event in events:
        by_phase[event["ph"]].append(event)
    workers = tuple(sorted(e["tid"] for e in by_phase["M"] if e["name"] == "thread_name"))
    if not workers:
        raise ValueError("no worker is named")
    slices = tuple(_slices(events))
    lost = int(about["events_lost"])
    end = max((float(e["ts"]) for e in events if "ts" in e), default=0.0)
    return Timeline(workers, slices, tuple(_waits(events)), tuple(_steals(by_phase["i"])), tuple(_turns(by_phase["i"])),
                    _known_from(workers, events) if lost else 0.0, end, lost, str(about.get("command", "")),
                    str(about.get("revision", "")), str(about.get("machine", "")))


def _slices(events):
    opened = {}
    for event in events:
        if event["ph"] == "B":
            opened[event["tid"]] = event
        elif event["ph"] == "E":
            first = opened.pop(event["tid"])
            yield Slice(first["tid"], first["args"]["task"], first["name"], float(first["ts"]), float(event["ts"]))
    if opened:
        raise ValueError(f"slices without an end on workers {sorted(opened)}")


def _waits(events):
    opened = {}
    for event in events:
        if event["ph"] == "b":
            opened[event["id"]] = event
        elif event["ph"] == "e":
            first = opened.pop(event["id"])
            yield Wait(first["id"], first["name"].removeprefix("waits for "), float(first["ts"]), float(event["ts"]),
                       first["tid"] != event["tid"])


def _steals(instants):
    for event in instants:
        if event["cat"] == "steal":
            yield Steal(float(event["ts"]), event["tid"], event["args"]["from"], event["args"]["entries"])


def _turns(instants):
    for event in instants:
        if event["cat"] == "phase":
            yield Turn(float(event["ts"]), event["name"].removesuffix(" turns"), event["args"]["phase"])


def _known_from(workers, events):
    """A worker keeps its last events, so the first that is there says from when on it is known."""
    first = {}
    for event in events:
        if event["ph"] in ("B", "E", "i"):
            first.setdefault(event["tid"], float(event["ts"]))
    return max((first[w] for w in workers if w in first), default=0.0)
