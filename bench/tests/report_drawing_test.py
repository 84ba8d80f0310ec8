#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report's charts: scales, bars, lines, colours, and the main chart as a file of its own."""

import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "tests"), str(BENCH.parent / "tools")]

import report_specimen  # noqa: E402
from report import headline, numbers  # noqa: E402
from report.results import from_record, read  # noqa: E402
from runner.goals import MISSED  # noqa: E402
from webpage import bars, lines  # noqa: E402
from webpage.document import style  # noqa: E402
from webpage.numbers import interval, number, with_unit  # noqa: E402
from webpage.scale import Scale  # noqa: E402

RESULTS = from_record("specimen", report_specimen.record())
IMAGES = BENCH.parent / "docs" / "images"


class Drawing(unittest.TestCase):
    def test_a_scale_is_logarithmic_from_a_factor_of_eight(self):
        self.assertFalse(Scale([1, 7.9]).log)
        self.assertTrue(Scale([1, 8]).log)
        self.assertFalse(Scale([-1, 100]).log)

    def test_a_scale_keeps_the_order_and_holds_its_values(self):
        for values in ([0.013, 1.9], [3, 4], [5], [1], [1e-4, 1e5], [-3, 12], [0, 0], [2e9, 3e9], [0.999, 1.001], []):
            scale = Scale(values)
            places = [scale.at(v) for v in sorted(values)]
            self.assertEqual(places, sorted(places))
            self.assertTrue(scale.low <= min(values, default=0) and max(values, default=0) <= scale.high, values)
            self.assertTrue(2 <= len(scale.ticks()) <= 9, (values, scale.ticks()))
            for value, _ in scale.ticks():
                self.assertTrue(0 <= scale.at(value) <= 100)

    def test_a_bar_goes_from_one_to_its_ratio_and_has_whiskers_and_goal(self):
        bar = bars.Bar("a / b", 0.5, 0.4, 0.6, limit=(0.3, True), mark=numbers.VERDICTS[MISSED])
        scale = bars.scale_of([bar], 1)
        strip = ElementTree.fromstring(bars.strip(bar, scale, 1))
        body = next(e for e in strip if e.get("class") == "body")
        self.assertAlmostEqual(float(body.get("x")[:-1]), scale.at(0.5), places=2)
        self.assertAlmostEqual(float(body.get("width")[:-1]), scale.at(1) - scale.at(0.5), places=1)
        self.assertEqual(sum(e.get("class") == "whisker" for e in strip), 3)
        self.assertEqual(strip.findtext("desc"), "0.500 \u00d7, interval 0.400 to 0.600, goal at most 0.300, \u2717 missed")

    def test_a_line_chart_has_a_point_for_each_value_and_shapes_that_differ(self):
        series = [lines.Series(str(i), ((1, 10 + i), (100, 20 + i))) for i in range(lines.MOST_SERIES)]
        figure = ElementTree.fromstring(lines.chart("c", series, "x", "y", "ns"))
        groups = [g for g in figure.iter("g") if g.get("class").startswith("series")]
        self.assertEqual([len(g.findall("svg")) for g in groups], [2] * lines.MOST_SERIES)
        shapes = [ElementTree.tostring(g.find("svg")[0]) for g in groups]
        self.assertEqual(len(set(shapes)), lines.MOST_SERIES)

    def test_numbers_have_three_digits(self):
        shown = [number(v) for v in (0, 0.00421, 0.18649, 1, 9.996, 12.34, 99.96, 1234.5, 123456, 2e9, 1e-7, None)]
        self.assertEqual(shown, ["0", "0.00421", "0.186", "1.00", "10.0", "12.3", "100", "1,234", "123,000", "2e+09", "1e-07", ""])
        self.assertEqual(interval(2, 2), "one round")
        self.assertEqual((with_unit(3, "threads"), with_unit(3, "s")), ("3 threads", "3.00 s"))
        self.assertEqual((numbers.nanoseconds("1.76e+03"), numbers.nanoseconds("17.3")), ("1,760", "17.3"))


def brightness(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    light, dark = sorted((brightness(a), brightness(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Palette(unittest.TestCase):
    def test_is_readable_in_both_schemes(self):
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in style("palette.css").split("@media"))
        self.assertEqual(light.keys(), dark.keys())
        for colours in (light, dark):
            for name in ("ink", "quiet", "link", "met", "unsure", "missed"):
                for ground in ("ground", "panel"):
                    self.assertGreaterEqual(contrast(colours[name], colours[ground]), 4.5, (name, ground))
            for name in ("ours", "rival", "published", "whisker", "goal", *(f"s{i}" for i in range(1, 7))):
                self.assertGreaterEqual(contrast(colours[name], colours["ground"]), 3, name)

    def test_is_the_only_place_of_colours(self):
        self.assertEqual(re.findall(r"#[0-9a-fA-F]{3,8}\b", style("charts.css", "page.css")), [])
        used = set(re.findall(r"var\(--([\w-]+)\)", style("charts.css", "page.css")))
        self.assertEqual(used, set(re.findall(r"--([\w-]+):", style("palette.css"))))


class MainChart(unittest.TestCase):
    def test_has_rows_of_the_plan(self):
        self.assertEqual(len(headline.shown(RESULTS)), len(headline.HEADLINES))

    def test_of_the_readme_is_what_its_excerpt_makes(self):
        results = read(IMAGES / "headline.json")
        self.assertEqual(headline.svg(results, style("palette.css", "charts.css")), (IMAGES / "headline.svg").read_text())

    def test_is_xml_that_knows_both_schemes_and_names_no_path(self):
        text = headline.svg(RESULTS, style("palette.css", "charts.css"))
        ElementTree.fromstring(text)
        self.assertIn("prefers-color-scheme: dark", text)
        self.assertNotIn(RESULTS.build["source"], json.dumps(headline.excerpt(RESULTS)))

    def test_the_excerpt_makes_the_same_chart(self):
        again = from_record("excerpt", headline.excerpt(RESULTS))
        self.assertEqual(headline.svg(again, ""), headline.svg(RESULTS, ""))


if __name__ == "__main__":
    unittest.main()
