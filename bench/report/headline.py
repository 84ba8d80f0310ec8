# SPDX-License-Identifier: Apache-2.0
"""The main chart: a few ratios against rivals, also as an SVG of its own and as a small excerpt of the results, from which
that SVG can be made again."""

import dataclasses
import json
import pathlib

from report.numbers import verdict
from report.results import limit
from webpage import bars
from webpage.markup import Markup, element
from webpage.numbers import interval, with_unit


@dataclasses.dataclass(frozen=True)
class Headline:
    """A row and its ratio in words. The choice stands here so that no run picks its best; some rows favour a rival."""
    text: str
    measure: str
    workers: int = 2


HEADLINES = (
    Headline("fib(32), a task per call, work_first / oneTBB", "fib: work_first / oneTBB"),
    Headline("1 M tasks in one finish, help_first / oneTBB", "flat: help_first / oneTBB"),
    Headline("tree of 4 M escaping tasks / oneTBB", "tree: adaptive / oneTBB"),
    Headline("spanning tree, 1 M vertices / oneTBB", "span 1 M: adaptive / oneTBB"),
    Headline("2 clocked tasks / OpenMP barrier", "lockstep 2: clock / OpenMP barrier"),
    Headline("64 clocked tasks / oneTBB", "lockstep 64: clock / oneTBB, best form"),
    Headline("4,096 clocked tasks / Boost.Fiber barrier", "lockstep 4096: clock / Boost.Fiber barrier, best number of workers"),
    Headline("4,096 clocked tasks of 0.5 us / OpenMP static", "body of 0.5 us, 4096 tasks: clock / OpenMP static"),
    Headline("wavefront, phaser per row / OpenMP depend", "wavefront, unbalanced: phasers of neighbours / OpenMP depend"),
    Headline("sum by 4 tasks, overhead / best reduction",
             "syncbench, balanced, 4 tasks: overhead, automatic / best OpenMP or oneTBB reduction"),
    Headline("spectral norm, inner sums / OpenMP", "spectral norm 200, inner: accumulator / better OpenMP"),
    Headline("NPB CG, class A / OpenMP", "NPB CG A: accumulator / better OpenMP"),
    Headline("producer and consumer, bound 64, phaser / best queue of threads",
             "producer and consumer, bound 64: phaser / best rival"),
)


def _chosen(results):
    rows = {(row.measure, row.workers): row for row in results.rows() if row.value is not None}
    return [(headline, rows[headline.measure, headline.workers]) for headline in HEADLINES
            if (headline.measure, headline.workers) in rows]


def rows(results):
    return [row for _, row in _chosen(results)]


def shown(results):
    return [bars.Bar(headline.text, row.value, row.low, row.high, row.unit, "ours", limit(row), verdict(row))
            for headline, row in _chosen(results)]


def figure(results):
    """The chart of the page; None when the results have nothing of it."""
    some = shown(results)
    return bars.chart("Time of Tactus over that of a rival, two workers", some, base=1) if some else None


# --- The SVG of its own ----------------------------------------------------------------------------------------------

LABELS, PLOT, VALUES = 330, 290, 260  # pixels across
ROW, TOP = 24, 52


def svg(results, style):
    """The chart with everything that it needs, for where no page is around it. style: the text of the style sheets."""
    some = shown(results)
    scale = bars.scale_of(some, 1)
    width, height = LABELS + PLOT + VALUES, TOP + ROW * len(some) + bars.AXIS_HEIGHT + 10
    parts = [element("rect", width=width, height=height, class_="ground"),
             element("text", "Time of Tactus over that of a rival, two workers: below 1, Tactus takes less", x=16, y=24,
                     class_="heading"),
             element("text", subtitle(results), x=16, y=42, class_="quiet")]
    for i, bar in enumerate(some):
        y = TOP + ROW * i
        parts += [element("text", bar.label, x=16, y=y + 16), bars.strip(bar, scale, 1, x=LABELS, y=y + 1, width=PLOT),
                  _value(bar, y + 16)]
    parts.append(bars.axis_strip(scale, x=LABELS, y=TOP + ROW * len(some) + 1, width=PLOT))
    head = element("title", "Ratios of Tactus's time to that of rivals"), element("desc", subtitle(results))
    whole = element("svg", head, element("style", Markup(style)), parts, xmlns="http://www.w3.org/2000/svg", role="img",
                    viewBox=f"0 0 {width} {height}", width=width, height=height, class_="standalone")
    return f"{whole}\n"


def _value(bar, y):
    spread = f" [{interval(bar.low, bar.high)}]" if bar.low is not None else ""
    text = [element("text", element("tspan", with_unit(bar.value, bar.unit), class_="strong"),
                    element("tspan", spread, class_="quiet"), x=LABELS + PLOT + 10, y=y)]
    if bar.mark:
        text.append(element("text", bar.mark[0], x=LABELS + PLOT + VALUES - 12, y=y, text_anchor="end",
                            class_=f"mark {bar.mark[1]}"))
    return text


def subtitle(results):
    revision = (results.revision or "unknown")[:10]
    return (f"{results.machine.get('cpu', '?')}, {results.machine.get('cores', '?')} cores; medians with 95 % intervals; "
            f"dashed: the goal; {results.time[:10]}, commit {revision}")


# --- The excerpt -----------------------------------------------------------------------------------------------------

def excerpt(results):
    """A results file, of the file's own format, with the rows of the chart and nothing else."""
    wanted = {id(row) for _, row in _chosen(results)}
    groups = [{"section": g.section, "title": g.title, "unit": g.unit, "seconds": g.seconds,
               "processor_seconds_of_others": g.seconds_of_others, "members": [],
               "rows": [dataclasses.asdict(row) for row in g.rows if id(row) in wanted]}
              for g in results.groups if any(id(row) in wanted for row in g.rows)]
    build = {key: value for key, value in results.build.items() if key != "source"}
    return {"format": 2, "machine": results.machine, "load_at_start": results.load_at_start, "build": build,
            "revision": results.revision, "time": results.time, "all": results.all, "full": results.full, "inputs": None,
            "names": list(results.names), "not_run": [], "groups": groups}


def write(results, style, folder):
    """headline.json and headline.svg; the two paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data, drawing = folder / "headline.json", folder / "headline.svg"
    data.write_text(json.dumps(excerpt(results), indent=1) + "\n", encoding="utf-8")
    drawing.write_text(svg(results, style), encoding="utf-8")
    return data, drawing
