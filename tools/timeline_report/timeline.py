# SPDX-License-Identifier: Apache-2.0
"""Reads the file that a run with TACTUS_TRACE=FILE leaves: of one process, or of all of a job. All times are in microseconds from the
beginning of the run."""

import dataclasses
import json
import math


class TimelineError(Exception):
    """What is wrong with which file, and what to do."""


class Stretch:
    """What has a begin and an end."""

    @property
    def length(self):
        return self.end - self.begin


@dataclasses.dataclass(frozen=True)
class Slice(Stretch):
    """A worker runs a task from when it begins, or goes on, to when it ends or stops."""
    worker: int
    task: int
    name: str
    begin: float
    end: float


@dataclasses.dataclass(frozen=True)
class Wait(Stretch):
    """A task is stopped: from one worker, to be gone on with by the same or another."""
    task: int
    reason: str
    begin: float
    end: float
    moved: bool


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


@dataclasses.dataclass(frozen=True)
class Delay(Stretch):
    """From what makes a task ready to where it begins or goes on: its "spawn", the "wake" that ends its wait, or the "result" of what it
    has asked another place for."""
    after: str
    begin: float
    end: float
    moved: bool


@dataclasses.dataclass(frozen=True)
class Move(Stretch):
    """A task goes from the place that gives it to the one that takes it."""
    name: str
    giver: int
    taker: int
    size: int
    begin: float
    end: float


@dataclasses.dataclass(frozen=True)
class Timeline(Stretch):
    """What is known of all workers: from `begin` to `end`. Where workers have lost events, which are their first, `begin` is the
    time from which on none has, slices are cut there, and nothing that began before is here. Of each worker, the slices are in the
    order of time and do not overlap. places: that of each worker, by its number."""
    workers: tuple
    places: dict
    slices: tuple
    waits: tuple
    delays: tuple
    steals: tuple
    turns: tuple
    moves: tuple
    begin: float
    end: float
    lost: int
    moves_lost: int
    uncertainty: float  # by how much times of one process may be wrong, in microseconds
    command: str
    revision: str
    machine: str


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not text:
            raise TimelineError(f"{path}: is empty. A timeline is written when its run ends; that of a program which was killed "
                                "stays empty")
        record = json.loads(text)
    except OSError as error:
        raise TimelineError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TimelineError(f"{path}: not text in UTF-8 ({error}), so no timeline") from None
    except (ValueError, RecursionError) as error:
        raise TimelineError(f"{path}: not a whole JSON file ({error}). Has its program ended, and the disk had room?") from None
    return from_record(record, path)


def from_record(record, path):
    """path: for messages."""
    about = record.get("otherData") if isinstance(record, dict) else None
    if not isinstance(about, dict) or "events_lost" not in about or not isinstance(record.get("traceEvents"), list):
        raise TimelineError(f"{path}: not a timeline of Tactus; those are what a run with TACTUS_TRACE=FILE leaves")
    try:
        return _Reader(record["traceEvents"]).timeline(about)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TimelineError(f"{path}: an event lacks something, or has what it should not: {error!r}. Was the file changed?"
                            ) from None


class _Reader:
    """Raises what Python raises where an event is not as the library writes it."""

    def __init__(self, events):
        self._lost, self._places = {}, {}  # by worker
        self._moves_lost = 0               # of all places
        tracks = set()                     # of what is shown beside the workers
        for event in events:
            if event["ph"] == "M" and event["name"] == "thread_name":
                if "events_lost" in event["args"]:
                    self._lost[_whole(event["tid"])] = _whole(event["args"]["events_lost"])
                    self._places[event["tid"]] = _whole(event.get("pid", 0))
                else:
                    tracks.add(_whole(event["tid"]))
                    self._moves_lost += _whole(event["args"].get("moves_lost", 0))
        self._events = [event for event in events if event.get("tid") not in tracks]
        self._beside = [event for event in events if event.get("tid") in tracks]
        if not self._lost:
            raise ValueError("no worker is named")

    def timeline(self, about):
        begin = self._known_from()
        end = max((_time(e) for e in (*self._events, *self._beside) if "ts" in e), default=0.0)
        slices = (dataclasses.replace(s, begin=max(s.begin, begin)) for s in self._slices() if s.end >= begin)
        waits, delays = (tuple(one for one in some if one.begin >= begin) for some in (self._waits(), self._delays()))
        steals, turns = (tuple(one for one in some if one.time >= begin) for some in (self._steals(), self._turns()))
        moves = tuple(one for one in self._moves() if one.begin >= begin)
        return Timeline(tuple(sorted(self._lost)), self._places, tuple(slices), waits, delays, steals, turns, moves, begin, end,
                        _whole(about["events_lost"]), self._moves_lost, float(about.get("clocks_may_differ_us", 0)),
                        *(str(about.get(name, "")) for name in ("command", "revision", "machine")))

    def _known_from(self):
        """A worker that has lost events kept its last ones, so it is known from the first that is there."""
        first = {}
        for event in self._events:
            if event["ph"] in ("B", "E", "i"):
                first.setdefault(event["tid"], _time(event))
        return max((first.get(worker, 0.0) for worker, lost in self._lost.items() if lost), default=0.0)

    def _slices(self):
        opened = {}
        for event in self._events:
            if event["ph"] == "B":
                opened[self._worker(event)] = event
            elif event["ph"] == "E":
                first = opened.pop(event["tid"])
                begin, end = _stretch(first, event)
                yield Slice(first["tid"], _whole(first["args"]["task"]), _text(first["name"]), begin, end)
        if opened:
            raise ValueError(f"slices without an end on workers {sorted(opened)}")

    def _waits(self):
        opened = {}
        for event in self._events:
            if event["ph"] == "b":
                opened[_local(event)] = event
            elif event["ph"] == "e":
                first = opened.pop(_local(event))
                begin, end = _stretch(first, event)
                yield Wait(_local(first), _text(first["name"]).removeprefix("waits for "), begin, end,
                           self._worker(first) != self._worker(event))

    def _delays(self):
        """The events of a worker are in the order of time, those of several workers are not. Of an arrow from one process to another
        one end may be lost, and clocks of two are alike but for some microseconds."""
        first, last = {}, {}
        for event in self._events:
            if event["ph"] in ("s", "f"):
                (first if event["ph"] == "s" else last)[_text(event["cat"]), _whole(event["id"])] = event
        for key in sorted(first.keys() & last.keys(), key=lambda key: _time(first[key])):
            begin, end = first[key], last[key]
            stretch = _stretch(begin, end) if begin.get("pid") == end.get("pid") else _stretch_between(begin, end)
            yield Delay(key[0], *stretch, self._worker(begin) != self._worker(end))

    def _moves(self):
        gives, takes = {}, {}
        for event in self._beside:
            if event["ph"] == "B":
                (gives if "to" in event["args"] else takes)[_text(event["args"]["id"])] = event
        for key in sorted(gives.keys() & takes.keys(), key=lambda key: _time(gives[key])):
            give, take = gives[key], takes[key]
            yield Move(_text(give["name"]).removeprefix("gives "), _whole(give["pid"]), _whole(take["pid"]), _whole(give["args"]["bytes"]),
                       *_stretch_between(give, take))

    def _steals(self):
        for event in self._instants("steal"):
            victim = _whole(event["args"]["from"])
            yield Steal(_time(event), self._worker(event), victim, _whole(event["args"]["entries"]))

    def _turns(self):
        for event in self._instants("phase"):
            yield Turn(_time(event), _text(event["name"]).removesuffix(" turns"))

    def _instants(self, category):
        return (event for event in self._events if event["ph"] == "i" and event["cat"] == category)

    def _worker(self, event):
        if event["tid"] not in self._lost:
            raise ValueError(f"an event of worker {event['tid']!r}, which is not named")
        return event["tid"]


def _stretch(first, last):
    begin, end = _time(first), _time(last)
    if end < begin:
        raise ValueError(f"something ends at {end} and begins at {begin}")
    return begin, end


def _stretch_between(first, last):
    """Of two processes."""
    begin, end = _time(first), _time(last)
    return begin, max(begin, end)


def _time(event):
    value = float(event["ts"])
    if not math.isfinite(value):
        raise ValueError(f"the time {value}")
    return value


def _whole(value):
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} where a count is expected")
    return value


def _local(event):
    """The number that the process gives to what begins and ends on different workers."""
    return int(_text(event["id2"]["local"]), 16)


def _text(value):
    if not isinstance(value, str):
        raise ValueError(f"{value!r} where a text is expected")
    return value
