# SPDX-License-Identifier: Apache-2.0
"""Places that are processes, against the same by MPI's own calls."""

from runner.goals import DifferenceOf, Figure, MedianOf, Ratio
from runner.members import Group, Member
from runner.plan.common import MIB

MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
# Shape, what it is, the unit, options, limit of the ratio, by how many ranks.
SHAPES = (("at", "at() with a number, there and back", "call", (), 1.5, (2,)),
          ("at", "at() with 1 KiB, there and back", "call", ("--size", "1024"), 1.5, (2,)),
          ("finish", "a finish with one async_at", "finish", (), 3, (2,)),
          ("one_way", "async_at, one way", "task", (), None, (2,)),
          ("move", "1 MiB there and back", "round", (), 1.15, (2,)),
          ("barrier", "team.barrier", "barrier", (), 1.5, (2, 4)),
          ("sum8", "allreduce of 8 doubles", "sum", (), 1.5, (2, 4)),
          ("sum1m", "allreduce of 1 MiB", "sum", (), 1.5, (2, 4)),
          ("updates", "random updates", "update", (), 1.3, (2,)),
          ("compute", "tasks of 10 us, nothing sent", "task", (), 1.01, (2,)),
          ("transport", "8 bytes there and back, without a task", "message", (), 1.15, (2,)),
          ("transport", "1 KiB there and back, without a task", "message", ("--size", "1024"), 1.15, (2,)))
# What comes to a rank that runs tasks of 500 us, and the limit of the 99th, in microseconds.
ANSWERS = (("answer", "an immediate message", 250), ("answer_at", "at(), there and back", None))
# How a good user may write it, besides: a sum that takes the place of what was given, buffers of another size.
FORMS = {"sum1m": ((), ("--form", "in_place")), "one_way": ((), ("--size", "4000"), ("--size", "65536"))}
# The first is by what the machine has processors for: ranks that are bound to one each, or that give way. So does Open MPI by itself in
# its calls, where it is told to, and either may be faster. MPICH's ranks sleep for a moment now and then, or only yield.
WAYS = {"openmpi": ((), ("--launch", "yielding", "--wait", "calls")), "mpich": ((), ("--wait", "tests"))}


def by_hand(mpi, n, shape):
    return tuple(Member(mpi, n, None, (*form, *way)) for form in FORMS.get(shape, ((), )) for way in WAYS[mpi])


def rank_messages():
    for shape, title, unit, more, limit, ranks in SHAPES:
        for n in ranks:
            yield against_mpi(shape, title, unit, ("--shape", shape, *more), limit, n)
    for shape, title, limit in ANSWERS:
        yield answers(shape, title, limit)
    yield idle()


def against_mpi(shape, title, unit, arguments, limit, n):
    ours = {mpi: Member(f"tactus_{mpi}", n, "adaptive") for mpi in MPIS}
    theirs = {mpi: by_hand(mpi, n, shape) for mpi in MPIS}
    rows = []
    for mpi, text in MPIS.items():
        rows.append(Ratio(f"{title}: Tactus / {text} by hand, best form", n, ours[mpi], theirs[mpi], limit))
        if shape == "one_way":
            rows.append(MedianOf(f"{title}, over {text}", n, ours[mpi], lambda line: 1e3 / line["ns_per_op"], "million/s", 10, False))
        elif shape in ("at", "finish"):
            rows.append(MedianOf(f"{title}, over {text}", n, ours[mpi], lambda line: line["ns_per_op"] / 1e3, "us"))
    return Group("rank_messages", f"{n} ranks: {title}", "rank_messages", unit, [*ours.values(), *(m for some in theirs.values() for m in some)],
                 rows, arguments, seconds=15 if shape not in FORMS else 24, sparing=True)


def answers(shape, title, limit):
    members = {mpi: Member(f"tactus_{mpi}", 2, "adaptive") for mpi in MPIS}
    return Group("rank_messages", f"2 ranks, of which one runs tasks of 500 us: {title}", "rank_messages", "message", list(members.values()),
                 [MedianOf(f"{title}, to a rank that runs tasks of 500 us, p99, over {text}", 2, members[mpi], lambda line: line["ns_per_op"] / 1e3,
                           "us", limit) for mpi, text in MPIS.items()], ("--shape", shape), seconds=30, sparing=True)


def idle():
    members = {mpi: Member(f"tactus_{mpi}", 4, "adaptive", ("--seconds", "10")) for mpi in MPIS}
    return Group("rank_messages", "4 ranks with nothing to do for 10 s", "rank_messages", "run", list(members.values()),
                 [Figure(f"processor time of 10 s of 4 ranks with nothing to do, over {text}", 4, members[mpi], "cpu_seconds", "s", 0.4)
                  for mpi, text in MPIS.items()], ("--shape", "idle"), seconds=30, alone=True)


def rank_start():
    for n in (2, 4):
        ours = {mpi: Member(f"tactus_{mpi}", n, "adaptive") for mpi in MPIS}
        empty = {mpi: Member(mpi, n, None) for mpi in MPIS}
        rows = []
        for mpi, text in MPIS.items():
            rows += [Ratio(f"mpirun to the first task: Tactus / empty program of {text}", n, ours[mpi], (empty[mpi],), 1.2),
                     DifferenceOf(f"resident memory of a rank above an empty program of {text}", n, ours[mpi], empty[mpi],
                                  lambda line: line["resident_of_a_rank"] / MIB, "MiB", 8)]
        yield Group("rank_start", f"{n} ranks: the start of a job", "rank_start", "job", [*ours.values(), *empty.values()], rows,
                    seconds=60, sparing=True)
