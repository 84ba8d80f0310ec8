# SPDX-License-Identifier: Apache-2.0
"""One paper: for each of its figures and tables the published numbers beside ours."""

import re

from report.compare import published_cell
from report.curves import Curve, drawn
from report.numbers import named, printed, verdict
from report.results import limit
from report.tables import rows_table
from webpage import bars, lines
from webpage.markup import element, slug
from webpage.numbers import interval, number, with_unit
from webpage.tables import details, table

MOST_BARS = 48  # of one chart


def divided(paper, ours, results):
    """Its entries of which the results hold something, and the others."""
    held = [entry for entry in paper.entries if _is_held(entry, ours, results)]
    return held, [entry for entry in paper.entries if entry not in held]


def _is_held(entry, ours, results):
    return bool((entry.listed and ours.listed(entry.listed)) or ours.columns(entry) or
                any("ours" in s and ours.statement(s["ours"], entry.sizes) for s in entry.statements) or
                (entry.curve and drawn(Curve(**entry.curve), results)))


def section(paper, ours, results):
    """What the results hold nothing of is folded."""
    anchor = slug(paper.file.removesuffix(".txt"))
    held, others = divided(paper, ours, results)
    machines = [element("li", element("b", name), ": ", text) for name, text in paper.machines.items()]
    about = [element("p", "Machines of the paper:"), element("ul", machines)]
    folded = [_entry(paper, anchor, entry, ours, results) for entry in others]
    shown = [*about, [_entry(paper, anchor, entry, ours, results) for entry in held]] if held else []
    if others:
        which = f": {', '.join(entry.item for entry in others)}" if held else ""
        shown.append(details(f"Published, and nothing of it in these results ({len(others)}){which}", [] if held else about, folded))
    return element("section", element("h2", paper.title), element("p", f"{paper.authors}. {paper.method}"), shown,
                   element("p", paper.left_out), id=anchor)


def _entry(paper, anchor, entry, ours, results):
    listed = ours.listed(entry.listed) if entry.listed else []
    parts = [element("h3", _title(entry)),
             element("p", f"{entry.what} (section {entry.section}: {paper.sections[entry.section]}).")]
    if entry.reading:
        parts.append(element("p", entry.reading, class_="reading"))
    if entry.statements:
        parts.append(_statements(entry, ours))
    if entry.table:
        parts += _joined(entry, ours)
    if entry.curve:
        parts.append(drawn(Curve(**entry.curve), results))
    parts += listed_rows(f"{_title(entry)}: our rows", listed)
    return element("article", parts, id=f"{anchor}-{slug(entry.item)}")


def _title(entry):
    return entry.item[0].upper() + entry.item[1:]


def _statements(entry, ours):
    rows = [[s["what"], _published(s), _beside(s, entry, ours)] for s in entry.statements]
    if not any(beside for *_, beside in rows):
        return table(f"{_title(entry)}: stated in the text", ["what", "published"], [row[:2] for row in rows], {1})
    return table(f"{_title(entry)}: stated in the text, and ours", ["what", "published", "ours"], rows, {1})


def _beside(statement, entry, ours):
    if "ours" not in statement:
        return ""
    found = ours.statement(statement["ours"], entry.sizes)
    return [element("div", _our(figure)) for figure in found] or element("small", "not in these results")


def _published(statement):
    value = statement.get("value")
    return [printed(value, statement["unit"]) if value is not None else "in words",
            element("small", statement["machine"]) if "machine" in statement else None]


def _our(figure):
    spread = f" [{interval(figure.low, figure.high)}]" if figure.low is not None else ""
    mark = element("span", figure.mark[0], class_=f"mark {figure.mark[1]}") if figure.mark else None
    return [element("b", with_unit(figure.value, figure.unit) or figure.words), spread, " ", mark,
            element("small", " ", figure.label)]


def _joined(entry, ours):
    """The paper's table with our columns beside it, and a chart of the columns that are marked for it."""
    columns = [(f"{c['label']}, {c['machine']}" if "machine" in c else c["label"],
                [published_cell(value, entry.unit) for value in c["values"]], c.get("drawn", False), "published")
               for c in entry.table["columns"]]
    columns += [(f"ours: {c.label}", c.cells, c.drawn, "ours") for c in ours.columns(entry)]
    head = [entry.table["row"], *(name for name, *_ in columns)]
    rows = [[name, *(_cell(cells[i], entry.unit) for _, cells, *_ in columns)] for i, name in enumerate(entry.table["rows"])]
    unit = f", in {with_unit(1, entry.unit).split()[1]}" if entry.unit else ""
    both = ", and ours" if any(kind == "ours" for *_, kind in columns) else ""
    parts = [table(f"{_title(entry)}{unit}: published{both}", head, rows, set(range(1, len(head))))]
    parts.insert(0, _columns_chart(entry, [c for c in columns if c[2]]))
    if entry.pairs:
        parts.append(_pairs_chart(entry))
    return parts


def _cell(figure, unit):
    """Where the table has no unit, a row of ours says its own, and what it is."""
    if figure is None:
        return ""
    if figure.unit and not unit:
        return _our(figure)
    text = figure.words or (f"{figure.value:,.0f}" if figure.value == int(figure.value) else number(figure.value))
    spread = element("small", f" [{interval(figure.low, figure.high)}]") if figure.low is not None else None
    return [text, spread]


def _columns_chart(entry, columns):
    shown = [_bar(f"{row}: {name}", cells[i], kind)
             for i, row in enumerate(entry.table["rows"]) for name, cells, _, kind in columns if cells[i] is not None]
    if not any(bar.kind == "ours" for bar in shown):
        return None
    return bars.chart(f"{_title(entry)}: published, and ours", shown, base=1 if entry.unit == "x" else None)


def _bar(label, cell, kind):
    unit = cell.unit or "x"
    written = printed(cell.value, unit) if kind == "published" else None
    return bars.Bar(label, cell.value, cell.low, cell.high, unit, kind, written=written)


def _pairs_chart(entry):
    """Quotients of every two columns, row by row."""
    values = [column["values"] for column in entry.table["columns"]]
    series = [lines.Series(row, tuple((x, values[2 * j][i] / values[2 * j + 1][i]) for j, x in enumerate(entry.pairs["x"])))
              for i, row in enumerate(entry.table["rows"])]
    return lines.chart(entry.pairs["caption"], series, entry.pairs["x_name"], entry.pairs["y_name"], "x")


def listed_rows(caption, rows):
    """A bar chart for each unit, and all rows as a table."""
    if not rows:
        return []
    charts = []
    for unit in dict.fromkeys(row.unit for row in rows):
        some = [_bar_of_row(row) for row in rows if row.unit == unit and row.value is not None]
        if len(some) > 1 or (some and unit == "x"):
            charts.append(_chart(caption, some, unit))
    data = rows_table(caption, rows)
    return [*charts, details(f"{caption}, as a table ({len(rows)})", data, open_=not charts)]


def _bar_of_row(row):
    """Measures that end with a member's label, as in "overhead, libgomp for @4", say how many workers and whose it is."""
    member = re.search(r", (\w+)[^,]* @\d+$", row.measure)
    kind = "rival" if member and member[1] != "tactus" else "ours"
    return bars.Bar(named(row), row.value, row.low, row.high, row.unit, kind, limit(row), verdict(row))


def _chart(caption, some, unit):
    positive = all(bar.value > 0 for bar in some)
    what = "ratios; bars begin at 1" if unit == "x" and positive else with_unit(1, unit).split(" ", 1)[1]
    return bars.chart(f"{caption}, {what}", some[:MOST_BARS], base=1 if unit == "x" and positive else None)
