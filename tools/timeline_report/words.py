# SPDX-License-Identifier: Apache-2.0
"""Times and shares in words, and what stands out in a timeline as sentences."""

from timeline_report.activity import ROOT
from webpage.numbers import number

UNITS = ((1e6, "s"), (1e3, "ms"), (1, "us"), (0, "ns"))
FEW = 20            # tasks from which on most of them say something of all
MOSTLY_BUSY = 0.8   # the share of time from which on nobody asks why workers are idle
LONG = 0.5          # the share of the time from which on a task alone decides how long it takes


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


def findings(activity):
    """Sentences."""
    return [text for find in (_lost, _lost_moves, _uncertain, _idle, _long_task, _short_tasks, _longest_waits) if (text := find(activity))]


def _lost(activity):
    timeline = activity.timeline
    if timeline.lost:
        return (f"{counted(timeline.lost, 'event')} of the beginning {'is' if timeline.lost == 1 else 'are'} lost: each worker keeps "
                f"its last ones. All that is said here is of the time from {duration(timeline.begin)} on, of which everything "
                f"{'but moves ' if timeline.moves_lost else ''}is known.")
    return None


def _lost_moves(activity):
    lost = activity.timeline.moves_lost
    if lost:
        return (f"{counted(lost, 'move')} of tasks between places {'is' if lost == 1 else 'are'} lost: each place keeps its last ones. "
                f"What is said of tasks that moved is without {'it' if lost == 1 else 'them'}.")
    return None


def _uncertain(activity):
    apart = activity.timeline.uncertainty
    return f"The clocks of the processes are known to within {duration(apart)}: what is shorter may go back in time." if apart > 0 else None


def _idle(activity):
    if activity.timeline.length <= 0 or activity.busy_share >= MOSTLY_BUSY:
        return None
    worker = max(activity.workers, key=lambda w: w.longest_gap[1] - w.longest_gap[0])
    begin, end = worker.longest_gap
    place = f", at place {activity.timeline.places[worker.number]}" if activity.has_places else ""
    return (f"The workers ran tasks in {percent(activity.busy_share)} of their time. The longest gap is worker {worker.number}'s{place}: "
            f"{duration(end - begin)}, from {duration(begin)} on.")


def _long_task(activity):
    """With one worker there is nobody who could do the rest meanwhile."""
    if len(activity.timeline.workers) == 1:
        return None
    longest = max((row for row in activity.tasks if row.name != ROOT), key=lambda row: row.ran.longest, default=None)
    if longest is None or longest.ran.longest < LONG * activity.timeline.length:
        return None
    return (f"A task \u201c{longest.name}\u201d ran for {duration(longest.ran.longest)}, "
            f"{percent(longest.ran.longest / activity.timeline.length)} of the time. Unless it is divided, more workers do not help.")


def _short_tasks(activity):
    count = sum(row.ran.count for row in activity.tasks)
    short = sum(row.short for row in activity.tasks)
    if count < FEW or 2 * short <= count:
        return None
    return (f"{short:,} of {count:,} tasks ran for less than 1 us. Spawning such tasks takes a part of the time, and noting them for "
            "this timeline another. A loop's grain, or a depth from which on no more are spawned, makes them fewer and longer.")


def _longest_waits(activity):
    """That the root task waits for all others is no news."""
    row = next((row for row in activity.waits if row.of != ROOT), None)
    if row is None:
        return None
    whose = f", most often of \u201c{row.of}\u201d" if row.of else ""
    if row.lengths.count == 1:
        return f"The longest wait was for {row.reason}: {duration(row.lengths.total)}{whose.replace('most often ', '')}."
    return (f"Waits for {row.reason} were the longest in sum: {row.lengths.count:,} waits, {duration(row.lengths.total)} "
            f"over all tasks{whose}.")
