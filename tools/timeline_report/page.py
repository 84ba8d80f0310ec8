# SPDX-License-Identifier: Apache-2.0
"""A timeline as a page: one file, no scripts, nothing to load."""

from timeline_report import tables
from timeline_report.words import counted, duration, findings, percent
from webpage import bars
from webpage.document import document
from webpage.markup import element
from webpage.scale import Scale
from webpage.tables import table

PARTS = 240     # of the time, in a chart of it
LANE = 26       # pixels
MOST_BARS = 15
MOST_LANES = 64


def page(activities):
    """activities: by the names of their files."""
    names = ", ".join(activities)
    whole = [_whole(activity, name) for name, activity in activities.items()]
    parts = [element("section", one) for one in whole] if len(whole) > 1 else whole
    return document(f"Timeline {names}", element("main", parts))


def _whole(activity, name):
    facts = [[element("dt", what), element("dd", told)] for what, told in tables.facts(activity.timeline)]
    others = (tables.waits(activity), tables.delays(activity), tables.moves(activity), tables.turns(activity), tables.steals(activity))
    found = [element("li", sentence) for sentence in findings(activity)]
    return [element("h1", f"Timeline {name}"), element("dl", facts, class_="facts"), _tiles(activity),
            [element("h2", "What stands out"), element("ul", found)] if found else None,
            element("h2", "Workers"), _lanes(activity), _table(tables.workers(activity)),
            element("h2", "Tasks"), _task_bars(activity), _table(tables.tasks(activity)),
            [[element("h2", one.title), _table(one)] for one in others if one.rows], _reading()]


def _tiles(activity):
    timeline = activity.timeline
    shown = [(percent(activity.busy_share), "of the workers' time they ran tasks"),
             (f"{sum(row.ran.count for row in activity.tasks):,}", "tasks"), (f"{len(timeline.waits):,}", "waits"),
             (f"{len(timeline.steals):,}", "steals"), (f"{len(timeline.turns):,}", "phases turned")]
    return element("ul", [element("li", element("b", value), what) for value, what in shown], class_="tiles")


def _lanes(activity):
    """A strip for all workers together and one for each: how much of each part of the time it ran tasks."""
    timeline, shares = activity.timeline, activity.over_time(PARTS)
    mean = [sum(column) / len(shares) for column in zip(*shares.values())]
    shown = [("all workers", mean), *((activity.called(number), row) for number, row in list(shares.items())[:MOST_LANES])]
    unit, name = _axis_unit(timeline.end)
    scale = Scale([timeline.begin / unit, timeline.end / unit], log=False, from_zero=False)
    items = [element("li", element("span", label, class_="label"), _strip(label, row, timeline, scale, unit),
                     element("span", element("b", percent(sum(row) / PARTS)), " busy", class_="value"), class_="bar ours")
             for label, row in shown]
    axis = element("li", element("span", class_="label"), bars.axis_strip(scale), element("span", class_="value"), class_="axis",
                   aria_hidden="true")
    return element("figure", element("figcaption", f"Busy workers over the time, {name}", _more(len(shares) - MOST_LANES, "worker")),
                   element("ul", items, axis, class_="bars"), class_="chart")


def _more(count, noun):
    return element("small", f" (and {counted(count, 'more ' + noun)} in the table)") if count > 0 else None


def _axis_unit(end):
    return next(((unit, name) for unit, name in ((1e6, "s"), (1e3, "ms")) if end >= unit), (1.0, "us"))


def _strip(label, shares, timeline, scale, unit):
    """Parts of equal height beside each other are one."""
    step = timeline.length / PARTS
    heights = [round((LANE - 4) * share, 1) for share in shares]
    drawn, first = [], 0
    for i in range(1, PARTS + 1):
        if i < PARTS and heights[i] == heights[first]:
            continue
        if heights[first]:
            left, right = (scale.at((timeline.begin + k * step) / unit) for k in (first, i))
            drawn.append(element("rect", x=f"{left:.3f}%", y=f"{LANE - heights[first]:.1f}", width=f"{right - left:.3f}%",
                                 height=heights[first], class_="body"))
        first = i
    ends = [scale.at(t / unit) for t in (timeline.begin, timeline.end)]
    ground = element("line", x1=f"{ends[0]:.2f}%", x2=f"{ends[1]:.2f}%", y1=LANE - 0.5, y2=LANE - 0.5, class_="base")
    return element("svg", element("title", label), element("desc", f"{percent(sum(shares) / PARTS)} busy"), drawn, ground,
                   class_="strip", role="img", height=LANE, width="100%")


def _task_bars(activity):
    some = [row for row in activity.tasks if row.ran.total > 0]
    if not some:
        return element("p", "No task is in the file.", class_="absent")
    shown = [bars.Bar(row.name, row.ran.total / 1e3, unit="ms", written=f"{duration(row.ran.total)} by {counted(row.ran.count, 'task')}")
             for row in some[:MOST_BARS]]
    caption = ["Where the time of tasks went, ms in all, by name", _more(len(some) - MOST_BARS, "name")]
    return bars.chart(caption, shown, log=False)


def _table(one):
    numeric = set(range(1, len(one.head))) - set(one.words)
    more = element("p", one.left_out, class_="absent") if one.left_out else None
    return [table(one.title, one.head, one.rows, numeric), more] if one.rows else None


def _reading():
    return element("p", "A slice is a task on a worker, from where it begins or goes on to where it ends or stops. The time of a task is "
                   "that of its slices, without what ran on top of it and without its waits. A task without a name goes by the type of "
                   "its closure, and compilers may write several closures of a function alike: named(...) tells them apart. Waits "
                   "whose reasons differ in numbers only are one row, with # for the numbers. For single events open the file itself "
                   "in a viewer of Chrome's trace format, such as Perfetto.", class_="reading")
