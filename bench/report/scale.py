# SPDX-License-Identifier: Apache-2.0
"""The page of scale: what the protocols of the library cost at more places than there are machines. All of it is in virtual time."""

import dataclasses
import json
import pathlib
import subprocess

from placement_tools import programs
from webpage.document import document
from webpage.lines import Series, chart
from webpage.markup import element
from webpage.tables import table

FILE = "scale.html"
ROWS = "scale.json"
KEPT = pathlib.Path(__file__).resolve().parent / ROWS  # of the last time that somebody had it counted anew
PROGRAM = "tactus_scale"
PLACES = (2, 4, 16, 64, 256, 1024, 4096)
LATENCY_NS, SEND_NS, RECEIVE_NS = 2000, 100, 200  # as those that the simulator of placement guesses
OPERATIONS = {  # as the program names them: in a legend, and at length
    "finish": ("finish", "finish: place 0 spawns a task at each other place"),
    "round": ("finish, in turn", "finish, in turn: one task goes from place to place"),
    "at_each": ("at_each", "at_each, called by place 0"),
    "barrier": ("team.barrier", "team.barrier of all"),
    "verdict": ("verdict", "verdict: a task of each place waits, and none will ever go on"),
}


class ScaleError(Exception):
    """What cannot be counted; its text is one line."""


@dataclasses.dataclass(frozen=True)
class Row:
    operation: str
    places: int
    messages: int
    at_busiest: int
    hops: int
    time_ns: int


def counted(operation, places):
    """One row, anew. ScaleError where the program is not there, or ends with an error."""
    hops = _outcome(operation, places)
    timed = _outcome(operation, places, LATENCY_NS, SEND_NS, RECEIVE_NS)
    return Row(operation, places, hops["messages"], hops["at_busiest"], hops["time"], timed["time"])


def _outcome(*arguments):
    program = programs.find(PROGRAM)
    if program is None:
        raise ScaleError(programs.remedy(PROGRAM))
    try:
        done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ScaleError(f"{program}: {error}") from None
    if done.returncode != 0:
        raise ScaleError(done.stderr.strip().split("\n")[0] or f"{PROGRAM} ended by signal {-done.returncode}")
    return json.loads(done.stdout)


def all_counted():
    """All rows, one after the other: a generator, since the largest take a minute."""
    for places in PLACES:
        for operation in OPERATIONS:
            yield counted(operation, places)


def kept():
    return [Row(**row) for row in json.loads(KEPT.read_text(encoding="utf-8"))]


def text_of(rows):
    """As they are kept."""
    return "[\n" + ",\n".join(json.dumps(dataclasses.asdict(row)) for row in rows) + "\n]\n"


def page(rows):
    """The text of the HTML file."""
    main = element("main", element("h1", "Tactus: protocols at many places, in virtual time"), _reading(),
                   _figure(rows, "Messages, for each place", lambda row: row.messages / row.places, "messages", ""),
                   _figure(rows, "Messages of the place that has most", lambda row: row.at_busiest, "messages", ""),
                   _figure(rows, "Time", lambda row: row.time_ns, "time, ns", "ns"),
                   [_section(operation, [row for row in rows if row.operation == operation]) for operation in OPERATIONS])
    foot = element("footer", element("p", "Written by ./dev report. What is counted, and how: docs/scale.md.", class_="absent"))
    return document("Tactus: protocols at many places, in virtual time", main, foot)


def _reading():
    return [element("p", "None of these figures was measured. A runtime of the library, with so many places in one process and one worker for each, "
                         "has carried out each operation over a network in virtual time: a message arrives when nothing can happen before it, and "
                         "what places compute takes no time. Messages and their order are those of the library's own protocols; how long a machine "
                         "takes for them is a guess."),
            element("p", f"That guess: {LATENCY_NS / 1000:g} us on its way, {SEND_NS / 1000:g} us of its sender's time and {RECEIVE_NS / 1000:g} us of its "
                         "receiver's for each message; links are never full. Hops: messages of the longest path, each of which is sent because "
                         "the one before has come."),
            element("p", "What idle places tell place 0 is in the verdict's rows only: in a run it depends on how long a place finds nothing to do.")]


def _figure(rows, caption, value, name, unit):
    series = [Series(label, tuple((row.places, value(row)) for row in rows if row.operation == operation))
              for operation, (label, _) in OPERATIONS.items()]
    return chart(caption, series, "places", name, unit, log=True)


def _section(operation, rows):
    _, words = OPERATIONS[operation]
    lines = [[f"{row.places:,}", f"{row.messages:,}", f"{row.messages / row.places:.2f}", f"{row.at_busiest:,}", f"{row.hops:,}",
              f"{row.time_ns / 1000:,.1f}"] for row in rows]
    return element("section", element("h2", words),
                   table(words, ["places", "messages", "for each place", "at the busiest place", "hops", "time, us"], lines, range(1, 6)))
