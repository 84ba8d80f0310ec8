# SPDX-License-Identifier: Apache-2.0
"""Horizontal bars with the whiskers of an interval, one below the other on one axis.

Each bar is an SVG of its own whose x are in per cent, so that it takes any width while its text, which is HTML beside
it, keeps its size and wraps."""

import dataclasses

from webpage.markup import element, joined
from webpage.numbers import interval, number, with_unit
from webpage.scale import Scale

HEIGHT = 22
AXIS_HEIGHT = 20


@dataclasses.dataclass(frozen=True)
class Bar:
    """kind: a class of the style sheet, ours, rival or published. limit: (value, at most?) of a goal. mark: the verdict's
    (word, class). written: the value in the words of who published it."""
    label: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = "x"
    kind: str = "ours"
    limit: tuple | None = None
    mark: tuple | None = None
    written: str | None = None

    @property
    def text(self):
        return self.written or with_unit(self.value, self.unit)


def scale_of(bars, base, log=None):
    values = [v for bar in bars for v in (bar.value, bar.low, bar.high, bar.limit and bar.limit[0])]
    return Scale([*values, base] if base else values, log)


def chart(caption, bars, base=None, log=None):
    """A figure. base: where bars begin, 1 for ratios; otherwise the axis's low end. log: of the axis; None: as the values ask."""
    scale = scale_of(bars, base, log)
    items = [element("li", element("span", bar.label, class_="label"), strip(bar, scale, base), _value(bar),
                     class_=f"bar {bar.kind}") for bar in bars]
    shape = "logarithmic axis" if scale.log else "linear axis"
    axis = element("li", element("span", class_="label"), axis_strip(scale), element("span", class_="value"), class_="axis",
                   aria_hidden="true")
    return element("figure", element("figcaption", caption, element("small", f" ({shape})")),
                   element("ul", items, axis, class_="bars"), class_="chart")


def _value(bar):
    spread = element("small", f" [{interval(bar.low, bar.high)}]") if bar.low is not None else None
    mark = element("span", bar.mark[0], class_=f"mark {bar.mark[1]}") if bar.mark else None
    return element("span", element("b", bar.text), spread, " " if mark else None, mark, class_="value")


def strip(bar, scale, base, **attributes):
    """The SVG of one bar."""
    start, end = scale.at(base if base else scale.low), scale.at(bar.value)
    middle = HEIGHT / 2
    shapes = [element("line", x1=f"{scale.at(v):.2f}%", x2=f"{scale.at(v):.2f}%", y1=0, y2=HEIGHT, class_="grid")
              for v, _ in scale.ticks()]
    shapes.append(element("line", x1=f"{start:.2f}%", x2=f"{start:.2f}%", y1=0, y2=HEIGHT, class_="base"))
    shapes.append(element("rect", x=f"{min(start, end):.2f}%", y=middle - 6, width=f"{abs(end - start):.2f}%", height=12,
                          class_="body"))
    shapes.append(_whisker(bar, scale, middle))
    shapes.append(element("circle", cx=f"{end:.2f}%", cy=middle, r=3.5, class_="point"))
    if bar.limit:
        shapes.append(_goal(scale.at(bar.limit[0]), bar.limit[1]))
    return element("svg", element("title", bar.label), element("desc", _described(bar)), shapes,
                   **{"class_": "strip", "role": "img", "height": HEIGHT, "width": "100%", **attributes})


def _whisker(bar, scale, middle):
    if bar.low is None or bar.high is None:
        return None
    low, high = f"{scale.at(bar.low):.2f}%", f"{scale.at(bar.high):.2f}%"
    return joined([element("line", x1=low, x2=high, y1=middle, y2=middle, class_="whisker"),
                   *(element("line", x1=x, x2=x, y1=middle - 5, y2=middle + 5, class_="whisker") for x in (low, high))])


def _goal(x, at_most):
    """A dashed line, and a foot to the side on which the goal is kept."""
    foot = element("svg", element("path", d=f"M0 {HEIGHT - 1} h{-6 if at_most else 6}", class_="goal foot"), x=f"{x:.2f}%",
                   overflow="visible")
    return joined([element("line", x1=f"{x:.2f}%", x2=f"{x:.2f}%", y1=1, y2=HEIGHT - 1, class_="goal"), foot])


def _described(bar):
    words = [bar.text]
    if bar.low is not None:
        words.append(f"interval {interval(bar.low, bar.high)}")
    if bar.limit:
        words.append(f"goal at {'most' if bar.limit[1] else 'least'} {number(bar.limit[0])}")
    if bar.mark:
        words.append(bar.mark[0])
    return ", ".join(words)


def axis_strip(scale, **attributes):
    marks = []
    for value, label in scale.ticks():
        x = scale.at(value)
        anchor = "start" if x < 6 else "end" if x > 94 else "middle"
        marks += [element("line", x1=f"{x:.2f}%", x2=f"{x:.2f}%", y1=0, y2=5, class_="grid"),
                  element("text", label, x=f"{x - 1 if anchor == 'start' else x + 1 if anchor == 'end' else x:.2f}%", y=16,
                          text_anchor=anchor)]
    return element("svg", marks, **{"class_": "strip", "height": AXIS_HEIGHT, "width": "100%", **attributes})
