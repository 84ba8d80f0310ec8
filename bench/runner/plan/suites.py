# SPDX-License-Identifier: Apache-2.0
"""Java Grande Forum and NPB MG: work-stealing.txt, section 5, figures 6, 7, 14 and 15."""

from runner.goals import Ratio
from runner.members import POLICIES, Group, Member, all_policies, tactus
from runner.plan.common import LIBGOMP, ONETBB, OPENMP, SERIAL, adaptive_rows, everybody, policy_rows

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
    members = [SERIAL, *all_policies(1), *all_policies(2), shared, *ONETBB[1], *ONETBB[2], *LIBGOMP.values(), Member("libomp", 2)]
    for problem, class_name, unit, what, once, only_full in APPLICATIONS:
        if only_full and not full:
            continue
        name = f"{problem} {class_name}"
        rows = [
            Ratio(f"{name}: adaptive / OpenMP (better of libgomp and libomp)", 2, tactus(2), OPENMP, 1.10),
            *adaptive_rows(name),
            Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),)),
            Ratio(f"{name}: adaptive / oneTBB", 2, tactus(2), ONETBB[2]),
            *policy_rows(name),
        ]
        yield Group(problem, f"{problem}, class {class_name}: {what}", problem, unit, members, rows,
                    ("--class", class_name), sparing=True, seconds=round(7 * 12 * max(once, 0.02) + 3))


def nas_cg_policies(full):
    """NPB CG as work-stealing.txt, section 5, has it: each step a finish over an async for each part, under each policy."""
    form = ("--shape", "forked")
    forked = {(p, t): tactus(t, p, *form) for p in (*POLICIES, "work_sharing") for t in (1, 2)}
    ours = forked["adaptive", 2]
    together = tactus(2, "adaptive", "--strategy", "automatic")  # as in phaser-accumulators.txt
    for letter, seconds in (("S", 8), *((("W", 20),) if full else ()), ("A", 150)):
        name = f"NPB CG {letter}, forked"
        rows = [
            Ratio(f"{name}: adaptive / OpenMP (better of libgomp and libomp)", 2, ours, OPENMP),
            Ratio(f"{name}: adaptive / oneTBB", 2, ours, ONETBB[2]),
            Ratio(f"{name}: adaptive / one phaser with accumulators", 2, ours, (together,)),
            *adaptive_rows(name, *form),
            *(Ratio(f"{name}: work_sharing / adaptive", t, forked["work_sharing", t], (forked["adaptive", t],)) for t in (1, 2)),
            *policy_rows(name, *form),
        ]
        yield Group("nas_cg", f"NPB CG, class {letter}: steps that are forked, under each policy", "nas_cg", "element",
                    [SERIAL, *forked.values(), together, *OPENMP, *ONETBB[2]], rows, ("--class", letter), sparing=True,
                    seconds=seconds, when_asked=letter != "S")


JGF_SECONDS = {  # of the classes A, B and C; in Series, C is left to whoever has hours
    "jgf_series": (52, 510),
    "jgf_lufact": (11, 11, 155),
    "jgf_sor": (22, 28, 122),
    "jgf_crypt": (22, 56, 133),
    "jgf_sparse": (22, 28, 210),
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
                *adaptive_rows(name),
                Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),)),
                *policy_rows(name),
                Ratio(f"{name}: adaptive / oneTBB", 2, tactus(2), ONETBB[2]),
                Ratio(f"{name}: serial / adaptive", 2, SERIAL, (tactus(2),)),
            ]
            yield Group(problem, f"{title} of the Java Grande Forum, class {letter}", problem, unit,
                        [*everybody(), shared, libomp], rows, ("--class", letter), seconds=seconds,
                        sparing=letter != "A" or problem == "jgf_series")


def sor_steps():
    """work-stealing.txt, figures 6 and 7: iterations, each of which forks a step for each colour. On a small grid a step is short."""
    parallel_for = tuple(Member(c, 2, None, ("--shape", "parallel_for")) for c in ("libgomp", "libomp"))
    shared, affine = tactus(2, "work_sharing"), tactus(2, "adaptive", "--shape", "affinity")
    for side, seconds in ((34, 16), (130, 16), (514, 21)):
        name = f"SOR step, {side - 2} x {side - 2} points"
        rows = [
            Ratio(f"{name}: adaptive / OpenMP, a region for each step or one for all", 2, tactus(2), (*parallel_for, *OPENMP),
                  1.5 if side < 500 else None),
            Ratio(f"{name}: adaptive / oneTBB", 2, tactus(2), ONETBB[2]),
            Ratio(f"{name}: with affinity / without", 2, affine, (tactus(2),)),
            *(Ratio(f"{name}: serial / {p}", 2, SERIAL, (tactus(2, p),)) for p in POLICIES),
            *adaptive_rows(name),
            Ratio(f"{name}: work_sharing / adaptive", 2, shared, (tactus(2),), 1.0, at_most=False),
        ]
        yield Group("jgf_sor", f"SOR on {side - 2} x {side - 2} inner points, 200 steps", "jgf_sor", "point",
                    [SERIAL, *all_policies(1), *all_policies(2), shared, affine, *parallel_for, *OPENMP, *ONETBB[2]], rows,
                    ("--size", str(side)), seconds=seconds)
