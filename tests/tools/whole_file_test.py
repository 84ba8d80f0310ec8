#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that the scripts write: there when they are complete, and else as they were."""

import os
import pathlib
import resource
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "tools")]

import whole_file  # noqa: E402


class WholeFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "file"

    def write(self, text, path=None):
        with whole_file.written(path or self.file, encoding="utf-8") as file:
            file.write(text)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_it_appears_at_the_end(self):
        with whole_file.written(self.file, "wb") as file:
            file.write(b"all of it")
            self.assertFalse(self.file.exists())
        self.assertEqual((self.file.read_bytes(), self.names()), (b"all of it", ["file"]))

    def test_what_goes_wrong_leaves_what_was_there(self):
        self.file.write_text("before")
        with self.assertRaises(ZeroDivisionError), whole_file.written(self.file) as file:
            file.write("after")
            raise ZeroDivisionError
        self.assertEqual((self.file.read_text(), self.names()), ("before", ["file"]))

    def test_a_full_disk_leaves_what_was_there(self):
        self.file.write_text("before")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4, limits[1]))
        try:
            with self.assertRaisesRegex(OSError, "too large"):
                self.write("longer than that")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual((self.file.read_text(), self.names()), ("before", ["file"]))

    def test_a_link_goes_on_leading_to_the_file(self):
        link = self.folder / "link"
        link.symlink_to("file")
        self.write("through it", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.file.read_text(), "through it")

    def test_permissions_stay(self):
        self.file.write_text("before")
        self.file.chmod(0o640)
        self.write("after")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)

    def test_new_files_have_those_of_the_user(self):
        before = os.umask(0o027)
        try:
            self.write("new")
        finally:
            os.umask(before)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)

    def test_a_pipe_is_written_to(self):
        os.mkfifo(self.file)
        seen = []
        reader = threading.Thread(target=lambda: seen.append(self.file.read_text()))
        reader.start()
        self.write("to whoever reads")
        reader.join()
        self.assertEqual(seen, ["to whoever reads"])
        self.assertTrue(self.file.is_fifo())

    def test_a_pipe_that_only_a_number_names_is_written_to(self):
        reads, writes = os.pipe()
        self.write("to a number", f"/dev/fd/{writes}")
        os.close(writes)
        with open(reads, encoding="utf-8") as pipe:
            self.assertEqual(pipe.read(), "to a number")

    def test_a_folder_and_names_that_are_none_are_refused(self):
        for path in (self.folder, self.folder / "no" / "file", self.folder / ("x" * 300), pathlib.Path(), pathlib.Path("/")):
            with self.assertRaises(OSError):
                self.write("nowhere", path)
        self.assertEqual(self.names(), [])

    @unittest.skipIf(os.geteuid() == 0, "root may write to any file")
    def test_what_may_not_be_written_to_is_not_replaced(self):
        self.file.write_text("before")
        self.file.chmod(0o400)
        with self.assertRaises(PermissionError):
            self.write("after")
        self.assertEqual((self.file.read_text(), self.names()), ("before", ["file"]))

    def test_a_file_of_the_same_name_is_left_alone(self):
        taken = self.folder / f".{os.getpid()}-0.part"
        taken.write_text("of somebody else")
        self.write("new")
        self.assertEqual((taken.read_text(), self.file.read_text()), ("of somebody else", "new"))


if __name__ == "__main__":
    unittest.main()
