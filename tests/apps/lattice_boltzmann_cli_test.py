# SPDX-License-Identifier: Apache-2.0
"""The program lattice_boltzmann from outside: the bits of a serial kernel, a known flow, pictures, bad command lines.

Usage: lattice_boltzmann_cli_test.py PROGRAM [LAUNCHER...]

With a launcher, mpirun -n 2 for example, all tests run under it; else places are in this process, two of them.
"""
import json
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM, *LAUNCHER = sys.argv[1:]
PLACES = [] if LAUNCHER else ["--tactus-places=2"]
DISTRIBUTIONS = ["block", "block_block", "cyclic", "block_cyclic", "recursive_bisection", "morton", "hilbert"]
BY_ITSELF = "each process reads its command line by itself, and a launcher takes a second to tell of one that has failed"
TILED = ["block_cyclic", "morton", "hilbert"]


def run(*arguments):
    return subprocess.run([*LAUNCHER, PROGRAM, *map(str, arguments), "--tactus-threads=1", *PLACES],
                          capture_output=True, timeout=100, text=True)


def image_of(png):
    """Width, height, and the rows of bytes, each with the number of its filter before it."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + data)
        chunks.append((kind, data))
        at += 12 + length
    width, height, depth, colours = struct.unpack(">IIBB", chunks[0][1][:10])
    assert (depth, colours, chunks[-1][0]) == (8, 2, b"IEND")
    return width, height, zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))


class Simulating(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def simulate(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout

    def told(self, *arguments):
        self.simulate(*arguments, "--json", self.folder / "told.json")
        return json.loads((self.folder / "told.json").read_text())

    def test_every_distribution_has_the_bits_of_the_serial_kernel(self):
        for distribution in DISTRIBUTIONS:
            with self.subTest(distribution=distribution):
                tile = ["--tile", 5] if distribution in TILED else []
                told = self.told("--size", 24, "--steps", 40, "--verify", "--distribution", distribution, *tile)
                self.assertEqual((told["verified"], told["right"]), (True, True))
                self.assertEqual((told["distribution"], told["steps"], told["places"]), (distribution, 40, 2))
        told = self.told("--size", 24, "--steps", 41, "--verify", "--distribution", "grid", "--grid", 1, 2,
                         "--collision", "trt")
        self.assertEqual((told["verified"], told["collision"]), (True, "trt"))

    def test_time_in_updates_of_ghosts_is_told_and_a_part_of_all_time(self):
        told = self.told("--size", 48, "--steps", 200)
        self.assertEqual(told["places"], 2)
        self.assertTrue(0 < told["update_seconds"] < told["seconds"], told)
        self.assertRegex(self.simulate("--size", 24, "--steps", 10), r"in updates of ghosts \d+\.\d\d s\n")

    def test_the_flow_is_the_known_one(self):
        text = self.simulate("--size", 32, "--ghia")
        self.assertIn("\nsteady: ", text)
        self.assertIn("\nmass: kept, ", text)
        self.assertIn("\nGhia, Ghia and Shin: right, ", text)

    @unittest.skipIf(LAUNCHER, "how many steps there are does not depend on processes")
    def test_a_thick_fluid_has_the_time_to_become_steady(self):
        for size, reynolds, collision in ((64, 1, "bgk"), (16, 1, "trt"), (4, 0.01, "bgk")):
            with self.subTest(size=size, reynolds=reynolds, collision=collision):
                told = self.told("--size", size, "--reynolds", reynolds, "--collision", collision)
                self.assertEqual((told["steady"], told["right"]), (True, True))
                self.assertGreaterEqual(told["steps"], 2000)

    def test_a_flow_that_is_off_is_told_and_is_a_failure(self):
        result = run("--size", 16, "--steps", 10, "--ghia", "--json", self.folder / "off.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("\nGhia, Ghia and Shin: WRONG, ", result.stdout)
        told = json.loads((self.folder / "off.json").read_text())
        self.assertFalse(told["right"])
        self.assertGreater(told["ghia"]["u"], 0.01)

    def test_a_flow_that_was_saved_goes_on_as_if_it_had_not_stopped(self):
        whole, half, again = (self.folder / name for name in ("whole", "half", "again"))
        self.simulate("--size", 24, "--steps", 50, "--save", whole)
        self.simulate("--size", 24, "--steps", 31, "--save", half, "--distribution", "cyclic")
        told = self.told("--size", 24, "--steps", 19, "--save", again, "--restart", half, "--verify")
        self.assertTrue(told["verified"])
        self.assertEqual(again.read_bytes(), whole.read_bytes())

    @unittest.skipIf(LAUNCHER, "a launcher would have to be stopped with all that it has started")
    def test_a_flow_is_saved_on_the_way(self):
        file = self.folder / "flow"
        with subprocess.Popen([PROGRAM, "--size", "16", "--steps", str(1 << 40), "--save", file, "--save-every", "20"],
                              stdout=subprocess.DEVNULL) as running:
            while not file.exists():
                self.assertIsNone(running.poll())
            running.kill()
        self.simulate("--size", 16, "--steps", 7, "--restart", file, "--verify")

    def test_a_picture_shows_what_moves(self):
        file = self.folder / "flow.png"
        self.simulate("--size", 16, "--steps", 400, "--picture", file)
        width, height, rows = image_of(file.read_bytes())
        self.assertEqual((width, height, len(rows)), (512, 512, 512 * (1 + 3 * 512)))


class Refusing(unittest.TestCase):
    def refuse(self, status, told, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, status, arguments)
        self.assertEqual(result.stderr.count(told), 1, result.stderr)

    def test_a_bad_command_line_is_told_once(self):
        self.refuse(2, "--size", "--size", 1)
        self.refuse(2, "more parts than the 2 places", "--distribution", "grid", "--grid", 2, 2)

    @unittest.skipIf(LAUNCHER, BY_ITSELF)
    def test_bad_command_lines(self):
        self.refuse(2, "--lid", "--lid", 2)
        self.refuse(2, "--collision", "--collision", "mrt")
        self.refuse(2, "--distribution", "--distribution", "random")
        self.refuse(2, "--ghia: the table has Reynolds numbers 100, 400 and 1000, not 200", "--reynolds", 200, "--ghia")
        self.refuse(2, "--distribution grid --grid 2 1", "--distribution", "grid")

    @unittest.skipIf(LAUNCHER, BY_ITSELF)
    def test_what_would_have_no_meaning(self):
        self.refuse(2, "--tile: is for block_cyclic", "--tile", 5, "--steps", 1)
        self.refuse(2, "--tolerance requires --ghia", "--tolerance", 0.1, "--steps", 1)
        self.refuse(2, "--steady: is for a flow without", "--steady", 0.1, "--steps", 1)
        self.refuse(2, "--save-every requires --save", "--save-every", 5, "--steps", 10)

    @unittest.skipIf(LAUNCHER, BY_ITSELF)
    def test_numbers_that_are_none(self):
        self.refuse(2, "-1 is not a whole number", "--save-every", -1, "--steps", 10)
        self.refuse(2, "-1 is not a whole number", "--steps", -1)
        for option in ("--reynolds", "--lid", "--steady", "--tolerance"):
            self.refuse(2, "nan is not a number", option, "nan")

    def test_a_flow_that_blows_up(self):
        self.refuse(1, "use --collision trt", "--size", 16, "--reynolds", 100000, "--lid", 0.3, "--steps", 4000)
        self.refuse(1, "use --collision bgk", "--size", 64, "--reynolds", 1, "--collision", "trt")

    def test_a_flow_that_blows_up_leaves_the_last_one_that_was_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "flow"
            self.refuse(1, "the flow has blown up", "--size", 16, "--reynolds", 100000, "--lid", 0.3, "--steps", 4000,
                        "--save", file, "--save-every", 20)
            self.assertEqual(run("--size", 16, "--steps", 1, "--restart", file).returncode, 0)

    def test_flows_that_cannot_be_gone_on_with(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "flow"
            self.assertEqual(run("--size", 8, "--steps", 1, "--save", file).returncode, 0)
            self.refuse(2, str(file), "--size", 9, "--steps", 1, "--restart", file)
            self.refuse(1, f"{file}.not", "--size", 8, "--steps", 1, "--restart", f"{file}.not")

    def test_files_that_cannot_be_written(self):
        for option in ("--picture", "--json", "--save"):
            self.refuse(1, "/no/such/folder/file", "--size", 8, "--steps", 1, option, "/no/such/folder/file")

    @unittest.skipIf(LAUNCHER, "a launcher has an output and limits of its own")
    def test_results_that_go_nowhere(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--size", "8", "--steps", "1"], stdout=full, stderr=subprocess.PIPE,
                                    timeout=100)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left on device", result.stderr)

    @unittest.skipIf(LAUNCHER, "a launcher has an output and limits of its own")
    def test_a_file_that_does_not_become_whole_leaves_the_one_of_before(self):
        for option in ("--json", "--picture"):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "file"
                file.write_text("of before")
                result = subprocess.run([PROGRAM, "--size", "8", "--steps", "1", option, file], capture_output=True,
                                        timeout=100, restore_signals=False,  # SIGXFSZ stays ignored
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
                self.assertEqual(result.returncode, 1)
                self.assertIn(f"{file}: cannot write ", result.stderr.decode())
                self.assertEqual((file.read_text(), list(file.parent.iterdir())), ("of before", [file]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
