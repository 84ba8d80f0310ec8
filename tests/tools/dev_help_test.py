#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev (given as the first argument) tells what a command does before it installs or builds anything for it."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve()

# What nobody needs who asks for help.
WORKERS = ("apt-get", "dpkg-query", "sudo", "cmake", "ctest", "ninja", "doxygen", "clang-format-19", "mmdebstrap")


class Help(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.worked = pathlib.Path(folder.name, "worked")
        for name in WORKERS:
            fake = pathlib.Path(folder.name, name)
            fake.write_text(f"#!/bin/sh\necho {name} >> {self.worked}\nexit 1\n", encoding="utf-8")
            fake.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{folder.name}:{os.environ['PATH']}"}

    def dev(self, *arguments):
        return subprocess.run([SCRIPT, *arguments], env=self.environment, capture_output=True, text=True, check=False,
                              timeout=60)

    def commands(self):
        return sorted(set(re.findall(r"^\./dev (\S+)", self.dev("help").stdout, re.M)))

    def test_every_command_tells_what_it_does_at_once(self):
        commands = self.commands()
        self.assertIn("bench", commands)
        for command in commands:
            for flag in ("--help", "-h"):
                ended = self.dev(command, flag)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""), command)
                self.assertTrue(ended.stdout.startswith(f"./dev {command} "), ended.stdout)
                others = [other for other in re.findall(r"^\./dev (\S+)", ended.stdout, re.M) if other != command]
                self.assertEqual(others, [], command)
        self.assertFalse(self.worked.exists(), self.worked.exists() and self.worked.read_text(encoding="utf-8"))

    def test_options_of_the_program_behind_a_command_are_told(self):
        for command, option in (("bench", "--inputs"), ("report", "--chart"), ("soak", "--first-seed"), ("check", "asan-ubsan")):
            self.assertIn(option, self.dev(command, "--help").stdout)

    def test_the_flag_may_stand_behind_other_arguments(self):
        self.assertIn("--inputs", self.dev("bench", "fib", "--help").stdout)
        self.assertFalse(self.worked.exists())

    def test_benchmarks_are_listed_by_shelf_without_a_build(self):
        ended = self.dev("bench", "--list")
        self.assertRegex(ended.stdout, r"(?m)^tasks: .*\n  fib ")
        self.assertFalse(self.worked.exists())

    def test_the_flag_behind_another_command_is_that_commands(self):
        ended = self.dev("packages", "bench", "--help")
        self.assertNotIn("./dev packages COMMAND...\n", ended.stdout)
        self.assertTrue(self.worked.exists())


if __name__ == "__main__":
    unittest.main()
