# SPDX-License-Identifier: Apache-2.0
"""Runs the command line of the report in this process."""

import contextlib
import io
import os
import sys
from unittest import mock

from report import main


def run(*arguments, **environment):
    """(status, what it printed, on stderr), with these variables besides."""
    out, error = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["report", *arguments]), mock.patch.dict(os.environ, environment), \
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            status = main.main()
        except SystemExit as left:
            status = left.code
    return status, out.getvalue(), error.getvalue()
