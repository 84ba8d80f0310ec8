# SPDX-License-Identifier: Apache-2.0
"""Who is measured and in which company."""

import dataclasses

POLICIES = ("work_first", "help_first", "adaptive")


@dataclasses.dataclass(frozen=True)
class Member:
    """A competitor's program with its options."""
    competitor: str
    threads: int
    policy: str | None = None
    arguments: tuple = ()

    @property
    def label(self):
        words = [self.competitor, self.policy or "", *self.arguments[1::2]]
        return " ".join(w for w in words if w) + f" @{self.threads}"

    def options(self):
        policy = ["--policy", self.policy] if self.policy else []
        return ["--threads", str(self.threads), *policy, *self.arguments]


def tactus(threads, policy="adaptive", *arguments):
    return Member("tactus", threads, policy, arguments)


def all_policies(threads, *arguments):
    return [tactus(threads, policy, *arguments) for policy in POLICIES]


@dataclasses.dataclass
class Group:
    """Members measured in turn, round after round, on one size of one problem; and the rows made from them.

    alone: instead, each member once in a fresh process, its first repetition included: for memory, which depends
    on what a process did before. repetitions: how many such a process makes.
    sparing: every member takes part in seven rounds only, as one does whose repetition takes long.
    when_asked: only when its section is named, or with --all or --full."""
    section: str
    title: str
    problem: str
    unit: str
    members: list
    rows: list
    arguments: tuple = ()
    seconds: float = 10  # expected, on two cores
    timeout: float = 60  # of one repetition
    alone: bool = False
    repetitions: int = 1
    sparing: bool = False
    when_asked: bool = False
