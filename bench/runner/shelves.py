# SPDX-License-Identifier: Apache-2.0
"""The shelves of problems: folders of bench with a README.md, which says of each problem what it is."""

import pathlib

BENCH = pathlib.Path(__file__).resolve().parents[1]


def names():
    return sorted(page.parent.name for page in BENCH.glob("*/README.md"))


def of(problem):
    """The shelf on which a problem stands."""
    found = [shelf for shelf in names() if (BENCH / shelf / problem).is_dir()]
    if len(found) != 1:
        raise LookupError(f"the problem '{problem}' has a folder on {len(found)} of the shelves {', '.join(names())}")
    return found[0]


def title(shelf):
    """What stands on it, as the first line of its page says."""
    return _page(shelf)[0].removeprefix("# ")


def described(shelf):
    """The problems that have a paragraph there."""
    return [line.removeprefix("## ") for line in _page(shelf) if line.startswith("## ")]


def _page(shelf):
    return (BENCH / shelf / "README.md").read_text(encoding="utf-8").splitlines()
