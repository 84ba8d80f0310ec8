# SPDX-License-Identifier: Apache-2.0
"""Profiles of spawns, which a run writes that has TACTUS_PROFILE=FILE. docs/profile-format.md has their form."""

import dataclasses

from placement_tools.arguments import MOST_PLACES, MOST_WORKERS

FIRST_LINE = "tactus-profile 1"
KINDS = ("plain", "flexible", "sensitive")
MOST_DIGITS = 19  # of a count or a time


class ProfileError(Exception):
    """What is no profile; its text is one line."""


@dataclasses.dataclass
class Site:
    number: int
    kind: str
    spawned: int
    body_ns: int
    inclusive_ns: int
    after_ns: int
    bytes: int
    result_bytes: int
    accesses: int
    uses: int
    flexible_parents: int
    name: str


@dataclasses.dataclass
class Task:
    id: int
    parent: int
    place: int
    ns: int
    bytes: int
    result_bytes: int
    site: int


class Profile:
    """What the file says, once it is known to be whole."""

    def __init__(self, file):
        self._file = file
        self.places = self.workers = self.spawned = 0
        self.sites, self.tasks = {}, {}
        self._whole = False
        try:
            with open(file, encoding="utf-8", errors="surrogateescape") as lines:
                self._read(lines)
        except OSError as error:
            raise ProfileError(f"{file}: {error.strerror}") from None

    def _read(self, lines):
        number = 0
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if number == 1:
                if line != FIRST_LINE:
                    self._fail(number, f"the first line is not '{FIRST_LINE}'; TACTUS_PROFILE=FILE makes a run write a profile")
            elif self._whole:
                self._fail(number, "something follows behind the end")
            elif line and not line.startswith("#"):
                self._read_line(number, line)
        if number == 0:
            self._fail(1, "the file is empty: the run that it is of has not ended")
        if not self._whole:
            self._fail(number, "the file ends too early; the run that it is of was stopped, or the disk was full")
        for task in self.tasks.values():
            if task.parent and task.parent not in self.tasks:
                self._fail(number, f"task {task.id} has a parent that is not there, {task.parent}")

    def _read_line(self, number, line):
        word = line.partition(" ")[0]
        if word == "run":
            self.places, self.workers = self._numbers(number, line.split(" ")[1:], 2)
            if not (1 <= self.places <= MOST_PLACES and 1 <= self.workers <= MOST_WORKERS):
                self._fail(number, f"a run has 1 to {MOST_PLACES} places, and 1 to {MOST_WORKERS} workers of each")
        elif word == "site":
            self._read_site(number, line)
        elif word == "end":
            self.spawned, rows = self._numbers(number, line.split(" ")[1:], 2)
            if self.places == 0:
                self._fail(number, "it does not say of how many places the run was")
            if rows != len(self.tasks):
                self._fail(number, f"there are {len(self.tasks)} tasks, and it says {rows}")
            self._whole = True
        else:
            self._read_task(number, line)

    def _read_site(self, number, line):
        words = line.split(" ", 12)
        if len(words) != 13 or words[2] not in KINDS or not words[12]:
            self._fail(number, "it is no line of a site")
        values = self._numbers(number, [words[1], *words[3:12]], 10)
        site = Site(values[0], words[2], *values[1:], words[12])
        if site.number in self.sites:
            self._fail(number, f"site {site.number} is there twice")
        self.sites[site.number] = site

    def _read_task(self, number, line):
        words = line.split(" ")
        if len(words) != 8 or words[6] not in ("flexible", "sensitive"):
            self._fail(number, "it is no line of a task")
        task = Task(*self._numbers(number, words[:6] + words[7:], 7))
        if task.id in self.tasks:
            self._fail(number, f"task {task.id} is there twice")
        if task.site not in self.sites:
            self._fail(number, f"there is no site {task.site}")
        self.tasks[task.id] = task

    def _numbers(self, number, words, many):
        if len(words) != many or not all(word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS for word in words):
            self._fail(number, f"'{' '.join(words)}' are not {many} whole numbers of at most {MOST_DIGITS} digits")
        return [int(word) for word in words]

    def _fail(self, number, why):
        raise ProfileError(f"{self._file}:{number}: {why}")
