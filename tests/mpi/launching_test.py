# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/launching.md: python3 launching_test.py PAGE MPI PROGRAM

Of its blocks of commands, each line that begins with this MPI's mpirun is run, with PROGRAM, which is ranks.cpp, in place of ./my_program."""
import os
import re
import subprocess
import sys
import unittest

PAGE, MPI, PROGRAM = sys.argv[1:]
LONGEST = 60  # seconds
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Launching(unittest.TestCase):
    def test_the_commands_of_the_page_work(self):
        with open(PAGE, encoding="utf-8") as page:
            lines = [line for block in BLOCK.findall(page.read()) for line in block.splitlines()]
        commands = [line for line in lines if line.startswith(f"mpirun.{MPI} ")]
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            with self.subTest(command):
                result = subprocess.run(command.replace("./my_program", f"{PROGRAM} with_flags"), shell=True, timeout=LONGEST, check=False,
                                        env=os.environ, capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("tactus:", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
