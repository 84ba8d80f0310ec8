# SPDX-License-Identifier: Apache-2.0
"""Who takes part in many groups, and rows that many groups have."""

from runner.goals import Ratio
from runner.members import Group, Member, all_policies, tactus

MIB = 1 << 20
GIB = 1 << 30

SERIAL = Member("serial", 1)
# Debian's version, and the newest where there is one (bench/rivals/fetch_onetbb). A row takes whichever is faster.
ONETBB_VERSIONS = ("onetbb", "onetbb_new")
ONETBB = {t: tuple(Member(c, t) for c in ONETBB_VERSIONS) for t in (1, 2)}
DEBIANS_ONETBB = {t: ONETBB[t][:1] for t in (1, 2)}
LIBGOMP = {t: Member("libgomp", t) for t in (1, 2)}
BOOST_FIBER = {t: Member("boost_fiber", t) for t in (1, 2)}
STD_POOL = {t: Member("std_pool", t) for t in (1, 2)}
RAYON, JAVA = Member("rayon", 2), Member("java", 2)  # built where there is a compiler (bench/rivals)
BATCHED = {t: tactus(t, "adaptive", "--shape", "batched") for t in (1, 2)}
OPENMP = tuple(Member(c, 2) for c in ("libgomp", "libomp"))


def adaptive_rows(name, *arguments):
    return [Ratio(f"{name}: adaptive / better fixed policy", t, tactus(t, "adaptive", *arguments),
                  tuple(tactus(t, p, *arguments) for p in ("work_first", "help_first")), 1.15) for t in (1, 2)]


def policy_rows(name, *arguments):
    """What work-stealing.txt, figures 14 and 15, has bars of, with one worker and with two."""
    of = {(p, t): tactus(t, p, *arguments) for p in ("work_first", "help_first") for t in (1, 2)}
    return [*(Ratio(f"{name}: work_first / help_first", t, of["work_first", t], (of["help_first", t],)) for t in (1, 2)),
            *(Ratio(f"{name}: serial / {p}", t, SERIAL, (member,)) for (p, t), member in of.items())]


def batched_rows(name, limit=0.6):
    """Small tasks that share entries, against the same tasks without."""
    return [Ratio(f"{name}: batched / adaptive", t, BATCHED[t], (tactus(t),), limit) for t in (1, 2)]


def everybody(onetbb=ONETBB):
    return [SERIAL, *(m for t in (1, 2) for m in (*all_policies(t), *onetbb[t], LIBGOMP[t]))]


def other_languages(name, ours, rivals=(RAYON, JAVA)):
    return [Ratio(f"{name} / {called}", 2, ours, (rival,))
            for rival, called in ((RAYON, "Rayon"), (JAVA, "Java's ForkJoinPool")) if rival in rivals]


def work_sharing(problem, title, unit, size, seconds):
    """What work-stealing.txt compares with: one queue of all workers. Apart, and smaller: it is slow."""
    shared = {t: tactus(t, "work_sharing") for t in (1, 2)}
    rows = [Ratio(f"{title}: work_sharing / adaptive", t, shared[t], (tactus(t),), 1.0, at_most=False) for t in (1, 2)]
    return Group(problem, f"{title}, against one queue of all workers", problem, unit,
                 [m for t in (1, 2) for m in (tactus(t), shared[t])], rows, ("--size", str(size)), seconds=seconds)


def goal_and_stretch(make, goal, stretch):
    """Two rows of one measure: make(suffix of its name, limit, whether it is a wish)."""
    return [make("", goal, False), make(", stretch", stretch, True)]


def with_shape(competitor, threads, shape):
    return Member(competitor, threads, None, ("--shape", shape))
