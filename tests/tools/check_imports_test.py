#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks tools/check_imports (given as the first argument) for imports in small trees."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()


class CheckImports(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)

    def assert_found(self, files, *starts):
        result = self.check(files)
        self.assertEqual(result.returncode, 1, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), len(starts), result.stdout)
        for line, start in zip(lines, starts):
            self.assertTrue(line.startswith(start), line)

    def test_the_standard_library_and_modules_of_the_tree_pass(self):
        result = self.check({"a.py": "import os.path\nfrom xml import sax\nfrom . import c\nimport b\nimport folder.d\n",
                             "b.py": "", "other/folder/d.py": "import b\n"})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_each_other_import_is_found(self):
        self.assert_found({"a.py": "import os\nimport yaml\nfrom numpy.linalg import norm\n"},
                          "a.py:2: yaml", "a.py:3: numpy.linalg")

    def test_an_import_inside_a_function_is_found(self):
        self.assert_found({"a.py": "def f():\n    try:\n        import yaml\n    except ImportError:\n        pass\n"},
                          "a.py:3: yaml")

    def test_scripts_without_a_suffix_are_looked_at(self):
        self.assert_found({"tools/a": "#!/usr/bin/env python3\nimport yaml\n", "tools/b": "#!/bin/sh\nimport yaml\n"},
                          "tools/a:2: yaml")

    def test_builds_are_not_looked_at(self):
        self.assertEqual(self.check({"build/a.py": "import yaml\n", ".cache/a.py": "import yaml\n"}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
