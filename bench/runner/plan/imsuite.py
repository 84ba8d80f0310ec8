# SPDX-License-Identifier: Apache-2.0
"""uclocks.txt: the IMSuite kernels in all forms, and the model of X10's runtime on them."""

from runner.goals import Above, Figure, GeometricMean, OnlyWhile, Ratio, Within
from runner.members import Group, Member, tactus
from runner.plan.common import ONETBB_VERSIONS

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
        checked = {k: tuple(Member(c, 2, None, ("--kernel", k)) for c in ONETBB_VERSIONS) for k in IMSUITE_CHECKED}
        rows = [
            *(Ratio(f"{k} {n}: clocked / own async_finish", 2, clocked[k], (forked[k],), 1.05) for k in kernels),
            GeometricMean(f"{len(kernels)} kernels, {n}: clocked / own async_finish, geometric mean", 2,
                          tuple((clocked[k], forked[k]) for k in kernels), 0.95),
            *(Ratio(f"{k} {n}: clocked / own async_finish, stretch", 2, clocked[k], (forked[k],), 0.8, stretch=True)
              for k in IMSUITE_STRETCH),
            *(Ratio(f"{k} {n}: async_finish / oneTBB", 2, forked[k], checked[k], 0.7) for k in IMSUITE_CHECKED),
            *(Ratio(f"{k} {n}: lockstep / clocked", 2, lockstep[k], (clocked[k],)) for k in kernels),
        ]
        members = [*serial, *(form[k] for k in kernels for form in (forked, clocked, lockstep)), *(m for both in checked.values() for m in both)]
        seconds = 43 if n == 128 else 310 if full else 84
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
    """With a part of what a message costs X10, 93 us in KC and 360 us in BY (x10/xrx/engine.hpp)."""
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
                 members, rows, ("--size", str(n), *arguments), timeout=180, **how)


def xrx(full, inputs):
    """uclocks.txt, section 7. The model's runs are stopped after 60 s; the baseline is left out at 512 nodes.

    What is short is measured in rounds, like all the rest. Where the model takes long, each member runs alone, once or
    thrice, and there is no interval."""
    published = ("--inputs", inputs) if inputs else ()
    yield Group("xrx", "figure 7: atomic blocks of one task while another waits at a clock", "figure7", "block",
                _figure7_members(), _figure7_rows(), ("--size", "1000000"), seconds=10, sparing=True)
    yield _uclocks_group(64, HIGH_SYNC, SCHEMES, True, published, seconds=60, alone=True, repetitions=3)
    yield _uclocks_group(64, LOW_SYNC, ("baseline", "uclocks"), False, published, seconds=40, sparing=True)
    schemes = SCHEMES if full else ("baseline", "uclocks")
    yield _uclocks_group(128, ("KC", "BY"), schemes, False, published, seconds=12, alone=True)
    if not full:
        return
    yield _uclocks_group(128, HIGH_SYNC, SCHEMES, True, published, seconds=250, alone=True)
    yield _uclocks_group(128, LOW_SYNC, SCHEMES, False, published, seconds=120, alone=True)
    yield _uclocks_group(512, (*HIGH_SYNC[:3], *LOW_SYNC[:5], "DP"), ("opt12", "uclocks"), False, published, seconds=400, alone=True)


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
