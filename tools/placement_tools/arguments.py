# SPDX-License-Identifier: Apache-2.0
"""Arguments whose errors are one line."""

import argparse
import math
import sys

# Of what can be simulated; workers are those of each place.
MOST_PLACES, MOST_WORKERS = 1_000_000, 1024


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line; --help tells the rest."""

    def error(self, message):
        print(f"tactus: {message}", file=sys.stderr)
        self.exit(2)


def whole(least, most):
    """A whole number in these bounds."""
    def read(text):
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; allowed: a whole number from {least} to {most}")
    return read


def microseconds(least):
    """A time of at least so much, in whole nanoseconds."""
    def read(text):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if least <= value <= 1e9:
            return round(value * 1000)
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; allowed: microseconds from {least} to 1e9")
    return read
