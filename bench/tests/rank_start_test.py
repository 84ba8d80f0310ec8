#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the ranks of rank_start do when their launcher is killed, as the runner does with a job that does not end.
Usage: rank_start_test.py FOLDER [TEST...], the folder of the benchmark programs. Without one for either MPI: status 77."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMPETITORS = {"openmpi": ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none"), "mpich": ("mpirun.mpich",)}
RANKS = 2
PROGRAMS = {}  # launcher's words -> program


def ranks(program):
    """The numbers of the processes that run it and live."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if os.readlink(folder / "exe") == str(program) and state != "Z":
                found.append(int(folder.name))
        except OSError:
            pass  # it has ended meanwhile, or is somebody else's
    return found


def becomes(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


class Launcher(unittest.TestCase):
    def test_takes_its_ranks_along_when_it_is_killed(self):
        for launcher, program in PROGRAMS.items():
            with self.subTest(launcher[0]), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "rank_start"  # whose processes are nobody else's
                shutil.copy(program, copy)
                self.kill_the_launcher_of(copy.resolve(), launcher, pathlib.Path(folder) / "file")

    def kill_the_launcher_of(self, program, launcher, file):
        os.mkfifo(file)  # nobody reads it: a rank that has begun waits for ever to say so
        environment = {**os.environ, "BENCH_RANK_START_FILE": str(file), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        job = subprocess.Popen([*launcher, "-n", str(RANKS), str(program), "--threads", str(RANKS)], env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.assertTrue(becomes(lambda: len(ranks(program)) == RANKS, 60))
            time.sleep(2)  # they go through MPI_Init
            self.assertEqual(len(ranks(program)), RANKS)
            for pid in ranks(program):
                os.kill(pid, signal.SIGSTOP)  # now it cannot notice by itself that the launcher has gone
            job.kill()
            job.wait(60)
            self.assertTrue(becomes(lambda: not ranks(program), 10), "ranks live on")
        finally:
            job.kill()
            for pid in ranks(program):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    for name, words in COMPETITORS.items():
        path = pathlib.Path(sys.argv[1]) / "rank_start" / name
        if path.exists():
            PROGRAMS[words] = path
    if not PROGRAMS:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
