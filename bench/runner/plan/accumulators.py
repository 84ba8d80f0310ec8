# SPDX-License-Identifier: Apache-2.0
"""phaser-accumulators.txt: sums in phases, neighbours that wait for each other, streams, and its two applications."""

from runner.goals import Difference, Overhead, Ratio
from runner.members import Group, Member, tactus
from runner.plan.common import ONETBB, OPENMP, SERIAL, goal_and_stretch, with_shape

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
    """phaser-accumulators.txt, section 5.1. OpenMP has a thread for each task, as there, and besides one for each worker."""
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
            rows += goal_and_stretch(lambda suffix, limit, wish, m=member: Difference(
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
    reduce_ = ONETBB[workers]
    openmp = {(shape, t): tuple(with_shape(c, t, shape) for c in ("libgomp", "libomp"))
              for shape in ("for", "parallel", "atomic") for t in dict.fromkeys((n, workers))}
    as_in_the_paper = (*openmp["for", n], *openmp["parallel", n])
    reductions = tuple(m for (shape, _), pair in openmp.items() if shape != "atomic" for m in pair)
    atomics = tuple(m for (shape, _), pair in openmp.items() if shape == "atomic" for m in pair)
    name = f"syncbench, {load}, {n} tasks"
    rows = [Difference(f"{name}: overhead of a reduction, {m.label}", m.threads, m, delay, times=n)
            for m in (*sums.values(), *reductions, *atomics, *reduce_, atomic)]
    against_best = f"{name}: overhead, automatic / best OpenMP or oneTBB reduction"
    rivals = (*reductions, *reduce_)
    if load == "balanced" and n in (2, 4):
        rows += goal_and_stretch(lambda suffix, limit, wish: Overhead(
            against_best + suffix, workers, ours, rivals, delay, limit, stretch=wish), 1.0, 0.5)
    else:
        rows.append(Overhead(against_best, workers, ours, rivals, delay))
    fixed = tuple(sums[s] for s in FIXED_STRATEGIES)
    rows += [
        Overhead(f"{name}: overhead, automatic / OpenMP reduction, a thread for each task", workers, ours, as_in_the_paper, delay),
        Overhead(f"{name}: overhead, automatic / OpenMP reduction, a thread for each worker", workers, ours,
                 (*openmp["for", workers], *openmp["parallel", workers]), delay),
        Overhead(f"{name}: overhead, automatic / OpenMP atomic and barrier", workers, ours, atomics, delay),
        Overhead(f"{name}: overhead, automatic / oneTBB parallel_reduce", workers, ours, reduce_, delay),
        # With the delays in it, which is to our disadvantage.
        Ratio(f"{name}: X10 model atomic / best strategy", workers, atomic, (ours, *fixed),
              16.5 if (n, load) == (4, "balanced") else None, at_most=False),
        Ratio(f"{name}: automatic / best fixed strategy", workers, ours, fixed, 1.2 if n > 1 else None),
    ]
    members = [delay, *sums.values(), *reductions, *atomics, *reduce_, atomic]
    return Group("syncbench", f"reductions by {n} tasks, {load} (phaser-accumulators.txt, figures 8 to 10)", "syncbench",
                 "task-phase", members, rows, ("--tasks", str(n), "--load", load), seconds=14 if n <= 2 else 20)


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
                rows = goal_and_stretch(lambda suffix, limit, wish: Ratio(
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
    """Items are fewer where each waits for the one before: there a thread goes to sleep and is woken for each."""
    shapes = {shape: tactus(2, "adaptive", "--shape", shape) for shape in ("phaser", "stream")}
    textbook = Member("std_queue", 2)
    rivals = (textbook, Member("std_semaphore", 2), Member("boost_spsc", 2), *ONETBB[2])
    for bound, items, seconds in ((1, 50_000, 28), (8, 100_000, 17), (64, 200_000, 10), (1024, 200_000, 8)):
        name = f"producer and consumer, bound {bound}"
        rows = [*goal_and_stretch(lambda suffix, limit, wish: Ratio(
                    f"{name}: phaser / mutex and condition variables" + suffix, 2, shapes["phaser"], (textbook,), limit,
                    stretch=wish), 0.2, 0.05),
                Ratio(f"{name}: stream / mutex and condition variables", 2, shapes["stream"], (textbook,)),
                *(Ratio(f"{name}: {shape} / best rival", 2, ours, rivals) for shape, ours in shapes.items())]
        yield Group("producer_consumer", f"{name}: {items:,} items", "producer_consumer", "item",
                    [*shapes.values(), *rivals], rows, ("--bound", str(bound), "--size", str(items)), seconds=seconds)


def _accumulator_rows(name, goal):
    """The loops are one machine code in all programs, whatever compiled these: so the better OpenMP may be asked for."""
    ours = _accumulating(2)
    against = f"{name}: accumulator / better OpenMP"
    rows = [Ratio(against, 2, ours, OPENMP)] if not goal else goal_and_stretch(
        lambda suffix, limit, wish: Ratio(f"{against}{suffix}", 2, ours, OPENMP, limit, stretch=wish), 1.05, 1.0)
    return [
        *rows,
        Ratio(f"{name}: accumulator / {OPENMP[1].competitor}", 2, ours, (OPENMP[1],)),
    ]


def _strategy_rows(name, ours):
    """The bars of figures 11 to 13 (left), which are relative to the serial program; the rivals' beside them."""
    rows = [Ratio(f"{name}: serial / {m.arguments[1]} (figures 11 to 13)", 2, SERIAL, (m,)) for m in ours]
    rows += [Ratio(f"{name}: serial / {m.competitor}", 2, SERIAL, (m,)) for m in (*OPENMP, *ONETBB[2])]
    automatic, *fixed, atomic = ours
    return [*rows, Ratio(f"{name}: accumulator / oneTBB", 2, automatic, ONETBB[2]),
            Ratio(f"{name}: accumulator T1/T2", 2, _accumulating(1), (automatic,)),
            Ratio(f"{name}: automatic / best other strategy", 2, automatic, tuple(fixed)),
            Ratio(f"{name}: X10's atomic / automatic", 2, atomic, (automatic,))]


def _accumulator_group(full, section, title, name, arguments, goal, **how):
    """What has a goal is measured against OpenMP only, unless all is asked for."""
    members = [_accumulating(2), *OPENMP]
    rows = _accumulator_rows(name, goal)
    if full or not goal:
        ours = [_accumulating(2, s) for s in _without_delay(STRATEGIES, full)]
        members = [SERIAL, _accumulating(1), *ours, *OPENMP, *ONETBB[2]]
        rows += _strategy_rows(name, ours)
    return Group(section, title, section, "element", members, rows, arguments, **how)


def nas_cg(full):
    """phaser-accumulators.txt, table 2 and figures 11 to 13."""
    classes = {"S": (1400, 7), "W": (7000, 14), "A": (14000, 120 if full else 30)}
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
            seconds = 4 if goal and not full else {200: 6, 2000: 12, 6000: 54}[n]
            yield _accumulator_group(
                full, "spectral_norm", f"spectral norm of {n:,} rows, {what}", f"spectral norm {n}, {shape}",
                ("--size", str(n), "--shape", shape), goal, sparing=not goal, seconds=seconds)
