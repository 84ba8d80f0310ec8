# SPDX-License-Identifier: Apache-2.0
"""Line charts with points: one SVG whose x are in per cent, and a legend in HTML. Series differ in colour, in the shape
of their points and in the dashes of their lines."""

import dataclasses
from webpage.markup import element, joined
from webpage.numbers import with_unit
from webpage.scale import Scale


TOP, PLOT, FOOT = 14, 240, 40  # pixels: above, the plot, below it
LEFT, RIGHT = 14.0, 97.0       # per cent: where the plot begins and ends

SHAPES = (
    element("circle", r=4.5),
    element("rect", x=-4, y=-4, width=8, height=8),
    element("path", d="M0 -5.5 L5 4 L-5 4 Z"),
    element("path", d="M0 -5.5 L5.5 0 L0 5.5 L-5.5 0 Z"),
    element("path", d="M0 5.5 L5 -4 L-5 -4 Z"),
    element("path", d="M-4 -4 L4 4 M-4 4 L4 -4", class_="cross"),
)
MOST_SERIES = len(SHAPES)


@dataclasses.dataclass(frozen=True)
class Series:
    """points: [(x, y)], in the order of x."""
    label: str
    points: tuple


def chart(caption, series, x_name, y_name, y_unit, log=None):
    """A figure of at most MOST_SERIES series. The x are spaced logarithmically where they span much, and so are the y, unless log says."""
    xs = sorted({x for one in series for x, _ in one.points})
    across = Scale(xs, log=None) if len(xs) > 1 else Scale([0, *xs, 2 * xs[0]])
    up = Scale([y for one in series for _, y in one.points], log=log)
    plot = [_frame(across, up, xs), *(_series(i, one, across, up) for i, one in enumerate(series))]
    height = TOP + PLOT + FOOT
    names = [element("text", x_name, x=f"{(LEFT + RIGHT) / 2:.2f}%", y=height - 4, text_anchor="middle"),
             element("text", y_name, x=0, y=10)]
    svg = element("svg", element("title", caption), element("desc", _described(series, y_unit)), plot, names, class_="lines",
                  role="img", height=height, width="100%")
    return element("figure", element("figcaption", caption, element("small", " (logarithmic)" if up.log else "")),
                   svg, _legend(series), class_="chart")


def _x(scale, value):
    return f"{LEFT + (RIGHT - LEFT) * scale.at(value) / 100:.2f}%"


def _y(scale, value):
    return round(TOP + PLOT * (1 - scale.at(value) / 100), 1)


def _frame(across, up, xs):
    marks = []
    for value, label in up.ticks():
        y = _y(up, value)
        marks += [element("line", x1=f"{LEFT}%", x2=f"{RIGHT}%", y1=y, y2=y, class_="grid"),
                  element("text", label, x=f"{LEFT - 1.5}%", y=y + 4, text_anchor="end")]
    for value in xs:
        x = _x(across, value)
        marks += [element("line", x1=x, x2=x, y1=TOP + PLOT, y2=TOP + PLOT + 5, class_="base"),
                  element("text", f"{value:,g}", x=x, y=TOP + PLOT + 18, text_anchor="middle")]
    marks.append(element("line", x1=f"{LEFT}%", x2=f"{RIGHT}%", y1=TOP + PLOT, y2=TOP + PLOT, class_="base"))
    return marks


def _series(i, one, across, up):
    places = [(_x(across, x), _y(up, y)) for x, y in one.points]
    segments = [element("line", x1=a, y1=b, x2=c, y2=d) for (a, b), (c, d) in zip(places, places[1:])]
    points = [element("svg", SHAPES[i], x=x, y=y, overflow="visible") for x, y in places]
    return element("g", segments, points, class_=f"series s{i + 1}")


def _legend(series):
    items = [element("li", element("svg", element("line", x1=0, x2=30, y1=7, y2=7),
                                   element("svg", SHAPES[i], x=15, y=7, overflow="visible"),
                                   class_=f"series s{i + 1}", width=30, height=14, aria_hidden="true"), " ", one.label)
             for i, one in enumerate(series)]
    return element("ul", items, class_="legend")


def _described(series, unit):
    return joined("; ".join(f"{one.label}: " + ", ".join(f"{x:g}: {with_unit(y, unit)}" for x, y in one.points)
                            for one in series))
