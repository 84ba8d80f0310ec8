# SPDX-License-Identifier: Apache-2.0
"""One benchmark program as a long-lived process: it computes only while it answers `run`.

A program may have processes of its own: the launcher of an MPI, and its ranks. It leads a process group, and whatever is
left of that ends with it. No wait is without a limit, and none is for a pipe to be closed, which a process that somebody
else has started could keep open."""

import ctypes
import json
import os
import select
import signal
import subprocess
import tempfile
import time

REFUSED_STATUS = 3
ENDING_SECONDS = 30  # that a program has after `quit`, or after it has said why it ends
KILLED_SECONDS = 10  # after which what was killed is left to the kernel

_PR_SET_PDEATHSIG = 1
_C = ctypes.CDLL(None)


def _die_with_the_runner():
    """In the new process: whoever kills the runner's group does not reach the program's."""
    _C.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Stopped(Exception):
    """The program will not answer any more. kind: refused, capped, wrong, died, timeout, absent (not built) or time
    (not run). least_ns: of a capped one, the time per operation that it took at least."""

    def __init__(self, kind, text, least_ns=None):
        super().__init__(text)
        self.kind = kind
        self.least_ns = least_ns


class Program:
    def __init__(self, command, environment, timeout):
        self._timeout = timeout
        self._text = b""
        self._is_asked = True  # and has not answered yet
        self._complaints = tempfile.TemporaryFile()  # a file, for a pipe that nobody empties would block the program
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints,
                                         env={**os.environ, **environment}, start_new_session=True,
                                         preexec_fn=_die_with_the_runner)
        try:
            self._await_line()  # {"ready": true}
        except BaseException:
            self.close()
            raise

    @property
    def pid(self):
        return self._process.pid

    def run(self):
        """One repetition; its result line. Raises Stopped."""
        self._is_asked = True
        self._tell(b"run\n")
        return self._await_line()

    def close(self):
        """Lets the program end; kills it when it does not, or when it computes, for then the runner was interrupted."""
        if self._process.returncode is None and not self._is_asked:
            self._tell(b"quit\n")
            self._ends_by_itself()
        self._kill()
        for pipe in (self._process.stdin, self._process.stdout, self._complaints):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def _tell(self, words):
        try:
            self._process.stdin.write(words)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # why it ended stands in what it printed

    def _await_line(self):
        deadline = time.monotonic() + self._timeout
        while b"\n" not in self._text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                self._kill()
                raise Stopped("timeout", f"no answer within {self._timeout:.0f} s")
            part = os.read(self._process.stdout.fileno(), 65536)
            if not part:
                raise self._stopped()
            self._text += part
        line, self._text = self._text.split(b"\n", 1)
        try:
            answer = json.loads(line)
        except ValueError:
            self._kill()
            raise Stopped("died", f"answered {line!r:.100}, which is not JSON") from None
        if "refused" in answer:
            self._end()
            if "capped_seconds" in answer:
                least_ns = answer["capped_seconds"] * 1e9 / answer["operations"]
                raise Stopped("capped", answer["refused"], least_ns)
            raise Stopped("refused", answer["refused"])
        if "error" in answer:
            self._end()
            raise Stopped("wrong", answer["error"])
        self._is_asked = False
        return answer

    def _stopped(self):
        if not self._end():
            return Stopped("died", f"closed its output and did not end within {ENDING_SECONDS} s")
        status = self._process.returncode
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip().splitlines()
        last_words = f": {said[-1]}" if said else ""
        if status < 0:
            return Stopped("died", f"killed by {signal.Signals(-status).name}{last_words}")
        return Stopped("refused" if status == REFUSED_STATUS else "died", f"ended with status {status}{last_words}")

    def _end(self):
        """Waits for the end that was announced, or brings it about: whether it came by itself."""
        in_time = self._ends_by_itself()
        self._kill()
        return in_time

    def _ends_by_itself(self):
        """Whether it does so in time. It is not reaped: its number is that of the group, which is still to be killed."""
        deadline = time.monotonic() + ENDING_SECONDS
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def _kill(self):
        """Ends what is left of the program and of its group."""
        if self._process.returncode is not None:
            return
        os.killpg(self.pid, signal.SIGKILL)
        try:
            self._process.wait(KILLED_SECONDS)
        except subprocess.TimeoutExpired:
            pass
