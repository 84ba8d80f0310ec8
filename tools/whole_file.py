# SPDX-License-Identifier: Apache-2.0
"""Files that are there when they are complete, and as they were before where they could not be written."""

import contextlib
import os
import shutil
import stat


@contextlib.contextmanager
def written(path, mode="w", **how):
    """An open file, as open() gives it, for mode "w" or "wb": what was written gets its name at the end of the block, unless that raises.
    What leads elsewhere than to a file (a terminal, a pipe, /dev/null) is written to at once. OSError: it cannot be written."""
    if is_stream(path):
        with open(path, mode, **how) as file:
            yield file
        return
    path = os.path.realpath(path)
    is_there = os.path.exists(path)
    if is_there:
        os.close(os.open(path, os.O_WRONLY))  # a folder, or what nobody may write to, is not replaced either
    beside, descriptor = _new_file_in(os.path.dirname(path))
    try:
        with open(descriptor, mode, **how) as file:
            yield file
        if is_there:
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def is_stream(path):
    """Whether there is something that is neither a file nor a folder."""
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def _new_file_in(folder):
    """Its path, which no other file has, and its descriptor."""
    number = 0
    while True:
        path = os.path.join(folder, f".{os.getpid()}-{number}.part")
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            number += 1
