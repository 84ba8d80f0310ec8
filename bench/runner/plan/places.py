# SPDX-License-Identifier: Apache-2.0
"""What goes from place to place. Nobody else's places are among Debian's packages: messages are compared with what two threads need at
the least, and their bytes with those of libraries that make bytes of objects."""

import os

from runner.goals import Figure, MedianOf, Ratio
from runner.members import Group, Member, tactus
from runner.plan.common import MIB


def messages():
    for shape, title, limit in (("at", "at(), there and back", None), ("finish", "a finish with one async_at", 3.0),
                                ("one_way", "async_at, one way", None)):
        ours, bare = tactus(2, "adaptive", "--shape", shape), Member("mailbox", 2, None, ("--shape", shape))
        rows = [Ratio(f"{title} / bare mailboxes", 2, ours, (bare,), limit)]
        if shape == "at":
            rows.append(MedianOf(title, 2, ours, lambda line: line["ns_per_op"] / 1e3, "us", 1.0))
        if shape == "one_way":
            rows.append(MedianOf(title, 2, ours, lambda line: 1e3 / line["ns_per_op"], "million/s", 5, False))
        yield Group("messages", f"two places of one worker: {title}", "messages", "message", [ours, bare], rows, seconds=6)


def place_calls(full):
    for shape, title, limit, unit, scale in (("parked", "at() to a place that sleeps", 12, "us", 1e-3),
                                             ("busy", "a message to a place that computes is taken, the 99th of 100", 1, "ms", 1e-6),
                                             ("at_busy", "at() to a place that computes for 10 ms", None, "ms", 1e-6),
                                             ("move", "1 MiB moved to another place", 2, "us", 1e-3),
                                             ("arrow", "an object of a place_local used", 5, "ns", 1)):
        ours = tactus(2, "adaptive", "--shape", shape)
        yield Group("place_calls", title, "place_calls", "call", [ours],
                    [MedianOf(title, 2, ours, lambda line, scale=scale: line["ns_per_op"] * scale, unit, limit)], seconds=2)
    alone, beside = (tactus(2, "adaptive", "--shape", shape) for shape in ("alone", "beside"))
    yield Group("place_calls", "a finish that stays", "place_calls", "finish", [alone, beside],
                [Ratio("a finish that stays: beside another place / alone", 2, beside, (alone,), 1.01)], seconds=2)
    few, *more = (tactus(n, "adaptive", "--shape", "each", "--size", str(n)) for n in (4, 64, *((1024,) if full else ())))
    yield Group("place_calls", "at_each over many places", "place_calls", "place", [few, *more],
                [Ratio(f"at_each, a place of {m.threads:,} / one of 4", m.threads, m, (few,), 1.5) for m in more], seconds=6)


def many_places():
    start = tactus(64, "adaptive", "--shape", "start")
    yield Group("many_places", "64 places started and ended", "many_places", "run", [start],
                [MedianOf("64 places started and ended", 64, start, lambda line: line["ns_per_op"] / 1e6, "ms", 20)], seconds=3)

    idle, memory, finishes = (tactus(n, "adaptive", "--shape", shape, *more)
                              for n, shape, more in ((64, "idle", ("--seconds", "10")), (64, "memory", ()), (4, "finishes", ())))

    crowd = tactus(64 * 8, "adaptive", "--shape", "idle", "--size", "64", "--placement", "hybrid", "--seconds", "10")

    def growth(line):
        after = line["resident_after"]
        return after[-1] / after[0]

    rows = [Figure("processor time of 10 s of 64 places with nothing to do", 64, idle, "cpu_seconds", "s", 0.1),
            Figure("of the machine, what 64 places x 8 workers under hybrid take that have nothing to do", 512, crowd, of_the_machine, "%", 5),
            Figure("memory of a place that has done nothing", 64, memory, lambda line: line["bytes_per_place"] / MIB, "MiB", 1),
            Figure("memory after 1,000,000 finishes over 4 places / after 100,000", 4, finishes, growth, "x", 1.05)]
    yield Group("many_places", "what places take", "many_places", "run", [idle, crowd, memory, finishes], rows, seconds=30, alone=True)


def of_the_machine(line):
    """In percent."""
    return 100 * line["cpu_seconds"] / (line["seconds"] * os.cpu_count())


def serialise():
    for shape, title in (("numbers", "three numbers"), ("mixed", "a string, a vector, a map"), ("block", "1 MiB of numbers")):
        ours = tactus(1, "adaptive", "--shape", shape)
        rivals = tuple(Member(name, 1, None, ("--shape", shape)) for name in ("cereal", "msgpack", "boost_serialization"))
        yield Group("serialise", f"an object as bytes, and back: {title}", "serialise", "object", [ours, *rivals],
                    [Ratio(f"serialiser, {title}: Tactus / best library", 1, ours, rivals, 1.2)], seconds=2)
