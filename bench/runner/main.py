# SPDX-License-Identifier: Apache-2.0
"""The command line of bench/run."""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time

from runner import machine, plan, report, shelves
from runner.measure import Measurement

CAP_SECONDS = 20 * 60
LAST_START_SECONDS = CAP_SECONDS - 60  # what runs then still ends in time
QUIET = 0.05
OVERVIEW_TITLE = "means over all that was measured"
RESULTS = "bench-results.json"  # beside the programs
RESULTS_OF_NAMED = "bench-results-named.json"  # of single problems, which are not to take the place of a whole run's


def parse(words=None):
    parser = argparse.ArgumentParser(
        prog="bench/run", description="Measures Tactus beside its rivals and compares with the figures to reach.",
        epilog="The exit status is 0 when every Tactus program ran and answered rightly, whether or not goals were met.")
    parser.add_argument("--build", help="the build directory, or its directory bench")
    parser.add_argument("--inputs", default=os.environ.get("DEV_IMSUITE_INPUTS"), metavar="DIR",
                        help="imsuite: a folder of the published input files (default: $DEV_IMSUITE_INPUTS, or else "
                             "inputs are generated)")
    parser.add_argument("--all", action="store_true", help="every problem in its usual sizes: more than an hour, without a cap")
    parser.add_argument("--full", action="store_true", help="the largest sizes too: hours, without a cap on the time")
    parser.add_argument("--list", action="store_true", help="name the problems, shelf by shelf, and how long they take")
    parser.add_argument("names", nargs="*", metavar="[BUILD_DIR] NAME", help="problems to run; default: all but those that --list marks")
    arguments = parser.parse_intermixed_args(words)  # options may stand between the folder and the names
    if arguments.build is None and arguments.names and pathlib.Path(arguments.names[0]).is_dir():
        arguments.build = arguments.names.pop(0)
    if arguments.build is None and not arguments.list:
        parser.error("which build directory? Give it first, or with --build")
    if arguments.inputs and not pathlib.Path(arguments.inputs).is_dir():
        parser.error(f"--inputs or DEV_IMSUITE_INPUTS: there is no folder '{arguments.inputs}'")
    return parser, arguments


def results_file(names):
    """Where the results of a run go: of these problems, or of the whole set."""
    return RESULTS_OF_NAMED if names else RESULTS


def chosen_groups(parser, arguments):
    groups = list(plan.groups(arguments.full, arguments.inputs or None))
    sections = list(dict.fromkeys(g.section for g in groups))
    for name in arguments.names:
        if name not in sections:
            parser.error(f"no problem is named '{name}'; there are {', '.join(sections)}")
    if arguments.names:
        return [g for g in groups if g.section in arguments.names]
    return [g for g in groups if arguments.all or arguments.full or arguments.list or plan.is_in_default_set(g)]


def find_programs(parser, build):
    for directory in (pathlib.Path(build) / "bench", pathlib.Path(build)):
        if (directory / "bench-build.json").exists():
            return directory
    parser.error(f"no benchmarks were built in {build}: ./dev bench builds them")


def print_list(groups):
    """By shelf, in the order in which they run."""
    sections = list(dict.fromkeys(g.section for g in groups))
    for shelf in dict.fromkeys(shelves.of(section) for section in sections):
        print(f"{shelf}: {shelves.title(shelf)} (bench/{shelf}/README.md)")
        for section in (s for s in sections if shelves.of(s) == shelf):
            print_section(section, [g for g in groups if g.section == section])


def print_section(section, groups):
    by_name_only = plan.BY_NAME_ONLY.get(section)
    remark = f"  only when named, or with --all or --full: {by_name_only}" if by_name_only else ""
    print(f"  {section:17} {sum(g.seconds for g in groups if not g.when_asked):6.0f} s{remark}")
    for g in groups:
        print(f"      {g.title}" + (f"  ({g.seconds:.0f} s, only when asked for)" if g.when_asked else ""))


def print_start(groups, description, build, capped, load):
    expected = sum(g.seconds for g in groups)
    cap = "no cap" if not capped else f"at most {CAP_SECONDS // 60} min"
    print(f"{description['cpu']}, {description['cores']} cores, {description['memory_bytes'] / 2**30:.0f} GiB, "
          f"Linux {description['kernel']}; {build['compiler']}, {build['flags']}")
    for name in build["left_out"]:
        print(f"not built, its library is missing: {name}")
    print(f"expected time: {expected / 60:.1f} min on two cores ({cap})")
    if load > QUIET:
        print(f"warning: {100 * load:.0f} % of the machine is in use by others; the figures will suffer")
    print(flush=True)


def failures(groups_results):
    """Tactus programs that crashed, hung, answered wrongly or were not built."""
    return [f"{group.title}: {member.label}: {outcome.stopped}" for group, results in groups_results
            for member, outcome in results.items()
            if member.competitor.startswith("tactus") and outcome.stopped and outcome.stopped.kind not in ("refused", "time")]


def in_the_record(group):
    return f"{group.section}: {group.title}"


def main():
    parser, arguments = parse()
    groups = chosen_groups(parser, arguments)
    if arguments.list:
        print_list(groups)
        return 0
    directory = find_programs(parser, arguments.build)
    build = json.loads((directory / "bench-build.json").read_text())
    if (directory / "rivals.json").exists():
        build["rivals"] = json.loads((directory / "rivals.json").read_text())
    description = machine.description()
    load = machine.load_of_others()
    capped = not (arguments.all or arguments.full)
    print_start(groups, description, build, capped, load)

    begin = time.monotonic()
    measurement = Measurement(directory, begin + LAST_START_SECONDS if capped else None)
    record = {"format": report.FORMAT, "machine": description, "load_at_start": load, "build": build,
              "revision": machine.revision(build["source"]),
              "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "all": arguments.all, "full": arguments.full, "inputs": arguments.inputs, "names": arguments.names,
              "not_run": [in_the_record(g) for g in groups], "finished": False, "groups": []}
    file = directory / results_file(arguments.names)
    all_rows, all_results = [], []
    for group in groups:
        if measurement.out_of_time():
            print(f"{in_the_record(group)}: not run, out of time")
            continue
        print(in_the_record(group), flush=True)
        results = measurement.take(group)
        rows = [row.evaluate(results) for row in group.rows]
        seconds, others = measurement.watched_seconds, measurement.busy_of_others
        report.print_group(group, results, rows, seconds, others)
        record["groups"].append(report.group_record(group, results, rows, seconds, others))
        record["not_run"].remove(in_the_record(group))
        all_rows += rows
        all_results.append((group, results))
        report.write(file, record)  # after each group: an interrupted run keeps what it has

    overview = [row for row in (mean.over(all_rows, plan.measures_of(mean)) for mean in plan.OVERVIEW) if row]
    if overview:
        print(f"overview: {OVERVIEW_TITLE}")
        report.print_rows(overview)
        record["groups"].append(report.overview_record(OVERVIEW_TITLE, overview))
        all_rows += overview
    record["finished"] = True
    report.write(file, record)
    report.print_summary(all_rows)
    print(f"{(time.monotonic() - begin) / 60:.1f} min; {file}")
    failed = failures(all_results)
    for line in failed:
        print(f"FAILED {line}", file=sys.stderr)
    return 1 if failed else 0
