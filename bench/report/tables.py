# SPDX-License-Identifier: Apache-2.0
"""Tables of results: rows and competitors."""

from report.numbers import goal, nanoseconds, verdict
from webpage.markup import element
from webpage.numbers import interval, number, with_unit
from webpage.tables import table


def mark(row):
    shown = verdict(row)
    return element("span", shown[0], class_=f"mark {shown[1]}") if shown else element("span", "reported", class_="mark none")


def rows_table(caption, rows, section=False):
    """Rows of results as the runner prints them. section: [(section, row)], which gets a column."""
    head = ["measure", "workers", "time, ns", "against, ns", "value", "95 % interval", "goal", "verdict", "note"]
    pairs = rows if section else [(None, row) for row in rows]
    lines = [[row.measure, *([name] if section else []), row.workers, nanoseconds(row.ours), nanoseconds(row.theirs), with_unit(row.value, row.unit),
              interval(row.low, row.high), goal(row.goal), mark(row), row.note] for name, row in pairs]
    numeric = {1, 2, 3, 4, 5, 6}
    if section:
        head.insert(1, "problem")
        numeric = {i + 1 for i in numeric}
    return table(caption, head, lines, numeric)


def members_table(caption, group):
    head = ["competitor @workers", "runs", f"median, ns per {group.unit}", "quartiles", "processor ns", "note"]
    lines = [[m.label, len(m.samples) or "", number(m.median_ns), quartiles_text(m), number(m.median_cpu_ns), _note(m)]
             for m in group.members]
    return table(caption, head, lines, {1, 2, 3, 4})


def quartiles(member):
    """(low, high) between which half of the samples lie; None of too few."""
    ordered = sorted(member.samples)
    if len(ordered) < 4:
        return None
    quarter = len(ordered) // 4
    return ordered[quarter], ordered[-1 - quarter]


def quartiles_text(member):
    found = quartiles(member)
    return interval(*found) if found else ""


def _note(member):
    notes = [f"cannot: {member.stopped}" if member.stopped else "",
             " ".join(f"{k}={v}" for k, v in member.environment.items()),
             f"{member.disturbed} of {len(member.samples)} with stolen time" if member.disturbed else ""]
    return "; ".join(filter(None, notes))
