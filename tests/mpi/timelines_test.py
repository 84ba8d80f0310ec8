# SPDX-License-Identifier: Apache-2.0
"""The timeline of a job of several processes is one file: python3 timelines_test.py PROGRAM TACTUS MPIRUN [ARGUMENT...]

The program is timelines.cpp, TACTUS the command; the arguments are what this mpirun needs where there are more processes than processors."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, COMMAND, *MPIRUN = sys.argv[1:]
LONGEST = 100  # seconds
VISITS, SHORT = 30, 6_000  # of the program
WORKERS = 2
ROUNDED = 0.01  # us; times are whole nanoseconds


def run(how, ranks, file, workers=WORKERS):
    return subprocess.run([*MPIRUN, "-n", str(ranks), PROGRAM, how, str(file)], env=os.environ | {"TACTUS_THREADS": str(workers)},
                          capture_output=True, text=True, timeout=LONGEST, check=False)


class Timeline:
    """Raises where an arrow or a slice is not whole."""

    def __init__(self, file):
        record = json.loads(file.read_text(encoding="utf-8"))
        self.events = record["traceEvents"]
        self.lost = record["otherData"]["events_lost"]
        self.uncertainty = record["otherData"]["clocks_may_differ_us"]
        self.places = [e["pid"] for e in self.events if e.get("name") == "process_name"]
        self.workers = collections.defaultdict(list)  # by place
        self.slices = []
        self.arrows = collections.defaultdict(dict)  # {(what, id): {"s": event, "f": event}}
        opened, last = {}, collections.defaultdict(float)
        for e in self.events:
            if e.get("name") == "thread_name" and "events_lost" in e["args"]:
                self.workers[e["pid"]].append(e["tid"])
            if e["ph"] in "BEsf":
                assert e["ts"] >= last[e["tid"]], f"{e} goes back in time"
                last[e["tid"]] = e["ts"]
            if e["ph"] == "B":
                assert e["tid"] not in opened, e
                opened[e["tid"]] = e
            elif e["ph"] == "E":
                begin = opened.pop(e["tid"])
                self.slices.append({**begin, "end": e["ts"]})
            elif e["ph"] in "sf":
                assert e["tid"] in opened, f"{e} lies in no slice"
                assert e["ph"] not in self.arrows[e["cat"], e["id"]], f"{e} has an id that another one has"
                self.arrows[e["cat"], e["id"]][e["ph"]] = e
        assert not opened, opened

    def between_places(self, what):
        return [a for (cat, _), a in self.arrows.items() if cat == what and len(a) == 2 and a["s"]["pid"] != a["f"]["pid"]]

    def worst_step_back(self):
        return max((a["s"]["ts"] - a["f"]["ts"] for a in self.arrows.values()), default=0)


class OneFile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "t.json"

    def traced(self, how, ranks, files=("t.json",), workers=WORKERS):
        result = run(how, ranks, self.file, workers)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), sorted(files))
        return Timeline(self.file)

    def look_at(self, one, ranks, workers=WORKERS):
        self.assertEqual(one.places, list(range(ranks)))
        self.assertEqual(one.workers, {p: list(range(p * workers, (p + 1) * workers)) for p in range(ranks)})
        self.assertEqual(one.lost, 0)
        halves = [a for a in one.arrows.values() if len(a) != 2]
        self.assertEqual(halves, [])
        tasks = collections.defaultdict(set)
        for s in one.slices:
            if s["cat"] == "task":
                tasks[s["args"]["task"]].add((s["pid"], s["name"]))
        self.assertEqual({task: of for task, of in tasks.items() if len(of) != 1}, {})  # no number means two tasks
        self.assertGreaterEqual(len(one.between_places("spawn")), 2 * VISITS + SHORT)
        self.assertGreaterEqual(len(one.between_places("result")), VISITS)
        moves = one.between_places("move")
        self.assertEqual(len(moves), sum(s["cat"] == "move" and "from" in s["args"] for s in one.slices))
        self.assertGreater(len(moves), 0)

    def test_has_all_places_and_arrows_between_them(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks):
                one = self.traced("plain", ranks)
                self.look_at(one, ranks)
                self.assertEqual(one.uncertainty, 0)  # they have one clock
                self.assertLessEqual(one.worst_step_back(), 0)

    def test_clocks_that_are_apart_and_go_apart_are_brought_together(self):
        for ranks in (2, 4):
            with self.subTest(ranks):
                one = self.traced("disturbed", ranks)
                self.look_at(one, ranks)
                self.assertGreater(one.uncertainty, 0)
                self.assertLess(one.uncertainty, 1e5)  # questions that all take longer than this are asked of nobody at all
                self.assertLessEqual(one.worst_step_back(), 2 * one.uncertainty + ROUNDED)  # neither rank's need be rank 0's
                visits = [one.arrows["spawn", a["s"]["id"]]["s"]["ts"] - a["f"]["ts"] for a in one.between_places("result")]
                self.assertGreater(max(visits), -1e6)  # none seems to have taken a second
        self.is_read_by_the_command(places=4)

    def is_read_by_the_command(self, places):
        told = subprocess.run([sys.executable, "-B", COMMAND, "report", "--text", str(self.file)], capture_output=True, text=True,
                              timeout=LONGEST, check=False)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        for expected in (f"places: {places}", "worker 4 at place 2", "Tasks that moved", "wanders"):
            self.assertIn(expected, told.stdout)

    def test_where_one_thread_calls_mpi(self):
        for level, workers in (("funneled", WORKERS), ("single", 1)):
            with self.subTest(level):
                self.look_at(self.traced(level, 3, workers=workers), 3, workers)

    def test_of_a_second_runtime_has_a_number(self):
        self.look_at(self.traced("twice", 2, files=("t.json", "t-2.json")), 2)
        self.look_at(Timeline(self.folder / "t-2.json"), 2)

    def test_of_a_runtime_that_has_run_nothing_is_whole(self):
        self.assertEqual(self.traced("nothing", 2).slices, [])

    def test_of_communicators(self):
        one = self.traced("parts", 3, files=("t.json", "t.json.alone", "t.json.part"))
        self.look_at(one, 3)
        part = Timeline(self.folder / "t.json.part")
        self.assertEqual((part.places, len(part.between_places("result"))), ([0, 1], 1))
        self.assertEqual(Timeline(self.folder / "t.json.alone").places, [0])

    def test_that_cannot_be_written_is_refused_everywhere(self):
        result = run("refused", 3, self.folder / "no such folder" / "t.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("refused: tactus: the trace file"), 3, result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
