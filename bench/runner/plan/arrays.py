# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays: what an update of their ghosts takes, and what indices and arrays cost."""

from runner.goals import Figure, MedianOf, OnlyWhile, Overhead, Ratio
from runner.members import Group, Member, tactus
from runner.plan.common import goal_and_stretch

# Grid of places: updates of a pass, so that it takes some tens of milliseconds.
GRIDS = {"2x1x1": 2000, "2x2x1": 200, "4x2x1": 100, "2x2x2": 40}
# Of the best form of Open MPI by messages; and of bare threads. The stretch of the first: what a program of bare threads reaches.
LIMITS = {"2x1x1": (0.5, 2.5), "2x2x1": (0.7, 1.3), "4x2x1": (0.5, 1.3), "2x2x2": (0.8, 1.3)}
STRETCH = {"2x1x1": 0.25, "2x2x1": 0.46, "4x2x1": 0.3, "2x2x2": 0.62}
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
# Figure 5: by put and by shift, each pairwise and with a barrier.
WAYS = {"put": "put", "shift": "shift", "barrier": "barrier", "shift_barrier": "barrier, by shift"}
MESSAGES = ("pack", "types", "persistent_pack", "persistent_types", "neighbours")


def places(grid):
    product = 1
    for parts in grid.split("x"):
        product *= int(parts)
    return product


def form(competitor, grid, name, *more):
    """A rival's, or ours over MPI."""
    policy = "adaptive" if competitor.startswith("tactus") else None
    return Member(competitor, places(grid), policy, ("--form", name, *more))


def arguments(grid, updates=None):
    return ("--grid", grid, "--phases", str(updates or GRIDS[grid]))


def by_messages(grid, mpi="openmpi"):
    """As a good user writes it; over Open MPI each form with one copy of long messages and with two."""
    ways = ((), ("--copies", "2")) if mpi == "openmpi" else ((), )
    return tuple(form(mpi, grid, name, *copies) for name in MESSAGES for copies in ways)


def milliseconds(line):
    return line["ns_per_op"] / 1e6


def ghost_update():
    for grid, limits in LIMITS.items():
        yield in_process(grid, *limits)
    for grid in GRIDS:
        yield against_libraries(grid)
    for periodic in ("1x1x1", *GRIDS):
        yield against_global_arrays(periodic)
    for grid in ("2x1x1", "4x2x1", "2x2x2"):
        yield over_mpi(grid)
        yield from ways_over_mpi(grid)
    yield from with_a_slow_place()
    yield from split_phase()
    yield from groups()
    yield from two_grids()
    for grid in ("2x1x1", "2x2x1", "4x2x1"):
        yield from byte_order(grid)


def in_process(grid, of_mpi, of_threads):
    n = places(grid)
    ways = {name: tactus(n, "adaptive", "--form", name) for name in WAYS}
    put, shift, barrier, shift_barrier = ways.values()
    threads, window = Member("threads", n), form("openmpi", grid, "window")
    messages = by_messages(grid)
    name = f"ghost update {grid}"
    rows = [*goal_and_stretch(lambda suffix, limit, wish: Ratio(f"{name}: put / best Open MPI by messages{suffix}", n, put, messages,
                                                                limit, stretch=wish), of_mpi, STRETCH[grid]),
            Ratio(f"{name}: put / bare threads", n, put, (threads,), of_threads),
            Ratio(f"{name}: put / memory that ranks share", n, put, (window,)),
            Ratio(f"{name}: put / shift", n, put, (shift,)),
            Ratio(f"{name}: pairwise / barrier", n, put, (barrier,), 1.0),
            Ratio(f"{name}: pairwise / barrier, by shift", n, shift, (shift_barrier,), 1.0),
            *(MedianOf(f"{name}: {WAYS[which]}", n, m, milliseconds, "ms") for which, m in ways.items())]
    return Group("ghost_update", f"{n} places, {grid}, in one process", "ghost_update", "update",
                 [*ways.values(), threads, window, *messages], rows, arguments(grid), seconds=30, sparing=True)


def against_libraries(grid):
    n = places(grid)
    put = tactus(n, "adaptive", "--form", "put")
    whole, local = (form("petsc", grid, name) for name in ("global", "local"))
    rows = [*goal_and_stretch(lambda suffix, limit, wish: Ratio(f"ghost update {grid}: put / PETSc DMGlobalToLocal{suffix}", n, put,
                                                                (whole,), limit, stretch=wish), 1 / 15, 1 / 22),
            Ratio(f"ghost update {grid}: put / PETSc DMLocalToLocal", n, put, (local,), 1.0)]
    return Group("ghost_update", f"{n} places, {grid}, in one process, against PETSc", "ghost_update", "update",
                 [put, whole, local], rows, arguments(grid, 20), seconds=15, sparing=True)


def against_global_arrays(grid):
    """Whose ghosts are periodic."""
    n = places(grid)
    put, theirs = tactus(n, "adaptive", "--form", "put"), Member("ga", n)
    rows = goal_and_stretch(lambda suffix, limit, wish: Ratio(f"ghost update {grid}, periodic: put / GA_Update_ghosts{suffix}", n, put,
                                                              (theirs,), limit, stretch=wish), 0.4, 0.26)
    return Group("ghost_update", f"{n} place{'s' if n > 1 else ''}, {grid}, periodic, in one process", "ghost_update", "update",
                 [put, theirs], rows, (*arguments(grid, 20), "--periodic"), seconds=8, sparing=True)


def over_mpi(grid):
    """With two ranks against the same by hand; with more ranks than processors, against Open MPI whose ranks give way."""
    n = places(grid)
    ours = {mpi: form(f"tactus_{mpi}", grid, "put") for mpi in MPIS}
    theirs = {mpi: by_messages(grid, mpi) for mpi in MPIS}
    rows = [*(Ratio(f"ghost update {grid} over {name}: Tactus / best by messages", n, ours[mpi], theirs[mpi],
                    1.15 if n == 2 else None) for mpi, name in MPIS.items()),
            *(Ratio(f"ghost update {grid} over {name}: Tactus / pack and Isend by hand", n, ours[mpi],
                    tuple(m for m in theirs[mpi] if "pack" in m.arguments), 1.15 if n == 2 else None) for mpi, name in MPIS.items()),
            *(Ratio(f"ghost update {grid} over {name}: Tactus / best Open MPI by messages", n, ours[mpi], theirs["openmpi"], 2)
              for mpi, name in MPIS.items() if n > 2),
            *(MedianOf(f"ghost update {grid} over {name}: put", n, ours[mpi], milliseconds, "ms") for mpi, name in MPIS.items())]
    return Group("ghost_update", f"{n} places, {grid}, over MPI", "ghost_update", "update",
                 [*ours.values(), *(m for some in theirs.values() for m in some)], rows, arguments(grid, GRIDS[grid] // 4), seconds=60,
                 sparing=True)


def ways_over_mpi(grid):
    """Put and shift, pairwise and with a barrier, where a message costs what it costs."""
    n = places(grid)
    for mpi, name in MPIS.items():
        title = f"ghost update {grid} over {name}"
        ways = {way: form(f"tactus_{mpi}", grid, way) for way in WAYS}
        put, shift, barrier, shift_barrier = ways.values()
        rows = [Ratio(f"{title}: put / shift", n, put, (shift,)),
                Ratio(f"{title}: pairwise / barrier", n, put, (barrier,)),
                Ratio(f"{title}: pairwise / barrier, by shift", n, shift, (shift_barrier,)),
                *(MedianOf(f"{title}: {text}", n, ways[way], milliseconds, "ms") for way, text in WAYS.items() if way != "put")]
        yield Group("ghost_update", f"{n} places, {grid}, over {name}: put and shift, with and without a barrier", "ghost_update", "update",
                    [*ways.values()], rows, arguments(grid, GRIDS[grid] // 4), seconds=20)


def with_a_slow_place():
    in_process = (("tactus", "", "2x1x1", None), ("tactus", "", "4x2x1", 0.8))
    over_mpi = ((f"tactus_{mpi}", f" over {text}", grid, None) for mpi, text in MPIS.items() for grid in ("2x1x1", "4x2x1"))
    for competitor, where, grid, limit in (*in_process, *over_mpi):
        n = places(grid)
        pairwise, barrier = (form(competitor, grid, name) for name in ("slow", "slow_barrier"))
        yield Group("ghost_update", f"{n} places, {grid}{where}, another one of them slow each time", "ghost_update", "update",
                    [pairwise, barrier], [Ratio(f"ghost update {grid}{where}, a slow place: pairwise / barrier", n, pairwise,
                                                (barrier,), limit)],
                    (*arguments(grid, 100), "--body-ns", "100000"), seconds=8)


def split_phase():
    """Computing takes at least as long as the update that it is to hide: without that a row proves nothing."""
    for competitor, name in (("tactus", "in one process"), *((f"tactus_{mpi}", f"over {text}") for mpi, text in MPIS.items())):
        grid = "2x1x1"
        compute, whole, split, put = (form(competitor, grid, which) for which in ("compute", "whole", "split", "put"))
        long_enough = Ratio(f"split phase {name}: computing / an update", 2, compute, (put,), 1.0, at_most=False)
        limit = 0.3 if competitor != "tactus" else None  # in one process updates are copies by the tasks that compute
        yield Group("ghost_update", f"2 places, {grid}, {name}: computing while ghosts are on their way", "ghost_update", "update",
                    [compute, whole, split, put],
                    [OnlyWhile(Overhead(f"split phase {name}: what an update adds / not split", 2, split, (whole,), compute, limit),
                               (long_enough,)), long_enough],
                    (*arguments(grid, 200), "--body-ns", "200000"), seconds=15)


def groups():
    for competitor, name, grid, limit in (("tactus", "in one process", "2x1x1", 1.0), ("tactus", "in one process", "2x2x2", 1.0),
                                          ("tactus_openmpi", "over Open MPI", "2x1x1", 0.6),
                                          ("tactus_mpich", "over MPICH", "2x1x1", 0.6)):
        together, apart = (form(competitor, grid, which) for which in ("group", "apart"))
        n = places(grid)
        yield Group("ghost_update", f"{n} places, {grid}, {name}: three arrays", "ghost_update", "update", [together, apart],
                    [Ratio(f"ghost update {grid} {name}: three arrays in a group / apart", n, together, (apart,), limit)],
                    arguments(grid, GRIDS[grid] // 4), seconds=12, sparing=True)


def two_grids():
    """Between steps each place computes, and one of them, another one each time, up to three times as long."""
    for competitor, name, grid in (("tactus", "in one process", "2x1x1"), ("tactus", "in one process", "4x2x1"),
                                   ("tactus_openmpi", "over Open MPI", "2x1x1"), ("tactus_mpich", "over MPICH", "2x1x1")):
        independent, lockstep = (form(competitor, grid, which) for which in ("independent", "lockstep"))
        yield Group("ghost_update", f"{places(grid)} places, {grid}, {name}: two grids", "ghost_update", "step",
                    [independent, lockstep],
                    [Ratio(f"ghost update {grid} {name}, two grids: independent phases / in lockstep", places(grid), independent,
                           (lockstep,), 1.0)],
                    (*arguments(grid, 105), "--body-ns", "100000"), seconds=10)


def byte_order(grid):
    """By put: shift is put between places that are unlike."""
    n = places(grid)
    for mpi, name in MPIS.items():
        equal, alike, swapped = (form(f"tactus_{mpi}{build}", grid, "put") for build in ("", "_alike", "_swapped"))
        title = f"ghost update {grid} over {name}, byte order"
        rows = [Ratio(f"{title}: equal / a build that does not ask", n, equal, (alike,), 1.01),
                Ratio(f"{title}: swapped / equal", n, swapped, (equal,), 1.2),
                MedianOf(f"{title}: swapped", n, swapped, milliseconds, "ms"),
                MedianOf(f"{title}: equal", n, equal, milliseconds, "ms")]
        yield Group("ghost_update", f"{n} places, {grid}, over {name}: byte order", "ghost_update", "update",
                    [equal, alike, swapped], rows, arguments(grid, GRIDS[grid] // 4), seconds=15)


def point_cost():
    for shape in ("stencil", "pack"):
        for axes in (1, 2, 3, 4):
            members, rows = [], []
            for competitor, flags, limit in (("tactus", "-O3", 1.02), ("tactus_o2", "-O2", None)):
                raw, point, indices = (Member(competitor, 1, "adaptive", ("--form", name)) for name in ("raw", "point", "indices"))
                members += [raw, point, indices]
                rows += [Ratio(f"{shape}, {axes} axes, {flags}: {text} / pointers", 1, m, (raw,), limit)
                         for text, m in (("u[p]", point), ("u(i, j, ...)", indices))]
            yield Group("point_cost", f"{shape} over {axes} ax{'is' if axes == 1 else 'es'}", "point_cost", "cell", members, rows,
                        ("--shape", shape, "--size", str(axes)), seconds=6)


def array_costs():
    make, make_4, plan, local, memory, updates, exchange = (tactus(n, "adaptive", "--shape", shape) for n, shape in (
        (2, "make"), (4, "make_4"), (4, "plan"), (2, "local"), (2, "memory"), (4, "updates"), (2, "exchange")))

    def growth(line):
        after = line["resident_after"]
        return after[-1] / after[0]

    for title, member, row in (
            ("1,000 arrays made and ended", make,
             MedianOf("an array over two places made and ended", 2, make, lambda line: line["ns_per_op"] / 1e3, "us")),
            ("1,000 arrays over four places made and ended", make_4,
             MedianOf("1,000 arrays over four places made and ended", 4, make_4, lambda line: line["ns_per_op"] / 1e3, "ms", 100)),
            ("an array of 102,400 blocks", plan,
             MedianOf("an array of 102,400 blocks over four places made and ended", 4, plan,
                      lambda line: line["ns_per_op"] / 1e9, "s", 1)),
            ("a block's view", local, MedianOf("local()", 2, local, lambda line: line["ns_per_op"], "ns", 5))):
        yield Group("array_costs", title, "array_costs", "array" if member is not local else "call", [member], [row], seconds=8)
    rows = [Figure("memory for a neighbour of an array", 2, memory, "bytes_per_neighbour", "B"),
            Figure("memory of a small array without ghosts, two places", 2, memory, "bytes_per_array", "B"),
            Figure("memory that updates keep beside an array of 100^3 at each of two places", 2, exchange, "faces", "faces", 3),
            Figure("memory after 1,000,000 updates over 4 places / after 100,000", 4, updates, growth, "x", 1.05)]
    yield Group("array_costs", "what arrays and updates keep", "array_costs", "array", [memory, updates, exchange], rows, seconds=15,
                alone=True, timeout=120)

    yield from chosen_grids()


def chosen_grids():
    """As block() cuts an array, against all ways in which so many places divide three axes."""
    for n in (2, 3, 4, 6, 8):
        ways = [f"{x}{y}{n // x // y}" for x in range(1, n + 1) for y in range(1, n + 1) if n % (x * y) == 0]
        chosen, *others = (tactus(n, "adaptive", "--shape", "grid", "--size", size) for size in ("0", *ways))
        yield Group("array_costs", f"160^3 cut among {n} places", "array_costs", "update", [chosen, *others],
                    [Ratio(f"updates of 160^3 over {n} places: as block() cuts it / the best of all ways", n, chosen, tuple(others), 1.1)],
                    seconds=8)
