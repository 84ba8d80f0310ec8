# SPDX-License-Identifier: Apache-2.0
"""tactus labels: which sites of a program are worth being place_flexible, from a profile of a run."""

import os
import pathlib
import tempfile

from placement_tools import simulate
from placement_tools.arguments import microseconds, whole
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
    parser.add_argument("--places", type=whole(1, 1_000_000), metavar="P", help="where it is to run (those of the run; 16, if it had one)")
    parser.add_argument("--workers", type=whole(1, 1024), metavar="W", help="of each place (those of the run)")
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
    """What it gains that tasks of a site may move, in percent, by its number; of 0: that all may that are found to. And a remark."""
    chosen = sorted((site for site in profile.sites.values() if found[site.number].flexible), key=lambda site: -site.inclusive_ns)
    if not chosen:
        return {}, "\nNo task is worth moving."
    if len(profile.sites) == 0 or not profile.tasks:
        return {}, ""
    try:
        stays = makespan(profile, (), machine)
        gains = {site.number: 100 * (stays / makespan(profile, (site.number,), machine) - 1) for site in chosen[:MOST_PREDICTED]}
        written = [site.number for site in chosen if site.kind != "plain"]
        gains[0] = 100 * (stays / makespan(profile, written, machine) - 1)
    except simulate.SimulationError as error:
        return {}, f"\nNo gain is predicted: {error}"
    left_out = profile.spawned - len(profile.tasks)
    of = f", of the first {len(profile.tasks)} tasks" if left_out else ""
    return gains, (f"\nWith these labels {machine['places']} places with {machine['workers']} workers each, under {machine['policy']}, would "
                   f"gain {gains[0]:+.1f} %{of}.")


def makespan(profile, flexible, machine):
    """Simulated, with tasks of these sites flexible."""
    with tempfile.NamedTemporaryFile("w", suffix=".tpp", delete=False, encoding="utf-8") as file:
        try:
            file.write("tactus-tasks 1\n")
            for task in profile.tasks.values():
                label = "flexible" if task.site in flexible else "sensitive"
                file.write(f"{task.id} {task.parent} {task.place} {task.ns} {min(task.bytes, 2**32 - 1)} "
                           f"{min(task.result_bytes, 2**32 - 1)} {label} {task.site}\n")
            file.close()
            return max(simulate.outcome({**machine, "workload": file.name})["makespan_us"], 1e-3)
        finally:
            os.unlink(file.name)


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
        with open(parsed.out, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(f"# From {parsed.profile}, for {machine['places']} places with {machine['workers']} workers each and messages of "
                      f"{parsed.latency / 1000:g} us.\n")
            for number, site in sorted(profile.sites.items()):
                out.write(f"\n# ({found[number].condition}) {found[number].why}\n{line_for(site, found[number])}\n")
    except OSError as error:
        raise ProfileError(f"{parsed.out}: {error.strerror}") from None


def line_for(site, verdict):
    """What cannot be said in the file becomes a comment there."""
    if site.kind == "plain":
        return f"# {site.name}: " + ("would be flexible, if it were written place_flexible" if verdict.flexible else "is a plain async_at")
    if "#" in site.name or site.name != site.name.strip():
        return f"# {site.name}: is {label_of(site, verdict)}; a label cannot name it, since '#' begins a comment and blanks do not count"
    return f"{site.name} {label_of(site, verdict)}"
