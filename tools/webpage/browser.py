# SPDX-License-Identifier: Apache-2.0
"""Looks at a page in headless Chromium, by the DevTools protocol over pipes, and keeps screenshots."""

import base64
import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SIZES = (("phone", 360, 800), ("tablet", 820, 1180), ("desktop", 1440, 900))
SCHEMES = ("light", "dark")
SCREENSHOT_PIXELS = 6000  # of height; the whole page is longer than an image should be
TIMEOUT = 60
SKIPPED = 77  # the status that CTest knows

# What a reader would stumble over, as a list of sentences. All of it is laid out: details are opened first.
INSPECT = r"""(() => {
  const found = [], view = document.documentElement.clientWidth;
  document.querySelectorAll('details').forEach(d => d.open = true);
  const short = e => `${e.tagName} '${(e.textContent || '').trim().slice(0, 50)}'`;
  if (document.documentElement.scrollWidth > view)
    found.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${view}`);
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('.box, svg') && !e.matches('.box')) continue;
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > view + 0.5 || r.left < -0.5)) found.push(`${short(e)} sticks out of the page`);
  }
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.parentElement.closest('svg')) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(t => t.getBoundingClientRect().width);
    const rects = texts.map(t => t.getBoundingClientRect());
    rects.forEach((r, i) => {
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 2 || r.bottom > frame.bottom + 2)
        found.push(`the label ${short(texts[i])} is clipped`);
      for (let j = i + 1; j < rects.length; ++j)
        if (r.left < rects[j].right - 0.5 && rects[j].left < r.right - 0.5 &&
            r.top < rects[j].bottom - 2 && rects[j].top < r.bottom - 2)
          found.push(`the labels ${short(texts[i])} and ${short(texts[j])} overlap`);
    });
  }
  for (const e of document.querySelectorAll('.bars span, .legend li, figcaption, h1, h2, h3, h4'))
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')
      found.push(`${short(e)} does not fit its place`);
  for (const a of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(a.hash.slice(1))) found.push(`the link ${a.hash} leads nowhere`);
  return found;
})()"""


# Moves the two pipes to where the browser expects them, and becomes the browser.
START = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"


class BrowserError(Exception):
    pass


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def check(path):
    """0 when the page is in order, 1 when it is not, which is printed; also 0, and said so, without a browser."""
    program = find()
    if program is None:
        print(f"browser check skipped: none of {', '.join(NAMES)} is installed (Debian: apt install chromium)")
        return 0
    complaints = []
    with Browser(program) as browser:
        for name, width, height in SIZES:
            for scheme in SCHEMES:
                image = path.with_name(f"{path.stem}-{name}-{scheme}.png")
                found = browser.inspect(path.resolve().as_uri(), width, height, scheme, image)
                complaints += [f"{name}, {scheme}: {sentence}" for sentence in found]
                verdict = f"{len(found)} complaints" if found else "in order"
                print(f"{path.name} at {width}x{height}, {scheme}: {verdict}; {image}")
    for sentence in complaints[:40]:
        print(f"  {sentence}")
    return 1 if complaints else 0


def run_tests(folder):
    """unittest.main() for tests that look at pages, which stay in this folder. Without a browser status 77: skipped."""
    if find() is None:
        print(f"skipped: none of {', '.join(NAMES)} is installed (Debian: apt install chromium)")
        sys.exit(SKIPPED)
    folder.mkdir(parents=True, exist_ok=True)
    unittest.main()


class Browser:
    """One process; messages are JSON ended by a zero byte, in at file descriptor 3 and out at 4."""

    def __init__(self, program):
        self._program = program
        self._text = b""
        self._last = 0
        self._events = []

    def __enter__(self):
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, ours_out = _high_pipe()
        ours_in, theirs_out = _high_pipe()
        flags = ["--headless", "--remote-debugging-pipe", f"--user-data-dir={self._home.name}", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", "--disable-extensions", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        command = [sys.executable, "-c", START, str(theirs_in), str(theirs_out), self._program, *flags]
        self._process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = ours_in, ours_out
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrowserError, OSError):
            self._call("Browser.close")
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._home.cleanup()

    def inspect(self, address, width, height, scheme, image):
        """Complaints about the page, which is left as a screenshot: what INSPECT finds, messages of the console, and
        whatever it asked the network for."""
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable", session=session)
        self._call("Emulation.setDeviceMetricsOverride",
                   {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, session)
        self._call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}, session)
        self._events.clear()
        self._call("Page.navigate", {"url": address}, session)
        self._await("Page.loadEventFired")
        length = self._evaluate("document.documentElement.scrollHeight", session)
        clip = {"x": 0, "y": 0, "width": width, "height": min(length, SCREENSHOT_PIXELS), "scale": 1}
        shot = self._call("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True}, session)
        pathlib.Path(image).write_bytes(base64.b64decode(shot["data"]))
        found = self._evaluate(INSPECT, session) + self._complaints(address)
        self._call("Target.closeTarget", {"targetId": target})
        return found

    def _complaints(self, address):
        found = []
        for event in self._events:
            method, values = event["method"], event["params"]
            if method == "Log.entryAdded":
                found.append(f"the browser says: {values['entry']['text']}")
            elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                found.append(f"a script ran: {method}")
            elif method == "Network.requestWillBeSent" and values["request"]["url"] != address:
                found.append(f"the page asks for {values['request']['url']}")
        return found

    def _evaluate(self, expression, session):
        result = self._call("Runtime.evaluate", {"expression": expression, "returnByValue": True}, session)
        if "exceptionDetails" in result:
            raise BrowserError(f"the inspection failed: {result['exceptionDetails']}")
        return result["result"]["value"]

    def _call(self, method, parameters=None, session=None):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _await(self, method):
        while not any(event["method"] == method for event in self._events):
            self._next()

    def _next(self):
        """One message; events are kept too."""
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self._text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise BrowserError(f"{self._program} did not answer within {TIMEOUT} s")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise BrowserError(f"{self._program} ended with status {self._process.wait()}")
            self._text += part
        line, self._text = self._text.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self._events.append(message)
        return message


def _high_pipe():
    """(read end, write end), neither of them 3 or 4, which START overwrites."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high
