# SPDX-License-Identifier: Apache-2.0
"""What is measured, and the figures to reach. Everything the runner knows about single problems stands here."""

from runner.goals import (Above, Completes, Difference, Figure, GeometricMean, MeanOfRows, OnlyWhile, Overhead, Ratio,
                          Refuses, Time, Within)
from runner.members import POLICIES, Group, Member, all_policies, tactus

MIB = 1 << 20
GIB = 1 << 30

SERIAL = Member("serial", 1)
ONETBB = {t: Member("onetbb", t) for t in (1, 2)}
LIBGOMP = {t: Member("libgomp", t) for t in (1, 2)}
BOOST_FIBER = {t: Member("boost_fiber", t) for t in (1, 2)}
STD_POOL = {t: Member("std_pool", t) for t in (1, 2)}
RAYON, JAVA = Member("rayon", 2), Member("java", 2)  # built where there is a compiler (bench/rivals)

# Sections that run only when named, or with --full, and why.
BY_NAME_ONLY = {
    **dict.fromkeys(("uts", "nqueens", "stack_limit", "jgf_series", "jgf_lufact", "jgf_sor", "jgf_crypt", "jgf_sparse",
                     "nas_mg", "jgf_moldyn", "jgf_raytracer", "jgf_montecarlo"),
                    "the default set has no time left below its cap"),
}


def _adaptive_rows(name):
    return [Ratio(f"{name}: adaptive / better fixed policy", t, tactus(t),
                  (tactus(t, "work_first"), tactus(t, "help_first")), 1.15) for t in (1, 2)]


def _everybody():
    return [SERIAL, *(m for t in (1, 2) for m in (*all_policies(t), ONETBB[t], LIBGOMP[t]))]


def _other_languages(name, ours, rivals=(RAYON, JAVA)):
    return [Ratio(f"{name} / {called}", 2, ours, (rival,))
            for rival, called in ((RAYON, "Rayon"), (JAVA, "Java's ForkJoinPool")) if rival in rivals]


def _work_sharing(problem, title, unit, size, seconds):
    """What work-stealing.txt compares with: one queue of all workers. Apart, and smaller: it is slow."""
    shared = {t: tactus(t, "work_sharing") for t in (1, 2)}
    rows = [Ratio(f"{title}: work_sharing / adaptive", t, shared[t], (tactus(t),), 1.0, at_most=False) for t in (1, 2)]
    return Group(problem, f"{title}, against one queue of all workers", problem, unit,
                 [m for t in (1, 2) for m in (tactus(t), shared[t])], rows, ("--size", str(size)), seconds=seconds)


def fib():
    work = {t: tactus(t, "work_first") for t in (1, 2)}
    help_ = {t: tactus(t, "help_first") for t in (1, 2)}
    rows = [
        Ratio("fib: work_first / serial call", 1, work[1], (SERIAL,), 9),
        Ratio("fib: work_first / serial call, stretch", 1, work[1], (SERIAL,), 6, stretch=True),
        Ratio("fib: work_first / oneTBB", 1, work[1], (ONETBB[1],), 0.20),
        Ratio("fib: work_first / libgomp", 1, work[1], (LIBGOMP[1],), 0.33),
        Ratio("fib: work_first T1/T2", 2, work[1], (work[2],), 1.85, at_most=False),
        Ratio("fib: work_first / oneTBB", 2, work[2], (ONETBB[2],), 0.20),
        Ratio("fib: help_first / oneTBB", 1, help_[1], (ONETBB[1],), 0.15),
        Ratio("fib: help_first / oneTBB", 2, help_[2], (ONETBB[2],), 0.15),
        *_adaptive_rows("fib"),
        *_other_languages("fib: work_first", work[2]),
    ]
    yield _work_sharing("fib", "fib(25)", "call", 25, 3)
    yield Group("fib", "fib(32), no cutoff", "fib", "call", [*_everybody(), RAYON, JAVA], rows, ("--size", "32"), seconds=60)
    for threshold in (5, 10, 15, 20):
        name = f"fib, threshold {threshold}"
        rows = [
            Ratio(f"{name}: help_first / work_first", 2, help_[2], (work[2],)),
            Ratio(f"{name}: work_first / oneTBB", 2, work[2], (ONETBB[2],)),
        ]
        yield Group("fib", f"fib(35), threshold {threshold} (work-stealing.txt, figure 12)", "fib", "call",
                    [SERIAL, *all_policies(2), ONETBB[2], LIBGOMP[2]], rows,
                    ("--size", "35", "--threshold", str(threshold)), seconds={5: 25}.get(threshold, 7))


def flat():
    help_ = {t: tactus(t, "help_first") for t in (1, 2)}
    rows = [
        Ratio("flat: help_first / oneTBB", 1, help_[1], (ONETBB[1],), 0.45),
        Ratio("flat: help_first / oneTBB, stretch", 1, help_[1], (ONETBB[1],), 0.2, stretch=True),
        Ratio("flat: help_first / oneTBB", 2, help_[2], (ONETBB[2],), 0.20),
        Ratio("flat: help_first T2 / own T1", 2, help_[2], (help_[1],), 1.5),
        *_adaptive_rows("flat"),
    ]
    yield _work_sharing("flat", "200,000 tasks", "task", 200_000, 3)
    rows += [Ratio("flat: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
             *_other_languages("flat: adaptive", tactus(2))]
    yield Group("flat", "1,000,000 tasks in one finish", "flat", "task", [*_everybody(), *STD_POOL.values(), RAYON, JAVA], rows,
                ("--size", "1000000"), seconds=24)


def escaping_tree():
    rows = [
        Ratio("tree: adaptive / oneTBB", 1, tactus(1), (ONETBB[1],), 0.50),
        Ratio("tree: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],), 0.18),
        Ratio("tree: adaptive T1/T2", 2, tactus(1), (tactus(2),), 1.6, at_most=False),
        *_adaptive_rows("tree"),
        Ratio("tree: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
        *_other_languages("tree: adaptive", tactus(2)),
    ]
    yield _work_sharing("escaping_tree", "escaping tree of 262,143 nodes", "node", (1 << 18) - 1, 3)
    yield Group("escaping_tree", "escaping tree of 4,194,303 nodes, one finish at the root", "escaping_tree", "node",
                [*_everybody(), *STD_POOL.values(), RAYON, JAVA], rows, ("--size", str((1 << 22) - 1)), seconds=45)


def _tree_search(problem, title, unit, size, seconds, goals=(), others=()):
    """Trees whose nodes are tasks that nobody waits for but the root."""
    libomp = {t: Member("libomp", t) for t in (1, 2)}
    rivals = [rival[t] for rival in (ONETBB, LIBGOMP, libomp, STD_POOL) for t in (1, 2)]
    limits = dict(goals)
    rows = [
        Ratio(f"{title}: adaptive / serial call", 1, tactus(1), (SERIAL,)),
        Ratio(f"{title}: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],), limits.get("onetbb")),
        Ratio(f"{title}: adaptive / libomp", 2, tactus(2), (libomp[2],), limits.get("libomp")),
        Ratio(f"{title}: adaptive / std::thread pool", 2, tactus(2), (STD_POOL[2],)),
        Ratio(f"{title}: adaptive T1/T2", 2, tactus(1), (tactus(2),), at_most=False),
        *_adaptive_rows(title),
        Ratio(f"{title}: work_sharing / adaptive", 2, tactus(2, "work_sharing"), (tactus(2),), 1.0, at_most=False),
        *_other_languages(f"{title}: adaptive", tactus(2), others),
    ]
    members = [SERIAL, *(m for t in (1, 2) for m in all_policies(t)), tactus(2, "work_sharing"), *rivals, *others]
    return Group(problem, title, problem, unit, members, rows, size, seconds=seconds)


def uts(full):
    yield _tree_search("uts", "UTS, shape of T3, cheap random numbers", "node", ("--shape", "mixed"), 40,
                       goals=(("onetbb", 0.25), ("libomp", 0.10)))
    for shape in ("T1", "T3", *(("T2", "T4", "T5", "T1L", "T2L", "T3L") if full else ())):
        yield _tree_search("uts", f"UTS {shape}", "node", ("--shape", shape), 400 if shape.endswith("L") else 90)


def nqueens(full):
    for n in (12, *((13,) if full else ())):
        yield _tree_search("nqueens", f"{n} queens", "task", ("--size", str(n)), 30 if n == 12 else 150, others=(RAYON,))


def spanning_tree(full):
    yield Group("spanning_tree", "random graph, 50,000 vertices, 200,000 edges", "spanning_tree", "vertex",
                _everybody(), _adaptive_rows("span 50 K"), ("--size", "50000"), seconds=20)
    yield _work_sharing("spanning_tree", "random graph, 50,000 vertices", "vertex", 50_000, 5)
    peak = "peak_bytes_per_vertex"
    rows = [
        *(Completes(f"span 1 M: {policy}", t, tactus(t, policy)) for t in (1, 2) for policy in POLICIES),
        Ratio("span 1 M: adaptive / oneTBB", 1, tactus(1), (ONETBB[1],)),
        Ratio("span 1 M: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],), 0.75),
        *(Figure("span 1 M: peak memory per vertex, adaptive", t, tactus(t), peak, "B", 130) for t in (1, 2)),
        *_adaptive_rows("span 1 M"),
    ]
    yield Group("spanning_tree", "random graph, 1,000,000 vertices, 4,000,000 edges", "spanning_tree", "vertex",
                _everybody(), rows, ("--size", "1000000"), seconds=190, timeout=120)
    if not full:
        return
    members = [SERIAL, *(m for t in (1, 2) for m in (tactus(t), tactus(t, "help_first"), ONETBB[t]))]
    rows = [
        *(Completes(f"span 9 M: {policy}", t, tactus(t, policy)) for t in (1, 2) for policy in ("adaptive", "help_first")),
        *(Figure("span 9 M: peak memory per vertex, adaptive", t, tactus(t), peak, "B", 130) for t in (1, 2)),
        *(Ratio("span 9 M: adaptive / oneTBB", t, tactus(t), (ONETBB[t],)) for t in (1, 2)),
        *(Ratio("span 9 M: adaptive / help_first", t, tactus(t), (tactus(t, "help_first"),), 1.15) for t in (1, 2)),
    ]
    yield Group("spanning_tree", "random graph, 9,000,000 vertices, 36,000,000 edges", "spanning_tree", "vertex",
                members, rows, ("--size", "9000000"), seconds=900, timeout=600)
    over = [tactus(t, "work_first") for t in (1, 2)]
    yield Group("spanning_tree", "the same, more live stacks than memory", "spanning_tree", "vertex", over,
                [Refuses("span 9 M: work_first", m.threads, m) for m in over], ("--size", "9000000"), seconds=120,
                timeout=900, alone=True)


def census(full):
    members = [*(m for t in (1, 2) for m in (*all_policies(t), BOOST_FIBER[t]))]
    rows = [Ratio("census: adaptive / Boost.Fiber", t, tactus(t), (BOOST_FIBER[t],)) for t in (1, 2)]
    yield Group("census", "100,000 tasks created, suspended, resumed", "census", "task", members, rows,
                ("--size", "100000"), sparing=True, seconds=45)
    per_task = "bytes_per_suspended"
    members = [*all_policies(1), *all_policies(2)]
    rows = [
        *(Figure(f"memory per suspended task, {m.policy}", m.threads, m, per_task, "B", 4600) for m in members),
        Figure("memory per suspended fiber, Boost.Fiber", 2, BOOST_FIBER[2], per_task, "B"),
    ]
    yield Group("census", "memory of 100,000 suspended tasks", "census", "task", [*members, BOOST_FIBER[2]], rows,
                ("--size", "100000"), seconds=6, alone=True)
    if full:
        rows = [Figure(f"1,000,000 suspended tasks, peak, {m.policy}", m.threads, m, "peak_rss_delta", "B", 8 * GIB)
                for m in members]
        yield Group("census", "memory of 1,000,000 suspended tasks, default kernel limits", "census", "task", members,
                    rows, ("--size", "1000000"), seconds=60, timeout=300, alone=True)


def memory():
    queued = tactus(1, "help_first", "--shape", "queued")
    queued_onetbb = Member("onetbb", 1, None, ("--shape", "queued"))
    steady = [tactus(2, policy, "--shape", "steady") for policy in POLICIES]
    steady_onetbb = Member("onetbb", 2, None, ("--shape", "steady"))

    def growth(line):
        after = line["resident_after"]
        return after[-1] / after[0]

    rows = [
        Figure("memory per queued task, help_first", 1, queued, "bytes_per_queued", "B", 80),
        Figure("memory per queued task, tasks begun too early", 1, queued, "started_early", "tasks", 0),
        Figure("memory per queued task, oneTBB", 1, queued_onetbb, "bytes_per_queued", "B"),
        *(Figure(f"memory after 10 equal finishes / after 1, {m.policy}", 2, m, growth, "x", 1.05) for m in steady),
        Figure("memory after 10 equal finishes / after 1, oneTBB", 2, steady_onetbb, growth, "x"),
    ]
    yield Group("memory", "1,000,000 tasks queued; 10 equal finishes", "memory", "task",
                [queued, queued_onetbb, *steady, steady_onetbb], rows, ("--size", "1000000"), seconds=12, alone=True)

    stacks = [tactus(t, "work_first") for t in (1, 2)]
    rows = [Figure("live tasks / (workers x serial depth), work_first", m.threads, m,
                   lambda line: line["peak_live"] / line["allowed_live"], "x", 1) for m in stacks]
    yield Group("memory", "live stacks of a recursion of depth 20", "live_stacks", "task", stacks, rows, ("--size", "20"),
                seconds=3, alone=True, repetitions=5)


def stack_limit():
    """work-stealing.txt, section 5: the largest graph under work_first against the memory that stacks may take."""
    sizes = (8, 16, 32, 64, 128, 256)
    limited = {m: tactus(2, "work_first", "--size", str(m)) for m in sizes}
    free = {p: tactus(2, p, "--size", str(sizes[0])) for p in ("help_first", "adaptive")}
    rows = [*(Figure(f"largest graph within {m} MiB, work_first", 2, member, "largest_graph", "vertices")
              for m, member in limited.items()),
            *(Figure(f"largest graph within {sizes[0]} MiB, {p}", 2, member, "largest_graph", "vertices")
              for p, member in free.items())]
    yield Group("stack_limit", "the largest random graph whose spanning tree fits into memory", "stack_limit", "vertex",
                [*limited.values(), *free.values()], rows, ("--min-ms", "0"), seconds=16, alone=True)


def idle(full):
    parked = [tactus(t, "adaptive", "--shape", "parked") for t in (1, 2)]
    waiting = [tactus(t, "adaptive", "--shape", "waiting") for t in (1, 2)]
    rivals = [Member(c, 2, None, ("--shape", "parked")) for c in ("onetbb", "libgomp")] if full else []
    rows = [
        *(Figure("processor time of 10 s between runs", m.threads, m, "cpu_seconds", "s", 0.01) for m in parked),
        *(Figure("processor time of 10 s in a run that waits", m.threads, m, "cpu_seconds", "s", 0.01) for m in waiting),
        *(Figure(f"processor time of 10 s between runs, {m.competitor}", 2, m, "cpu_seconds", "s") for m in rivals),
    ]
    yield Group("idle", "a pool with nothing to do for 10 s", "idle", "watch", [*parked, *waiting, *rivals], rows,
                ("--seconds", "10"), seconds=40 + 10 * len(rivals), alone=True)
    many = tactus(8)
    rows = [Ratio("tree: throughput with 8 workers / with 2", 8, tactus(2), (many,), 0.9, at_most=False)]
    yield Group("idle", "escaping tree with more workers than cores", "escaping_tree", "node", [tactus(2), many], rows,
                ("--size", str((1 << 22) - 1)), seconds=4)


def growth(full):
    n = 10**8 if full else 10**7
    members = [tactus(t, "adaptive", "--shape", shape) for t in (1, 2)
               for shape in ("flat", "chain", "binary", "recursion", "trees")]
    rows = [Figure(f"adaptive, growth over 10^{len(str(n)) - 1} tasks: {m.arguments[1]}", m.threads, m,
                   lambda line: line["peak_rss_delta"] / MIB, "MiB", 64) for m in members]
    yield Group("growth", f"{n:,} tasks in five shapes under adaptive", "growth", "task", members, rows,
                ("--size", str(n)), seconds=n * 10 * 30e-9, timeout=600, alone=True)


def timeline():
    kept, none = (tactus(2, "adaptive", "--shape", shape) for shape in ("on", "off"))
    for ns, limit in ((10_000, 1.05), (1_000, None)):
        yield Group("timeline", f"tasks of {ns / 1000:g} us with a timeline and without", "timeline", "task", [kept, none],
                    [Ratio(f"tasks of {ns / 1000:g} us: with a timeline / without", 2, kept, (none,), limit)],
                    ("--body-ns", str(ns)), seconds=2)


def _goal_and_stretch(make, goal, stretch):
    """Two rows of one measure: make(suffix of its name, limit, whether it is a wish)."""
    return [make("", goal, False), make(", stretch", stretch, True)]


def _shape(competitor, threads, shape):
    return Member(competitor, threads, None, ("--shape", shape))


CLOCK = {t: tactus(t, "adaptive", "--shape", "clock") for t in (1, 2)}
CLOCK_HINTS = [tactus(2, "adaptive", "--shape", f"clock_{hint}") for hint in ("eager", "lazy")]
FINISH_PER_PHASE = tactus(2, "adaptive", "--shape", "finish")
LOCKSTEP = tactus(2, "adaptive", "--shape", "lockstep")
STD_BARRIER = Member("std_barrier", 2)
TASK_GROUP, GRAIN_1, AUTOMATIC = (_shape("onetbb", 2, s) for s in ("task_group", "grain_1", "automatic"))
OPENMP_STATIC = tuple(_shape(c, 2, "static") for c in ("libgomp", "libomp"))
OPENMP_BARRIER = tuple(_shape(c, 2, "barrier") for c in ("libgomp", "libomp"))


def _clock_against_rivals(n, name):
    """Rows of one size. The goals hold for the default hint; two workers unless the row says one."""
    clock = CLOCK[2]

    def against(whom, ours, theirs, goal, stretch):
        return _goal_and_stretch(
            lambda suffix, limit, wish: Ratio(f"{name}: {whom}{suffix}", ours.threads, ours, theirs, limit, stretch=wish),
            goal, stretch)

    rows = []
    if n == 2:
        rows += against("clock / OpenMP barrier", clock, OPENMP_BARRIER, 1.3, 1.0)
    if n in (64, 512, 4096):
        rows += against("clock / oneTBB task_group per phase", clock, (TASK_GROUP,), 0.3, 0.1)
        finish = f"{name}: own finish per phase / oneTBB task_group"
        rows.append(Ratio(finish, 2, FINISH_PER_PHASE, (TASK_GROUP,)))
        good_finish = Ratio(finish, 2, FINISH_PER_PHASE, (TASK_GROUP,), 0.5)
        rows += [OnlyWhile(row, (good_finish,)) for row in
                 against("clock / own finish per phase", clock, (FINISH_PER_PHASE,), 0.8, 0.5)]
    if n in (64, 512):
        rows += against("clock / std::barrier on threads", clock, (STD_BARRIER,), *{64: (0.03, 0.01), 512: (0.01, 0.005)}[n])
        rows.append(Ratio(f"{name}: clock / Java's Phaser on threads", 2, clock, (JAVA,)))
    if n >= 64:
        rows += against("clock / Boost.Fiber barrier", CLOCK[1], (BOOST_FIBER[1],), 0.2, 0.1)
        rows += against("clock / Boost.Fiber barrier", clock, (BOOST_FIBER[2],), 0.05, 0.02)
    if n in (512, 65536):
        rows += _goal_and_stretch(
            lambda suffix, limit, wish: Time(f"{name}: clock, sanity{suffix}", 2, clock, limit, stretch=wish),
            *{512: (20, 10), 65536: (40, 12)}[n])
        rows += against("lockstep / OpenMP static", LOCKSTEP, OPENMP_STATIC, 1.5, 1.1)
    if n >= 512:
        # A slow clock gains from a second worker easily. Where there is no sanity figure, the larger size's holds.
        sane = Time(f"{name}: clock, sanity", 2, clock, 20 if n == 512 else 40)
        rows += [OnlyWhile(row, (sane,)) for row in _goal_and_stretch(
            lambda suffix, limit, wish: Ratio(f"{name}: clock T1/T2{suffix}", 2, CLOCK[1], (clock,), limit,
                                              at_most=False, stretch=wish), 1.4, 1.8)]
    rows.append(Ratio(f"{name}: clock automatic / better of eager and lazy", 2, clock, tuple(CLOCK_HINTS)))
    return rows


def lockstep(full):
    unit = "task-phase"
    forking = [FINISH_PER_PHASE, LOCKSTEP, TASK_GROUP, GRAIN_1, AUTOMATIC, *OPENMP_STATIC]
    waiting = [CLOCK[1], CLOCK[2], *CLOCK_HINTS, BOOST_FIBER[1], BOOST_FIBER[2]]
    for n, seconds in {2: 14, 8: 12, 64: 16, 512: 18, 4096: 14, 65536: 75}.items():
        members = [*waiting, *forking, *([STD_BARRIER] if n <= 512 else []), *([JAVA] if n in (64, 512) else []),
                   *(OPENMP_BARRIER if n == 2 else [])]
        yield Group("lockstep", f"{n:,} tasks in lock step, one increment in each phase", "lockstep", unit, members,
                    _clock_against_rivals(n, f"lockstep {n}"), ("--size", str(n)), seconds=seconds)
    yield Group("lockstep", "1,000,000 tasks in lock step, without stacks or forked anew", "lockstep", unit, forking,
                [Ratio("lockstep 1000000: lockstep / OpenMP static", 2, LOCKSTEP, OPENMP_STATIC)],
                ("--size", "1000000"), seconds=30)

    small, large = (tactus(1, "adaptive", "--shape", "clock", "--size", n) for n in ("64", "65536"))
    rows = _goal_and_stretch(
        lambda suffix, limit, wish: Ratio(f"clock: 65,536 tasks / 64{suffix}", 1, large, (small,), limit, stretch=wish), 4, 3)
    yield Group("lockstep", "growth of the cost per task and phase", "lockstep", unit, [small, large], rows, seconds=8)

    for n in (512, 4096):
        rows = _goal_and_stretch(
            lambda suffix, limit, wish: Ratio(f"body of 0.5 us, {n} tasks: clock / OpenMP static{suffix}", 2, CLOCK[2],
                                              OPENMP_STATIC, limit, stretch=wish), 1.15, 1.08)
        yield Group("lockstep", f"{n:,} tasks in lock step, 0.5 us of work in each phase", "lockstep", unit,
                    [CLOCK[2], LOCKSTEP, *OPENMP_STATIC], rows, ("--size", str(n), "--body-ns", "500"), seconds=6)

    yield from _many_clocked_tasks(full)


def _many_clocked_tasks(full):
    def peak_per_task(line):
        return line["peak_rss_delta"] / line["size"]

    n = "1000000"
    ours = {t: tactus(t, "adaptive") for t in (1, 2)}
    rows = [
        Figure("1,000,000 clocked tasks, three phases: peak memory", 2, ours[2],
               lambda line: line["peak_rss_delta"] / GIB, "GiB", 8),
        Figure("1,000,000 clocked tasks: peak memory of each, stretch", 2, ours[2], peak_per_task, "B", 5300, stretch=True),
        *_goal_and_stretch(lambda suffix, limit, wish: Figure(
            f"1,000,000 clocked tasks: creation and first phase{suffix}", 2, ours[2], "first_phase_seconds", "s", limit,
            stretch=wish), 4.7, 2.5),
        Time("1,000,000 clocked tasks: second and third phase", 2, ours[2]),
        Figure("1,000,000 clocked tasks: peak memory of each", 1, ours[1], peak_per_task, "B"),
        Figure("1,000,000 clocked tasks: creation and first phase", 1, ours[1], "first_phase_seconds", "s"),
        Time("1,000,000 clocked tasks: second and third phase", 1, ours[1]),
    ]
    rivals = [BOOST_FIBER[1]] if full else []  # takes 9 GB and half a minute
    for rival in rivals:
        rows += [Figure("1,000,000 Boost fibers: peak memory of each", 1, rival, peak_per_task, "B"),
                 Figure("1,000,000 Boost fibers: creation and first phase", 1, rival, "first_phase_seconds", "s")]
    yield Group("lockstep", "1,000,000 clocked tasks, three phases", "lockstep", "task-phase",
                [*ours.values(), *rivals], rows, ("--shape", "million", "--size", n, "--min-ms", "0"),
                seconds=16 + 40 * len(rivals), timeout=120, alone=True)
    rows = []
    for t, member in ours.items():
        rows += [Figure("100,000 clocked tasks wait: memory", t, member, lambda line: line["waiting_bytes"] / 1e6, "MB", 1000),
                 Figure("100,000 clocked tasks wait: threads", t, member, "waiting_threads", "threads", t + 2)]
    yield Group("lockstep", "100,000 clocked tasks while they wait", "lockstep", "task-phase", [*ours.values()], rows,
                ("--shape", "waiting", "--size", "100000", "--min-ms", "0"), seconds=3, alone=True)


PAPER_STRATEGIES = ("eager", "eager_with_delay", "dynamic_lazy", "fixed_lazy")  # of phaser-accumulators.txt, section 4
FIXED_STRATEGIES = (*PAPER_STRATEGIES, "tree", "per_worker")
# And X10's way without accumulators: an atomic block that adds, and a barrier.
STRATEGIES = ("automatic", *FIXED_STRATEGIES, "atomic")
# What send, next and result may take above next alone, in ns per task and phase: goal and stretch.
ACCUMULATOR_NS = {"automatic": (4, 2), "per_worker": (4, 2), "fixed_lazy": (10, 6), "dynamic_lazy": (10, 6), "tree": (10, 6)}


def _accumulating(workers, strategy="automatic", *arguments):
    return tactus(workers, "adaptive", "--strategy", strategy, *arguments)


def _without_delay(strategies, full):
    """Where nobody delays, eager_with_delay is of interest only with --full."""
    return tuple(s for s in strategies if full or s != "eager_with_delay")


def syncbench(full):
    """phaser-accumulators.txt, section 5.1. OpenMP has a thread for each task, as there."""
    for n in (2, 8, 64, 512):
        yield _accumulators_above_next(n, full)
    for load, sizes in (("balanced", (1, 2, 4, 8) if full else (2, 4)), ("unbalanced", (1, 2, 4, 8) if full else ())):
        for n in sizes:
            yield _figures_8_to_10(n, load)


def _accumulators_above_next(n, full):
    bare, clock = _accumulating(2, "none"), _accumulating(2, "none", "--construct", "clock")
    fixed = _without_delay(FIXED_STRATEGIES, full)
    sums = {s: _accumulating(2, s) for s in ("automatic", *fixed)}
    name = f"accumulator, {n} tasks"
    rows = []
    for strategy, member in sums.items():
        measure = f"{name}: send, next and result, {strategy}, above next"
        if strategy in ACCUMULATOR_NS:
            rows += _goal_and_stretch(lambda suffix, limit, wish, m=member: Difference(
                measure + suffix, 2, m, bare, limit, stretch=wish), *ACCUMULATOR_NS[strategy])
        else:
            rows.append(Difference(measure, 2, member, bare))
    rows += [
        Ratio(f"{name}: automatic / best fixed strategy", 2, sums["automatic"], tuple(sums[s] for s in fixed), 1.2),
        Ratio(f"{n} tasks: phaser next / clock advance", 2, bare, (clock,), 1.05),
    ]
    return Group("syncbench", f"{n} tasks add up in each phase, no delay", "syncbench", "task-phase",
                 [bare, clock, *sums.values()], rows, ("--tasks", str(n), "--delay", "0"), seconds=7)


def _figures_8_to_10(n, load):
    workers = min(n, 2)
    delay = Member("serial", workers)
    sums = {s: _accumulating(workers, s) for s in ("automatic", *FIXED_STRATEGIES)}
    ours = sums["automatic"]
    atomic = Member("xrx", workers, None, ("--scheme", "baseline"))
    reduce_ = Member("onetbb", workers)
    openmp = {shape: tuple(_shape(c, n, shape) for c in ("libgomp", "libomp")) for shape in ("for", "parallel", "atomic")}
    reductions = (*openmp["for"], *openmp["parallel"])
    name = f"syncbench, {load}, {n} tasks"
    rows = [Difference(f"{name}: overhead of a reduction, {m.label}", m.threads, m, delay, times=n)
            for m in (*sums.values(), *reductions, *openmp["atomic"], reduce_, atomic)]
    against_openmp = f"{name}: overhead, automatic / better OpenMP reduction"
    goal = {2: (1.0, 0.5), 4: (0.25, 0.1)}.get(n) if load == "balanced" else None
    if goal:
        rows += _goal_and_stretch(lambda suffix, limit, wish: Overhead(
            against_openmp + suffix, workers, ours, reductions, delay, limit, stretch=wish), *goal)
    else:
        rows.append(Overhead(against_openmp, workers, ours, reductions, delay))
    fixed = tuple(sums[s] for s in FIXED_STRATEGIES)
    rows += [
        Overhead(f"{name}: overhead, automatic / OpenMP atomic and barrier", workers, ours, openmp["atomic"], delay),
        Overhead(f"{name}: overhead, automatic / oneTBB parallel_reduce", workers, ours, (reduce_,), delay),
        # With the delays in it, which is to our disadvantage.
        Ratio(f"{name}: X10 model atomic / best strategy", workers, atomic, (ours, *fixed),
              16.5 if (n, load) == (4, "balanced") else None, at_most=False),
        Ratio(f"{name}: automatic / best fixed strategy", workers, ours, fixed, 1.2 if n > 1 else None),
    ]
    members = [delay, *sums.values(), *reductions, *openmp["atomic"], reduce_, atomic]
    return Group("syncbench", f"reductions by {n} tasks, {load} (phaser-accumulators.txt, figures 8 to 10)", "syncbench",
                 "task-phase", members, rows, ("--tasks", str(n), "--load", load), seconds=13)


def stencil_p2p(full):
    """phaser-accumulators.txt, figures 2 and 4, and a wavefront, for what point-to-point phasers save."""
    ours = {form: tactus(2, "adaptive", "--form", form) for form in ("p2p", "barrier", "clock")}
    rivals = {form: tuple(Member(c, 2, None, ("--form", form)) for c in ("libgomp", "libomp"))
              for form in ("depend", "barrier")}
    serial = Member("serial", 1)
    for pattern in ("averaging", "wavefront"):
        for load in ("balanced", "unbalanced") if full else ("unbalanced",):
            name = f"{pattern}, {load}"
            saved = f"{name}: phasers of neighbours / one phaser"
            if (pattern, load) == ("wavefront", "unbalanced"):
                rows = _goal_and_stretch(lambda suffix, limit, wish: Ratio(
                    saved + suffix, 2, ours["p2p"], (ours["barrier"],), limit, stretch=wish), 0.8, 0.6)
            else:
                rows = [Ratio(saved, 2, ours["p2p"], (ours["barrier"],))]
            rows += [
                Ratio(f"{name}: phasers of neighbours / OpenMP depend", 2, ours["p2p"], rivals["depend"]),
                Ratio(f"{name}: one phaser / OpenMP barrier", 2, ours["barrier"], rivals["barrier"]),
                Ratio(f"{name}: one phaser / clock", 2, ours["barrier"], (ours["clock"],)),
                Ratio(f"{name}: serial / phasers of neighbours", 2, serial, (ours["p2p"],)),
            ]
            members = [serial, *ours.values(), *rivals["depend"], *rivals["barrier"]]
            yield Group("stencil_p2p", f"{name}: 4 tasks, 1024 phases", "stencil_p2p", "block", members, rows,
                        ("--pattern", pattern, "--load", load), seconds=7)


def producer_consumer():
    for bound in (1, 8, 64, 1024):
        shapes = {shape: tactus(2, "adaptive", "--shape", shape) for shape in ("phaser", "stream")}
        rival = Member("std_queue", 2)
        name = f"producer and consumer, bound {bound}"
        rows = [*_goal_and_stretch(lambda suffix, limit, wish: Ratio(
                    f"{name}: phaser / mutex and condition variables" + suffix, 2, shapes["phaser"], (rival,), limit,
                    stretch=wish), 0.2, 0.05),
                Ratio(f"{name}: stream / mutex and condition variables", 2, shapes["stream"], (rival,))]
        yield Group("producer_consumer", f"{name}: 200,000 items", "producer_consumer", "item",
                    [*shapes.values(), rival], rows, ("--bound", str(bound)), seconds={1: 40, 8: 20}.get(bound, 8))


OPENMP = tuple(Member(c, 2) for c in ("libgomp", "libomp"))


def _accumulator_rows(name, goal):
    """The loops are one machine code in all programs, whatever compiled these: so the better OpenMP may be asked for."""
    ours = _accumulating(2)
    against = f"{name}: accumulator / better OpenMP"
    rows = [Ratio(against, 2, ours, OPENMP)] if not goal else _goal_and_stretch(
        lambda suffix, limit, wish: Ratio(f"{against}{suffix}", 2, ours, OPENMP, limit, stretch=wish), 1.05, 1.0)
    return [
        *rows,
        Ratio(f"{name}: accumulator / {OPENMP[1].competitor}", 2, ours, (OPENMP[1],)),
    ]


def _strategy_rows(name, ours):
    """The bars of figures 11 to 13 (left), which are relative to the serial program; the rivals' beside them."""
    rows = [Ratio(f"{name}: serial / {m.arguments[1]} (figures 11 to 13)", 2, SERIAL, (m,)) for m in ours]
    rows += [Ratio(f"{name}: serial / {m.competitor}", 2, SERIAL, (m,)) for m in (*OPENMP, ONETBB[2])]
    automatic, *fixed, atomic = ours
    return [*rows, Ratio(f"{name}: accumulator / {ONETBB[2].competitor}", 2, automatic, (ONETBB[2],)),
            Ratio(f"{name}: accumulator T1/T2", 2, _accumulating(1), (automatic,)),
            Ratio(f"{name}: automatic / best other strategy", 2, automatic, tuple(fixed)),
            Ratio(f"{name}: X10's atomic / automatic", 2, atomic, (automatic,))]


def _accumulator_group(full, section, title, name, arguments, goal, **how):
    """What has a goal is measured against OpenMP only, unless all is asked for."""
    members = [_accumulating(2), *OPENMP]
    rows = _accumulator_rows(name, goal)
    if full or not goal:
        ours = [_accumulating(2, s) for s in _without_delay(STRATEGIES, full)]
        members = [SERIAL, _accumulating(1), *ours, *OPENMP, ONETBB[2]]
        rows += _strategy_rows(name, ours)
    return Group(section, title, section, "element", members, rows, arguments, **how)


def nas_cg(full):
    """phaser-accumulators.txt, table 2 and figures 11 to 13."""
    classes = {"S": (1400, 6), "W": (7000, 13), "A": (14000, 110 if full else 30)}
    for name in "SWA" if full else "SA":
        order, seconds = classes[name]
        yield _accumulator_group(
            full, "nas_cg", f"NPB CG, class {name}: {order:,} rows, 1,185 steps in lock step", f"NPB CG {name}",
            ("--class", name), name == "A", sparing=True, seconds=seconds)


def spectral_norm(full):
    """The same figures. By rows, the goal; and as the paper has it, where each row of a product is a sum of all."""
    for shape, what, usual in (("rows", "two sums", (200, 2000)),
                               ("inner", "40 sums for each row, the paper's form", (200,))):
        for n in (200, 2000, 6000) if full else usual:
            goal = shape == "rows" and n == 2000
            seconds = 4 if goal and not full else {200: 5, 2000: 11, 6000: 50}[n]
            yield _accumulator_group(
                full, "spectral_norm", f"spectral norm of {n:,} rows, {what}", f"spectral norm {n}, {shape}",
                ("--size", str(n), "--shape", shape), goal, sparing=not goal, seconds=seconds)


APPLICATIONS = (  # problem, class, unit, what it is, seconds of a repetition on one core, only with --full
    ("nas_mg", "S", "point", "32^3 points, steps of a few microseconds", 0.005, False),
    ("nas_mg", "W", "point", "128^3 points", 0.12, False),
    ("nas_mg", "A", "point", "256^3 points", 0.9, True),
    ("jgf_moldyn", "A", "pair", "2,048 particles", 0.13, False),
    ("jgf_moldyn", "B", "pair", "8,788 particles", 2.1, True),
    ("jgf_raytracer", "A", "pixel", "150 x 150 pixels", 0.35, False),
    ("jgf_raytracer", "B", "pixel", "500 x 500 pixels", 4.3, True),
    ("jgf_montecarlo", "A", "path", "10,000 paths", 0.25, False),
    ("jgf_montecarlo", "B", "path", "60,000 paths", 1.5, True),
)


def jgf_applications(full):
    """NPB's MG and the Java Grande Forum's section 3: steps that are forked one by one, as work-stealing.txt, section 5."""
    shared = tactus(2, "work_sharing")
    members = [SERIAL, *all_policies(1), *all_policies(2), shared, *ONETBB.values(), *LIBGOMP.values(), Member("libomp", 2)]
    for problem, class_name, unit, what, once, only_full in APPLICATIONS:
        if only_full and not full:
            continue
        name = f"{problem} {class_name}"
        rows = [
            Ratio(f"{name}: adaptive / OpenMP (better of libgomp and libomp)", 2, tactus(2), OPENMP, 1.10),
            *_adaptive_rows(name),
            Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),)),
        ]
        yield Group(problem, f"{problem}, class {class_name}: {what}", problem, unit, members, rows,
                    ("--class", class_name), sparing=True, seconds=round(7 * 10 * max(once, 0.02) + 3))


IMSUITE_KERNELS = ("KC", "HS", "LCR", "BY", "BF", "DST", "MIS", "MST", "VC", "DS", "DP")  # as figure 14 has them
IMSUITE_CHECKED = ("LCR", "HS", "KC")  # there oneTBB vouches for the async_finish form
IMSUITE_STRETCH = ("HS", "LCR")


def _kernel(name, form):
    return tactus(2, "adaptive", "--kernel", name, "--form", form)


def imsuite(full, inputs):
    """The kernels in all their forms. inputs: a folder of published files, or None for generated ones.

    BY has 20 million atomic blocks at 512 nodes, and figure 14 runs it at 128: at 512 only with --full."""
    for n in (128, 512):
        kernels = [k for k in IMSUITE_KERNELS if k != "BY" or n == 128 or full]
        clocked, forked, lockstep = ({k: _kernel(k, form) for k in kernels}
                                     for form in ("clocked", "async_finish", "lockstep"))
        serial = [Member("serial", 1, None, ("--kernel", k)) for k in kernels]
        checked = {k: Member("onetbb", 2, None, ("--kernel", k)) for k in IMSUITE_CHECKED}
        rows = [
            *(Ratio(f"{k} {n}: clocked / own async_finish", 2, clocked[k], (forked[k],), 1.05) for k in kernels),
            GeometricMean(f"{len(kernels)} kernels, {n}: clocked / own async_finish, geometric mean", 2,
                          tuple((clocked[k], forked[k]) for k in kernels), 0.95),
            *(Ratio(f"{k} {n}: clocked / own async_finish, stretch", 2, clocked[k], (forked[k],), 0.8, stretch=True)
              for k in IMSUITE_STRETCH),
            *(Ratio(f"{k} {n}: async_finish / oneTBB", 2, forked[k], (checked[k],), 0.7) for k in IMSUITE_CHECKED),
            *(Ratio(f"{k} {n}: lockstep / clocked", 2, lockstep[k], (clocked[k],)) for k in kernels),
        ]
        members = [*serial, *(form[k] for k in kernels for form in (forked, clocked, lockstep)), *checked.values()]
        seconds = 40 if n == 128 else 300 if full else 80
        yield _imsuite_group(f"the kernels of figure 14, {n} nodes", n, inputs, members, rows, seconds)
    control = [Member("serial", 1, None, ("--kernel", "DR")), _kernel("DR", "async_finish")]
    rows = [Ratio("DR 128: serial / async_finish, no barrier", 2, control[0], (control[1],))]
    yield _imsuite_group("DR, a kernel without barriers, 128 nodes", 128, inputs, control, rows, 5)


def _imsuite_group(title, n, inputs, members, rows, seconds):
    origin = ("--inputs", inputs) if inputs else ()
    return Group("imsuite", f"{title}, {'published' if inputs else 'generated'} inputs", "imsuite", "advance", members,
                 rows, ("--size", str(n), *origin), seconds=seconds)


SCHEMES = ("baseline", "opt1", "opt12", "uclocks")
HIGH_SYNC = ("KC", "HS", "LCR", "BY")
MESSAGES = ("KC", "BY")  # of those, the kernels with atomic blocks
LOW_SYNC = ("BF", "DST", "MIS", "MST", "VC", "DS", "DP")
X10_ADVANCE_NS = 900_000  # X10 2.6.1, LCR with 128 nodes, two threads: what the model is held against


def _model(scheme, kernel):
    return Member("xrx", 2, None, ("--scheme", scheme, "--kernel", kernel))


def _model_with_messages(scheme, kernel):
    """With a part of what a message costs X10, 93 us in KC and 360 us in BY (xrx/engine.hpp)."""
    return Member("xrx", 2, None, ("--scheme", scheme, "--kernel", kernel, *(("--send-us", "20") if kernel in MESSAGES else ())))


def _model_is_fair(n):
    """The rows that the comparison with the model hangs on: it has the order of figure 19 and is no strawman.

    Of the columns of the figure: what a lock for each clock gains has to be more where there are atomic blocks, what
    waking lazily gains more where there is hardly anything but clocks, and the whole ordered HS, LCR > KC > BY."""
    def column(slow, fast, *names):
        return tuple((_model_with_messages(slow, k), _model_with_messages(fast, k)) for k in names)

    rows = [
        Above(f"X10 model {n}, figure 19: gain by Opt1, KC and BY over HS and LCR", 2,
              column("baseline", "opt1", "KC", "BY"), column("baseline", "opt1", "HS", "LCR")),
        Above(f"X10 model {n}, figure 19: gain by the extension, HS and LCR over KC and BY", 2,
              column("opt12", "uclocks", "HS", "LCR"), column("opt12", "uclocks", "KC", "BY")),
        Above(f"X10 model {n}, figure 19: overall, HS and LCR over KC", 2,
              column("baseline", "uclocks", "HS", "LCR"), column("baseline", "uclocks", "KC")),
        Above(f"X10 model {n}, figure 19: overall, KC over BY", 2,
              column("baseline", "uclocks", "KC"), column("baseline", "uclocks", "BY")),
    ]
    rows += [Within(f"X10 model {n}, {k}: baseline, one advance", 2, _model("baseline", k),
                    X10_ADVANCE_NS / 50, X10_ADVANCE_NS) for k in ("LCR", "HS")]
    return rows


def _uclocks_group(n, kernels, schemes, goal, arguments, **how):
    """Figures 15 to 25 at n nodes: schemes of the model beside the forms that Tactus has."""
    models = {k: {s: _model(s, k) for s in schemes} for k in kernels}
    ours = {k: {w: tactus(2, "adaptive", "--kernel", k, "--form", "clocked", "--wait", w)
                for w in ("automatic", "eager", "lazy")} for k in kernels}
    forked = {k: tactus(2, "adaptive", "--kernel", k, "--form", "async_finish") for k in kernels}
    lockstep = {k: tactus(2, "adaptive", "--kernel", k, "--form", "lockstep") for k in kernels}
    rows = []
    for k in kernels:
        steps = [("baseline", "opt1", "gain by Opt1"), ("opt1", "opt12", "gain by Opt2"),
                 ("opt12", "uclocks", "gain by the extension"), ("baseline", "uclocks", "overall gain (figures 16, 21)")]
        rows += [Ratio(f"{k} {n}: X10 model, {text}", 2, models[k][slow], (models[k][fast],))
                 for slow, fast, text in steps if slow in schemes and fast in schemes]
        rows += [Ratio(f"{k} {n}: X10 model {s} / Tactus async_finish (figures 2, 20, 23)", 2, models[k][s], (forked[k],))
                 for s in ("baseline", "uclocks") if s in schemes]
        rows += [Ratio(f"{k} {n}: X10 model {s} / Tactus clock", 2, models[k][s], (ours[k]["automatic"],))
                 for s in ("baseline", "uclocks") if s in schemes]
        rows.append(Ratio(f"{k} {n}: Tactus clock, automatic / better of eager and lazy", 2, ours[k]["automatic"],
                          (ours[k]["eager"], ours[k]["lazy"])))
    if goal:
        pairs = tuple((models[k]["baseline"], ours[k]["automatic"]) for k in kernels)
        fair = tuple(_model_is_fair(n))
        rows += fair
        rows += [OnlyWhile(GeometricMean(f"X10 model baseline / Tactus clock, {n} nodes, geometric mean{suffix}", 2, pairs,
                                         limit, at_most=False, stretch=bool(suffix)), fair)
                 for suffix, limit in (("", 5.36), (", stretch", 20))]
    members = [m for k in kernels for m in (*models[k].values(), *ours[k].values(), forked[k], lockstep[k])]
    members += [_model_with_messages(s, k) for k in MESSAGES for s in SCHEMES if goal]
    return Group("xrx", f"{', '.join(kernels)} with {n} nodes: the model of X10's runtime, and Tactus", "imsuite", "advance",
                 members, rows, ("--size", str(n), *arguments), timeout=180, alone=True, **how)


def xrx(full, inputs):
    """uclocks.txt, section 7. The model's runs are stopped after 60 s; the baseline is left out at 512 nodes."""
    published = ("--inputs", inputs) if inputs else ()
    yield Group("xrx", "figure 7: atomic blocks of one task while another waits at a clock", "figure7", "block",
                _figure7_members(), _figure7_rows(), ("--size", "1000000"), seconds=3, alone=True, repetitions=3)
    yield _uclocks_group(64, HIGH_SYNC, SCHEMES, True, published, seconds=60, repetitions=3)
    yield _uclocks_group(64, LOW_SYNC, ("baseline", "uclocks"), False, published, seconds=6)
    schemes = SCHEMES if full else ("baseline", "uclocks")
    yield _uclocks_group(128, ("KC", "BY"), schemes, False, published, seconds=12)
    if not full:
        return
    yield _uclocks_group(128, HIGH_SYNC, SCHEMES, True, published, seconds=250)
    yield _uclocks_group(128, LOW_SYNC, SCHEMES, False, published, seconds=120)
    yield _uclocks_group(512, (*HIGH_SYNC[:3], *LOW_SYNC[:5], "DP"), ("opt12", "uclocks"), False, published, seconds=400)


def _figure7_members():
    return [tactus(2), *(Member("xrx", 2, None, ("--scheme", s)) for s in SCHEMES)]


def _figure7_rows():
    """Of figure 13, from counters: DP1 for the model, and what its violation costs."""
    ours, baseline, *improved = _figure7_members()
    return [
        Ratio("figure 7: X10 model baseline / Tactus, an atomic block", 2, baseline, (ours,)),
        Figure("figure 7: wake-ups at the clock by atomic blocks, baseline", 2, baseline, "clock_wakeups_by_atomic", "wake-ups"),
        *(Figure(f"figure 7: wake-ups at the clock by atomic blocks, {m.arguments[1]}", 2, m, "clock_wakeups_by_atomic",
                 "wake-ups", 0) for m in improved),
        *(Figure(f"figure 7: threads running at once, {m.arguments[1]}", 2, m, "most_running", "threads")
          for m in (baseline, *improved)),
    ]


JGF_SECONDS = {  # of the classes A, B and C; in Series, C is left to whoever has hours
    "jgf_series": (45, 450),
    "jgf_lufact": (10, 10, 140),
    "jgf_sor": (20, 25, 110),
    "jgf_crypt": (20, 50, 120),
    "jgf_sparse": (20, 25, 190),
}
JGF_UNITS = {
    "jgf_series": ("Series", "coefficient"),
    "jgf_lufact": ("LUFact", "floating-point operation"),
    "jgf_sor": ("SOR", "point"),
    "jgf_crypt": ("Crypt", "block of 8 bytes"),
    "jgf_sparse": ("SparseMatmult", "element of the matrix"),
}


def jgf_kernels(full):
    """work-stealing.txt, figures 14 and 15: Java Grande Forum, section 2. Each step is a finish over an async for each part."""
    shared, libomp = tactus(2, "work_sharing"), Member("libomp", 2)
    for problem, (title, unit) in JGF_UNITS.items():
        for letter, seconds in zip("ABC" if full else "A", JGF_SECONDS[problem]):
            name = f"JGF {title} {letter}"
            rows = [
                Ratio(f"{name}: adaptive / better OpenMP static", 2, tactus(2), OPENMP, 1.10),
                *_adaptive_rows(name),
                Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),)),
                Ratio(f"{name}: work_first / help_first", 2, tactus(2, "work_first"), (tactus(2, "help_first"),)),
                Ratio(f"{name}: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],)),
                Ratio(f"{name}: serial / adaptive", 2, SERIAL, (tactus(2),)),
            ]
            yield Group(problem, f"{title} of the Java Grande Forum, class {letter}", problem, unit,
                        [*_everybody(), shared, libomp], rows, ("--class", letter), seconds=seconds,
                        sparing=letter != "A" or problem == "jgf_series")


def sor_steps():
    """work-stealing.txt, figures 6 and 7: iterations, each of which forks a step for each colour. On a small grid a step is short."""
    parallel_for = tuple(Member(c, 2, None, ("--shape", "parallel_for")) for c in ("libgomp", "libomp"))
    shared, affine = tactus(2, "work_sharing"), tactus(2, "adaptive", "--shape", "affinity")
    for side, seconds in ((34, 15), (130, 15), (514, 20)):
        name = f"SOR step, {side - 2} x {side - 2} points"
        rows = [
            Ratio(f"{name}: adaptive / omp parallel for", 2, tactus(2), parallel_for, 1.5 if side < 500 else None),
            Ratio(f"{name}: adaptive / one omp region", 2, tactus(2), OPENMP),
            Ratio(f"{name}: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],)),
            Ratio(f"{name}: with affinity / without", 2, affine, (tactus(2),)),
            *(Ratio(f"{name}: serial / {p}", 2, SERIAL, (tactus(2, p),)) for p in POLICIES),
            *_adaptive_rows(name),
            Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),), 1.0, at_most=False),
        ]
        yield Group("jgf_sor", f"SOR on {side - 2} x {side - 2} inner points, 200 steps", "jgf_sor", "point",
                    [SERIAL, *all_policies(1), *all_policies(2), shared, affine, *parallel_for, *OPENMP, ONETBB[2]], rows,
                    ("--size", str(side)), seconds=seconds)


def groups(full, inputs=None):
    """inputs: the folder of IMSuite's published files, if there is one."""
    yield from fib()
    yield from flat()
    yield from escaping_tree()
    yield from spanning_tree(full)
    yield from uts(full)
    yield from nqueens(full)
    yield from census(full)
    yield from memory()
    yield from stack_limit()
    yield from idle(full)
    yield from growth(full)
    yield from timeline()
    yield from lockstep(full)
    yield from syncbench(full)
    yield from stencil_p2p(full)
    yield from producer_consumer()
    yield from nas_cg(full)
    yield from spectral_norm(full)
    yield from jgf_applications(full)
    yield from imsuite(full, inputs)
    yield from xrx(full, inputs)
    yield from jgf_kernels(full)
    yield from sor_steps()


# Over whatever has been measured, in the end. Each row is of one program; a mean over its classes is one over sizes.
OVERVIEW = (
    MeanOfRows("JGF and NPB: adaptive / better OpenMP, geometric mean", 2,
               r"^(JGF \w+ \w: adaptive / better OpenMP static|(nas|jgf)_\w+ \w: adaptive / OpenMP .*|"
               r"NPB CG \w: accumulator / better OpenMP)$", 1.0),
    MeanOfRows("all programs: adaptive / better fixed policy, geometric mean", 2, r": adaptive / better fixed policy$"),
    MeanOfRows("all programs: work_sharing / adaptive, geometric mean", 2, r": work_sharing / adaptive$"),
)


def is_in_default_set(group):
    return group.section not in BY_NAME_ONLY
