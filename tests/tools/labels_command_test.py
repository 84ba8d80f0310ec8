#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus labels, from outside: which condition decides, what it gains, what is written, and what it says of a damaged profile."""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

COMMAND = pathlib.Path(__file__).resolve().parents[2] / "tools" / "tactus"


def labels(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", COMMAND, "labels", *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, "TACTUS_SIMULATE": SIMULATOR, **environment})


def site(number, name, kind="flexible", spawned=10, own=1_000_000, whole=None, after=0, bytes=1000, results=0, accesses=0, uses=0):
    """A line; times and counts are those of one task."""
    each = (own, own if whole is None else whole, after, bytes, results, accesses, uses)
    return f"site {number} {kind} {spawned} {' '.join(str(value * spawned) for value in each)} 0 {name}"


def profile(sites, tasks=(), run="run 2 1"):
    return "\n".join(["tactus-profile 1", run, *sites, *tasks, f"end {len(tasks)} {len(tasks)}", ""])


def tasks(number, many, parent=0, first=1, ns=1_000_000):
    """All at place 0."""
    return [f"{first + i} {parent} 0 {ns} 1000 0 flexible {number}" for i in range(many)]


class Labels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "run.tpp"
        self.out = pathlib.Path(self.folder.name) / "labels.txt"

    def rows(self, *arguments):
        """Of the table: by the site's name its label, what decided it, the gain and the reason."""
        done = labels(str(self.file), *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        lines = [re.split(r"  +", line) for line in done.stdout.split("\n\n")[0].splitlines()[1:]]
        return {line[0]: (line[1], line[2], line[3], line[-1]) for line in lines if len(line) == 8}

    def decided(self, *lines, more=()):
        self.file.write_text(profile(lines, more))
        return {name: row[:2] for name, row in self.rows().items()}

    def test_what_is_bound_to_its_place_stays(self):
        self.assertEqual(self.decided(site(1, "cell", uses=1)), {"cell": ("sensitive", "(1)")})

    def test_what_fetches_much_stays_and_what_fetches_little_may_move(self):
        # 2 us for each access, against a tenth of a millisecond
        self.assertEqual(self.decided(site(1, "much", accesses=51), site(2, "little", accesses=49)),
                         {"much": ("sensitive", "(1)"), "little": ("flexible", "(3)")})

    def test_what_is_short_stays(self):
        self.assertEqual(self.decided(site(1, "short", own=3900)), {"short": ("sensitive", "(3)")})

    def test_what_takes_ten_times_its_costs_may_move(self):
        # 4 us for two messages and 0.2 us for the bytes
        self.assertEqual(self.decided(site(1, "long", own=42_001), site(2, "not so long", own=41_999, accesses=1)),
                         {"long": ("flexible", "(3)"), "not so long": ("sensitive", "(3)")})

    def test_work_at_home_is_a_cost(self):
        self.assertEqual(self.decided(site(1, "a", after=95_000, accesses=1), site(2, "b", after=97_000, accesses=1)),
                         {"a": ("flexible", "(3)"), "b": ("sensitive", "(3)")})

    def test_what_brings_all_that_it_needs_may_move(self):
        self.assertEqual(self.decided(site(1, "own data", own=20_000)), {"own data": ("flexible", "(4)")})

    def test_sub_tasks_of_what_moves_stay_unless_they_are_worth_it_themselves(self):
        self.assertEqual(self.decided(site(1, "outer"), site(2, "inner", own=20_000), site(3, "large inner"),
                                      more=[*tasks(1, 1), *tasks(2, 5, 1, 10, 20_000), *tasks(3, 5, 1, 20)]),
                         {"outer": ("flexible", "(3)"), "inner": ("sensitive", "(2)"), "large inner": ("flexible", "(3)")})

    def test_sub_tasks_of_a_plain_site_are_none_of_what_moves(self):
        self.assertEqual(self.decided(site(1, "outer", kind="plain"), site(2, "inner", own=20_000),
                                      more=[*tasks(1, 1), *tasks(2, 5, 1, 10, 20_000)]),
                         {"outer": ("plain: would be flexible", "(3)"), "inner": ("flexible", "(4)")})

    def test_a_tree_of_tasks_of_one_site_is_judged_as_its_root(self):
        self.assertEqual(self.decided(site(1, "node", own=20_000), more=[*tasks(1, 1), *tasks(1, 9, 1, 2)]),
                         {"node": ("flexible", "(4)")})

    def test_a_plain_site_is_told_and_not_labelled(self):
        self.file.write_text(profile([site(1, "cell"), site(2, "prog.cpp:7", kind="plain"), site(3, "tiny", kind="plain", own=10)]))
        found = self.rows("-o", str(self.out))
        self.assertEqual(found["prog.cpp:7"][0], "plain: would be flexible")
        self.assertEqual(found["tiny"][0], "plain")
        lines = [line for line in self.out.read_text().splitlines() if line and not line.startswith("#")]
        self.assertEqual(lines, ["cell flexible"])

    def test_the_file_names_sites_as_the_library_reads_them(self):
        self.file.write_text(profile([site(1, "edge of it"), site(2, "/src/a b.cpp:12", own=10), site(3, "cell #1")]))
        self.rows("-o", str(self.out))
        lines = self.out.read_text().splitlines()
        self.assertIn("edge of it flexible", lines)
        self.assertIn("/src/a b.cpp:12 sensitive", lines)
        self.assertFalse([line for line in lines if line.startswith("cell")])

    def labels_of(self, *lines):
        """What the file says, but for comments; and the comments that begin with a name."""
        self.file.write_text(profile(lines))
        done = labels(str(self.file), "-o", str(self.out))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        lines = [line for line in self.out.read_text().splitlines() if line]
        return [line for line in lines if not line.startswith("#")], [line for line in lines if line.startswith("# cell: ")]

    def test_a_name_at_sites_that_are_written_differently_stands_in_the_file_once(self):
        self.assertEqual(self.labels_of(site(1, "cell"), site(2, "cell", kind="sensitive"), site(3, "edge", own=10)),
                         (["cell flexible", "edge sensitive"], []))

    def test_a_name_at_sites_on_which_the_verdicts_differ_is_told_and_not_labelled(self):
        self.assertEqual(self.labels_of(site(1, "cell"), site(2, "edge"), site(3, "cell", kind="sensitive", own=10)),
                         (["edge flexible"], ["# cell: is flexible and sensitive, at different sites; give each a name of its own"]))

    def test_a_name_that_a_plain_site_has_too_is_told_and_not_labelled(self):
        self.assertEqual(self.labels_of(site(1, "cell"), site(2, "cell", kind="plain")),
                         ([], ["# cell: is a plain async_at too, which a label must not name; give it a name of its own"]))

    def test_the_gain_of_the_file_is_that_of_what_moves_with_it(self):
        # Nothing says that the tasks stay, nor that they move: they are written so.
        self.file.write_text(profile([site(1, "cell", kind="sensitive", spawned=64), site(2, "cell", own=10)], tasks(1, 64)))
        told = labels(str(self.file), "--places", "4").stdout
        first = next(line for line in told.splitlines() if line.startswith("cell"))
        self.assertAlmostEqual(float(re.split(r"  +", first)[3].removesuffix(" %")), 300, delta=30)
        self.assertIn("would gain +0.0 %", told)

    def test_the_gain_is_that_of_the_simulator(self):
        # 64 tasks of a millisecond at place 0 of four
        self.file.write_text(profile([site(1, "cell", spawned=64), site(2, "kept", uses=1)], tasks(1, 64)))
        found = self.rows("--places", "4")
        self.assertAlmostEqual(float(found["cell"][2].removesuffix(" %")), 300, delta=30)
        self.assertEqual(found["kept"][2], "-")
        self.assertIn("4 places with 1 workers each, under hybrid", labels(str(self.file), "--places", "4").stdout)

    def test_a_slow_network_makes_tasks_stay(self):
        self.file.write_text(profile([site(1, "cell")]))
        self.assertEqual(self.rows("--latency", "1000")["cell"][:2], ("sensitive", "(3)"))

    def test_without_the_simulator_there_are_labels_all_the_same(self):
        self.file.write_text(profile([site(1, "cell")], tasks(1, 3)))
        done = labels(str(self.file), TACTUS_SIMULATE="/no/such/program")
        self.assertEqual(done.returncode, 0)
        self.assertIn("flexible", done.stdout)
        self.assertIn("No gain is predicted: simulate: /no/such/program", done.stdout)

    def test_without_a_forecast_there_are_labels_all_the_same(self):
        self.file.write_text(profile([site(1, "cell")], tasks(1, 3)))
        for environment, why in (({"TMPDIR": "/no/such/folder"}, "a temporary file: "),
                                 ({"TACTUS_SIMULATE": "/bin/true"}, "simulate: what /bin/true prints is no outcome: ''")):
            # Temporary files of any folder have no room.
            done = subprocess.run([sys.executable, "-B", COMMAND, "labels", str(self.file)], capture_output=True, text=True, check=False,
                                  env={**os.environ, "TACTUS_SIMULATE": SIMULATOR, **environment},
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)) if "TMPDIR" in environment else None)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            self.assertIn("cell  flexible", done.stdout)
            self.assertIn(f"No gain is predicted: {why}", done.stdout)

    def test_a_damaged_profile_is_one_line(self):
        whole = profile([site(1, "cell")], tasks(1, 2))
        lines = whole.splitlines(keepends=True)
        for text, line in (("", "1: the file is empty"), ("tactus-profile 2\n", "1: the first line is not 'tactus-profile 1'"),
                           ("".join(lines[:-1]), "5: the file ends too early"), (whole + "x\n", "7: something follows"),
                           (whole.replace("end 2 2", "end 2 3"), "6: there are 2 tasks, and it says 3"),
                           (whole.replace("site 1 flexible", "site 1 fluid"), "3: it is no line of a site"),
                           (whole.replace("site 1 flexible 10", "site 1 flexible ten"), "3: '1 ten"),
                           *((whole.replace("run 2 1", run), "2: a run has 1 to 1000000 places, and 1 to 1024 workers of each")
                             for run in ("run 0 1", "run 2 0", "run 1000001 1", "run 2 1025", "run 4000000000000000000 1")),
                           (whole.replace("run 2 1\n", ""), "5: it does not say of how many places the run was"),
                           (whole + "", None), (whole.replace("2 0 0", "2 9 0"), "6: task 2 has a parent that is not there, 9"),
                           (whole.replace("2 0 0", "1 0 0"), "5: task 1 is there twice"),
                           (whole.replace("flexible 1\nend", "flexible 3\nend"), "5: there is no site 3"),
                           (whole.replace("1 0 0 1000000", "1 0 0 -5"), "4: '1 0 0 -5"),
                           (whole.replace("1 0 0 1000000", "1 0 0 " + 5000 * "1"), "4: '1 0 0 111")):
            self.file.write_text(text)
            done = labels(str(self.file))
            if line is None:
                self.assertEqual(done.returncode, 0, done)
                continue
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith(f"tactus: {self.file}:{line}"), done.stderr)

    def test_files_that_are_not_there_are_one_line(self):
        done = labels("/no/such/run.tpp")
        self.assertEqual((done.returncode, done.stderr), (2, "tactus: /no/such/run.tpp: No such file or directory\n"))
        self.file.write_text(profile([site(1, "cell")]))
        done = labels(str(self.file), "-o", "/no/such/labels.txt")
        self.assertEqual((done.returncode, done.stderr), (2, "tactus: /no/such/labels.txt: No such file or directory\n"))

    def test_the_profile_itself_is_not_replaced(self):
        self.file.write_text(profile([site(1, "cell")]))
        link = self.out.with_name("link")
        link.symlink_to(self.file)
        for out in (self.file, link):
            done = labels(str(self.file), "-o", str(out))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertEqual(done.stderr, f"tactus: {out}: is the profile itself; name another file for the labels with --out\n")
        self.assertEqual(self.file.read_text(), profile([site(1, "cell")]))

    def test_labels_for_which_there_is_no_room_leave_those_that_were_there(self):
        self.file.write_text(profile([site(1, "cell"), site(2, "edge", own=10)]))
        self.out.write_text("cell sensitive\n")
        done = subprocess.run([sys.executable, "-B", COMMAND, "labels", str(self.file), "-o", str(self.out)], capture_output=True, text=True,
                              check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"tactus: {self.out}: File too large\n"))
        self.assertEqual(self.out.read_text(), "cell sensitive\n")
        self.assertEqual(sorted(self.out.parent.iterdir()), [self.out, self.file])

    def test_a_program_and_its_labels(self):
        """A run, what is found of it, and another run that is told."""
        environment = {**os.environ, "TACTUS_PLACES": "2", "TACTUS_THREADS": "1"}
        done = subprocess.run([PROGRAM], env={**environment, "TACTUS_PROFILE": str(self.file)}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        found = self.rows("--latency", "200", "-o", str(self.out))  # so that what is short is so on a busy machine, too
        self.assertEqual(found["long"][0], "flexible")
        self.assertEqual(found["short"][0], "sensitive")
        again = subprocess.run([PROGRAM], env={**environment, "TACTUS_LABELS": str(self.out)}, capture_output=True, text=True, check=False)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, done.stdout, ""))


if __name__ == "__main__":
    SIMULATOR, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
