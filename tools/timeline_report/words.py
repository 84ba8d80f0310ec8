# SPDX-License-Identifier: Apache-2.0
"""Times and shares in words, and what stands out in a timeline as sentences."""

from timeline_report import activity
from webpage.numbers import number

UNITS = ((1e6, "s"), (1e3, "ms"), (1, "us"), (0, "ns"))
FEW = 20            # tasks from which half of them say something of all
SHORT = 1.0         # microseconds of a task, from which on spawning it costs little of it
MOSTLY_BUSY = 0.8   # the share of time from which nobody asks why workers are idle
LONG = 0.5          # the share of the run from which a task alone decides how long it takes


def duration(microseconds):
    """With three digits, in the unit that fits."""
    if microseconds == 0:
        return "0"
    least, unit = next(pair for pair in UNITS if abs(microseconds) >= pair[0])
    return f"{number(microseconds / least if least else microseconds * 1000)} {unit}"


def percent(share):
    return f"{100 * share:.1f} %" if share < 0.9995 else "100 %"


def counted(count, noun):
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def findings(timeline):
    """Sentences."""
    return [text for find in (_lost, _idle, _long_task, _short_tasks, _longest_waits) if (text := find(timeline))]


def _lost(timeline):
    if timeline.lost:
        return (f"{counted(timeline.lost, 'event')} of the beginning are lost, as each worker keeps its last ones only. How busy the "
                f"workers were is said of the time from {duration(timeline.begin)} on, the rest of what was kept.")
    return None


def _idle(timeline):
    busy = activity.busy_share(timeline)
    if timeline.length <= 0 or busy >= MOSTLY_BUSY:
        return None
    worker = max(activity.workers(timeline), key=lambda w: w.longest_gap[1] - w.longest_gap[0])
    begin, end = worker.longest_gap
    return (f"The workers ran tasks in {percent(busy)} of their time. The longest gap is worker {worker.number}'s: "
            f"{duration(end - begin)}, from {duration(begin)} on.")


def _long_task(timeline):
    rows = activity.tasks(timeline)[1:] if len(timeline.workers) > 1 else []  # the first is most often the root task
    for name, spread, _ in rows:
        if spread.longest >= LONG * timeline.length:
            return (f"A task \u201c{name}\u201d ran for {duration(spread.longest)}, {percent(spread.longest / timeline.length)} of the "
                    "time: with any number of workers the run takes that long.")
    return None


def _short_tasks(timeline):
    rows = activity.tasks(timeline)
    short = sum(spread.count for _, spread, _ in rows if spread.median < SHORT)
    count = sum(spread.count for _, spread, _ in rows)
    if count < FEW or 2 * short < count:
        return None
    return (f"Most of the {count:,} tasks run for less than {duration(SHORT)}, of which spawning them is a part, and noting them for "
            "this timeline another. A loop's grain, or a depth from which on no more are spawned, makes them longer.")


def _longest_waits(timeline):
    rows = activity.waits(timeline)
    if not rows:
        return None
    reason, spread, _, who = rows[0]
    tasks = f", most of them of \u201c{who}\u201d" if who else ""
    return f"Longest in sum were the waits for {reason}: {counted(spread.count, 'wait')} of {duration(spread.total)}{tasks}."
