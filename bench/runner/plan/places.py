# SPDX-License-Identifier: Apache-2.0
"""What goes from place to place. Nobody else's places are among Debian's packages: it is compared with what two threads need at the
least."""

from runner.goals import MedianOf, Ratio
from runner.members import Group, Member, tactus


def messages():
    for shape, title, limit in (("at", "at(), there and back", None), ("finish", "a finish with one async_at", 3.0),
                                ("one_way", "async_at, one way", None)):
        ours, bare = tactus(2, "adaptive", "--shape", shape), Member("mailbox", 2, None, ("--shape", shape))
        rows = [Ratio(f"{title} / bare mailboxes", 2, ours, (bare,), limit)]
        if shape == "at":
            rows.append(MedianOf(title, 2, ours, lambda line: line["ns_per_op"] / 1e3, "us"))
        if shape == "one_way":
            rows.append(MedianOf(title, 2, ours, lambda line: 1e3 / line["ns_per_op"], "million/s"))
        yield Group("messages", f"two places of one worker: {title}", "messages", "message", [ours, bare], rows, seconds=6)
