# SPDX-License-Identifier: Apache-2.0
"""Programs of hybrid-placement.txt whose tasks may move: for real, over as many places as the machine has processors; and replayed with
sleeping tasks, over as many as the paper has. The title of each group says which."""

from runner.goals import Figure, MedianOf, OnlyWhile, Ratio, Time
from runner.members import Group, Member, tactus
from runner.plan.common import SERIAL

POLICIES = ("none", "work_dealing", "eager_dealing", "lifeline", "hybrid", "random_stealing", "sender_threshold", "proportional")
LABELS = {"none": "hybrid/none", "as written": "hybrid", "found": "hybrid/found", "all": "hybrid/all"}
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}

PLACES, WORKERS = 16, 8  # of the paper
# Of hybrid, against none: the standard deviation of how much places are used.
SIGMA = {"quicksort": 0.6, "turing_ring": 0.35, "uts": None}
TITLES = {"quicksort": "quicksort of 1,000,000 numbers", "turing_ring": "Turing ring of 1,000 cells, 4 steps", "uts": "UTS T1, cut at depth 6"}
OFF_PERCENT = 5  # by so much at most the simulator may be off, in makespan


def quicksort(full):
    for size in (1000, 1_000_000, *((30_000_000,) if full else ())):
        papers = ", as the paper has" if size == 1000 else ""
        yield real("quicksort", f"quicksort of {size:,} numbers{papers}", "number", ("--size", str(size)), sparing=size > 1_000_000)
    for shape in ("sorted", "reversed", "equal"):
        yield real("quicksort", f"quicksort of 1,000,000 numbers, {shape}", "number", ("--size", "1000000", "--shape", shape), seconds=20)


def turing_ring(full):
    for cells, steps in ((100, 10), (1000, 10), *(((1000, 100), (20_000, 2)) if full else ())):
        papers = ", as the paper has" if cells == 1000 else ""
        yield real("turing_ring", f"Turing ring of {cells:,} cells{papers}, {steps} steps", "cell",
                   ("--size", str(cells), "--phases", str(steps)), sparing=cells > 100)


def label_costs():
    """At home, with two places nobody of whom starves."""
    def member(shape, policy):
        return tactus(2, "adaptive", "--shape", shape, "--placement", policy)

    plain, none, hybrid, profiled = (member(*words) for words in (("plain", "none"), ("flexible", "none"), ("flexible", "hybrid"),
                                                                  ("profiled", "none")))
    yield Group("label_costs", "tasks of 10 us that may move, and do not", "label_costs", "task", [plain, none, hybrid, profiled],
                [Ratio("tasks of 10 us: place_flexible under none / plain async_at", 2, none, (plain,), 1.01),
                 Ratio("tasks of 10 us: under hybrid, while nobody starves / under none", 2, hybrid, (none,), 1.01),
                 Ratio("tasks of 10 us: with a profile / without", 2, profiled, (none,), 1.05)], ("--body-ns", "10000"), seconds=8)
    yield Group("label_costs", "empty tasks that may move, and do not", "label_costs", "task", [plain, none, hybrid],
                [Ratio("place_flexible under hybrid, spawned and run at home / async_at(here(), f) under none", 2, hybrid, (plain,), 1.3),
                 Ratio("place_flexible under none, spawned and run at home / async_at(here(), f)", 2, none, (plain,)),
                 Time("place_flexible under hybrid, spawned and run at home", 2, hybrid, 80)], seconds=6)


def busy_victim():
    """Of who has nothing to do, while the other place computes for 10 ms and calls nothing of the library."""
    for competitor, text in (("tactus", "in one process"), *((f"tactus_{mpi}", f"over {name}") for mpi, name in MPIS.items())):
        members = {p: Member(competitor, 2, "adaptive", ("--placement", p)) for p in ("hybrid", "lifeline")}
        rows = [row for p, m in members.items() for row in (
            MedianOf(f"stolen from a place that computes, {text}, {p}: the least in 10 ms", 2, m, lambda line: line["steals"], "tasks",
                     1 if p == "hybrid" else None, at_most=False),
            MedianOf(f"stolen from a place that computes, {text}, {p}: served, nine of ten times", 2, m,
                     lambda line: line["served_us"] / 1e3, "ms", 1.0 if p == "hybrid" else None))]
        yield Group("busy_victim", f"tasks for who idles, from a place that computes, {text}", "busy_victim", "round", [*members.values()],
                    rows, seconds=30)


def placed(threads, policy="hybrid", *more):
    return tactus(threads, "adaptive", "--placement", policy, *more)


def real(problem, name, unit, arguments, sparing=False, seconds=40):
    """Two places of one worker, in one process and as ranks."""
    none, one = placed(2, "none"), placed(1)
    policies = {p: placed(2, p) for p in ("hybrid", "work_dealing", "eager_dealing")}
    labels = {l: placed(2, "hybrid", "--labels", l) for l in ("none", "all")}
    ranks = {mpi: Member(f"tactus_{mpi}", 2, "adaptive", ("--placement", "hybrid")) for mpi in MPIS}
    rows = [*(Ratio(f"{name}, real: none / {p}", 2, none, (m,), at_most=False) for p, m in policies.items()),
            Ratio(f"{name}, real: serial / hybrid", 2, SERIAL, (policies["hybrid"],), at_most=False),
            Ratio(f"{name}, real: one place / serial", 1, one, (SERIAL,)),
            Ratio(f"{name}, real: labels unused / policy none", 2, labels["none"], (none,)),
            Ratio(f"{name}, real: all tasks may move / as written", 2, labels["all"], (policies["hybrid"],)),
            *(Ratio(f"{name}, real: over {text} / in one process", 2, ranks[mpi], (policies["hybrid"],)) for mpi, text in MPIS.items()),
            MedianOf(f"{name}, real: sigma of utilisation, none", 2, none, lambda line: line["utilisation_sigma"], "%"),
            MedianOf(f"{name}, real: sigma of utilisation, hybrid", 2, policies["hybrid"],
                     lambda line: line["utilisation_sigma"], "%")]
    return Group(problem, f"{name}: real, two places", problem, unit,
                 [SERIAL, one, none, *policies.values(), *labels.values(), *ranks.values()], rows, arguments, seconds=seconds, sparing=sparing)


def replay():
    yield from simulated_and_real()
    for program in TITLES:
        yield policies_replayed(program)
    for program in ("quicksort", "turing_ring"):
        yield labels_replayed(program)
        yield places_replayed(program)


def replayed(program, runs, places=PLACES):
    """All runs of a member are of the same table, one after the other."""
    return tactus(places * WORKERS, "adaptive", "--shape", program, "--places", str(places), "--runs", ",".join(runs))


def of_run(run, field):
    return lambda line: line["runs"][run][field]


def over_none(field, run, none="none"):
    return lambda line: line["runs"][run][field] / line["runs"][none][field]


def speed_up(run, none="none"):
    return lambda line: line["runs"][none]["seconds"] / line["runs"][run]["seconds"]


def conditions(name, member, runs):
    """Under which a comparison of runs proves anything: sleepers leave the processors room, and are woken in time."""
    def most(field):
        return lambda line: max(line["runs"][run][field] for run in runs)

    return (MedianOf(f"{name}: of the processors, what sleepers need", member.threads, member, most("processors_used"), "x", 0.5),
            MedianOf(f"{name}: how much longer than they were to they slept", member.threads, member, most("late"), "x", 0.1))


def policies_replayed(program):
    member = replayed(program, POLICIES)
    n = member.threads
    name = f"{TITLES[program]}, replayed"
    sober = conditions(f"{name}, none and hybrid", member, ("none", "hybrid"))
    rows = [*(MedianOf(f"{name}: makespan, {p}", n, member, of_run(p, "seconds"), "s") for p in POLICIES),
            *(MedianOf(f"{name}: none / {p}", n, member, speed_up(p), "x") for p in POLICIES if p not in ("none", "hybrid")),
            OnlyWhile(MedianOf(f"{name}: none / hybrid", n, member, speed_up("hybrid"), "x", 0.99, at_most=False), sober),
            *(MedianOf(f"{name}: sigma of utilisation, {p}", n, member, of_run(p, "utilisation_sigma"), "%") for p in POLICIES),
            OnlyWhile(MedianOf(f"{name}: sigma of utilisation, hybrid / none", n, member, over_none("utilisation_sigma", "hybrid"), "x",
                               SIGMA[program]), sober),
            *(MedianOf(f"{name}: tasks that moved, {p}", n, member, of_run(p, "migrations"), "tasks") for p in POLICIES if p != "none"),
            MedianOf(f"{name}: efficiency, hybrid", n, member, of_run("hybrid", "efficiency"), "x"), *sober]
    return Group("replay", f"{TITLES[program]}: replayed with sleeping tasks, {PLACES} places x {WORKERS} workers, policies", "replay", "task",
                 [member], rows, seconds=250 if program == "uts" else 150, timeout=300, sparing=True)


def labels_replayed(program):
    """A label that is never used costs nothing; those that are found are worth those that are written."""
    member = replayed(program, ("none", *LABELS.values()))
    n = member.threads
    name = f"{TITLES[program]}, replayed"
    sober = conditions(f"{name}, by labels", member, ("none", *LABELS.values()))

    def of_the_gain(line):
        written, found = (speed_up(LABELS[l])(line) - 1 for l in ("as written", "found"))
        return found / written

    rows = [*(MedianOf(f"{name}: policy none / hybrid, labels {l}", n, member, speed_up(run), "x") for l, run in LABELS.items()),
            *(MedianOf(f"{name}: sigma of utilisation, labels {l}", n, member, of_run(run, "utilisation_sigma"), "%")
              for l, run in LABELS.items()),
            OnlyWhile(MedianOf(f"{name}: labels as written / found", n, member, speed_up(LABELS["found"], LABELS["as written"]), "x", 0.95,
                               at_most=False), sober),
            MedianOf(f"{name}: labels as written / all", n, member, speed_up(LABELS["all"], LABELS["as written"]), "x"), *sober]
    if program == "turing_ring":  # quicksort has no gain to speak of
        rows.append(OnlyWhile(MedianOf(f"{name}: gain by labels found / as written", n, member, of_the_gain, "x", 0.95, at_most=False), sober))
    return Group("replay", f"{TITLES[program]}: replayed with sleeping tasks, {PLACES} places x {WORKERS} workers, labels", "replay", "task",
                 [member], rows, seconds=100, timeout=300, sparing=True)


def simulated_and_real():
    """The same tasks, real ones that sleep, and in the simulator, under each policy. What is off either way is off."""
    for places in (2, 4, 8):
        member = tactus(places, "adaptive", "--shape", "tree", "--form", "simulated", "--runs", ",".join(POLICIES))
        name = f"tree of sleeping tasks, {places} places"
        sober = conditions(name, member, POLICIES)
        rows = [row for p in POLICIES for row in (
            MedianOf(f"{name}, {p}: simulated makespan / real", places, member, of_run(p, "simulated_over_real"), "x"),
            OnlyWhile(MedianOf(f"{name}, {p}: how far the simulator is off", places, member, off_by(p), "%", OFF_PERCENT), sober))]
        yield Group("replay", f"tree of 1,000 sleeping tasks, {places} places: the simulator against real places", "replay", "task", [member],
                    [*rows, *sober], seconds=150, timeout=120, sparing=True)


def off_by(run):
    return lambda line: 100 * abs(line["runs"][run]["simulated_over_real"] - 1)


def places_replayed(program):
    """As table 2 and figure 3 go from 2 places to 16."""
    runs = ("none", "work_dealing", "hybrid")
    members = {places: replayed(program, runs, places) for places in (2, 4, 8)}
    rows = []
    for places, member in members.items():
        name = f"{TITLES[program]}, replayed, {places} places"
        rows += [row for run in runs[1:] for row in (
            MedianOf(f"{name}: none / {run}", member.threads, member, speed_up(run), "x"),
            MedianOf(f"{name}: tasks that moved, {run}", member.threads, member, of_run(run, "migrations"), "tasks"),
            MedianOf(f"{name}: sigma of utilisation, {run} / none", member.threads, member, over_none("utilisation_sigma", run), "x"))]
    return Group("replay", f"{TITLES[program]}: replayed with sleeping tasks, 2 to 8 places x {WORKERS} workers", "replay", "task",
                 list(members.values()), rows, seconds=200, timeout=300, sparing=True)
