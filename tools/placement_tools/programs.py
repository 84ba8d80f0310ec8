# SPDX-License-Identifier: Apache-2.0
"""The programs that the commands run, and where they lie. Whoever built the library only has none."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def find(name):
    """As a variable says, TACTUS_SIMULATE for tactus_simulate; as installed; or what was built last from the sources that this lies in."""
    if named := os.environ.get(name.upper()):
        return named
    installed = HERE.parents[2] / "libexec" / "tactus" / name
    if installed.is_file():
        return installed
    built = [file for file in HERE.parents[1].glob(f"build/*/tools/*/{name}") if file.is_file()]
    return max(built, key=lambda file: file.stat().st_mtime, default=None)


def remedy(name, options=""):
    """What to say where it is not; `options`: of the build."""
    build = f"'cmake --preset release{options} && cmake --build build/release --target {name}'"
    if (HERE.parents[1] / "CMakeLists.txt").is_file():
        return f"{name} is not built; {build} makes it"
    return (f"{name} is not there: this installation has the library only; build it in the sources ({build}) and install that build, "
            f"or name the program in {name.upper()}")
