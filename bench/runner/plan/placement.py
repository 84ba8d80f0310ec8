# SPDX-License-Identifier: Apache-2.0
"""Tasks that may run elsewhere: the trees of UTS over places, in one process and over ranks of MPI."""

from runner.goals import Figure, Ratio
from runner.members import Group, Member, tactus
from runner.plan.common import ONETBB, OPENMP, SERIAL

MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
# By tree: of the speed-up of two ranks, and of their messages, which the original program of UTS over MPI needs here with two.
SPEED_UP = {"T1": 1.75, "T3": 1.9}
MESSAGES = {"T1": 33_000, "T3": 300}


def uts_places():
    for tree in SPEED_UP:
        yield in_process(tree)
        yield over_mpi(tree)


def placed(threads, policy="hybrid"):
    return tactus(threads, "adaptive", "--placement", policy)


def in_process(tree):
    places = {n: placed(n) for n in (1, 2)}
    others = {policy: placed(2, policy) for policy in ("none", "work_dealing", "lifeline")}
    plain = Member("tactus_async", 2, "adaptive")
    name = f"UTS {tree} over places"
    rows = [Ratio(f"{name}: hybrid / oneTBB", 2, places[2], ONETBB[2], 1 / 0.9 if tree == "T1" else None),
            Ratio(f"{name}: hybrid / better OpenMP", 2, places[2], OPENMP),
            Ratio(f"{name}: hybrid / async in one place", 2, places[2], (plain,)),
            Ratio(f"{name}: one place / serial", 1, places[1], (SERIAL,)),
            Ratio(f"{name}: one place / two", 2, places[1], (places[2],), at_most=False),
            *(Ratio(f"{name}: hybrid / {policy}", 2, places[2], (m,)) for policy, m in others.items()),
            Figure(f"{name}: between places", 2, places[2], "messages", "messages")]
    return Group("uts_places", f"{tree}, over places of one process", "uts_places", "node",
                 [SERIAL, *places.values(), *others.values(), plain, *ONETBB[2], *OPENMP], rows, ("--shape", tree), seconds=70)


def over_mpi(tree):
    """The rival gives a chunk of its oldest nodes, as the original does, or half of all. With one rank it gives nothing."""
    ours = {(mpi, n): Member(f"tactus_{mpi}", n, "adaptive", ("--placement", "hybrid")) for mpi in MPIS for n in (1, 2)}
    alone = {mpi: Member(mpi, 1) for mpi in MPIS}
    theirs = {mpi: tuple(Member(mpi, 2, None, ("--loot", loot)) for loot in ("chunk", "half")) for mpi in MPIS}
    rows = []
    for mpi, text in MPIS.items():
        name = f"UTS {tree} over {text}"
        rows += [Ratio(f"{name}: one rank / two", 2, ours[mpi, 1], (ours[mpi, 2],), SPEED_UP[tree], at_most=False),
                 Ratio(f"{name}: Tactus / stealing by hand", 2, ours[mpi, 2], theirs[mpi], 1 / 1.1),
                 Ratio(f"{name}: Tactus / stealing by hand", 1, ours[mpi, 1], (alone[mpi],)),
                 Figure(f"{name}: between ranks", 2, ours[mpi, 2], "messages", "messages", MESSAGES[tree])]
        for m in theirs[mpi]:
            rival = f"{name}: stealing by hand, {m.arguments[1]}"
            rows += [Ratio(f"{rival}: one rank / two", 2, alone[mpi], (m,), at_most=False),
                     Figure(f"{rival}: between ranks", 2, m, "messages", "messages")]
    return Group("uts_places", f"{tree}, over ranks of MPI", "uts_places", "node",
                 [*ours.values(), *alone.values(), *(m for both in theirs.values() for m in both)], rows, ("--shape", tree), seconds=75)
