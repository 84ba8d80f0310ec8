# SPDX-License-Identifier: Apache-2.0
"""How jobs of several processes begin and end: python3 jobs_test.py PROGRAM PROGRAM_WITHOUT_MPI MPIRUN [ARGUMENT...]

The program is ranks.cpp; the arguments are what this mpirun needs where there are more processes than processors."""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, OTHER_PROGRAM, *MPIRUN = sys.argv[1:]
LONGEST = 100  # seconds; shorter limits are asserted where there are any


def job(*processes, environment=None):
    """Runs groups of (number, command...), as mpirun has them; returns what came out, and for how long it ran."""
    line = list(MPIRUN)
    for i, (number, *command) in enumerate(processes):
        line += ([":"] if i != 0 else []) + ["-n", str(number), *command]
    begin = time.monotonic()
    result = subprocess.run(line, env=os.environ | (environment or {}), capture_output=True, text=True, timeout=LONGEST, check=False)
    result.seconds = time.monotonic() - begin
    return result


# MPICH's mpirun kills the ranks that are still ending when the first one has ended with a status, and may return the number of that signal.
REFUSED = (64, signal.SIGHUP, signal.SIGKILL) if "mpich" in MPIRUN[0] else (64,)


class Beginning(unittest.TestCase):
    def test_ranks_of_another_configuration_are_refused_everywhere(self):
        result = job((1, "env", "TACTUS_MESSAGE_BYTES=64K", PROGRAM, "with_flags"),
                     (1, "env", "TACTUS_MESSAGE_BYTES=128K", PROGRAM, "with_flags"))
        self.assertIn(result.returncode, REFUSED, result.stderr)
        self.assertIn("place 1 cannot run this program together with place 0", result.stderr)
        self.assertIn("message_bytes", result.stderr)

    def test_settings_that_contradict_the_launch_are_refused(self):
        for variable, value, text in (("TACTUS_PLACES", "5", "the launcher has started so many processes"),
                                      ("TACTUS_SEED", "7", "the seeded scheduler orders the places of one process")):
            result = job((2, "env", f"{variable}={value}", PROGRAM, "with_flags"))
            self.assertIn(result.returncode, REFUSED, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertIn(f"{variable}={value}", result.stderr.replace(" = ", "=").replace("'", ""))

    def test_the_number_of_ranks_may_be_said(self):
        self.assertEqual(job((2, "env", "TACTUS_PLACES=2", PROGRAM, "with_flags")).returncode, 0)

    def test_a_program_without_mpi_says_so(self):
        result = job((2, OTHER_PROGRAM))
        self.assertIn("is built without tactus::mpi", result.stderr)
        others = [part for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") for part in ("-u", name)]
        for rank, lines in (("1", 1), ("0", 0)):  # the first of several looks like the only one
            result = job((1, "env", *others, f"PMIX_RANK={rank}", OTHER_PROGRAM))
            self.assertEqual(result.stderr.count("is built without tactus::mpi"), lines, result.stderr)

    def test_who_does_not_want_it_is_left_alone(self):
        result = job((2, "env", "TACTUS_MPI=off", PROGRAM, "how_many"))
        self.assertEqual((result.returncode, result.stdout.split()), (0, ["0", "of", "1"] * 2), result.stderr)

    def test_anything_else_said_of_it_is_refused(self):
        result = job((2, "env", "TACTUS_MPI=maybe", PROGRAM, "with_flags"))
        self.assertIn(result.returncode, REFUSED, result.stderr)
        self.assertIn("TACTUS_MPI", result.stderr)
        self.assertIn("'maybe'", result.stderr)

    def test_a_rank_that_is_late_is_waited_for_with_one_line(self):
        def late(*processes, line):
            result = job(*processes)
            self.assertEqual((result.returncode, result.stdout.count("\n")), (0, 0), result.stderr)
            self.assertEqual(result.stderr.count(f"tactus: waiting for {line}\n"), 1, result.stderr)

        with concurrent.futures.ThreadPoolExecutor() as side_by_side:
            for waited in [side_by_side.submit(late, (1, PROGRAM, "with_flags"), (1, "sh", "-c", f"sleep 14; exec {PROGRAM} with_flags"),
                                               line="all ranks to start"),
                           side_by_side.submit(late, (2, PROGRAM, "late_first"), line="all ranks to come to their first run"),
                           side_by_side.submit(late, (2, PROGRAM, "late_second"), line="all ranks to make their runtime"),
                           side_by_side.submit(late, (2, PROGRAM, "late_end"), line="all ranks to end their runtime")]:
                waited.result()

    def test_a_result_that_does_not_travel_is_at_place_0_only(self):
        result = job((2, PROGRAM, "stays"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("has it"), 1, result.stdout)
        self.assertEqual(result.stdout.count("does not travel to place 1"), 1, result.stdout)

    def test_the_body_runs_at_place_0_only(self):
        result = job((3, PROGRAM, "how_many"))
        self.assertEqual((result.returncode, result.stdout.split()), (0, ["0", "of", "3"]), result.stderr)

    def test_a_program_may_have_mpi_for_itself(self):
        result = job((2, PROGRAM, "own_mpi"))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_launcher_of_another_mpi_is_told(self):
        ours, other = ("mpich", "openmpi") if "mpich" in MPIRUN[0] else ("openmpi", "mpich")
        program, mpirun = PROGRAM.replace(ours, other), MPIRUN[0].replace(ours, other)
        if not os.access(program, os.X_OK) or not os.access(mpirun, os.X_OK):
            self.skipTest(f"no {other}")
        result = subprocess.run([*MPIRUN, "-n", "2", program, "how_many"], capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual((result.returncode, result.stdout.split()), (0, ["0", "of", "1"] * 2), result.stderr)
        self.assertEqual(result.stderr.count("the launcher is of another MPI than this program"), 2, result.stderr)

    def test_without_a_launcher_it_runs_as_ever(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "PMIX_"))}
        result = subprocess.run([PROGRAM, "how_many"], env=clean, capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual((result.returncode, result.stdout.split(), result.stderr), (0, ["0", "of", "1"], ""))


def ranks_in(folder):
    """The processes of a job that was started there."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").samefile(PROGRAM) and (process / "cwd").samefile(folder):
                yield int(process.name)
        except OSError:
            pass  # it is of somebody else, or no more


def rank_of(process):
    for variable in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
        name, _, value = variable.partition(b"=")
        if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
            return int(value)
    return None


class Hanging(unittest.TestCase):
    def test_a_signal_has_each_process_report(self):
        """Open MPI's launcher passes it on, MPICH's does not."""
        self.signalled(lambda folder, launcher: ranks_in(folder) if "mpich" in MPIRUN[0] else [launcher])

    def test_a_signal_to_the_first_process_has_the_others_report_too(self):
        self.signalled(lambda folder, launcher: [p for p in ranks_in(folder) if rank_of(p) == 0])

    def signalled(self, whom):
        lines = ("at place 0 do", "at place 1 do", "at place 2 do", "place 0 has sent", "place 1 has sent")
        with tempfile.TemporaryDirectory() as folder:
            told, end = pathlib.Path(folder) / "told", pathlib.Path(folder) / "end"
            os.mkfifo(end)
            with open(told, "w", encoding="utf-8") as stderr, subprocess.Popen(
                    [*MPIRUN, "-n", "3", PROGRAM, "waits"], cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True) as waiting:
                try:
                    self.assertEqual(waiting.stdout.readline(), "waits\n")
                    for process in whom(folder, waiting.pid):
                        os.kill(process, signal.SIGUSR1)
                    latest = time.monotonic() + LONGEST / 2
                    while not all(line in told.read_text(encoding="utf-8") for line in lines) and time.monotonic() < latest:
                        time.sleep(0.02)
                    os.close(os.open(end, os.O_WRONLY))
                    self.assertEqual(waiting.wait(LONGEST), 0)
                finally:
                    waiting.terminate()
            text = told.read_text(encoding="utf-8")
            for line in lines:
                self.assertIn(line, text)


class Ending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A job is over within 10 s; on a machine that has much else to do, as much later as one that just ends there."""
        cls.within = 10 + 5 * job((3, PROGRAM, "how_many")).seconds

    def test_exit_in_a_task_ends_the_job_with_its_status(self):
        for how in "exits", "exits_unread":  # as it comes; and with a launcher that reads late
            result = job((3, PROGRAM, how))
            self.assertEqual(result.returncode, 7, result.stderr)
            self.assertIn("exit(7) was called at one rank during a run", result.stderr)
            self.assertIn("a word before the end", result.stdout)
            self.assertNotIn("before its reason was read", result.stderr)
            self.assertLess(result.seconds, self.within)

    def test_a_forked_child_may_exit(self):
        result = job((2, PROGRAM, "child_exits"))
        self.assertEqual((result.returncode, result.stdout), (0, "goes on\n"), result.stderr)

    def test_a_rank_that_dies_ends_the_job(self):
        result = job((3, PROGRAM, "killed"))
        self.assertIn("place 1 dies", result.stdout)
        self.assertNotEqual(result.returncode, 0)
        self.assertLess(result.seconds, self.within)

    def test_a_rank_that_dies_in_an_exchange_ends_the_job(self):
        result = job((3, PROGRAM, "killed_in_exchange"))
        self.assertIn("place 1 dies between send and wait", result.stdout)
        self.assertNotEqual(result.returncode, 0)
        self.assertLess(result.seconds, self.within)

    def test_a_runtime_that_cannot_be_made_at_one_rank_is_an_error_there(self):
        result = job((2, PROGRAM, "no_threads"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("could not start", result.stderr)
        self.assertLess(result.seconds, self.within)

    def test_a_rank_that_fails_alone_and_returns_from_main_ends_the_job(self):
        result = job((3, PROGRAM, "fails_alone"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("'abc'", result.stderr)
        self.assertIn("a word of who has failed", result.stdout)
        self.assertIn("tactus: rank 1 ends, and the others wait for it", result.stderr)
        self.assertLess(result.seconds, self.within)

    def test_ranks_that_fail_alike_end_with_their_own_status(self):
        result = job((3, PROGRAM, "fail_alike"))
        self.assertEqual((result.returncode, "the others wait" in result.stderr), (3, False), result.stderr)

    def test_ranks_that_failed_alike_and_went_on_may_end_one_after_the_other(self):
        result = job((2, PROGRAM, "fail_alike_at_first"))
        self.assertEqual((result.returncode, result.stdout), (0, "the last word\n"), result.stderr)

    def test_a_runtime_that_ends_inside_of_a_call_of_mpi_ends_the_job_with_the_reason(self):
        result = job((2, PROGRAM, "ends_inside"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("a runtime ends inside of tactus::mpi::call", result.stderr)
        self.assertLess(result.seconds, self.within)

    def test_a_rank_that_is_silent_ends_the_job_where_that_is_asked_for(self):
        result = job((3, PROGRAM, "silent"), environment={"TACTUS_PEER_TIMEOUT": "1"})
        self.assertIn("all have computed", result.stdout, result.stderr)
        self.assertIn("tactus: rank 2 has heard nothing of rank 1 for", result.stderr)
        self.assertNotEqual(result.returncode, 0)
        self.assertLess(result.seconds, 3 + 1 + self.within)

    def test_mpi_that_is_finalised_too_early_ends_the_job_with_the_reason(self):
        result = job((2, PROGRAM, "finalises_early"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("MPI_Finalize was called while a tactus::runtime is there", result.stderr)
        self.assertLess(result.seconds, self.within)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
