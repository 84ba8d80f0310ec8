#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a timeline in a real browser, at all sizes: of a small one, of one with more than is shown, of an empty one.

Pages and screenshots stay in build/report/check. Status 77 without a browser: skipped."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tools")]

import timeline_specimen as specimen  # noqa: E402
from timeline_report.activity import Activity  # noqa: E402
from timeline_report.page import page  # noqa: E402
from timeline_report.timeline import from_record  # noqa: E402
from webpage import browser  # noqa: E402

OUT = ROOT / "build" / "report" / "check"


class InTheBrowser(unittest.TestCase):
    def test_pages_are_in_order(self):
        for name, record in (("small", specimen.small()), ("crowd", specimen.crowd()), ("empty", specimen.record([])),
                             ("late", specimen.record(specimen.ran(0, 1, "t", 9.90e6, 9.98e6), lost=(7,)))):
            path = OUT / f"timeline-{name}.html"
            path.write_text(page({f"{name}.json": Activity(from_record(record, name))}), encoding="utf-8")
            self.assertEqual(browser.check(path), 0, name)


if __name__ == "__main__":
    browser.run_tests(OUT)
