# SPDX-License-Identifier: Apache-2.0
"""The program spanning_tree from outside: what it prints, what it writes, and how it refuses bad input.

Usage: spanning_tree_cli_test.py PROGRAM
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
VERSIONS = ["serial", "work_first", "help_first", "adaptive", "batched"]


def run(*arguments, stdin=None, env=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, timeout=100,
                          env={**os.environ, **(env or {})})


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, content, name="graph.txt"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def expect_ok(self, *arguments, **keywords):
        result = run(*arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def results(self, *arguments, **keywords):
        path = self.folder / "results.json"
        self.expect_ok(*arguments, "--json", path, **keywords)
        return json.loads(path.read_text())


class Searching(Case):
    def test_every_version_stands_in_the_table_and_is_verified(self):
        table = self.expect_ok("--random", 2000, 6000, "--threads", 2)
        for version in VERSIONS:
            row = next(line for line in table.splitlines() if line.startswith(version + " "))
            self.assertTrue(row.endswith("spanning forest"), row)
        self.assertIn("random graph, seed 1: 2,000 vertices, 6,000 edges,", table)

    def test_json_says_what_was_measured(self):
        results = self.results("--torus", 20, 30, "--threads", 2, "--reps", 4)
        self.assertEqual((results["vertices"], results["edges"], results["components"]), (600, 1200, 1))
        self.assertEqual([row["version"] for row in results["versions"]], VERSIONS)
        for row in results["versions"]:
            self.assertEqual((row["result"], row["trees"], len(row["seconds"])), ("ok", 1, 4))
            self.assertGreater(row["edges_per_second"], 0)
        self.assertEqual([row["workers"] for row in results["versions"]], [1, 2, 2, 2, 2])

    def test_one_policy_is_measured_against_the_serial_version(self):
        rows = self.results("--torus", 5, 5, "--policy", "help_first")["versions"]
        self.assertEqual([row["version"] for row in rows], ["serial", "help_first"])

    def test_several_policies_are_measured_in_the_order_of_the_table(self):
        rows = self.results("--torus", 5, 5, "--policy", "batched,work_first")["versions"]
        self.assertEqual([row["version"] for row in rows], ["serial", "work_first", "batched"])

    def test_the_environment_does_not_change_what_a_row_says(self):
        rows = self.results("--torus", 5, 5, "--threads", 1, env={"TACTUS_THREADS": "3"})["versions"]
        self.assertEqual([row["workers"] for row in rows], [1, 1, 1, 1, 1])

    def test_numbers_are_decimal(self):
        self.assertEqual(self.results("--torus", "010", "010", "--policy", "serial")["vertices"], 100)

    def test_same_seed_same_graph(self):
        def numbers(seed):
            results = self.results("--rmat", 8, 4, "--seed", seed, "--policy", "serial")
            return results["edges"], results["components"]
        self.assertEqual(numbers(7), numbers(7))
        self.assertNotEqual(numbers(7), numbers(8))

    def test_reads_standard_input(self):
        self.assertIn("standard input: 3 vertices, 2 edges, 1 component\n",
                      self.expect_ok("--input", "-", stdin=b"0 1\r\n1 2"))

    def forest_of(self, path, *arguments):
        forest = self.folder / "forest.txt"
        self.expect_ok("--input", path, "--policy", "serial", "--forest", forest, *arguments)
        lines = [line.split() for line in forest.read_text().splitlines() if line[0] != "#"]
        return sorted(tuple(map(int, line)) for line in lines)

    def test_matrix_market_is_known_by_its_banner(self):
        banner = b"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n"
        self.assertIn("standard input: 4 vertices, 2 edges, 2 components\n",
                      self.expect_ok("--input", "-", stdin=banner + b"4 4 2\n2 1 0.5\n3 2 -1e3\n"))

    def test_metis_is_known_by_the_name_of_the_file(self):
        for name in "a.graph", "a.metis":
            self.assertIn("4 vertices, 2 edges, 2 components\n",
                          self.expect_ok("--input", self.write("4 2\n2\n1 3\n2\n\n", name)))

    def test_the_format_can_be_named(self):
        content = "3 2\n2\n3 1\n2\n"
        self.assertIn("3 vertices, 2 edges", self.expect_ok("--input", "-", "--format", "metis", stdin=content.encode()))
        edges = self.write("0 1\n", "a.graph")
        self.assertIn("2 vertices, 1 edge", self.expect_ok("--input", edges, "--format", "edge_list"))

    def test_forests_of_counted_vertices_begin_at_one(self):
        banner = "%%MatrixMarket matrix coordinate pattern general\n"
        self.assertEqual(self.forest_of(self.write(banner + "3 3 1\n3 1\n")), [(1, 1), (2, 2), (3, 1)])
        self.assertEqual(self.forest_of(self.write("3 1\n3\n\n1\n", "a.graph")), [(1, 1), (2, 2), (3, 1)])

    def test_forest_uses_the_ids_of_the_file(self):
        path = self.write("4294967294 17\n17 5\n900 901\n5 4294967294\n44 44\n")
        forest = self.folder / "forest.txt"
        self.expect_ok("--input", path, "--forest", forest)
        parent = dict(tuple(map(int, line.split())) for line in forest.read_text().splitlines() if line[0] != "#")
        self.assertEqual(set(parent), {5, 17, 44, 900, 901, 4294967294})
        self.assertEqual(sum(v == p for v, p in parent.items()), 3)
        edges = [{4294967294, 17}, {17, 5}, {900, 901}, {5, 4294967294}]
        self.assertTrue(all(v == p or {v, p} in edges for v, p in parent.items()))

    def test_stderr_is_silent_unless_asked(self):
        self.assertEqual(run("--random", 1000, 1000).stderr, b"")


class Refusing(Case):
    def expect_refusal(self, message, *arguments, code=2):
        result = run(*arguments)
        self.assertEqual(result.returncode, code, result)
        self.assertIn(message, result.stderr.decode(errors="replace"))
        self.assertEqual(result.stdout, b"")

    def refuse_file(self, content, message, *arguments):
        path = self.write(content)
        self.expect_refusal(f"spanning_tree: {path}:{message}\n", "--input", path, *arguments)

    def test_malformed_lines(self):
        self.refuse_file("# two\n0 1\n1\n", "3: one number (1) where an edge needs two")
        self.refuse_file("0 1\n1 2 0.5\n", "2: '0' after the two vertex ids of an edge")
        self.refuse_file("a b\n", "1: expected a vertex id, found 'a'")
        self.refuse_file("0 1\n0 -1\n", "2: expected a vertex id, found '-'")

    def test_truncated_files(self):
        self.refuse_file("0 1\n1 2\n2", "3: one number (2) where an edge needs two")
        self.refuse_file("# Nodes: 3 Edges: 2\n0 1\n", "2: the file ends after 1 of the 2 edges that line 1 announces")
        self.refuse_file("", "1: the file ends without an edge")

    def test_oversized_files(self):
        self.refuse_file("0 1\n0 4294967295\n", "2: vertex id 4294967295 is above 4294967294, the largest allowed")
        self.refuse_file("0 1\n1 2\n2 3\n", "3: more than 2 edges, the limit "
                         "(--max-edges; by default what fits into the available memory)", "--max-edges", "2")
        self.refuse_file("0 1\n" + 100_000 * "7", "2: the line is longer than 65536 bytes, which no edge needs")

    def test_binary_files(self):
        self.refuse_file(b"\x1f\x8b\x08\0", "1: expected a vertex id, found byte 0x1f (is this a text file?)")
        program = pathlib.Path(PROGRAM)
        self.expect_refusal(f"{program}:1: expected a vertex id, found byte 0x7f", "--input", program)

    def test_other_formats(self):
        self.refuse_file("%%MatrixMarket matrix array real general\n2 2\n1\n", "1: array format: a dense matrix is no "
                         "graph, expected 'coordinate'")
        self.refuse_file("0 1\n", "1: expected %%MatrixMarket at the start of the file, found '0'",
                         "--format", "matrix_market")
        self.refuse_file("2 1\n2\n\n", "3: vertex 1 names vertex 2 more often than the other way round: every edge must "
                         "stand in the lines of both ends", "--format", "metis")
        self.refuse_file("4 3\n2\n1 3\n", "1: more than 2 edges, the limit "
                         "(--max-edges; by default what fits into the available memory)",
                         "--format", "metis", "--max-edges", "2")
        self.expect_refusal("--format", "--input", "-", "--format", "graphml")

    def test_unreadable_files(self):
        self.expect_refusal("/no/such/file: cannot open: No such file or directory", "--input", "/no/such/file")
        self.expect_refusal(f"{self.folder}: cannot read: Is a directory", "--input", self.folder)

    def test_graphs_that_cannot_be_made(self):
        self.expect_refusal("a random graph with 1 edges needs at least 2 vertices", "--random", 1, 1)
        self.expect_refusal("a graph can have at most 4294967295 vertices", "--random", 1 << 32, 0)
        self.expect_refusal("GiB of memory", "--random", 10, 10**15)
        self.expect_refusal("GiB of memory", "--rmat", 20, 1 << 60)
        self.expect_refusal("a graph can have at most 4294967295 vertices", "--rmat", 64, 1)
        self.expect_refusal("a torus of 0 x 3 has no vertices", "--torus", 0, 3)

    def test_wrong_command_lines(self):
        self.expect_refusal("Exactly 1 option", "--seed", 1)
        self.expect_refusal("Exactly 1 option", "--torus", 1, 1, "--rmat", 1, 1)
        self.expect_refusal("-5 is not a whole number", "--random", -5, 3)
        self.expect_refusal("is not a whole number", "--random", 2, 10**30)
        self.expect_refusal("--policy", "--torus", 3, 3, "--policy", "breadth_first")
        self.expect_refusal("--reps", "--torus", 3, 3, "--reps", 0)
        self.expect_refusal("--threads", "--torus", 3, 3, "--threads", -1)

    def test_results_that_cannot_be_written(self):
        for option, what in ("--json", "results"), ("--forest", "forest"):
            result = run("--torus", 3, 3, "--policy", "serial", option, "/no/such/folder/file")
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"/no/such/folder/file: cannot write the {what}", result.stderr.decode())

    def test_a_file_that_does_not_become_whole_leaves_the_one_of_before(self):
        for option, what in ("--json", "results"), ("--forest", "forest"):
            path = self.write("of before\n", what)
            result = subprocess.run([PROGRAM, "--torus", "9", "9", "--policy", "serial", option, path],
                                    capture_output=True, timeout=100, restore_signals=False,  # SIGXFSZ stays ignored
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"{path}: cannot write the {what}: File too large", result.stderr.decode())
            self.assertEqual(path.read_text(), "of before\n")
            self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_devices_and_links_stay_what_they_are(self):
        result = run("--torus", 3, 3, "--policy", "serial", "--json", "/dev/full")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/dev/full: cannot write the results: No space left on device", result.stderr.decode())
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())
        self.write("of before\n", "file")
        link = self.folder / "link"
        link.symlink_to("file")
        self.assertEqual(run("--torus", 3, 3, "--policy", "serial", "--json", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads((self.folder / "file").read_text())["vertices"], 9)

    def test_a_table_that_goes_nowhere(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--torus", "3", "3", "--policy", "serial"], stdout=full,
                                    stderr=subprocess.PIPE, timeout=100)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"spanning_tree: standard output: cannot write what came out", result.stderr)


if __name__ == "__main__":
    unittest.main()
