# SPDX-License-Identifier: Apache-2.0
"""What the results say about where they come from, and how quiet the machine was."""

import os
import pathlib
import platform
import subprocess
import time


def description():
    return {
        "cpu": _first_field("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": _first_field("/etc/os-release", "PRETTY_NAME", "=").strip('"'),
    }


def revision(source):
    """The commit of the sources, with '+changes' when the tree differs from it; None outside of git."""
    try:
        commit = _git(source, "rev-parse", "HEAD").strip()
        return commit + ("+changes" if _git(source, "status", "--porcelain").strip() else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(source, *arguments):
    return subprocess.run(["git", "-C", str(source), *arguments], check=True, capture_output=True, text=True).stdout


def _first_field(file, name, separator=":"):
    try:
        for line in pathlib.Path(file).read_text().splitlines():
            key, found, value = line.partition(separator)
            if found and key.strip() == name:
                return value.strip()
    except OSError:
        pass
    return ""


class ProcessorClock:
    """Ticks of all processors together, by use, since it was made."""

    def __init__(self):
        self._begin = _ticks()

    def stolen_part(self):
        """The part of the time that the hypervisor gave to others; 0 while no tick has passed."""
        busy, idle, stolen = (now - then for now, then in zip(_ticks(), self._begin))
        total = busy + idle + stolen
        return stolen / total if total else 0.0

    def busy_seconds(self):
        return (_ticks()[0] - self._begin[0]) / os.sysconf("SC_CLK_TCK")


def _ticks():
    """(busy, idle, stolen) of all processors, from the first line of /proc/stat."""
    user, nice, system, idle, iowait, irq, softirq, steal = map(
        int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return user + nice + system + irq + softirq, idle + iowait, steal


def process_seconds(pid):
    """Processor time that a process, and those that it has started and that live, have used; 0 when it has gone."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        found[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    ticks, of_tree = 0, [pid]
    while of_tree:
        one = of_tree.pop()
        ticks += found.get(one, (0, 0))[1]
        of_tree += [child for child, (parent, _) in found.items() if parent == one]
    return ticks / os.sysconf("SC_CLK_TCK")


def load_of_others(seconds=1.0):
    """The part of the machine that is in use while we do nothing."""
    clock = ProcessorClock()
    time.sleep(seconds)
    return clock.busy_seconds() / seconds / os.cpu_count()
