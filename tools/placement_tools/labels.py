# SPDX-License-Identifier: Apache-2.0
"""tactus labels: which sites of a program are worth being place_flexible, from a profile of a run."""

import os
import pathlib
import tempfile

import whole_file
from placement_tools import simulate
from placement_tools.arguments import MOST_PLACES, MOST_WORKERS, microseconds, whole
from placement_tools.profile import Profile, ProfileError
from placement_tools.rule import time, verdicts

BYTE_NS = 0.2  # of a message, for each byte: the simulator's default
MOST_PREDICTED = 16  # sites whose gain is predicted one by one: those with the most time


def add_to(commands):
    parser = commands.add_parser(
        "labels", help="find out which tasks are worth moving",
        description="Says of each site of async_at whether its tasks are worth moving between places, by which of the four conditions of "
                    "the paper, and what the simulator says that it would gain. A run writes its profile with TACTUS_PROFILE=FILE.",
        epilog="docs/placement-labels.md says how it decides, and what becomes of the file.")
    parser.add_argument("profile", metavar="PROFILE", help="what a run has written")
    parser.add_argument("-o", "--out", metavar="FILE", type=pathlib.Path, help="write the labels, for TACTUS_LABELS=FILE")
    parser.add_argument("--places", type=whole(1, MOST_PLACES), metavar="P",
                        help="where it is to run (those of the run; 16, if it had one)")
    parser.add_argument("--workers", type=whole(1, MOST_WORKERS), metavar="W", help="of each place (those of the run)")
    parser.add_argument("--latency", type=microseconds(0), default=2_000, metavar="US", help="of a message (2)")
    parser.add_argument("--policy", choices=simulate.POLICIES, default="hybrid", metavar="NAME", help="that is to move them (hybrid)")


def words(parsed):
    """Writes the file that is asked for; returns what to print."""
    profile = Profile(parsed.profile)
    found = verdicts(profile, parsed.latency, BYTE_NS)
    places = parsed.places or (profile.places if profile.places > 1 else 16)
    machine = {"places": places, "workers": parsed.workers or profile.workers, "policy": parsed.policy, "latency_ns": parsed.latency,
               "near_latency_ns": parsed.latency}
    gains, remark = predicted(profile, found, machine)
    if parsed.out is not None:
        write(parsed, profile, found, machine)
    return table(profile, found, gains) + remark


def predicted(profile, found, machine):
    """What it gains that tasks of a site may move, in percent, by its number; of 0: that those may which do with the file. And a remark."""
    chosen = sorted((site for site in profile.sites.values() if found[site.number].flexible), key=lambda site: -site.inclusive_ns)
    if not chosen:
        return {}, "\nNo task is worth moving."
    if len(profile.sites) == 0 or not profile.tasks:
        return {}, ""
    try:
        stays = makespan(profile, (), machine)
        gains = {site.number: 100 * (stays / makespan(profile, (site.number,), machine) - 1) for site in chosen[:MOST_PREDICTED]}
        gains[0] = 100 * (stays / makespan(profile, labelled(profile, found), machine) - 1)
    except simulate.SimulationError as error:
        return {}, f"\nNo gain is predicted: {error}"
    left_out = profile.spawned - len(profile.tasks)
    of = f", of the first {len(profile.tasks)} tasks" if left_out else ""
    return gains, (f"\nWith these labels {machine['places']} places with {machine['workers']} workers each, under {machine['policy']}, would "
                   f"gain {gains[0]:+.1f} %{of}.")


def makespan(profile, flexible, machine):
    """Simulated, with tasks of these sites flexible."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "run.tpp")
            with file.open("w", encoding="utf-8") as rows:
                rows.write("tactus-tasks 1\n")
                rows.writelines(row(task, "flexible" if task.site in flexible else "sensitive") for task in profile.tasks.values())
            return max(simulate.outcome({**machine, "workload": file})["makespan_us"], 1e-3)
    except OSError as error:
        raise simulate.SimulationError(f"a temporary file: {error.strerror}") from None


def row(task, label):
    return (f"{task.id} {task.parent} {task.place} {task.ns} {min(task.bytes, 2**32 - 1)} {min(task.result_bytes, 2**32 - 1)} {label} "
            f"{task.site}\n")


def label_of(site, verdict):
    if site.kind == "plain":
        return "plain: would be flexible" if verdict.flexible else "plain"
    return "flexible" if verdict.flexible else "sensitive"


def table(profile, found, gains):
    head = ("site", "label", "by", "gain", "tasks", "own time", "with sub-tasks", "why")
    lines = [head]
    for number, site in sorted(profile.sites.items()):
        verdict, n = found[number], max(site.spawned, 1)
        lines.append((shown(site.name), label_of(site, verdict), f"({verdict.condition})",
                      f"{gains[number]:+.1f} %" if number in gains else "-", str(site.spawned), time(site.body_ns / n),
                      time(site.inclusive_ns / n), verdict.why))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head) - 1)]
    return "\n".join("  ".join([*(word.ljust(width) for word, width in zip(line, widths)), line[-1]]) for line in lines)


def shown(text):
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def write(parsed, profile, found, machine):
    try:
        if os.path.exists(parsed.out) and os.path.samefile(parsed.out, parsed.profile):
            raise ProfileError(f"{parsed.out}: is the profile itself; name another file for the labels with --out")
        with whole_file.written(parsed.out, encoding="utf-8", errors="surrogateescape") as out:
            out.write(f"# From {parsed.profile}, for {machine['places']} places with {machine['workers']} workers each and messages of "
                      f"{parsed.latency / 1000:g} us.\n")
            for sites in by_name(profile).values():
                out.write("\n")
                for verdict in dict.fromkeys(f"({found[site.number].condition}) {found[site.number].why}" for site in sites):
                    out.write(f"# {verdict}\n")
                out.write(f"{line_for(sites, found)}\n")
    except OSError as error:
        raise ProfileError(f"{parsed.out}: {error.strerror}") from None


def by_name(profile):
    """Sites that are written differently may have one name, and a file names each name once. By the first of them."""
    named = {}
    for _, site in sorted(profile.sites.items()):
        named.setdefault(site.name, []).append(site)
    return named


def line_for(sites, found):
    """Of sites of one name. What cannot be said in the file becomes a comment there."""
    name = sites[0].name
    if why := unlabelled(sites, found):
        return f"# {name}: {why}"
    return f"{name} {label_of(sites[0], found[sites[0].number])}"


def unlabelled(sites, found):
    """Why no label can name them, or None."""
    kinds = {site.kind for site in sites}
    labels = sorted({label_of(site, found[site.number]) for site in sites})
    if kinds == {"plain"}:
        return "would be flexible, if it were written place_flexible" if "plain: would be flexible" in labels else "is a plain async_at"
    if "plain" in kinds:
        return "is a plain async_at too, which a label must not name; give it a name of its own"
    if len(labels) > 1:
        return f"is {' and '.join(labels)}, at different sites; give each a name of its own"
    if "#" in sites[0].name or sites[0].name != sites[0].name.strip():
        return f"is {labels[0]}; a label cannot name it, since '#' begins a comment and blanks do not count"
    return None


def labelled(profile, found):
    """The numbers of sites whose tasks may move with the file: as it says, else as they are written."""
    moving = []
    for sites in by_name(profile).values():
        as_written = unlabelled(sites, found) is not None
        moving += [site.number for site in sites if (site.kind == "flexible" if as_written else found[site.number].flexible)]
    return moving
