#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb tells of tasks, by the script that the library carries: gdb_test.py FOLDER, where gdb_specimen and
gdb_specimen_plain are, whose library has no debug information. Ends with 77 where there is no gdb."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(__file__).with_name("gdb_specimen.cpp")

# Lets the program go on, from stop to stop, until all that is to wait does.
SETTLE = """
for _ in range(5000):
    tasks = gdb.execute("tactus tasks all", to_string=True)
    workers = gdb.execute("tactus workers", to_string=True)
    if tasks.count("waits for") >= 8 and " - " not in workers:  # whose thread has not begun yet
        break
    gdb.execute("continue", to_string=True)
"""
FAIL_AT_THE_TASK = """
newest = gdb.newest_frame
def newest_frame():
    if TACTUS_UNWINDER.enabled:
        raise gdb.error("cannot be read")
    return newest()
gdb.newest_frame = newest_frame
try:
    gdb.execute("tactus bt {}", to_string=True)
except gdb.error as error:
    gdb.write(f"{{error}}; unwinder {{TACTUS_UNWINDER.enabled}}, filter {{TACTUS_FILTER.enabled}}\\n")
gdb.newest_frame = newest
"""
# The innermost functions of the program, as `tactus tasks` names them, and the line that calls the library.
PLACES = {"reader": ("wait_for_future", "// for the future"), "guest": ("wait_for_future", "// for the future"),
          "consumer": ("wait_for_item", "// for an item"), "producer": ("wait_for_room", "// for room"),
          "guard": ("wait_for_condition", "// for the condition"), "member 0": ("wait_for_clock", "// at the clock"),
          "member 1": ("wait_for_clock", "// at the clock"), "host": ("wait_for_finish", "ts::finish(")}
WAITS = {"reader": "waits for future ", "guest": "waits for future ", "consumer": "waits for an item of stream ",
         "producer": "waits for room in stream ", "guard": "waits for the condition of a when of monitor ",
         "member 0": "waits for clock 1, phase 0", "member 1": "waits for clock 1, phase 0",
         "host": "waits for the tasks of a finish"}


def line_with(text, function):
    """The first line of the specimen that has the text, in that function."""
    lines = SOURCE.read_text(encoding="utf-8").split("\n")
    begin = next(i for i, line in enumerate(lines) if f" {function}(" in line)
    return next(i for i, line in enumerate(lines[begin:], begin + 1) if text in line)


def gdb(*commands, arguments, options=("-iex", f"add-auto-load-safe-path {FOLDER}")):
    """What gdb prints of each command between marks, as a list; and all of it."""
    script = "".join(f'python\ngdb.write("<<<\\n")\nend\n{command}\n' for command in commands)
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
        file.write(script)
        file.flush()
        ended = subprocess.run(
            ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", *options, "-ex", "set width 0",
             "-ex", "set style enabled off", *arguments, "-x", file.name],
            capture_output=True, text=True, check=False, timeout=300)
    text = ended.stdout + ended.stderr
    return [part.strip("\n") for part in ended.stdout.split("<<<\n")[1:]], text


def live(program, *commands, workers=1, options=None):
    more = {} if options is None else {"options": options}
    return gdb("break stop_here", f"run --tactus-threads={workers} >/dev/null", f"python\n{SETTLE}end", *commands,
               arguments=[str(FOLDER / program)], **more)


def rows_of(table):
    """The rows by the names of their tasks: number, state and the rest of the line."""
    found = {}
    for line in table.split("\n"):
        if row := re.match(r"(\d+) +'([^']+)' +(.+)$", line):
            found[row[2]] = (row[1], row[3])
    return found


class Tasks(unittest.TestCase):
    maxDiff = None

    def check_table(self, table, text, runs_in="stop_here"):
        rows = rows_of(table)
        for name, what in WAITS.items():
            self.assertIn(name, rows, text)
            self.assertTrue(rows[name][1].startswith(what), rows[name])
            function, mark = PLACES[name]
            self.assertTrue(rows[name][1].endswith(f"{function} at {SOURCE.name}:{line_with(mark, function)}"), rows[name])
        self.assertRegex(rows["runner"][1], rf"^runs on worker 0 +{runs_in} at {SOURCE.name}:\d+$")
        return rows

    def check_backtrace(self, backtrace, name, text):
        function, mark = PLACES[name]
        self.assertRegex(backtrace, rf"{function} \(.*{SOURCE.name}:{line_with(mark, function)}\n", text)
        self.assertNotIn("stop_here", backtrace)  # of the thread that is borrowed
        self.assertNotIn("previous frame", backtrace)
        self.assertRegex(backtrace.rstrip("\n").split("\n")[-1], "tactus_call|scheduler_loop")

    def numbers(self, program):
        """By name; they are the same in every run with one worker."""
        parts, text = live(program, "tactus tasks")
        return {name: row[0] for name, row in self.check_table(parts[3], text).items()}

    def check_live(self, program):
        numbers = self.numbers(program)
        parts, text = live(program, *(f"tactus bt {numbers[name]}" for name in PLACES), "tactus workers", "bt 1",
                           f"tactus apply {numbers['reader']} info symbol $pc",
                           f"tactus apply {numbers['runner']} bt 1", "info tactus", "tactus tasks", "next", "bt 1")
        for backtrace, name in zip(parts[3:], PLACES):
            self.check_backtrace(backtrace, name, text)
        workers, own, _, runner, short, again, _, after = parts[3 + len(PLACES):]
        self.assertRegex(workers, rf"0 +1 \(LWP \d+\) +runs task {numbers['runner']} 'runner' +\d")
        self.assertRegex(own, "#0 .*stop_here")
        self.assertRegex(runner, "#0 .*stop_here")
        self.assertEqual(short, again)
        self.check_table(again, text)
        self.assertRegex(after, rf"#0 +operator.*{SOURCE.name}:\d+$")

    def core_of(self, program, folder):
        """A core dump, by the kernel: that of gdb's generate-core-file lacks stacks on Linux 6.13 and later."""
        ended = subprocess.run([FOLDER / program, "--tactus-threads=1"], cwd=folder, capture_output=True, timeout=300,
                               env={**os.environ, "SPECIMEN_ABORTS": "1"}, check=False,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2))
        self.assertEqual(ended.returncode, -signal.SIGABRT)
        for core in pathlib.Path(folder).iterdir():
            return core
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
        self.skipTest(f"the kernel puts core dumps elsewhere: core_pattern is {pattern}")

    def check_core(self, program):
        with tempfile.TemporaryDirectory() as folder:
            arguments = [str(FOLDER / program), str(self.core_of(program, folder))]
            parts, text = gdb("tactus tasks", arguments=arguments)
            rows = self.check_table(parts[0], text, runs_in=".*")
            parts, text = gdb(*(f"tactus bt {rows[name][0]}" for name in PLACES), "tactus workers",
                              f"tactus apply {rows['reader'][0]} frame function wait_for_future",
                              f"tactus apply {rows['reader'][0]} frame apply all -q info args", arguments=arguments)
        for backtrace, name in zip(parts, PLACES):
            self.check_backtrace(backtrace, name, text)
        self.assertRegex(parts[len(PLACES)], rf"0 +1 \(LWP \d+\) +runs task {rows['runner'][0]} 'runner'")
        self.assertIn("secret = 4711", parts[len(PLACES) + 2], text)

    def test_a_program_that_has_stopped_tells_its_tasks(self):
        self.check_live("gdb_specimen")

    def test_the_library_needs_no_debug_information(self):
        self.check_live("gdb_specimen_plain")

    def test_a_core_dump_tells_the_same(self):
        self.check_core("gdb_specimen")

    def test_a_core_dump_with_such_a_library_does_so_too(self):
        self.check_core("gdb_specimen_plain")

    def test_several_workers_are_told_apart(self):
        parts, text = live("gdb_specimen", "tactus workers", "tactus tasks", workers=3)
        threads = re.findall(r"^(\d) +(\d+) \(LWP (\d+)\) ", parts[3], re.M)
        self.assertEqual([row[0] for row in threads], ["0", "1", "2"], text)
        self.assertEqual(len({row[2] for row in threads}), 3, text)
        rows = rows_of(parts[4])
        self.assertRegex(rows["runner"][1], "^runs on worker [012] +stop_here", text)
        runner = re.search(r"^(\d) .*'runner'", parts[3], re.M)
        self.assertTrue(rows["runner"][1].startswith(f"runs on worker {runner[1]} "), text)

    def test_what_is_no_number_of_a_task_is_refused(self):
        _, text = live("gdb_specimen", "tactus bt 99")
        self.assertIn("'99' is not the number of a task: `tactus tasks` lists them.", text)
        _, text = live("gdb_specimen", "tactus bt")
        self.assertIn("Usage: tactus bt NUMBER|all", text)

    def test_a_task_that_cannot_be_shown_leaves_gdb_as_it_was(self):
        numbers = self.numbers("gdb_specimen")
        # As where its memory cannot be read.
        parts, text = live("gdb_specimen", "bt 1", f"python\n{FAIL_AT_THE_TASK.format(numbers['reader'])}end", "bt 1")
        before, told, after = parts[3:]
        self.assertEqual(told, "cannot be read; unwinder False, filter False")
        self.assertEqual(before, after, text)

    def test_without_a_program_it_says_so(self):
        _, text = gdb("tactus tasks", arguments=[str(FOLDER / "gdb_specimen")])
        self.assertIn("The program is not being run", text)

    def test_each_command_has_help(self):
        parts, text = gdb("help tactus", "help tactus tasks", "help tactus bt", "help tactus apply", "help tactus workers",
                          arguments=[str(FOLDER / "gdb_specimen")])
        for name in ("apply", "bt", "tasks", "workers"):
            self.assertIn(f"tactus {name} -- ", parts[0], text)
        for part, name in zip(parts[1:], ("tasks", "bt", "apply", "workers")):
            self.assertIn(f"Usage: tactus {name}", part, text)

    def test_gdb_itself_names_the_line_that_allows_it(self):
        _, text = gdb(arguments=[str(FOLDER / "gdb_specimen")], options=())
        self.assertIn(f"add-auto-load-safe-path {FOLDER}/gdb_specimen", text)


if __name__ == "__main__":
    if shutil.which("gdb") is None:
        print("skipped: there is no gdb")
        sys.exit(77)
    unittest.main()
