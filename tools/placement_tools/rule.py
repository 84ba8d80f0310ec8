# SPDX-License-Identifier: Apache-2.0
"""Which sites spawn tasks that are worth moving: the four conditions of hybrid-placement.txt, section 5, on what a run has measured."""

import collections
import dataclasses

SHARE = 0.1  # of a task's time: what moving it, or fetching for it, may cost


@dataclasses.dataclass
class Verdict:
    flexible: bool
    condition: int  # of the paper, which decided it
    why: str


def verdicts(profile, latency_ns, byte_ns):
    """The verdict on each site, by its number. Sites have the numbers in which they came up: who spawns goes before what it spawns."""
    of_site = {}
    parents = parents_of(profile)
    for number in sorted(profile.sites):
        in_flexible = sum(n for parent, n in parents[number].items() if parent in of_site and of_site[parent].flexible
                          and profile.sites[parent].kind != "plain")  # no label moves those
        is_sub_task = 2 * in_flexible > sum(parents[number].values())
        of_site[number] = verdict(profile.sites[number], latency_ns, byte_ns, is_sub_task)
    return of_site


def parents_of(profile):
    """Of each site, how many of its tasks were spawned by tasks of which other one; of 0: of none."""
    counts = collections.defaultdict(collections.Counter)
    for task in profile.tasks.values():
        parent = profile.tasks[task.parent].site if task.parent else 0
        if parent != task.site:  # a tree of tasks of one site is judged as its root
            counts[task.site][parent] += 1
    return counts


def verdict(site, latency_ns, byte_ns, is_sub_task):
    """`is_sub_task`: most of its tasks are spawned by tasks that move."""
    n = max(site.spawned, 1)
    body, whole, accesses = site.body_ns / n, site.inclusive_ns / n, site.accesses / n
    cost = (site.bytes + site.result_bytes) / n * byte_ns + 2 * latency_ns + site.after_ns / n
    if site.uses:
        return Verdict(False, 1, f"uses what is bound to its place, {site.uses / n:.3g} times a task")
    if accesses * latency_ns > SHARE * whole:
        return Verdict(False, 1, f"reaches other places {accesses:.3g} times a task, which takes longer than a tenth of it")
    if body + whole < 4 * latency_ns:
        return Verdict(False, 3, f"takes {time(whole)}, too short to be worth a message")
    if cost < SHARE * whole:
        return Verdict(True, 3, f"takes {time(whole)}, and moving it {time(cost)}")
    if is_sub_task:
        return Verdict(False, 2, "is a sub-task of tasks that move, and stays with them")
    if site.accesses == 0 and whole > 4 * latency_ns:
        return Verdict(True, 4, "touches its own arguments only")
    return Verdict(False, 3, f"takes {time(whole)}, and moving it {time(cost)}")


def time(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"
