# SPDX-License-Identifier: Apache-2.0
"""The page as a whole."""

from report import measurements, paper_section, placement, scale, summary
from report.compare import Ours
from report.published import other_libraries, papers
from webpage.document import document
from webpage.markup import element, slug


BESIDE = {placement.FILE: "Placement policies, simulated", scale.FILE: "Protocols at many places, in virtual time"}


def page(results, beside=()):
    """The text of the HTML file. beside: which of those pages lie there, too."""
    ours, all_papers = Ours(results), [*papers(), other_libraries()]
    main = element("main", element("h1", "Tactus: benchmark report"), summary.origin(results), _contents(all_papers, ours, results, beside),
                   summary.reading(), summary.goals(results), summary.main_chart(results),
                   [paper_section.section(paper, ours, results) for paper in all_papers], measurements.section(results))
    foot = element("footer", element("p", "Written by ./dev report. What is measured and how: bench/README.md; from the papers "
                                          "to the code: docs/papers.md.", class_="absent"))
    return document("Tactus: benchmark report", main, foot)


def _contents(all_papers, ours, results, beside):
    links = [("reading", "How to read this page"), ("goals", "Goals"), ("rivals", "Against rivals")]
    items = [element("li", element("a", text, href=f"#{anchor}")) for anchor, text in links]
    for paper in all_papers:
        anchor = slug(paper.file.removesuffix(".txt"))
        held, _ = paper_section.divided(paper, ours, results)
        inner = [element("li", element("a", entry.item, href=f"#{anchor}-{slug(entry.item)}")) for entry in held]
        items.append(element("li", element("a", paper.title, href=f"#{anchor}"), element("ul", inner) if inner else None))
    problems = [element("li", element("a", name, href=f"#problem-{slug(name)}")) for name in results.sections()]
    items.append(element("li", element("a", "All measurements", href="#measurements"), element("ul", problems)))
    items += [element("li", element("a", BESIDE[file], href=file)) for file in beside]
    return element("nav", element("h2", "Contents"), element("ul", items), aria_label="Contents")
