#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a rank of rank_start does when its launcher is killed, as the runner does with a job that does not end.
Usage: rank_start_test.py FOLDER [TEST...], the folder of the benchmark programs. Without the program for MPICH: status 77."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

# Tells the rank what MPICH's launcher would, starts it, and says its number.
LAUNCHER = """import os, subprocess, sys, time
rank = subprocess.Popen([sys.argv[1], "--threads", "2"], pass_fds=[int(sys.argv[2])], stdout=subprocess.DEVNULL,
                        env={**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2", "PMI_FD": sys.argv[2]})
print(rank.pid, flush=True)
time.sleep(600)
"""


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Rank(unittest.TestCase):
    def test_that_waits_in_vain_ends_with_its_launcher(self):
        here, there = socket.socketpair()  # both stay open here: no end of input tells the rank that the launcher has gone
        self.addCleanup(here.close)
        self.addCleanup(there.close)
        here.settimeout(60)
        launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, str(PROGRAM), str(there.fileno())],
                                    pass_fds=[there.fileno()], stdout=subprocess.PIPE)
        rank = int(launcher.stdout.readline())
        try:
            self.assertIn(b"cmd=init", here.recv(1000))  # now it waits for an answer
            self.assertTrue(lives(rank))
            launcher.kill()
            launcher.wait()
            launcher.stdout.close()
            deadline = time.monotonic() + 10
            while lives(rank) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse(lives(rank))
        finally:
            launcher.kill()
            if lives(rank):
                os.kill(rank, signal.SIGKILL)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv[1]).resolve() / "rank_start" / "mpich"
    if not PROGRAM.exists():
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
