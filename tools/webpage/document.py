# SPDX-License-Identifier: Apache-2.0
"""A page as one file: no scripts, nothing to load."""

import pathlib

from webpage.markup import Markup, element

FOLDER = pathlib.Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the browser keeps it: no scripts, no network


def style(*names):
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def document(title, *body):
    """The text of an HTML file."""
    head = element("head", element("meta", charset="utf-8"),
                   element("meta", http_equiv="Content-Security-Policy", content=POLICY),
                   element("meta", name="viewport", content="width=device-width, initial-scale=1"),
                   element("title", title),
                   element("style", Markup(style("palette.css", "charts.css", "page.css"))))
    return f"<!DOCTYPE html>\n{element('html', head, element('body', body), lang='en')}\n"
