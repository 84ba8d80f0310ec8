# SPDX-License-Identifier: Apache-2.0
"""The script debian_graph on small made-up package lists.

Usage: debian_graph_test.py SCRIPT
"""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
APT_HELPER = "/usr/lib/apt/apt-helper"

PACKAGES = """\
Package: editor
Version: 2
Depends: libc6 (>= 2.36), libtext1 | libtext0 (<< 2), python3:any
Pre-Depends: dpkg
Recommends: fonts [amd64], spell <!nocheck>,
Suggests: games
Description: edits
 Depends: not-this-one

Package: libc6
Conflicts: editor

Package: fonts
Depends: fonts

Package: editor
Version: 1
Depends: libc6,
 libold0,
\tlibolder0
"""

GRAPH = [("editor", name) for name in
         ("libc6", "libtext1", "libtext0", "python3", "dpkg", "fonts", "spell", "libold0", "libolder0")]


class DebianGraph(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="Packages"):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=50)

    def graph(self, *arguments):
        """The lines of the edge list, with names."""
        names = self.folder / "names"
        result = self.run_script(*arguments, "--names", names)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        name = dict(line.split("\t") for line in names.read_text().splitlines())
        self.assertEqual(list(name), [str(i) for i in range(len(name))])
        self.assertEqual(list(name.values()), sorted(name.values()))
        lines = [line.split("\t") for line in result.stdout.splitlines() if not line.startswith("#")]
        self.assertIn(f"# Nodes: {len(name)} Edges: {len(lines)}\n", result.stdout)
        return [(name[a], name[b]) for a, b in lines]

    def expect_failure(self, message, *arguments):
        result = self.run_script(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (1, "", f"debian_graph: {message}\n"))

    def test_joins_a_package_to_every_alternative_of_every_relation(self):
        self.assertCountEqual(self.graph(self.write(PACKAGES)), GRAPH)

    def test_names_without_dependency_stand_alone(self):
        self.assertEqual(self.graph(self.write("Package: b\nDepends: c\n\nPackage: a\n\n\nPackage: d\nDepends: d\n")),
                         [("b", "c"), ("a", "a"), ("d", "d")])

    def test_several_files_are_one_graph(self):
        more = self.write("Package: games\nRecommends: editor\n", "More")
        self.assertCountEqual(self.graph(self.write(PACKAGES), more), [*GRAPH, ("games", "editor")])

    def test_the_same_packages_in_another_order_give_the_same_edges(self):
        turned = self.write("\n\n".join(reversed(PACKAGES.strip().split("\n\n"))) + "\n", "Turned")
        self.assertEqual(self.graph(self.write(PACKAGES)), self.graph(turned))

    def test_removed_packages_in_a_status_file_do_not_count(self):
        status = self.write("Package: a\nStatus: install ok installed\nDepends: b\n\n"
                            "Package: c\nStatus: deinstall ok config-files\nDepends: a\n")
        self.assertEqual(self.graph(status), [("a", "b")])

    def test_compressed_lists_are_read_through_apt(self):
        path = self.folder / "Packages.gz"
        path.write_bytes(gzip.compress(PACKAGES.encode()))
        if os.path.exists(APT_HELPER):
            self.assertCountEqual(self.graph(path), GRAPH)
        else:
            self.expect_failure(f"{path}: cannot run {APT_HELPER}: No such file or directory", path)

    def test_output_file_is_what_would_have_been_printed(self):
        path, output = self.write(PACKAGES), self.folder / "edges"
        printed = self.run_script(path).stdout
        self.assertEqual(self.run_script(path, "--output", output).stdout, "")
        self.assertEqual(output.read_text(), printed)
        self.assertEqual(sorted(os.listdir(self.folder)), ["Packages", "edges"])

    def test_a_pipe_for_output_is_written_to(self):
        path, pipe = self.write(PACKAGES), self.folder / "pipe"
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.run_script(path, "--output", pipe)
        with open(end, encoding="utf-8") as read:
            self.assertEqual(read.read(), self.run_script(path).stdout)

    def test_errors_name_file_and_line(self):
        path = self.write("Package: a\n\x00\x01\x02\n")
        self.expect_failure(f"{path}:2: not a control file: expected 'Field: value'", path)
        path = self.write("Package: a\n\nVersion: 1\n")
        self.expect_failure(f"{path}:3: a paragraph without a Package field", path)
        path = self.write("\n folded\n")
        self.expect_failure(f"{path}:2: a continuation line without a field", path)
        path = self.write("Package: a\nDepends: b, (>= 1)\n")
        self.expect_failure(f"{path}: in the package that begins in line 1: '(>= 1)' names no package", path)
        path = self.write("\n")
        self.expect_failure(f"no packages in {path}", path)
        self.expect_failure("/no/such/file: No such file or directory", "/no/such/file")
        self.expect_failure("/no/such/folder/out: No such file or directory", self.write(PACKAGES), "--output",
                            "/no/such/folder/out")


if __name__ == "__main__":
    unittest.main()
