# SPDX-License-Identifier: Apache-2.0
"""The top of the page: where the figures come from, how to read them, how many goals are met."""

from report import headline
from report.tables import rows_table
from runner.goals import MET, MISSED, SHORT, UNSURE
from webpage.markup import element, slug
from webpage.tables import details, table

QUIET = 0.05  # the part of the machine that others may use before the page warns


def _other_languages(versions):
    found = [f"{name} {version}" if name == "rayon" else version for name, version in (versions or {}).items() if version]
    return [("Other languages", ", ".join(found))] if found else []


def _onetbb(build):
    """Debian's and the newest, where there are two."""
    return " and ".join(filter(None, (build.get("onetbb"), build.get("onetbb_new")))) or "none"


def origin(results):
    """A list of what was measured where, and warnings."""
    machine, build = results.machine, results.build
    memory = f", {machine['memory_bytes'] / 2**30:.0f} GiB" if "memory_bytes" in machine else ""
    extent = "the full set, --full" if results.full else "all in usual sizes, --all" if results.all else "the default set"
    facts = [
        ("Machine", f"{machine.get('cpu', 'unknown')}, {machine.get('cores', '?')} cores{memory}"),
        ("System", f"{machine.get('system', 'unknown')}, Linux {machine.get('kernel', '?')}"),
        ("Build", f"{build.get('compiler', 'unknown')}, {build.get('flags', '?')}; oneTBB {_onetbb(build)}, "
                  f"Boost {build.get('boost') or 'none'}"),
        *_other_languages(build.get("rivals")),
        ("Results", results.file),
        ("Commit", results.revision or "unknown: measured outside of git"),
        ("Measured", results.time.replace("T", " ").replace("+00:00", " UTC")),
        ("Extent", extent + (f", of it {', '.join(results.names)}" if results.names else "")),
        ("IMSuite's inputs", "published files where there is one of the kernel and size" if results.published_inputs
         else "generated"),
    ]
    pairs = [[element("dt", name), element("dd", text)] for name, text in facts]
    found = warnings(results)
    notice = element("aside", element("h2", "Before you read on"), element("ul", [element("li", w) for w in found]),
                     class_="warnings") if found else None
    return [element("dl", pairs, class_="facts"), notice]


def warnings(results):
    """What makes these figures worth less."""
    found = []
    if results.load_at_start and results.load_at_start > QUIET:
        found.append(f"{100 * results.load_at_start:.0f} % of the machine was in use by others when the run began.")
    cores = results.machine.get("cores") or 1
    busy = [g for g in results.groups if g.seconds > 0 and g.seconds_of_others > QUIET * g.seconds * cores]
    if busy:
        worst = max(g.seconds_of_others / g.seconds / cores for g in busy)
        found.append(f"During {len(busy)} of {len(results.groups)} groups other processes used more than {100 * QUIET:.0f} % of "
                     f"the machine, at most {100 * worst:.0f} %; each group says how much. Intervals are wider for it, and "
                     "medians may be shifted.")
    disturbed = sum(m.disturbed for g in results.groups for m in g.members)
    if disturbed:
        found.append(f"{disturbed} repetitions were kept although the hypervisor took more than 2 % of the machine.")
    if results.revision and results.revision.endswith("+changes"):
        found.append("The sources differed from the commit that is named.")
    if results.build.get("left_out"):
        found.append(f"Not built, its library was missing: {', '.join(results.build['left_out'])}.")
    if results.finished:
        found += [f"Not run, out of time: {title}." for title in results.not_run]
    else:
        sections = dict.fromkeys(title.partition(":")[0] for title in results.not_run)
        found.append(f"The run did not come to its end: {len(results.not_run)} groups are missing, of {', '.join(sections)}.")
    if results.format == 1:
        found.append("The file is of format 1, which called a goal met where only the interval holds the limit; verdicts are "
                     "judged anew here. Which rows do not count is left as the file has it.")
    return found


def reading():
    items = [
        "A ratio is written ours / rival and compares times: below 1, Tactus takes less time. Where the first name is the "
        "rival's (X10 model / Tactus, serial / ours) or a goal says \u2265, more is better.",
        "Medians are of interleaved rounds, and a ratio is that of two medians. The 95 % interval is a bootstrap that draws "
        "processes first and then rounds within each, both sides together. Of fewer than 5 processes there is none: the figure "
        "alone decides, and a note says how many rounds they were. Files of runs before that was so have intervals of rounds "
        "drawn from all processes alike, which are narrower.",
        "A goal is met when the ratio keeps it, missed when the whole interval does not, and unsure between the two. Stretch "
        "goals are wishes and are counted apart.",
        "In charts a bar is the median or ratio, its whisker the interval, a dashed line the goal, with a foot on the side that "
        "keeps it. Filled bars are ours, hollow ones a rival's, dashed ones a paper's. Each axis says whether it is logarithmic.",
        "The papers' machines have 8 to 64 cores or threads and run Java or X10. Published numbers beside ours show whether a "
        "claim holds in kind, not in size.",
    ]
    return element("section", element("h2", "How to read this page"), element("ul", [element("li", i) for i in items]),
                   id="reading")


def goals(results):
    pairs = [(g.section, row) for g in results.groups for row in g.rows]
    held = [(s, r) for s, r in pairs if r.goal and not r.stretch]
    stretch = [(s, r) for s, r in pairs if r.stretch]
    counts = _counts([r for _, r in held])
    tiles = [element("li", element("b", n), element("span", name, class_=f"mark {class_}")) for name, n, class_ in (
        ("\u2713 met", counts[MET], "met"), ("? unsure", counts[UNSURE], "unsure"), ("\u2717 missed", counts[MISSED], "missed"),
        ("no result or not counting", len(held) - sum(counts.values()), "none"))]
    reached = sum(r.verdict == MET for _, r in stretch)
    wishes = f" Stretch goals reached: {reached} of {len(stretch)}." if stretch else ""
    parts = [element("h2", "Goals"), element("ul", tiles, class_="tiles"), element("p", f"Of {len(held)} goals.{wishes}"),
             _by_problem(held, stretch)]
    for title, verdict, some in (("Missed", MISSED, held), ("Unsure: the interval holds the limit", UNSURE, held),
                                 ("Stretch goals not reached", SHORT, stretch)):
        chosen = [(s, r) for s, r in some if r.verdict == verdict]
        if chosen:
            parts.append(details(f"{title} ({len(chosen)})", rows_table(title, chosen, section=True)))
    return element("section", parts, id="goals")


def _counts(rows):
    return {verdict: sum(row.verdict == verdict for row in rows) for verdict in (MET, UNSURE, MISSED)}


def _by_problem(held, stretch):
    """Columns of which nothing is to be told are left out."""
    lines = []
    for name in dict.fromkeys(s for s, _ in (*held, *stretch)):
        own, wishes = ([r for s, r in some if s == name] for some in (held, stretch))
        counts = _counts(own)
        lines.append([element("a", name, href=f"#problem-{slug(name)}"), len(own), *counts.values(), len(own) - sum(counts.values()),
                      f"{sum(r.verdict == MET for r in wishes)} of {len(wishes)}"])
    head = ["problem", "goals", "met", "unsure", "missed", "not counted", "stretch goals reached"]
    shown = [i for i in range(len(head)) if i < 5 or (any(line[5] for line in lines) if i == 5 else stretch)]
    return table("Goals by problem", [head[i] for i in shown], [[line[i] for i in shown] for line in lines], set(range(1, len(shown))))


def main_chart(results):
    chart = headline.figure(results)
    if chart is None:
        return element("section", element("h2", "Against rivals"),
                       element("p", "These results hold none of the rows of the main chart.", class_="absent"), id="rivals")
    rows = headline.rows(results)
    return element("section", element("h2", "Against rivals"),
                   element("p", "A fixed selection over the kinds of problems, rows that favour a rival among them; all is below."),
                   chart, details(f"The main chart as a table ({len(rows)})", rows_table("The main chart", rows)), id="rivals")
