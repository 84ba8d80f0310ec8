#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus calibrate, from outside: what it writes, whether tactus simulate takes it, and what it says where it cannot."""

import json
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

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
NAMES = ["latency_ns", "send_ns", "receive_ns", "byte_ns", "failed_steal_ns", "poll_ns", "result_ns", "result_byte_ns", "pack_ns"]
TREE = "binomial:100,8,0.12,3"
# As the library has them.
LAUNCHERS = re.findall(r'"(\w+)"', re.search(r"k_said_by_launchers\{([^}]*)\}", (TOOLS.parent / "src/mpi/launch.cpp").read_text())[1])
NO_LAUNCHER = {name: value for name, value in os.environ.items() if name not in LAUNCHERS}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def tactus(*arguments, command=TOOLS / "tactus", before=(), **environment):
    return subprocess.run([*before, sys.executable, "-B", command, *arguments], capture_output=True, text=True, check=False,
                          env={**NO_LAUNCHER, "TACTUS_SIMULATE": SIMULATOR, "TACTUS_CALIBRATE": CALIBRATOR, **environment})


def costs_in(text):
    return {name: float(value) for name, value in (line.split() for line in text.splitlines() if not line.startswith("#"))}


class Calibrate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "costs"

    def refused(self, *arguments, **more):
        """The line that is printed."""
        done = tactus("calibrate", *arguments, **more)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("tactus: "), done.stderr)
        return done.stderr

    def simulated(self, *arguments):
        done = tactus("simulate", "--json", "--places", "32", "--workload", TREE, "--grain", "1", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def look_at(self, text):
        costs = costs_in(text)
        self.assertEqual(list(costs), NAMES)
        for name, value in costs.items():
            self.assertGreaterEqual(value, 0, name)
        for name in ("latency_ns", "send_ns", "result_ns", "failed_steal_ns"):
            self.assertGreater(costs[name], 0, name)
        return costs

    def test_the_simulator_takes_the_file(self):
        done = tactus("calibrate", "-o", str(self.file))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{self.file}\n", ""))
        self.look_at(self.file.read_text())
        self.assertIn("two places of one process", self.file.read_text())
        self.assertEqual(self.simulated("--costs", str(self.file))["tasks"], 6469)

    def test_without_a_file_it_prints_the_same(self):
        self.look_at(tactus("calibrate").stdout)

    def test_with_sleepers_busy_places_leave_the_processor(self):
        def processor_seconds(*arguments):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([CALIBRATOR, *arguments], capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.look_at(done.stdout)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        # The places of the calibration are busy for some 0.2 s; what a sanitizer takes besides is the same for both.
        self.assertLess(processor_seconds("sleepers"), processor_seconds() - 0.1)

    def test_sleepers_and_the_file_reach_the_program(self):
        program = self.folder / "program"
        program.write_text('#!/bin/sh\necho "$@" > "$0.said"\n')
        program.chmod(0o755)
        self.assertEqual(tactus("calibrate", "--sleepers", "-o", str(self.file), TACTUS_CALIBRATE=str(program)).returncode, 0)
        self.assertEqual((self.folder / "program.said").read_text(), f"sleepers {self.file}\n")

    def test_the_simulator_takes_the_latency_from_the_costs_unless_it_is_told_another_one(self):
        self.file.write_text("latency_ns 50000\n")
        of_file = self.simulated("--costs", str(self.file))
        self.assertEqual(of_file, self.simulated("--latency", "50"))
        self.assertEqual(self.simulated("--costs", str(self.file), "--latency", "2"), self.simulated())
        self.assertNotEqual(of_file, self.simulated())

    def test_packing_is_the_time_of_who_spawns(self):
        self.file.write_text("pack_ns 1000\n")  # as long as a node, each of which is spawned by one
        self.assertGreater(self.simulated("--costs", str(self.file))["makespan_us"], 1.5 * self.simulated()["makespan_us"])

    def test_what_is_not_allowed_is_named_in_one_line(self):
        self.assertIn("--nonsense", self.refused("--nonsense"))
        self.assertIn("of a costs", self.refused("of a costs"))
        self.assertIn("it is a folder", self.refused("-o", str(self.folder)))
        self.assertIn("no/such/folder", self.refused("-o", "/no/such/folder/costs"))

    def test_a_program_that_is_not_there_or_fails_is_named(self):
        self.assertIn("/no/such/program", self.refused(TACTUS_CALIBRATE="/no/such/program"))
        self.assertIn("status 1: it said nothing", self.refused(TACTUS_CALIBRATE="/bin/false"))

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "needs /dev/full")
    def test_a_file_that_cannot_be_written_is_named(self):
        self.assertIn("calibrate: -o '/dev/full' cannot be written: No space left", self.refused("-o", "/dev/full"))

    def test_costs_for_which_there_is_no_room_leave_those_that_were_there(self):
        self.file.write_text("latency_ns 5\n")

        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))

        done = subprocess.run([CALIBRATOR, self.file], capture_output=True, text=True, check=False, restore_signals=False, preexec_fn=little_room)
        self.assertEqual((done.returncode, done.stderr), (2, f"tactus: calibrate: -o '{self.file}' cannot be written: File too large\n"))
        self.assertEqual((self.file.read_text(), list(self.folder.iterdir())), ("latency_ns 5\n", [self.file]))

    def test_costs_go_to_the_file_that_a_link_leads_to(self):
        link = self.folder / "link"
        for there in (False, True):
            link.unlink(missing_ok=True)
            link.symlink_to(self.file.name)
            self.assertEqual(tactus("calibrate", "-o", str(link)).returncode, 0)
            self.assertTrue(link.is_symlink(), there)
            self.look_at(self.file.read_text())

    def test_an_installation_of_the_library_alone_says_what_to_do(self):
        shutil.copytree(TOOLS, self.folder / "share" / "tactus", ignore=shutil.ignore_patterns("__pycache__", "tactus"))
        (self.folder / "bin").mkdir()
        command = shutil.copy(TOOLS / "tactus", self.folder / "bin")
        for arguments in (["calibrate"], ["simulate"], ["calibrate", "--mpi"]):
            done = tactus(*arguments, command=command, TACTUS_SIMULATE="", TACTUS_CALIBRATE="")
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(f"tactus_{arguments[0]}", done.stderr)
            self.assertIn("this installation has the library only; build it in the sources", done.stderr)

    def test_under_a_launcher_it_is_one_of_several_processes(self):
        program = self.folder / "program"
        program.write_text('#!/bin/sh\necho "one of them" "$@"\n')
        program.chmod(0o755)
        self.assertIn("PMIX_RANK", LAUNCHERS)
        for name in LAUNCHERS:
            done = tactus("calibrate", "-o", str(self.file), **{name: "1"}, TACTUS_CALIBRATE="/bin/false",
                          TACTUS_CALIBRATE_OPENMPI=str(program), TACTUS_CALIBRATE_MPICH=str(program))
            self.assertEqual((done.returncode, done.stdout), (0, f"one of them {self.file}\n"), name)

    def test_between_processes(self):
        for mpi, program in MPIS.items():
            with self.subTest(mpi=mpi):
                named = {f"TACTUS_CALIBRATE_{mpi.upper()}": program}
                if mpi == min(MPIS):
                    done = tactus("calibrate", "--mpi", "-o", str(self.file), **{**named, "TACTUS_CALIBRATE_OPENMPI": program})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(f"two processes, {mpi}", self.file.read_text())
                    self.file.unlink()
                spare = ["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []
                for ranks in (2, 1):
                    done = tactus("calibrate", "-o", str(self.file), before=[f"mpirun.{mpi}", *spare, "-n", str(ranks)], **named, **AS_ROOT)
                    if ranks == 1:
                        self.assertNotEqual(done.returncode, 0)
                        self.assertIn("there is one process, and messages go between two", done.stderr)
                    else:
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.look_at(self.file.read_text())
                        self.file.unlink()


if __name__ == "__main__":
    CALIBRATOR, SIMULATOR = sys.argv[1:3]
    MPIS = dict(argument.split("=") for argument in sys.argv[3:])
    unittest.main(argv=sys.argv[:1])
