#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the report: python3 bench/report [--from FILE.json] [...]; ./dev report builds what is measured first.
import pathlib
import sys

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:1] = [str(BENCH), str(BENCH.parent / "tools")]  # where the packages report, runner and webpage are

from report.main import main  # noqa: E402  (the path had to be set first)

sys.exit(main())
