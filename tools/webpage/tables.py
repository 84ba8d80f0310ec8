# SPDX-License-Identifier: Apache-2.0
"""Tables, each in a box of its own that scrolls where the page is too narrow for it."""

from webpage.markup import element


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


def details(summary, *content, open_=False):
    return element("details", element("summary", summary), content, open=True if open_ else None)
