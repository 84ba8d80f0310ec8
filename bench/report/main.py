# SPDX-License-Identifier: Apache-2.0
"""The command line of the report."""

import argparse
import pathlib
import subprocess
import sys
import time

from placement_tools.simulate import SimulationError
from report import headline, placement, scale
from report.page import page
from report.results import ResultsError, read
from runner.main import results_file
from webpage import browser
from webpage.document import style

BENCH = pathlib.Path(__file__).resolve().parents[1]
OUT = BENCH.parent / "build" / "report"


def parse():
    parser = argparse.ArgumentParser(
        prog="./dev report", description="Runs the benchmarks, or reads what a run wrote, and writes one HTML page of it.")
    parser.add_argument("--from", dest="file", metavar="FILE.json", help="a results file, or one compressed by gzip; without it the benchmarks are run")
    parser.add_argument("--out", default=OUT, type=pathlib.Path, metavar="DIR", help="where index.html goes (build/report)")
    parser.add_argument("--check", action="store_true",
                        help="look at the page in headless Chromium: as phone, tablet and desktop, light and dark")
    parser.add_argument("--chart", metavar="DIR",
                        help="write the main chart too: DIR/headline.svg, and DIR/headline.json to make it again from")
    parser.add_argument("--placement", action="store_true",
                        help="write DIR/placement.html only, how well placement policies would use many places: simulated, in a minute or two")
    parser.add_argument("--scale", action="store_true",
                        help="write DIR/scale.html only, what protocols cost at up to 4,096 places, and DIR/scale.json with its rows: counted "
                             "anew, in two minutes")
    parser.add_argument("--build", default=str(BENCH.parent / "build" / "bench"), help=argparse.SUPPRESS)
    parser.add_argument("--inputs", metavar="DIR", help="as bench/run has it")
    parser.add_argument("--all", action="store_true", help="as bench/run has it")
    parser.add_argument("--full", action="store_true", help="as bench/run has it")
    parser.add_argument("names", nargs="*", metavar="NAME", help="problems to run; default: as bench/run has it")
    arguments = parser.parse_args()
    simulated = "--placement" if arguments.placement else "--scale" if arguments.scale else None
    if simulated and (arguments.file or arguments.all or arguments.full or arguments.names or arguments.inputs or arguments.chart):
        parser.error(f"{simulated} runs a simulation only: leave out what is for benchmarks")
    if arguments.placement and arguments.scale:
        parser.error("--placement and --scale: one at a time")
    if arguments.file and (arguments.all or arguments.full or arguments.names or arguments.inputs):
        parser.error("--from reads a file and runs nothing: --all, --full, --inputs and names of problems have no meaning "
                     "with it")
    return arguments


def measured(arguments):
    """Runs the benchmarks, with their own progress and table on the terminal: (results file, status)."""
    command = [sys.executable, str(BENCH / "run"), arguments.build, *(["--all"] if arguments.all else []),
               *(["--full"] if arguments.full else []),
               *(["--inputs", arguments.inputs] if arguments.inputs else []), *arguments.names]
    begin = time.time()
    status = subprocess.run(command, check=False).returncode
    file = pathlib.Path(arguments.build) / "bench" / results_file(arguments.names)
    if not file.exists() or file.stat().st_mtime < begin:
        raise ResultsError(f"{file}: the run ended with status {status} and wrote no results; its messages are above")
    return file, status


def with_placement(folder):
    """Writes the page of placement: 0, or 1 if it cannot be made."""
    try:
        cells = all_of(placement.simulated(), "simulating placement policies")
    except SimulationError as error:
        print(f"report: {placement.FILE}: {error}", file=sys.stderr)
        return 1
    print(f"{written(folder, placement.FILE, placement.page(cells))}: {len(cells)} simulated runs")
    return 0


def with_scale(folder):
    """Counts it anew and writes its page and its rows: 0, or 1 if that cannot be done."""
    try:
        rows = all_of(scale.all_counted(), "counting messages")
    except scale.ScaleError as error:
        print(f"report: {scale.FILE}: {error}", file=sys.stderr)
        return 1
    print(written(folder, scale.ROWS, scale.text_of(rows)))
    print(f"{written(folder, scale.FILE, scale.page(rows))}: {len(rows)} operations in virtual time")
    return 0


def all_of(outcomes, words):
    """What the generator yields, with a line that says how far it is."""
    seen = []
    for outcome in outcomes:
        seen.append(outcome)
        print(f"\r{words}: {len(seen)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return seen


def written(folder, name, text):
    """The file, with that text."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def checked(arguments, *names):
    return max((browser.check(arguments.out / name) for name in names), default=0) if arguments.check else 0


def main():
    arguments = parse()
    if arguments.placement:
        return with_placement(arguments.out) or checked(arguments, placement.FILE)
    if arguments.scale:
        return with_scale(arguments.out) or checked(arguments, scale.FILE)
    try:
        file, status = (arguments.file, 0) if arguments.file else measured(arguments)
        results = read(file)
    except ResultsError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    whole = not arguments.file and not arguments.names
    if whole:
        status = max(status, with_placement(arguments.out))
    written(arguments.out, scale.FILE, scale.page(scale.kept()))
    beside = [name for name in (placement.FILE, scale.FILE) if (arguments.out / name).exists()]
    path = written(arguments.out, "index.html", page(results, beside))
    print(f"{path}: {len(results.rows())} rows of {len(results.groups)} groups, from {file}")
    if arguments.chart:
        for file_of_chart in headline.write(results, style("palette.css", "charts.css"), arguments.chart):
            print(file_of_chart)
    return max(status, checked(arguments, "index.html", *beside))
