# SPDX-License-Identifier: Apache-2.0
"""The command line: tactus report TRACE..., tactus array FILE, tactus simulate, tactus calibrate, tactus labels,
tactus --version."""

import argparse
import os
import pathlib
import re
import sys

import whole_file
from array_file import npy, summary
from array_file.reader import ArrayFile, ArrayFileError
from placement_tools import calibrate, labels, simulate
from placement_tools.arguments import OneLineParser
from placement_tools.profile import ProfileError
from timeline_report.activity import Activity
from timeline_report.page import page
from timeline_report.text import texts
from timeline_report.timeline import TimelineError, read


def version_in(header):
    """As the macros of the header say; the library it came with is of the same."""
    numbers = dict(re.findall(r"^#define TACTUS_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", header.read_text(encoding="utf-8"), re.M))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


class PrintVersion(argparse.Action):
    """Reads the header only when asked for."""

    def __init__(self, *rest, header, **named):
        super().__init__(*rest, nargs=0, **named)
        self._header = header

    def __call__(self, parser, *_):
        print("tactus", version_in(self._header))
        parser.exit()


def parse(arguments, version_header):
    parser = OneLineParser(
        prog="tactus", description="Looks at what runs of Tactus leave, and at what they would do elsewhere.",
        epilog="tactus COMMAND --help tells more of a command. What a program of Tactus itself can be told, its flag "
               "--tactus-help lists.")
    parser.add_argument("--version", action=PrintVersion, header=version_header,
                        help="print the version of the library that this command came with")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    simulate.add_to(commands)
    calibrate.add_to(commands)
    labels.add_to(commands)
    report = commands.add_parser(
        "report", help="make a page of timelines",
        description="Makes one self-contained HTML page of a timeline, or of several, one below the other: how busy the workers were, where the time went, what tasks "
                    "waited for. A run writes its timeline to FILE with TACTUS_TRACE=FILE.")
    report.add_argument("timeline", metavar="TRACE", type=pathlib.Path, nargs="+", help="a timeline")
    report.add_argument("-o", "--out", type=pathlib.Path, metavar="FILE", help="where the page goes (the first TRACE with .html for its ending)")
    report.add_argument("--text", action="store_true", help="print the same as text instead")
    array = commands.add_parser(
        "array", help="look at a file of a distributed array, or convert it",
        description="Tells what a file has that dist_array::save() has written: its elements, its region, its blocks; checks all checksums "
                    "(a second for each 10 MB or so); and of numbers, the least, the most and the mean. --npy OUT writes it as a file of "
                    "NumPy, where its elements are numbers, complex numbers or bools and its region is a box, whose lower corner "
                    "becomes index 0.")
    array.add_argument("file", metavar="FILE", type=pathlib.Path, help="the file")
    array.add_argument("--json", action="store_true", help="print the same as one line of JSON")
    array.add_argument("--npy", metavar="OUT.npy", type=pathlib.Path, help="write it as a file of NumPy instead, and print its name")
    parsed = parser.parse_args(arguments)
    if parsed.command == "report" and parsed.text and parsed.out:
        report.error("--text prints and writes no page: leave out --out")
    if parsed.command == "array" and parsed.json and parsed.npy:
        array.error("--npy prints the name of the file only: leave out --json")
    return parsed


def main(arguments=None, version_header=None):
    if sys.stdout is None:  # as python3 has it of one that is closed
        print("tactus: the standard output: is closed", file=sys.stderr)
        return 2
    parsed = parse(arguments, version_header)
    sys.stdout.reconfigure(errors="backslashreplace")  # names may have characters that the terminal's encoding has not
    try:
        of_command = {"array": of_array, "simulate": simulate.words, "calibrate": calibrate.words,
                      "labels": labels.words}.get(parsed.command, of_timeline)
        words = of_command(parsed)
    except (TimelineError, ArrayFileError, ProfileError, simulate.SimulationError, calibrate.CalibrationError) as error:
        print(f"tactus: {error}", file=sys.stderr)
        return 2
    try:
        print(words, flush=True)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"tactus: the standard output: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def of_timeline(parsed):
    activities = {str(path) if len(parsed.timeline) > 1 else path.name: Activity(read(path)) for path in parsed.timeline}
    return texts(activities) if parsed.text else str(written(activities, parsed))


def of_array(parsed):
    with ArrayFile(parsed.file) as file:
        if parsed.npy:
            npy.write(file, parsed.npy)
            return str(parsed.npy)
        values = summary.statistics(file)
        return summary.as_json(file, values) if parsed.json else summary.text(file, values)


def written(activities, parsed):
    """Writes the page and says where it is."""
    out = parsed.out or parsed.timeline[0].with_suffix(".html")
    try:
        if os.path.exists(out) and any(os.path.samefile(out, one) for one in parsed.timeline):
            raise TimelineError(f"{out}: is the timeline itself; name another file for the page with --out")
        with whole_file.written(out, encoding="utf-8", errors="backslashreplace") as file:
            file.write(page(activities))
    except OSError as error:
        raise TimelineError(f"{out}: {error.strerror}") from None
    return out
