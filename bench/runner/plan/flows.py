# SPDX-License-Identifier: Apache-2.0
"""Flow in a cavity by the lattice Boltzmann method: against its plain kernel, Global Arrays and messages by hand."""

from runner.goals import MedianOf, Ratio, RatioOf
from runner.members import Group, Member, tactus
from runner.plan.arrays import MPIS


def lattice_boltzmann():
    yield one_place()
    for n in (2, 4, 8):
        yield flow_over(n)
    for n in (1, 2):
        yield memory_of(n)


def rate_per_place(line):
    return 1e3 / line["ns_per_op"] / line["threads"]


def update_milliseconds(line):
    return line["update_seconds"] * 1e3 / line["steps"]


def peak_bytes(line):
    return line["peak_bytes"]


SAMPLE = "Global Arrays, cells as its sample's"


def flow_rows(n, ours, rivals, name):
    """Figures of one way to run ours. Six times as fast as cells kept as the sample keeps them."""
    title = f"cavity 1024^2 {name}, {n} place{'s' if n > 1 else ''}"
    yield MedianOf(f"{title}: million cells a second and place", n, ours, rate_per_place, "M/s")
    yield MedianOf(f"{title}: a step", n, ours, lambda line: line["seconds"] * 1e3 / line["steps"], "ms")
    if n > 1:
        yield MedianOf(f"{title}: of a step, updates of ghosts", n, ours, update_milliseconds, "ms")
    for rival, text in rivals:
        yield Ratio(f"{title}: Tactus / {text}", n, ours, (rival,), 1 / 6 if text == SAMPLE and n <= 2 else None)
        if text == SAMPLE and n <= 2:
            yield Ratio(f"{title}: Tactus / {text}, stretch", n, ours, (rival,), 1 / 8, stretch=True)


def in_global_arrays(n):
    rows, sample = (Member("ga", n, None, ("--form", which)) for which in ("rows", "sample"))
    return ((rows, "Global Arrays, two arrays of rows"), (sample, SAMPLE))


def one_place():
    serial, one, two, by_hand = Member("serial", 1), tactus(1), tactus(2), Member("openmpi", 2)
    ga = in_global_arrays(1)
    rows = [Ratio("cavity 1024^2: plain serial kernel / 1 place", 1, serial, (one,), 0.9, at_most=False),
            Ratio("cavity 1024^2: 1 place / 2 places", 2, one, (two,), 1.8, at_most=False),
            Ratio("cavity 1024^2: plain serial kernel / 2 ranks by hand", 2, serial, (by_hand,)),
            *flow_rows(1, one, ga, "in one process")]
    return Group("lattice_boltzmann", "a cavity of 1024 by 1024 cells, one place", "lattice_boltzmann", "cell",
                 [serial, one, two, by_hand, *(rival for rival, _ in ga)], rows, ("--size", "1024", "--phases", "20"), seconds=120, sparing=True)


def flow_over(n):
    """In one process, and over both MPIs, against Global Arrays and by hand over the same."""
    here, ga = tactus(n), in_global_arrays(n)
    ours = {mpi: Member(f"tactus_{mpi}", n, "adaptive") for mpi in MPIS}
    theirs = {mpi: Member(mpi, n) for mpi in MPIS}
    rows = [*flow_rows(n, here, ga, "in one process")]
    for mpi, name in MPIS.items():
        rivals = ((theirs[mpi], "messages by hand"), *(ga if mpi == "openmpi" else ga[1:]))
        rows += flow_rows(n, ours[mpi], rivals, f"over {name}")
    rows += [MedianOf(f"cavity 1024^2, {text}, {n} places: {what}", n, rival, value, "ms") for rival, text in ga
             for what, value in (("a step", lambda line: line["seconds"] * 1e3 / line["steps"]),
                                 ("of a step, updates of ghosts", update_milliseconds))]
    return Group("lattice_boltzmann", f"a cavity of 1024 by 1024 cells, {n} places", "lattice_boltzmann", "cell",
                 [here, *ours.values(), *theirs.values(), *(rival for rival, _ in ga)], rows,
                 ("--size", "1024", "--phases", "20"), seconds=150, sparing=True)


def memory_of(n):
    """In fresh processes: Global Arrays keep that of arrays which have ended."""
    here, over_mpi, by_hand = tactus(n), Member("tactus_openmpi", n, "adaptive"), Member("openmpi", n)
    (rows, _), (sample, _) = in_global_arrays(n)
    title = f"cavity 1024^2, {n} place{'s' if n > 1 else ''}: peak memory, Tactus"
    made = [RatioOf(f"{title} / Global Arrays, cells as its sample's", n, here, (sample,), peak_bytes, 0.6),
            RatioOf(f"{title} / Global Arrays, two arrays of rows", n, here, (rows,), peak_bytes),
            RatioOf(f"{title} over Open MPI / Global Arrays, cells as its sample's", n, over_mpi, (sample,), peak_bytes, 0.6),
            RatioOf(f"{title} over Open MPI / messages by hand", n, over_mpi, (by_hand,), peak_bytes),
            *(MedianOf(f"cavity 1024^2, {n} place{'s' if n > 1 else ''}: peak memory, {text}", n, m, lambda line: line["peak_bytes"] / 1e6, "MB")
              for m, text in ((here, "Tactus in one process"), (rows, "Global Arrays, two arrays of rows"),
                              (sample, "Global Arrays, cells as its sample's")))]
    return Group("lattice_boltzmann", f"memory of a cavity of 1024 by 1024 cells, {n} place{'s' if n > 1 else ''}", "lattice_boltzmann", "cell",
                 [here, over_mpi, by_hand, rows, sample], made, ("--size", "1024", "--phases", "5"), seconds=10, alone=True)
