# SPDX-License-Identifier: Apache-2.0
"""What is printed and what is written."""

import dataclasses
import json
from statistics import median

from runner import stats
from runner.goals import MET, MISSED, UNSURE

# Of what is written. 2: rows are unsure where only the interval keeps the limit, members have labels, and the record says
# how busy the machine was at the start and what was not run; later ones say, too, whether the run came to its end. 1 had no
# such field.
FORMAT = 2


def print_table(head, lines, right):
    """Columns as wide as they have to be; `right` says which are numbers."""
    widths = [max(len(row[i]) for row in [head, *lines]) for i in range(len(head))]

    def show(row):
        cells = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right)]
        print("  " + "  ".join(cells).rstrip())

    show(head)
    show(["-" * w for w in widths])
    for row in lines:
        show(row)


def print_group(group, results, rows, seconds, busy_of_others):
    """The medians of all members, then the rows made from them."""
    lines = []
    for member, outcome in results.items():
        times = list(outcome.times().values())
        how = " ".join(f"{k}={v}" for k, v in outcome.environment.items())
        note = "cannot: " + str(outcome.stopped) if outcome.stopped else how
        if outcome.disturbed:
            note += f" ({outcome.disturbed} of {len(times)} with stolen time)"
        if not times:
            lines.append([member.label, "", "", "", "", "", note])
            continue
        peak = max(line["peak_rss_delta"] for line in outcome.lines()) / (1 << 20)
        lines.append([member.label, str(len(times)), f"{median(times):.3g}", f"{100 * stats.spread(times):.0f} %",
                      f"{median(_processor_ns(outcome)):.3g}", f"{peak:.0f}", note])
    print_table(["competitor @workers", "runs", f"ns/{group.unit}", "spread", "cpu ns", "peak MiB", ""], lines,
                [False, True, True, True, True, True, False])
    print()
    print_rows(rows)
    print(f"  {seconds:.0f} s; other processes used {busy_of_others:.1f} s of processor time meanwhile\n", flush=True)


def _processor_ns(outcome):
    """Processor time per operation: with one worker what the time would be on a machine without other work."""
    return [1e9 * line["cpu_seconds"] / line["operations"] for line in outcome.lines()]


def print_rows(rows):
    lines = [[r.measure, str(r.workers), r.ours, r.theirs, _number(r.value, r.unit), _interval(r), r.goal, r.verdict, r.note]
             for r in rows]
    if lines:
        print_table(["measure", "workers", "ns", "against", "value", "95 % interval", "goal", "verdict", ""], lines,
                    [False, True, True, True, True, True, True, False, False])


def print_summary(rows):
    with_goal = [r for r in rows if r.goal and not r.stretch]
    met = sum(r.verdict == MET for r in with_goal)
    missed = [r for r in with_goal if r.verdict == MISSED]
    unsure = [r for r in with_goal if r.verdict == UNSURE]
    rest = len(with_goal) - met - len(missed) - len(unsure)
    wishes = [r for r in rows if r.stretch]
    print(f"{met} of {len(with_goal)} goals met, {len(unsure)} unsure, {len(missed)} missed, {rest} without a result or not counting; "
          f"{sum(r.verdict == MET for r in wishes)} of {len(wishes)} stretch goals reached")
    for title, some in (("unsure, the interval holds the limit:", unsure), ("missed:", missed)):
        if some:
            print(title)
            print_rows(some)


def _number(value, unit):
    if value is None:
        return ""
    if unit == "x":
        return f"{value:.3f} x"
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def _interval(row):
    return "" if row.low is None else f"{row.low:.3f} .. {row.high:.3f}"


def group_record(group, results, rows, seconds, busy_of_others):
    members = []
    for member, outcome in results.items():
        times = list(outcome.times().values())
        members.append({
            "label": member.label,
            "competitor": member.competitor,
            "workers": member.threads,
            "policy": member.policy,
            "options": [*group.arguments, *member.options()],
            "environment": outcome.environment,
            "median_ns": median(times) if times else None,
            "spread": stats.spread(times) if times else None,
            "median_cpu_ns": median(_processor_ns(outcome)) if times else None,
            "stopped": {"kind": outcome.stopped.kind, "text": str(outcome.stopped)} if outcome.stopped else None,
            "repeated_for_stolen_time": outcome.repeated,
            "kept_with_stolen_time": outcome.disturbed,
            "repetitions": [{"round": r, **outcome.samples[r]} for r in sorted(outcome.samples)],
        })
    return {"section": group.section, "title": group.title, "unit": group.unit, "seconds": seconds,
            "processor_seconds_of_others": busy_of_others, "members": members,
            "rows": [dataclasses.asdict(row) for row in rows]}


def overview_record(title, rows):
    """A group that measured nothing itself."""
    return {"section": "overview", "title": title, "unit": "", "seconds": 0, "processor_seconds_of_others": 0, "members": [],
            "rows": [dataclasses.asdict(row) for row in rows]}


def write(path, record):
    """In one step: whoever reads it, or ends this process, never finds half of a record."""
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(json.dumps(record, indent=1) + "\n")
    unfinished.replace(path)
