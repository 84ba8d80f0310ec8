# SPDX-License-Identifier: Apache-2.0
"""Tables, each in a box of its own that scrolls where the page is too narrow for it."""

from report.markup import element
from report.numbers import goal, interval, nanoseconds, number, verdict, with_unit


def table(caption, head, lines, numeric=()):
    """head: the columns' names; lines: rows of cells, the first of each naming its row; numeric: indices set flush right."""
    def cells(line):
        return [element("th" if i == 0 else "td", cell, scope="row" if i == 0 else None,
                        class_="number" if i in numeric else None) for i, cell in enumerate(line)]

    head_row = element("tr", [element("th", name, scope="col", class_="number" if i in numeric else None)
                              for i, name in enumerate(head)])
    return element("div", element("table", element("caption", caption), element("thead", head_row),
                                  element("tbody", [element("tr", cells(line)) for line in lines])),
                   class_="box", tabindex=0, role="region", aria_label=caption)


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


def details(summary, *content, open_=False):
    return element("details", element("summary", summary), content, open=True if open_ else None)
