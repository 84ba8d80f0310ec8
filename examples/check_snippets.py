#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every snippet of a page stands word for word in the example named in the line before it.

    check_snippets.py PAGE [--whole-programs]

In the page, a line `From examples/NAME:` comes before each block in C++, X10, Java or Chapel; with --whole-programs, for a page that
tools/walkthrough follows, before each that has no main. Indentation may differ by a constant amount, so a part of a function
can be shown flush left.
"""

import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^```(?:cpp|x10|java|chapel)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r"^From \[?`?examples/([\w./]+)[^\n]*:\n+```(?:cpp|x10|java|chapel)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def stands_in(snippet: str, source: str) -> bool:
    wanted = textwrap.dedent(snippet).rstrip().split("\n")
    lines = source.split("\n")
    for start in range(len(lines) - len(wanted) + 1):
        part = "\n".join(lines[start : start + len(wanted)])
        if textwrap.dedent(part).split("\n") == wanted:
            return True
    return False


def main() -> int:
    page = pathlib.Path(sys.argv[1])
    examples = pathlib.Path(__file__).parent
    text = page.read_text()
    found = SNIPPET.findall(text)
    errors = []
    may_be_whole = "--whole-programs" in sys.argv[2:]
    named = {snippet for _, snippet in found}
    errors += [f"does not name its example:\n{block}" for block in BLOCK.findall(text)
               if block not in named and not (may_be_whole and "int main(" in block)]
    for name, snippet in found:
        if not stands_in(snippet, (examples / name).read_text()):
            errors.append(f"not in examples/{name}:\n{snippet}")
    for error in errors:
        print(f"{page}: {error}", file=sys.stderr)
    if not errors:
        print(f"{page}: {len(found)} snippets")
    return 1 if errors or not found else 0


if __name__ == "__main__":
    sys.exit(main())
