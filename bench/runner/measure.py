# SPDX-License-Identifier: Apache-2.0
"""Takes the samples of a group.

One round runs every member once, one after the other, starting at another member each time. All programs are started
anew after every third of the 15 rounds (rounds.py says why), and their first repetition, which pays for fresh memory, is
not counted. A member whose repetition takes longer than a second takes part in seven of them, at least one of each process,
and so does everybody in a group that is sparing. A repetition during which more than 2 % of the machine was stolen by the hypervisor is
repeated, up to four times."""

import dataclasses
import time
from statistics import median

from runner.machine import ProcessorClock, process_seconds
from runner.program import Program, Stopped
from runner.rounds import PROCESSES, ROUNDS, is_for_long_ones, process_of

LONG_SECONDS = 1.0
STOLEN_LIMIT = 0.02
ATTEMPTS = 5
REST_SECONDS = 0.01  # OpenMP's threads spin for some milliseconds after a run

# How the threads of OpenMP run-time libraries wait: each is measured in the way that suits it better here. libomp
# would spin for 200 ms after a run, at the cost of whoever is measured next; nothing here makes it wait for 5 ms.
WAIT_POLICIES = {
    "libgomp": ({}, {"OMP_WAIT_POLICY": "passive"}),
    "libomp": ({"KMP_BLOCKTIME": "5"}, {"OMP_WAIT_POLICY": "passive"}),
}


@dataclasses.dataclass
class Outcome:
    """What one member did."""
    samples: dict = dataclasses.field(default_factory=dict)  # round -> result line
    stopped: Stopped | None = None
    environment: dict = dataclasses.field(default_factory=dict)
    repeated: int = 0   # repetitions thrown away for stolen time
    disturbed: int = 0  # repetitions kept in spite of it

    def times(self):
        return {r: line["ns_per_op"] for r, line in self.samples.items()}

    def lines(self):
        return [self.samples[r] for r in sorted(self.samples)]

    @property
    def complete(self):
        return bool(self.samples) and self.stopped is None

    @property
    def failed(self):
        """It was run and did not get through."""
        return self.stopped is not None and self.stopped.kind not in ("absent", "time")

    def why_not(self):
        return str(self.stopped) if self.stopped else "not run"



class Measurement:
    def __init__(self, directory, deadline):
        self._directory = directory
        self._deadline = deadline  # time.monotonic() after which only what was begun is finished; None: no cap
        self.busy_of_others = 0.0
        self.watched_seconds = 0.0

    def take(self, group):
        """{member: Outcome}; a member that was not built, or could not, has no samples and says why."""
        results = {m: Outcome() for m in group.members}
        clock, begin, own = ProcessorClock(), time.monotonic(), [0.0]
        if group.alone:
            self._alone(group, results, own)
        else:
            self._interleaved(group, results, own)
        self.watched_seconds = time.monotonic() - begin
        self.busy_of_others = max(0.0, clock.busy_seconds() - own[0])
        return results

    def out_of_time(self):
        return self._deadline is not None and time.monotonic() > self._deadline

    def _start(self, group, member, environment):
        path = self._directory / group.problem / member.competitor
        if not path.exists():
            raise Stopped("absent", "not built")
        return Program([str(path), "--serve", *group.arguments, *member.options()], environment, group.timeout)

    def _alone(self, group, results, own):
        for member, outcome in results.items():
            if self.out_of_time():
                outcome.stopped = Stopped("time", "not run: out of time")
                continue
            program = None
            try:
                program = self._start(group, member, {})
                for i in range(group.repetitions):
                    outcome.samples[i] = program.run()
            except Stopped as end:
                outcome.stopped = end
            if program is not None:
                own[0] += process_seconds(program.pid)
                program.close()

    def _interleaved(self, group, results, own):
        for member, outcome in results.items():
            if member.competitor in WAIT_POLICIES and member.threads > 1:
                outcome.environment = self._kinder_wait_policy(group, member)
        for process in range(PROCESSES):
            programs = self._start_all(group, results)
            try:
                for r in (number for number in range(ROUNDS) if process_of(number) == process):
                    if self.out_of_time() and r > 0:
                        return
                    self._round(r, programs, results, group.sparing)
            finally:
                for program in programs.values():
                    own[0] += process_seconds(program.pid)
                    program.close()

    def _start_all(self, group, results):
        programs = {}
        for member, outcome in results.items():
            if outcome.stopped:
                continue
            try:
                program = self._start(group, member, outcome.environment)
                programs[member] = program
                program.run()  # warms up
            except Stopped as end:
                outcome.stopped = end
        return programs

    def _round(self, r, programs, results, sparing):
        members = list(programs)
        shift = r % max(1, len(members))
        for member in members[shift:] + members[:shift]:
            outcome = results[member]
            if outcome.stopped or (not is_for_long_ones(r) and (sparing or _is_long(outcome))):
                continue
            try:
                outcome.samples[r] = _undisturbed(programs[member], outcome)
            except Stopped as end:
                outcome.stopped = end
            if member.competitor in WAIT_POLICIES:
                time.sleep(REST_SECONDS)

    def _kinder_wait_policy(self, group, member):
        """Spinning or sleeping threads, by a short trial of both."""
        best, *_ = WAIT_POLICIES[member.competitor]
        best_time = None
        for environment in WAIT_POLICIES[member.competitor]:
            program = None
            try:
                program = self._start(group, member, environment)
                times = [program.run()["ns_per_op"] for _ in range(4)][1:]
                if best_time is None or median(times) < best_time:
                    best, best_time = environment, median(times)
            except Stopped:
                pass  # the measurement itself meets this end and reports it
            finally:
                if program is not None:
                    program.close()
        return best


def _is_long(outcome):
    lines = outcome.lines()
    return bool(lines) and lines[0]["seconds"] * lines[0]["passes"] > LONG_SECONDS


def _undisturbed(program, outcome):
    for attempt in range(ATTEMPTS):
        clock = ProcessorClock()
        line = program.run()
        if clock.stolen_part() <= STOLEN_LIMIT:
            return line
        if attempt + 1 < ATTEMPTS:
            outcome.repeated += 1
    outcome.disturbed += 1
    return line
