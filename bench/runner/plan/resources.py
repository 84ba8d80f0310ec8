# SPDX-License-Identifier: Apache-2.0
"""What tasks and workers take: memory, stacks, processor time, and what a timeline costs."""

from runner.goals import Figure, Ratio
from runner.members import POLICIES, Group, Member, all_policies, tactus
from runner.plan.common import BOOST_FIBER, GIB, MIB


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
