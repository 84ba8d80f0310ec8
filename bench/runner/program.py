# SPDX-License-Identifier: Apache-2.0
"""One benchmark program as a long-lived process: it computes only while it answers `run`."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

REFUSED_STATUS = 3


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
        self._complaints = tempfile.TemporaryFile()  # a file, for a pipe that nobody empties would block the program
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._complaints, env={**os.environ, **environment})
        try:
            self._await_line()  # {"ready": true}
        except Stopped:
            self.close()
            raise

    @property
    def pid(self):
        return self._process.pid

    def run(self):
        """One repetition; its result line. Raises Stopped."""
        try:
            self._process.stdin.write(b"run\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # why it ended stands in what it printed
        return self._await_line()

    def close(self):
        """Lets the program end; kills it when it does not."""
        try:
            self._process.communicate(b"quit\n", timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._complaints.close()

    def _await_line(self):
        deadline = time.monotonic() + self._timeout
        while b"\n" not in self._text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                self._process.kill()
                self._process.wait()
                raise Stopped("timeout", f"no answer within {self._timeout:.0f} s")
            part = os.read(self._process.stdout.fileno(), 65536)
            if not part:
                raise self._stopped()
            self._text += part
        line, self._text = self._text.split(b"\n", 1)
        try:
            answer = json.loads(line)
        except ValueError:
            self._process.kill()
            self._process.wait()
            raise Stopped("died", f"answered {line!r:.100}, which is not JSON") from None
        if "refused" in answer:
            self._process.wait()
            if "capped_seconds" in answer:
                least_ns = answer["capped_seconds"] * 1e9 / answer["operations"]
                raise Stopped("capped", answer["refused"], least_ns)
            raise Stopped("refused", answer["refused"])
        if "error" in answer:
            self._process.wait()
            raise Stopped("wrong", answer["error"])
        return answer

    def _stopped(self):
        status = self._process.wait()
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip().splitlines()
        last_words = f": {said[-1]}" if said else ""
        if status < 0:
            return Stopped("died", f"killed by {signal.Signals(-status).name}{last_words}")
        return Stopped("refused" if status == REFUSED_STATUS else "died", f"ended with status {status}{last_words}")
