# SPDX-License-Identifier: Apache-2.0
"""The command line of the report."""

import argparse
import pathlib
import subprocess
import sys
import time

from placement_tools.simulate import SimulationError
from report import headline, placement
from report.page import page
from report.results import ResultsError, read
from runner.main import RESULTS
from webpage import browser
from webpage.document import style

BENCH = pathlib.Path(__file__).resolve().parents[1]
OUT = BENCH.parent / "build" / "report"


def parse():
    parser = argparse.ArgumentParser(
        prog="./dev report", description="Runs the benchmarks, or reads what a run wrote, and writes one HTML page of it.")
    parser.add_argument("--from", dest="file", metavar="FILE.json", help="a results file; without it the benchmarks are run")
    parser.add_argument("--out", default=OUT, type=pathlib.Path, metavar="DIR", help="where index.html goes (build/report)")
    parser.add_argument("--check", action="store_true",
                        help="look at the page in headless Chromium: as phone, tablet and desktop, light and dark")
    parser.add_argument("--chart", metavar="DIR",
                        help="write the main chart too: DIR/headline.svg, and DIR/headline.json to make it again from")
    parser.add_argument("--placement", action="store_true",
                        help="write DIR/placement.html only, how well placement policies would use many places: simulated, in a minute or two")
    parser.add_argument("--build", default=str(BENCH.parent / "build" / "bench"), help=argparse.SUPPRESS)
    parser.add_argument("--inputs", metavar="DIR", help="as bench/run has it")
    parser.add_argument("--all", action="store_true", help="as bench/run has it")
    parser.add_argument("--full", action="store_true", help="as bench/run has it")
    parser.add_argument("names", nargs="*", metavar="NAME", help="problems to run; default: as bench/run has it")
    arguments = parser.parse_args()
    if arguments.placement and (arguments.file or arguments.all or arguments.full or arguments.names or arguments.inputs or arguments.chart):
        parser.error("--placement runs the simulator only: leave out what is for benchmarks")
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
    file = pathlib.Path(arguments.build) / "bench" / RESULTS
    if not file.exists() or file.stat().st_mtime < begin:
        raise ResultsError(f"{file}: the run ended with status {status} and wrote no results; its messages are above")
    return file, status


def with_placement(folder):
    """Writes the page of placement: 0, or 1 if it cannot be made."""
    try:
        cells = []
        for number, cell in enumerate(placement.simulated(), 1):
            print(f"\rsimulating placement policies: {number}", end="", file=sys.stderr, flush=True)
            cells.append(cell)
        print(file=sys.stderr)
    except SimulationError as error:
        print(f"report: {placement.FILE}: {error}", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / placement.FILE
    path.write_text(placement.page(cells), encoding="utf-8")
    print(f"{path}: {len(cells)} simulated runs")
    return 0


def checked(arguments, *names):
    return max((browser.check(arguments.out / name) for name in names), default=0) if arguments.check else 0


def main():
    arguments = parse()
    if arguments.placement:
        return with_placement(arguments.out) or checked(arguments, placement.FILE)
    try:
        file, status = (arguments.file, 0) if arguments.file else measured(arguments)
        results = read(file)
    except ResultsError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "index.html"
    whole = not arguments.file and not arguments.names
    if whole:
        status = max(status, with_placement(arguments.out))
    pages = [name for name in ("index.html", placement.FILE) if name == "index.html" or (arguments.out / name).exists()]
    path.write_text(page(results, with_placement=len(pages) > 1), encoding="utf-8")
    print(f"{path}: {len(results.rows())} rows of {len(results.groups)} groups, from {file}")
    if arguments.chart:
        for written in headline.write(results, style("palette.css", "charts.css"), arguments.chart):
            print(written)
    return max(status, checked(arguments, *pages))
