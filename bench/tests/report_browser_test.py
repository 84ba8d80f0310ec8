#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: a page with every row of the plan is in order at all sizes, and faults are seen.

Pages and screenshots stay in the folder that is given, or in build/report/check. Status 77 without a browser: skipped."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_specimen  # noqa: E402
from report.page import page  # noqa: E402
from report.results import from_record, read  # noqa: E402
from webpage import browser  # noqa: E402

OUT = BENCH.parent / "build" / "report" / "check"

FAULTS = {
    "wide": ('<p style="width: 2000px">wide</p>', "the page is 20"),
    "script": ("<script>console.log('x')</script>", "a script ran"),
    "request": ('<img src="no-such-picture.png">', "the page asks for"),
    "overlap": ('<svg width="200" height="20"><text x="0" y="15">long label</text><text x="20" y="15">other</text></svg>', "overlap"),
    "clipped": ('<svg width="50" height="20"><text x="0" y="15">a label that is too long</text></svg>', "is clipped"),
    "link": ('<a href="#nowhere">x</a>', "leads nowhere"),
}


class InTheBrowser(unittest.TestCase):
    def test_the_page_of_the_whole_plan_is_in_order(self):
        path = OUT / "whole.html"
        path.write_text(page(from_record("specimen", report_specimen.record())))
        self.assertEqual(browser.check(path), 0)

    def test_the_page_of_an_excerpt_is_in_order(self):
        path = OUT / "excerpt.html"
        path.write_text(page(read(BENCH.parent / "docs" / "images" / "headline.json")))
        self.assertEqual(browser.check(path), 0)

    def test_faults_are_seen(self):
        with tempfile.TemporaryDirectory() as folder, browser.Browser(browser.find()) as instance:
            for name, (fault, complaint) in FAULTS.items():
                path = pathlib.Path(folder) / f"{name}.html"
                path.write_text(f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">'
                                f'<meta name="viewport" content="width=device-width"><title>x</title>{fault}')
                found = instance.inspect(path.as_uri(), 360, 800, "light", path.with_suffix(".png"))
                self.assertTrue(any(complaint in sentence for sentence in found), (name, found))

    def test_the_colour_scheme_is_applied(self):
        with browser.Browser(browser.find()) as instance:
            path = OUT / "excerpt.html"
            path.write_text(page(read(BENCH.parent / "docs" / "images" / "headline.json")))
            images = [OUT / f"scheme-{scheme}.png" for scheme in browser.SCHEMES]
            for scheme, image in zip(browser.SCHEMES, images):
                instance.inspect(path.as_uri(), 360, 200, scheme, image)
            self.assertNotEqual(*(image.read_bytes() for image in images))


if __name__ == "__main__":
    browser.run_tests(OUT)
