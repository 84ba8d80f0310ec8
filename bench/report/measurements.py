# SPDX-License-Identifier: Apache-2.0
"""All that was measured, problem by problem: rows with their intervals and goals, medians of all competitors."""

from report import curves
from report.paper_section import listed_rows
from report.tables import members_table, quartiles
from webpage import bars
from webpage.markup import element, slug
from webpage.tables import details


def section(results):
    parts = [_problem(name, groups, results) for name, groups in results.sections().items()]
    return element("section", element("h2", "All measurements"),
                   element("p", "Each problem in the order in which it was measured. Names of competitors are those of the "
                                "programs; @2 means two workers."), parts, id="measurements")


def _problem(name, groups, results):
    lines = [curves.drawn(curve, results) for curve in curves.OF_SECTIONS if curve.section == name]
    return element("section", element("h3", name), lines, [_group(group) for group in groups], id=f"problem-{slug(name)}")


def _group(group):
    others = f"Other processes used {group.seconds_of_others:.1f} s of processor time in {group.seconds:.0f} s."
    caption = f"{group.title}: medians"
    members = []
    if group.members:
        members = [details(f"Medians of {len(group.members)} competitors", _medians_chart(group), members_table(caption, group))]
    return element("article", element("h4", group.title), listed_rows("Rows of this group", group.rows), members,
                   element("p", others, class_="absent"))


def _medians_chart(group):
    shown = []
    for member in group.members:
        if member.median_ns:
            low, high = quartiles(member) or (None, None)
            kind = "ours" if member.competitor.startswith("tactus") else "rival"
            shown.append(bars.Bar(member.label, member.median_ns, low, high, "ns", kind))
    if not shown:
        return None
    return bars.chart(f"Median ns per {group.unit}; whiskers hold half of the repetitions; rivals hollow", shown)
