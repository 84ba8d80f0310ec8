#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants violations in small trees and asks tools/check_layers (given as the first argument) for them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

# A tree that keeps every rule.
CLEAN = {
    "src/rooms": "# from the bottom up\nbase\nfiber\ndeque\nscheduler\ntask\nsync\ntrace\n",
    "include/tactus/tactus.hpp": "#include <tactus/base/config.hpp>\n#include <tactus/task/async.hpp>\n"
                                "#include <tactus/trace/stats.hpp>\n",
    "include/tactus/version.hpp": "#include <cstddef>\n",
    "include/tactus/base/config.hpp": "#include <tactus/version.hpp>\n#include <cstddef>\n",
    "include/tactus/task/async.hpp": "#include <tactus/base/config.hpp>\n#include <vector>\n",
    "include/tactus/trace/stats.hpp": "#include <tactus/task/async.hpp>\n",
    "src/scheduler/parker.hpp": "#include <tactus/base/config.hpp>\n",
    "src/scheduler/parker.cpp": '#include "parker.hpp"\n',
    "src/task/async.cpp": '#include "scheduler/parker.hpp"\n#include <tactus/task/async.hpp>\n',
}


class CheckLayers(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)

    def assert_found(self, changes, *words):
        result = self.check(changes)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_clean_tree_passes(self):
        result = self.check({})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_a_public_header_that_includes_a_later_room_is_found(self):
        self.assert_found({"include/tactus/base/config.hpp": "#include <cstddef>\n#include <tactus/task/async.hpp>\n"},
                          "include/tactus/base/config.hpp:2", "task is a later room")

    def test_a_source_file_that_includes_a_later_room_is_found(self):
        self.assert_found({"src/scheduler/parker.cpp": "  #  include <tactus/trace/stats.hpp> // why not\n"},
                          "src/scheduler/parker.cpp:1", "trace is a later room")

    def test_a_later_room_reached_by_a_relative_path_is_found(self):
        self.assert_found({"src/fiber/stack.cpp": '#include "../scheduler/parker.hpp"\n'},
                          "src/fiber/stack.cpp:1", "scheduler is a later room")

    def test_a_header_that_is_neither_listed_nor_in_impl_is_found(self):
        self.assert_found({"include/tactus/task/helper.hpp": "#include <cstddef>\n"},
                          "include/tactus/task/helper.hpp", "tactus.hpp does not list it", "task/impl")

    def test_a_header_in_impl_keeps_the_rules_of_its_room(self):
        self.assertEqual(self.check({"include/tactus/task/impl/helper.hpp": "#include <cstddef>\n"}).returncode, 0)
        self.assert_found({"include/tactus/base/impl/helper.hpp": "#include <tactus/task/async.hpp>\n"},
                          "include/tactus/base/impl/helper.hpp:1", "task is a later room")

    def test_a_private_header_of_a_later_room_is_found(self):
        self.assert_found({"src/deque/chunk.cpp": '#include "scheduler/parker.hpp"\n'},
                          "src/deque/chunk.cpp:1", "scheduler is a later room")

    def test_a_private_header_between_angle_brackets_is_found(self):
        self.assert_found({"src/deque/chunk.cpp": "#include <scheduler/parker.hpp>\n"},
                          "src/deque/chunk.cpp:1", "scheduler is a later room")
        self.assert_found({"include/tactus/task/async.hpp": "#include <scheduler/parker.hpp>\n"},
                          "include/tactus/task/async.hpp:1", "private")

    def test_a_file_beside_the_rooms_is_found(self):
        self.assert_found({"include/tactus/stray.hpp": "#include <cstddef>\n"}, "include/tactus/stray.hpp", "no room")
        self.assert_found({"src/stray.cpp": "\n"}, "src/stray.cpp", "no room")

    def test_a_public_header_that_includes_a_private_one_is_found(self):
        self.assert_found({"include/tactus/task/async.hpp": '#include "scheduler/parker.hpp"\n'},
                          "include/tactus/task/async.hpp:1", "private")

    def test_the_umbrella_inside_a_room_is_found(self):
        self.assert_found({"src/task/async.cpp": "#include <tactus/tactus.hpp>\n"}, "src/task/async.cpp:1", "umbrella")

    def test_the_umbrella_reached_by_a_relative_path_is_found(self):
        self.assert_found({"include/tactus/task/async.hpp": '#include "../tactus.hpp"\n'},
                          "include/tactus/task/async.hpp:1", "umbrella")

    def test_what_comes_before_all_rooms_and_includes_one_is_found(self):
        self.assert_found({"include/tactus/version.hpp": "#include <cstddef>\n#include <tactus/base/config.hpp>\n"},
                          "include/tactus/version.hpp:2", "before all rooms")

    def test_a_header_named_like_a_room_is_of_that_room(self):
        task = {"include/tactus/task.hpp": "#include <tactus/task/async.hpp>\n"}
        self.assertEqual(self.check({**task, "src/trace/a.cpp": "#include <tactus/task.hpp>\n"}).returncode, 0)
        self.assert_found({**task, "src/base/a.cpp": "#include <tactus/task.hpp>\n"}, "src/base/a.cpp:1", "task is a later room")
        self.assert_found({"include/tactus/task.hpp": "#include <tactus/trace/stats.hpp>\n"},
                          "include/tactus/task.hpp:1", "trace is a later room")

    def test_a_folder_that_is_no_room_is_found(self):
        self.assert_found({"src/helpers/misc.cpp": "\n"}, "src/helpers", "not a room")

    def test_the_order_of_the_rooms_is_that_of_their_list(self):
        self.assert_found({"src/rooms": "base\ntrace\nscheduler\ntask\n"},
                          "include/tactus/trace/stats.hpp:1", "task is a later room")

    def test_an_include_from_an_unknown_room_is_found(self):
        self.assert_found({"src/task/async.cpp": "#include <tactus/helpers/misc.hpp>\n"},
                          "src/task/async.cpp:1", "no known room")


if __name__ == "__main__":
    unittest.main()
