# SPDX-License-Identifier: Apache-2.0
"""Flow in a cavity by the lattice Boltzmann method: against its plain kernel, Global Arrays and messages by hand."""

from runner.goals import MedianOf, Ratio, RatioOf
from runner.members import Group, Member, tactus
from runner.plan.arrays import MPIS


def lattice_boltzmann():
    yield one_place()
    for n in (2, 4, 8):
        yield flow_over(n)


def rate_per_place(line):
    return 1e3 / line["ns_per_op"] / line["threads"]


def update_milliseconds(line):
    return line["update_seconds"] * 1e3 / line["steps"]


def peak_bytes(line):
    return line["peak_bytes"]


def flow_rows(n, ours, rivals, name):
    """Figures of one way to run ours. The sample of Global Arrays made 6.9 million cells a second and rank."""
    title = f"cavity 1024^2 {name}, {n} place{'s' if n > 1 else ''}"
    yield MedianOf(f"{title}: million cells a second and place", n, ours, rate_per_place, "M/s", 41.4 if n <= 2 else None, at_most=False)
    yield MedianOf(f"{title}: a step", n, ours, lambda line: line["seconds"] * 1e3 / line["steps"], "ms")
    if n > 1:
        yield MedianOf(f"{title}: of a step, updates of ghosts", n, ours, update_milliseconds, "ms")
    for rival, text in rivals:
        yield Ratio(f"{title}: Tactus / {text}", n, ours, (rival,))
    for rival, text in rivals:
        limit = 0.6 if rival.arguments == ("--form", "sample") and n <= 2 else None
        yield RatioOf(f"{title}: peak memory, Tactus / {text}", n, ours, (rival,), peak_bytes, limit)


def in_global_arrays(n):
    rows, sample = (Member("ga", n, None, ("--form", which)) for which in ("rows", "sample"))
    return ((rows, "Global Arrays, two arrays of rows"), (sample, "Global Arrays, cells as its sample's"))


def one_place():
    serial, one, two = Member("serial", 1), tactus(1), tactus(2)
    ga = in_global_arrays(1)
    rows = [Ratio("cavity 1024^2: plain serial kernel / 1 place", 1, serial, (one,), 0.9, at_most=False),
            Ratio("cavity 1024^2: 1 place / 2 places", 2, one, (two,), 1.8, at_most=False),
            RatioOf("cavity 1024^2, 1 place: peak memory, Tactus / plain serial kernel", 1, one, (serial,), peak_bytes),
            *flow_rows(1, one, ga, "in one process")]
    return Group("lattice_boltzmann", "a cavity of 1024 by 1024 cells, one place", "lattice_boltzmann", "cell",
                 [serial, one, two, *(rival for rival, _ in ga)], rows, ("--size", "1024", "--phases", "20"), seconds=120, sparing=True)


def flow_over(n):
    """In one process, and over both MPIs, against Global Arrays and by hand over the same."""
    here, ga = tactus(n), in_global_arrays(n)
    ours = {mpi: Member(f"tactus_{mpi}", n, "adaptive") for mpi in MPIS}
    theirs = {mpi: Member(mpi, n) for mpi in MPIS}
    rows = [*flow_rows(n, here, ga, "in one process")]
    for mpi, name in MPIS.items():
        rivals = ((theirs[mpi], "messages by hand"), *(ga if mpi == "openmpi" else ()))
        rows += flow_rows(n, ours[mpi], rivals, f"over {name}")
    rows += [MedianOf(f"cavity 1024^2, {text}, {n} places: {what}", n, rival, value, "ms") for rival, text in ga
             for what, value in (("a step", lambda line: line["seconds"] * 1e3 / line["steps"]),
                                 ("of a step, updates of ghosts", update_milliseconds))]
    return Group("lattice_boltzmann", f"a cavity of 1024 by 1024 cells, {n} places", "lattice_boltzmann", "cell",
                 [here, *ours.values(), *theirs.values(), *(rival for rival, _ in ga)], rows,
                 ("--size", "1024", "--phases", "20"), seconds=150, sparing=True)
