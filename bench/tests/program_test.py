#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the runner ends a program, and what the program has started, whatever these do."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

from runner import program  # noqa: E402
from runner.program import Program, Stopped  # noqa: E402

READY = """echo '{"ready": true}'; read command; """
LONG = 60  # seconds that nobody waits for


def is_there(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"  # nobody may be there to reap it


def gone_within(seconds, pid):
    deadline = time.monotonic() + seconds
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_there(pid)


class Ending(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / "pid"
        self.begin = time.monotonic()

    def tearDown(self):
        if self.file.exists() and is_there(self.pid()):
            os.kill(self.pid(), signal.SIGKILL)
        self.folder.cleanup()

    def pid(self):
        """Of the process that the script has written down."""
        while not self.file.exists() or not self.file.read_text().strip():
            self.assertLess(time.monotonic() - self.begin, LONG)
            time.sleep(0.01)
        return int(self.file.read_text())

    def script(self, text, timeout=1):
        return Program(["bash", "-c", READY + text.format(file=self.file, long=LONG)], {}, timeout)

    def stopped(self, one):
        with self.assertRaises(Stopped) as end:
            one.run()
        one.close()
        self.assertLess(time.monotonic() - self.begin, LONG / 2)
        return end.exception

    def test_what_a_program_has_started_ends_with_it_when_it_does_not_answer(self):
        end = self.stopped(self.script("sleep {long} </dev/null & echo $! >{file}; wait"))
        self.assertEqual(end.kind, "timeout")
        self.assertTrue(gone_within(5, self.pid()))

    def test_a_process_that_holds_the_output_in_a_group_of_its_own_is_not_waited_for(self):
        end = self.stopped(self.script("setsid bash -c 'echo $$ >{file}; exec sleep {long}' </dev/null & wait"))
        self.assertEqual((end.kind, is_there(self.pid())), ("timeout", True))

    def test_what_a_program_has_left_behind_ends_when_it_has_ended(self):
        end = self.stopped(self.script("sleep {long} </dev/null >/dev/null & echo $! >{file}; exit 5", timeout=20))
        self.assertEqual(str(end), "ended with status 5")
        self.assertTrue(gone_within(5, self.pid()))

    def test_a_program_that_says_why_it_ends_and_does_not_is_killed(self):
        for word, kind in (("refused", "refused"), ("error", "wrong")):
            with mock.patch.object(program, "ENDING_SECONDS", 0.3):
                end = self.stopped(self.script("""echo $$ >{file}; echo '{{"%s": "so"}}'; exec sleep {long}""" % word, timeout=20))
            self.assertEqual((end.kind, str(end)), (kind, "so"))
            self.assertTrue(gone_within(5, self.pid()))

    def test_a_program_that_closes_its_output_and_lives_on_is_killed(self):
        with mock.patch.object(program, "ENDING_SECONDS", 0.3):
            end = self.stopped(self.script("echo $$ >{file}; exec sleep {long} >&-", timeout=20))
        self.assertEqual((end.kind, "did not end" in str(end)), ("died", True))
        self.assertTrue(gone_within(5, self.pid()))

    def test_a_program_that_does_not_quit_is_killed(self):
        one = self.script("echo $$ >{file}; exec sleep {long}")
        with mock.patch.object(program, "ENDING_SECONDS", 0.3):
            one.close()
        self.assertLess(time.monotonic() - self.begin, LONG / 2)
        self.assertTrue(gone_within(5, self.pid()))

    def test_a_program_is_left_to_quit_by_itself(self):
        self.script("sleep 0.3; echo $$ >{file}").close()
        self.assertTrue(self.file.exists())

    def test_a_program_that_computes_is_not_waited_for_when_the_runner_is_interrupted(self):
        one = self.script("echo $$ >{file}; exec sleep {long}", timeout=LONG)
        with mock.patch.object(program.select, "select", side_effect=KeyboardInterrupt):
            with contextlib.suppress(KeyboardInterrupt):
                one.run()
        pid = self.pid()
        begin = time.monotonic()
        one.close()
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(gone_within(5, pid))

    def test_a_program_that_computes_ends_when_the_runner_is_killed(self):
        script = READY + f"echo $$ >{self.file}; exec sleep {LONG}"
        runner = subprocess.Popen([sys.executable, "-B", "-c", "import sys; from runner.program import Program; "
                                   "Program(['bash', '-c', sys.argv[1]], {}, 60).run()", script], cwd=BENCH)
        pid = self.pid()
        runner.kill()
        runner.wait()
        self.assertTrue(gone_within(5, pid))


if __name__ == "__main__":
    unittest.main()
