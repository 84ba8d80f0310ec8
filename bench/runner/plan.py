# SPDX-License-Identifier: Apache-2.0
"""What is measured, and the figures to reach. Everything the runner knows about single problems stands here."""

from runner.goals import Completes, Figure, GeometricMean, Ratio, Refuses
from runner.members import POLICIES, Group, Member, all_policies, tactus

MIB = 1 << 20
GIB = 1 << 30

SERIAL = Member("serial", 1)
ONETBB = {t: Member("onetbb", t) for t in (1, 2)}
LIBGOMP = {t: Member("libgomp", t) for t in (1, 2)}
BOOST_FIBER = {t: Member("boost_fiber", t) for t in (1, 2)}


def _adaptive_rows(name):
    return [Ratio(f"{name}: adaptive / better fixed policy", t, tactus(t),
                  (tactus(t, "work_first"), tactus(t, "help_first")), 1.15) for t in (1, 2)]


def _everybody():
    return [SERIAL, *(m for t in (1, 2) for m in (*all_policies(t), ONETBB[t], LIBGOMP[t]))]


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
    ]
    yield Group("fib", "fib(32), no cutoff", "fib", "call", _everybody(), rows, ("--size", "32"), seconds=55)
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
    yield Group("flat", "1,000,000 tasks in one finish", "flat", "task", _everybody(), rows,
                ("--size", "1000000"), seconds=15)


def escaping_tree():
    rows = [
        Ratio("tree: adaptive / oneTBB", 1, tactus(1), (ONETBB[1],), 0.50),
        Ratio("tree: adaptive / oneTBB", 2, tactus(2), (ONETBB[2],), 0.18),
        Ratio("tree: adaptive T1/T2", 2, tactus(1), (tactus(2),), 1.6, at_most=False),
        *_adaptive_rows("tree"),
    ]
    yield Group("escaping_tree", "escaping tree of 4,194,303 nodes, one finish at the root", "escaping_tree", "node",
                _everybody(), rows, ("--size", str((1 << 22) - 1)), seconds=25)


def spanning_tree(full):
    yield Group("spanning_tree", "random graph, 50,000 vertices, 200,000 edges", "spanning_tree", "vertex",
                _everybody(), _adaptive_rows("span 50 K"), ("--size", "50000"), seconds=20)
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
                ("--size", "100000"), seconds=120)
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


def groups(full, inputs=None):
    """inputs: the folder of IMSuite's published files, if there is one."""
    yield from fib()
    yield from flat()
    yield from escaping_tree()
    yield from spanning_tree(full)
    yield from census(full)
    yield from memory()
    yield from idle(full)
    yield from growth(full)
    yield from imsuite(full, inputs)
