#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/walkthrough (given as the first argument) follows pages that are right, and fails at each kind of mistake."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()
SNIPPETS = SCRIPT.parent.parent / "examples" / "check_snippets.py"

README = """# A library

```cpp
#include <cstdio>
int main() { std::puts("seven"); }
```

```sh
./dev demo   # two minutes
./dev test
```

```sh
./dev library && \\
  cmake --install . --prefix /usr/local
g++ -std=c++20 my.cpp $(pkg-config --cflags thing) && ./a.out   # the program above
```

It prints:

```text
seven
```
"""

TUTORIAL = """# Tutorial

```cpp
#include <cstdio>
int main() { std::puts("eight"); }
```

It prints:

```text
eight
```

From `examples/nine.cpp`:

```cpp
std::puts("nine");
```

The example prints:

```text
nine
ten
```

```text
(gdb) tactus tasks
```

```text
add-auto-load-safe-path /home/me/project
```
"""

CMAKE = """
```cmake
cmake_minimum_required(VERSION 3.25)
project(mine CXX)
add_executable(mine my.cpp)
```
"""

DEV = """#!/bin/sh
echo "$@" >> told
case "$*" in *--help | library) ;; *) echo "no command '$1'"; exit 1 ;; esac
"""

# An installation writes what pkg-config has to find: below DESTDIR, not below the prefix.
INSTALL = """#!/bin/sh
[ "$1" = --install ] || exec {cmake} "$@"
mkdir -p "${{DESTDIR:?}}/usr/local/lib/pkgconfig"
text='Name: thing\\nDescription: thing\\nVersion: 1\\nCflags: -DTHING\\n'
printf "$text" > "$DESTDIR/usr/local/lib/pkgconfig/thing.pc"
"""


class Walkthrough(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "root")
        self.bin = pathlib.Path(folder.name, "bin")
        self.write("examples/nine.cpp", '#include <cstdio>\n#ifndef THING\n#error\n#endif\nint main() {\n'
                                        '  std::puts("nine");\n  std::puts("ten");\n}\n')
        self.write("examples/check_snippets.py", SNIPPETS.read_text(encoding="utf-8"))
        self.write("dev", DEV)
        self.bin.mkdir()
        (self.bin / "cmake").write_text(INSTALL.format(cmake=shutil.which("cmake")), encoding="utf-8")
        for script in (self.root / "dev", self.bin / "cmake"):
            script.chmod(0o755)

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def walk(self, readme=README, tutorial=None):
        """With a mistake in one page, the other is not looked at."""
        self.write("README.md", readme)
        self.write("docs/tutorial.md", tutorial or (TUTORIAL if readme == README else ""))
        path = f"{self.bin}:/usr/local/bin:/usr/bin:/bin"
        return subprocess.run([sys.executable, "-B", SCRIPT, self.root], capture_output=True, text=True, check=False,
                              timeout=900, env={"PATH": path, "TMPDIR": str(self.bin)})

    def assert_mistake(self, ended, *texts):
        self.assertEqual(ended.returncode, 1, ended.stdout)
        for text in texts:
            self.assertIn(text, ended.stderr)

    def test_pages_that_are_right_pass_and_leave_nothing_behind(self):
        ended = self.walk(README + CMAKE, TUTORIAL)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout)
        self.assertEqual([file.name for file in self.bin.iterdir()], ["cmake"])
        self.assertFalse((self.root / "told").exists())

    def test_what_is_not_run_is_printed_with_its_reason_and_with_what_runs_instead(self):
        printed = self.walk().stdout
        self.assertRegex(printed, r"README.md:8: not run: ./dev demo: .* packages")
        self.assertIn("README.md:8: ./dev demo --help", printed)
        self.assertIn("docs/tutorial.md:27: only shown: (gdb) tactus tasks: ", printed)

    def test_a_command_that_fails(self):
        self.assert_mistake(self.walk(README.replace("./dev demo ", "./dev dmeo ")),
                            "README.md:8: status 1: ./dev dmeo",
                            "no command 'dmeo'", "no page has the command that is not to be run, ./dev demo")

    def test_a_flag_that_the_compiler_does_not_know(self):
        self.assert_mistake(self.walk(README.replace("-std=c++20", "-std=c++2000")), "README.md:13: status")

    def test_a_library_that_is_not_installed(self):
        self.assert_mistake(self.walk(README.replace("cmake --install", "true")),
                            "README.md:13: the last command prints\nPackage thing")

    def test_a_command_that_prints_something_else(self):
        self.assert_mistake(self.walk(README.replace('puts("seven")', 'puts("six")')),
                            "README.md:13: the last command prints\nsix\n")

    def test_a_program_that_does_not_compile(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace('std::puts("eight");', 'std::puts("eight")')),
                            "docs/tutorial.md:3: status 1: g++")

    def test_a_program_that_fails(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace('puts("eight");', 'puts("eight"); return 3;')),
                            "docs/tutorial.md:3: status 3")

    def test_a_program_that_prints_something_else(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace("\neight\n", "\n8\n")),
                            "docs/tutorial.md:3: 1_my.cpp prints\neight\n")

    def test_a_part_that_is_not_said_to_be_one(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace("From `examples/nine.cpp`:", "For example:")),
                            "docs/tutorial.md:16: neither a whole program")

    def test_a_part_that_is_not_in_its_example(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace('puts("nine")', 'puts("nein")')),
                            "not in examples/nine.cpp")

    def test_an_example_that_prints_something_else(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace("nine\nten\n", "nine\n")),
                            "docs/tutorial.md:16: nine.cpp prints\nnine\nten\n")

    def test_a_cmakelists_that_lacks_its_end(self):
        self.assert_mistake(self.walk(README + CMAKE.replace("add_executable(mine my.cpp)\n", "")),
                            "it lacks project() or add_executable()")

    def test_a_cmakelists_that_does_not_build(self):
        self.assert_mistake(self.walk(README + CMAKE.replace("my.cpp)", "mine.cpp)")),
                            "README.md:25: status 1: cmake -S . -B build")

    def test_a_text_that_nothing_prints(self):
        self.assert_mistake(self.walk(tutorial=TUTORIAL.replace("(gdb) tactus tasks", "(gdb) tactus task")),
                            "docs/tutorial.md:27: what prints this?",
                            "no page has the text that is only shown, (gdb) tactus tasks")

    def test_an_output_of_nothing(self):
        self.assert_mistake(self.walk("It prints:\n\n```text\nseven\n```\n" + README), "README.md:3: what prints this?")

    def test_a_block_of_an_unknown_kind(self):
        self.assert_mistake(self.walk(README + "\n```ruby\nputs 7\n```\n"),
                            "README.md:25: nobody knows what to do with a block of the kind 'ruby'")

    def test_a_block_without_an_end(self):
        self.assert_mistake(self.walk(README + "\n```sh\ntrue\n"), "README.md:25: this block has no end")

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_a_file_that_git_does_not_have(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.write("README.md", README)
        self.write("docs/tutorial.md", TUTORIAL)
        subprocess.run(["git", "-C", self.root, "add", "."], check=True)
        self.assertEqual(self.walk().returncode, 0)
        subprocess.run(["git", "-C", self.root, "rm", "--quiet", "--cached", "examples/nine.cpp"], check=True)
        self.assert_mistake(self.walk(), "nine.cpp")


if __name__ == "__main__":
    unittest.main()
