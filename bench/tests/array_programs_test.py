#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every program of distributed arrays that is built gives right answers, small, in each form and for some numbers of places: which it
checks itself. The argument is the folder of the programs."""

import json
import pathlib
import subprocess
import sys
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop())
GRIDS = {1: "1x1x1", 2: "2x1x1", 4: "2x2x1", 8: "2x2x2"}
OURS = ("put", "shift", "barrier", "shift_barrier", "slow", "slow_barrier", "compute", "whole", "split", "group", "apart", "independent", "lockstep")
BY_HAND = ("pack", "types", "persistent_pack", "persistent_types", "neighbours", "shift", "window")
GHOSTS = {**dict.fromkeys(("tactus", "tactus_openmpi", "tactus_mpich"), OURS), "openmpi": BY_HAND, "mpich": BY_HAND,
          **{f"tactus_{mpi}_{build}": ("put", "shift", "group") for mpi in ("openmpi", "mpich") for build in ("swapped", "alike")},
          "petsc": ("global", "local"), "ga": ("", ), "threads": ("", )}
FLOWS = {**dict.fromkeys(("tactus", "tactus_openmpi", "tactus_mpich", "openmpi", "mpich"), ("", )), "ga": ("rows", "sample")}


def built(problem, programs):
    return [(name, form) for name, forms in programs.items() for form in forms if (PROGRAMS / problem / name).exists()]


class Programs(unittest.TestCase):
    def run_one(self, problem, name, places, *arguments):
        command = [PROGRAMS / problem / name, "--threads", str(places), "--reps", "1", "--min-ms", "0", *arguments]
        with self.subTest(command=" ".join(map(str, command))):
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            line = json.loads(done.stdout.splitlines()[-1])
            self.assertEqual((line["problem"], line["competitor"], line["threads"]), (problem, name, places))

    def test_ghosts_are_what_their_owners_had(self):
        for name, form in built("ghost_update", GHOSTS):
            for places in (2, 4):
                extra = ("--periodic",) if name == "ga" else ()
                self.run_one("ghost_update", name, places, "--grid", GRIDS[places], "--size", "9", "--phases", "15",
                             *(("--form", form) if form else ()), *extra)

    def test_ghosts_by_hand_are_right_however_ranks_wait(self):
        for name, form in built("ghost_update", {mpi: BY_HAND for mpi in ("openmpi", "mpich")}):
            for wait in ("calls", "tests", "naps"):
                self.run_one("ghost_update", name, 2, "--grid", GRIDS[2], "--size", "9", "--phases", "15", "--form", form, "--wait", wait)

    def test_unlike_places_exchange_over_every_grid(self):
        for mpi in ("openmpi", "mpich"):
            for places, grid in GRIDS.items():
                if (PROGRAMS / "ghost_update" / f"tactus_{mpi}_swapped").exists():
                    self.run_one("ghost_update", f"tactus_{mpi}_swapped", places, "--grid", grid, "--size", "9", "--phases", "15",
                                 "--form", "put", "--periodic")

    def test_updates_over_every_grid_that_is_chosen_from(self):
        for places, cuts in ((2, ("0", "121")), (6, ("0", "123"))):
            for cut in cuts:
                self.run_one("array_costs", "tactus", places, "--shape", "grid", "--size", cut)

    def test_flows_are_those_of_the_plain_kernel(self):
        self.run_one("lattice_boltzmann", "serial", 1, "--size", "21", "--phases", "15")
        for name, form in built("lattice_boltzmann", FLOWS):
            for places in GRIDS:
                self.run_one("lattice_boltzmann", name, places, "--size", "21", "--phases", "15",
                             *(("--form", form) if form else ()))


if __name__ == "__main__":
    unittest.main()
