#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants names that are not there in small trees and asks tools/check_names (given as the first argument) for them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

CODE = """
namespace tactus::detail {
class queue {
public:
  void push(int n);
  int size_ = 0;
};
void wake(queue& q);  // not gone()
enum class mode { lazy };
}
"""

FILES = "\nFiles: `base/queue.hpp`, `src/base/queue.cpp`.\n"

# A tree in which everything is there.
CLEAN = {
    "include/tactus/base/queue.hpp": CODE,
    "src/base/queue.cpp": "void tactus::detail::queue::push(int n) { size_ += n; }\n",
    "models/queue/queue.pml": "int marked;\n",
    "tests/base/queue_push_test.cpp": "\n",
    "docs/protocols/queue.md": "`push` of `base/queue.hpp` and `src/base/queue.cpp`, see `docs/architecture.md`.\n",
    "docs/architecture.md": "`queue::push`, `tactus::detail::queue`, `wake(q)`, `mode::lazy`, `size_ = 1`, `marked`,\n"
                            "`n`, `std::deque`, `tests/base/queue_*_test.cpp`, `queue.md`, `models/queue`, 2/3, and/or.\n"
                            "```text\nwake() -> queue::size_ of base/queue.hpp, then anything\n```\n" + FILES,
}


class CheckNames(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)

    def assert_found(self, page, *words, name="docs/architecture.md"):
        result = self.check({name: page + FILES if name == "docs/architecture.md" else page})
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_tree_in_which_everything_is_there_passes(self):
        result = self.check({})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_pages_that_name_nothing_else_pass(self):
        result = self.check({"docs/architecture.md": FILES, "docs/protocols/queue.md": ""})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_a_folder_without_the_page_is_none_that_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (1, "docs/architecture.md: is not there\n"), result.stderr)

    def test_a_file_that_is_gone_is_found(self):
        self.assert_found("\nSee `src/base/list.cpp`.\n", "docs/architecture.md:2", "src/base/list.cpp")

    def test_a_header_that_is_gone_is_found(self):
        self.assert_found("See `base/list.hpp`.\n", "base/list.hpp")

    def test_a_bare_file_name_that_no_file_has_is_found(self):
        self.assert_found("See `list.md`.\n", "list.md")

    def test_an_asterisk_that_stands_for_nothing_is_found(self):
        self.assert_found("See `tests/base/list_*_test.cpp`.\n", "list_*_test.cpp")

    def test_a_member_that_is_gone_is_found(self):
        self.assert_found("It is `queue::pop`.\n", "queue::pop")

    def test_an_owner_that_is_gone_is_found(self):
        self.assert_found("It is `heap::push`.\n", "heap::push")

    def test_a_function_that_only_a_comment_names_is_found(self):
        self.assert_found("It is `gone()`.\n", "gone()")

    def test_a_function_among_other_signs_is_found(self):
        self.assert_found("It is `size_ = count(n)`.\n", "count()")

    def test_a_word_that_is_nowhere_is_found(self):
        self.assert_found("It is `marks`.\n", "marks")

    def test_a_name_in_a_drawing_is_found(self):
        self.assert_found("```text\n\n -> drop() -> end\n```\n", "docs/architecture.md:3", "drop()")

    def test_a_file_that_the_page_leaves_out_is_found(self):
        result = self.check({"src/base/list.cpp": "\n"})
        self.assertEqual((result.returncode, result.stdout),
                         (1, "docs/architecture.md: src/base/list.cpp is not on the page\n"), result.stderr)

    def test_a_name_on_a_page_of_a_protocol_is_found(self):
        self.assert_found("It is `queue::pop`.\n", "docs/protocols/queue.md:1", "queue::pop",
                          name="docs/protocols/queue.md")


if __name__ == "__main__":
    unittest.main()
