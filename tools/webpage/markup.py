# SPDX-License-Identifier: Apache-2.0
"""Elements of HTML and SVG as text. What is not Markup is escaped, so that no result can become a tag."""

import html
import re

VOID = ("meta", "br", "hr", "col")  # of HTML: they have no end tag
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # a program's last words may hold any byte


class Markup(str):
    """Text that is markup already."""


def escaped(text):
    return Markup(html.escape(_NOT_XML.sub("\ufffd", str(text)), quote=True))


def element(name, /, *children, **attributes):
    """<name attribute="...">children</name>. Attributes that are None are left out; class_ is class, stroke_width is
    stroke-width. Children: text, numbers, Markup, None, or iterables of these."""
    written = "".join(f' {_attribute(key)}="{escaped("" if value is True else value)}"'
                      for key, value in attributes.items() if value is not None)
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children):
    """Children in a row, as Markup."""
    if children is None:
        return Markup("")
    if isinstance(children, Markup):
        return children
    if isinstance(children, (str, int, float)):
        return escaped(children)
    return Markup("".join(map(joined, children)))


def _attribute(key):
    return key.rstrip("_").replace("_", "-") if key != "viewBox" else key


def slug(text):
    """A name for an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
