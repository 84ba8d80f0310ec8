# SPDX-License-Identifier: Apache-2.0
"""Tasks in lock step, against barriers and re-forking."""

from runner.goals import Figure, OnlyWhile, Ratio, Time
from runner.members import Group, Member, tactus
from runner.plan.common import BOOST_FIBER, GIB, JAVA, ONETBB_VERSIONS, goal_and_stretch, with_shape

CLOCK = {t: tactus(t, "adaptive", "--shape", "clock") for t in (1, 2)}
CLOCK_HINTS = [tactus(2, "adaptive", "--shape", f"clock_{hint}") for hint in ("eager", "lazy")]
FINISH_PER_PHASE = tactus(2, "adaptive", "--shape", "finish")
LOCKSTEP = tactus(2, "adaptive", "--shape", "lockstep")
STD_BARRIER = Member("std_barrier", 2)
# As a good user may write it: a task for each of ours, in either way, or whatever parallel_for makes of them.
ONETBB_TASKS, ONETBB_LOOP = (tuple(with_shape(c, 2, s) for c in ONETBB_VERSIONS for s in shapes)
                             for shapes in (("task_group", "grain_1"), ("automatic",)))
ONETBB_FORMS = (*ONETBB_TASKS, *ONETBB_LOOP)
AGAINST_ONETBB = (64, 512, 4096)
OPENMP_STATIC = tuple(with_shape(c, 2, "static") for c in ("libgomp", "libomp"))
OPENMP_BARRIER = tuple(with_shape(c, 2, "barrier") for c in ("libgomp", "libomp"))


def _clock_against_rivals(n, name):
    """Rows of one size. The goals hold for the default hint; two workers unless the row says one."""
    clock = CLOCK[2]

    def against(whom, ours, theirs, goal, stretch):
        return goal_and_stretch(
            lambda suffix, limit, wish: Ratio(f"{name}: {whom}{suffix}", ours.threads, ours, theirs, limit, stretch=wish),
            goal, stretch)

    rows = []
    if n == 2:
        rows += against("clock / OpenMP barrier", clock, OPENMP_BARRIER, 1.3, 1.0)
    if n in AGAINST_ONETBB:
        rows += against("clock / oneTBB, best form", clock, ONETBB_FORMS, 0.3, 0.1)
        rows.append(Ratio(f"{name}: clock / oneTBB, a task for each", 2, clock, ONETBB_TASKS))
        # Like with like: a loop that makes two tasks of all has less to do than a finish over a task for each.
        finish = f"{name}: own finish per phase / oneTBB, a task for each"
        rows.append(Ratio(finish, 2, FINISH_PER_PHASE, ONETBB_TASKS))
        good_finish = Ratio(finish, 2, FINISH_PER_PHASE, ONETBB_TASKS, 0.5)
        rows += [OnlyWhile(row, (good_finish,)) for row in
                 against("clock / own finish per phase", clock, (FINISH_PER_PHASE,), 0.8, 0.5)]
    if n in (64, 512):
        rows += against("clock / std::barrier on threads", clock, (STD_BARRIER,), *{64: (0.03, 0.01), 512: (0.01, 0.005)}[n])
        rows.append(Ratio(f"{name}: clock / Java's Phaser on threads", 2, clock, (JAVA,)))
    if n >= 64:
        rows += against("clock / Boost.Fiber barrier", CLOCK[1], (BOOST_FIBER[1],), 0.2, 0.1)
        # Which is faster with one worker; ours has to gain something of its second one.
        rows += against("clock / Boost.Fiber barrier, best number of workers", clock, (BOOST_FIBER[1], BOOST_FIBER[2]), 0.1, 0.05)
    if n in (512, 65536):
        rows += goal_and_stretch(
            lambda suffix, limit, wish: Time(f"{name}: clock, sanity{suffix}", 2, clock, limit, stretch=wish),
            *{512: (20, 10), 65536: (40, 12)}[n])
        rows += against("lockstep / OpenMP static", LOCKSTEP, OPENMP_STATIC, 1.5, 1.1)
    if n >= 512:
        # A slow clock gains from a second worker easily. Where there is no sanity figure, the larger size's holds.
        sane = Time(f"{name}: clock, sanity", 2, clock, 20 if n == 512 else 40)
        rows += [OnlyWhile(row, (sane,)) for row in goal_and_stretch(
            lambda suffix, limit, wish: Ratio(f"{name}: clock T1/T2{suffix}", 2, CLOCK[1], (clock,), limit,
                                              at_most=False, stretch=wish), 1.4, 1.8)]
    rows.append(Ratio(f"{name}: clock / OpenMP one region", 2, clock, OPENMP_STATIC))
    rows.append(Ratio(f"{name}: clock automatic / better of eager and lazy", 2, clock, tuple(CLOCK_HINTS)))
    return rows


def lockstep(full):
    unit = "task-phase"
    forking = [FINISH_PER_PHASE, LOCKSTEP, *(m for m in ONETBB_FORMS if m.competitor == "onetbb"), *OPENMP_STATIC]
    newest = [m for m in ONETBB_FORMS if m.competitor != "onetbb"]
    waiting = [CLOCK[1], CLOCK[2], *CLOCK_HINTS, BOOST_FIBER[1], BOOST_FIBER[2]]
    for n, seconds in {2: 14, 8: 12, 64: 20, 512: 22, 4096: 18, 65536: 75}.items():
        members = [*waiting, *forking, *(newest if n in AGAINST_ONETBB else []), *([STD_BARRIER] if n <= 512 else []), *([JAVA] if n in (64, 512) else []),
                   *(OPENMP_BARRIER if n == 2 else [])]
        yield Group("lockstep", f"{n:,} tasks in lock step, one increment in each phase", "lockstep", unit, members,
                    _clock_against_rivals(n, f"lockstep {n}"), ("--size", str(n)), seconds=seconds)
    yield Group("lockstep", "1,000,000 tasks in lock step, without stacks or forked anew", "lockstep", unit, forking,
                [Ratio("lockstep 1000000: lockstep / OpenMP static", 2, LOCKSTEP, OPENMP_STATIC)],
                ("--size", "1000000"), seconds=14, sparing=True)

    small, large = (tactus(1, "adaptive", "--shape", "clock", "--size", n) for n in ("64", "65536"))
    rows = goal_and_stretch(
        lambda suffix, limit, wish: Ratio(f"clock: 65,536 tasks / 64{suffix}", 1, large, (small,), limit, stretch=wish), 4, 3)
    yield Group("lockstep", "growth of the cost per task and phase", "lockstep", unit, [small, large], rows, seconds=8)

    for n in (512, 4096):
        rows = goal_and_stretch(
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
        *goal_and_stretch(lambda suffix, limit, wish: Figure(
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
