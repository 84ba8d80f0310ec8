# SPDX-License-Identifier: Apache-2.0
"""Task storms: work-stealing.txt, sections 4 and 5."""

from runner.goals import Completes, Figure, MedianOf, Ratio, Refuses
from runner.members import POLICIES, Group, Member, all_policies, tactus
from runner.plan.common import (BATCHED, DEBIANS_ONETBB, JAVA, LIBGOMP, ONETBB, RAYON, SERIAL, STD_POOL, adaptive_rows,
                                batched_rows, everybody, goal_and_stretch, other_languages, work_sharing)


def _against_onetbb(name, ours, goal, stretch):
    """Rows with one worker and with two."""
    return [row for t in (1, 2) for row in goal_and_stretch(
        lambda suffix, limit, wish, t=t: Ratio(name + suffix, t, ours[t], ONETBB[t], limit, stretch=wish), goal, stretch)]


def fib():
    work = {t: tactus(t, "work_first") for t in (1, 2)}
    help_ = {t: tactus(t, "help_first") for t in (1, 2)}
    rows = [
        Ratio("fib: work_first / serial call", 1, work[1], (SERIAL,), 9),
        Ratio("fib: work_first / serial call, stretch", 1, work[1], (SERIAL,), 6, stretch=True),
        *_against_onetbb("fib: work_first / oneTBB", work, 0.25, 0.20),
        Ratio("fib: work_first / libgomp", 1, work[1], (LIBGOMP[1],), 0.33),
        Ratio("fib: work_first T1/T2", 2, work[1], (work[2],), 1.85, at_most=False),
        *_against_onetbb("fib: help_first / oneTBB", help_, 0.25, 0.15),
        *adaptive_rows("fib"),
        *other_languages("fib: work_first", work[2]),
    ]
    yield work_sharing("fib", "fib(25)", "call", 25, 3)
    yield Group("fib", "fib(32), no cutoff", "fib", "call", [*everybody(), RAYON, JAVA], rows, ("--size", "32"), seconds=64)
    for threshold in (5, 10, 15, 20):
        name = f"fib, threshold {threshold}"
        rows = [
            Ratio(f"{name}: help_first / work_first", 2, help_[2], (work[2],)),
            Ratio(f"{name}: work_first / oneTBB", 2, work[2], ONETBB[2]),
        ]
        yield Group("fib", f"fib(35), threshold {threshold} (work-stealing.txt, figure 12)", "fib", "call",
                    [SERIAL, *all_policies(2), *ONETBB[2], LIBGOMP[2]], rows,
                    ("--size", "35", "--threshold", str(threshold)), seconds={5: 28}.get(threshold, 8))


def flat():
    help_ = {t: tactus(t, "help_first") for t in (1, 2)}
    rows = [
        Ratio("flat: help_first / oneTBB", 1, help_[1], ONETBB[1], 0.45),
        Ratio("flat: help_first / oneTBB, stretch", 1, help_[1], ONETBB[1], 0.2, stretch=True),
        Ratio("flat: help_first / oneTBB", 2, help_[2], ONETBB[2], 0.20),
        Ratio("flat: help_first T2 / own T1", 2, help_[2], (help_[1],), 1.5),
        *(Ratio("flat: batched / oneTBB", t, BATCHED[t], ONETBB[t]) for t in (1, 2)),
        *batched_rows("flat"),
        *adaptive_rows("flat"),
    ]
    yield work_sharing("flat", "200,000 tasks", "task", 200_000, 3)
    rows += [Ratio("flat: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
             *other_languages("flat: adaptive", tactus(2))]
    yield Group("flat", "1,000,000 tasks in one finish", "flat", "task",
                [*everybody(), *BATCHED.values(), *STD_POOL.values(), RAYON, JAVA], rows, ("--size", "1000000"), seconds=32)


def escaping_tree():
    rows = [
        Ratio("tree: adaptive / oneTBB", 1, tactus(1), ONETBB[1], 0.50),
        *(row for form, ours in (("adaptive", tactus(2)), ("batched", BATCHED[2])) for row in goal_and_stretch(
            lambda suffix, limit, wish, form=form, ours=ours: Ratio(f"tree: {form} / oneTBB{suffix}", 2, ours, ONETBB[2],
                                                                    limit, stretch=wish), 0.30, 0.18)),
        Ratio("tree: batched / oneTBB", 1, BATCHED[1], ONETBB[1]),
        *batched_rows("tree"),
        Ratio("tree: adaptive T1/T2", 2, tactus(1), (tactus(2),), 1.6, at_most=False),
        *adaptive_rows("tree"),
        Ratio("tree: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
        *other_languages("tree: adaptive", tactus(2)),
    ]
    yield work_sharing("escaping_tree", "escaping tree of 262,143 nodes", "node", (1 << 18) - 1, 3)
    yield Group("escaping_tree", "escaping tree of 4,194,303 nodes, one finish at the root", "escaping_tree", "node",
                [*everybody(), *BATCHED.values(), *STD_POOL.values(), RAYON, JAVA], rows,
                ("--size", str((1 << 22) - 1)), seconds=53)


def _tree_search(problem, title, unit, size, seconds, goals=(), others=()):
    """Trees whose nodes are tasks that nobody waits for but the root."""
    libomp = {t: Member("libomp", t) for t in (1, 2)}
    rivals = [m for t in (1, 2) for m in (*ONETBB[t], LIBGOMP[t], libomp[t], STD_POOL[t])]
    limits = dict(goals)
    rows = [
        Ratio(f"{title}: adaptive / serial call", 1, tactus(1), (SERIAL,)),
        Ratio(f"{title}: adaptive / oneTBB", 2, tactus(2), ONETBB[2], limits.get("onetbb")),
        Ratio(f"{title}: adaptive / libomp", 2, tactus(2), (libomp[2],), limits.get("libomp")),
        Ratio(f"{title}: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
        Ratio(f"{title}: adaptive T1/T2", 2, tactus(1), (tactus(2),), at_most=False),
        *adaptive_rows(title),
        Ratio(f"{title}: work_sharing / adaptive", 2, tactus(2, "work_sharing"), (tactus(2),), 1.0, at_most=False),
        *other_languages(f"{title}: adaptive", tactus(2), others),
    ]
    members = [SERIAL, *(m for t in (1, 2) for m in all_policies(t)), tactus(2, "work_sharing"), *rivals, *others]
    return Group(problem, title, problem, unit, members, rows, size, seconds=seconds)


def uts(full):
    yield _tree_search("uts", "UTS, shape of T3, cheap random numbers", "node", ("--shape", "mixed"), 45,
                       goals=(("onetbb", 0.25), ("libomp", 0.10)))
    for shape in ("T1", "T3", *(("T2", "T4", "T5", "T1L", "T2L", "T3L") if full else ())):
        yield _tree_search("uts", f"UTS {shape}", "node", ("--shape", shape), 440 if shape.endswith("L") else 100)


def nqueens(full):
    for n in (12, *((13,) if full else ())):
        yield _tree_search("nqueens", f"{n} queens", "task", ("--size", str(n)), 34 if n == 12 else 165, others=(RAYON,))


def _edges_per_second(name, members):
    """In the unit of figure 13."""
    return [MedianOf(f"{name}: million edges a second, {m.label.rpartition(' @')[0]}", m.threads, m,
                     lambda line: line["edges_per_second"] / 1e6, "M/s") for m in members]


def spanning_tree(full):
    policies = [m for t in (1, 2) for m in all_policies(t)]
    rows = [*adaptive_rows("span 50 K"), *_edges_per_second("span 50 K", [SERIAL, *policies])]
    yield Group("spanning_tree", "random graph, 50,000 vertices, 200,000 edges", "spanning_tree", "vertex",
                everybody(DEBIANS_ONETBB), rows, ("--size", "50000"), seconds=20)
    yield work_sharing("spanning_tree", "random graph, 50,000 vertices", "vertex", 50_000, 5)
    peak = "peak_bytes_per_vertex"
    rows = [
        *(Completes(f"span 1 M: {policy}", t, tactus(t, policy)) for t in (1, 2) for policy in POLICIES),
        Ratio("span 1 M: adaptive / oneTBB", 1, tactus(1), ONETBB[1]),
        Ratio("span 1 M: adaptive / oneTBB", 2, tactus(2), ONETBB[2], 0.75),
        *(Figure("span 1 M: peak memory per vertex, adaptive", t, tactus(t), peak, "B", 130) for t in (1, 2)),
        *(Ratio("span 1 M: batched / oneTBB", t, BATCHED[t], ONETBB[t]) for t in (1, 2)),
        *batched_rows("span 1 M"),
        *adaptive_rows("span 1 M"),
        *_edges_per_second("span 1 M", [SERIAL, *policies, *BATCHED.values(), *ONETBB[1], *ONETBB[2]]),
    ]
    yield Group("spanning_tree", "random graph, 1,000,000 vertices, 4,000,000 edges", "spanning_tree", "vertex",
                [*everybody(), *BATCHED.values()], rows, ("--size", "1000000"), seconds=130, timeout=120, sparing=True)
    if not full:
        return
    members = [SERIAL, *(m for t in (1, 2) for m in (tactus(t), tactus(t, "help_first"), *ONETBB[t]))]
    rows = [
        *_edges_per_second("span 9 M", members),
        *(Completes(f"span 9 M: {policy}", t, tactus(t, policy)) for t in (1, 2) for policy in ("adaptive", "help_first")),
        *(Figure("span 9 M: peak memory per vertex, adaptive", t, tactus(t), peak, "B", 130) for t in (1, 2)),
        *(Ratio("span 9 M: adaptive / oneTBB", t, tactus(t), ONETBB[t]) for t in (1, 2)),
        *(Ratio("span 9 M: adaptive / help_first", t, tactus(t), (tactus(t, "help_first"),), 1.15) for t in (1, 2)),
    ]
    yield Group("spanning_tree", "random graph, 9,000,000 vertices, 36,000,000 edges", "spanning_tree", "vertex",
                members, rows, ("--size", "9000000"), seconds=900, timeout=600)
    over = [tactus(t, "work_first") for t in (1, 2)]
    yield Group("spanning_tree", "the same, more live stacks than memory", "spanning_tree", "vertex", over,
                [Refuses("span 9 M: work_first", m.threads, m) for m in over], ("--size", "9000000"), seconds=120,
                timeout=900, alone=True)
