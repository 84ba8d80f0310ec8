# SPDX-License-Identifier: Apache-2.0
"""tactus calibrate: what messages and tasks cost on this machine, for tactus simulate --costs."""

import os
import pathlib
import shutil
import subprocess

from placement_tools import programs

NAME = "tactus_calibrate"
# The variable by which the library knows that a launcher has started it, and the MPI that most likely goes with that: Slurm's PMIx sets the last
# one alone.
LAUNCHERS = {"OMPI_COMM_WORLD_SIZE": "openmpi", "PMI_SIZE": "mpich", "PMIX_RANK": "openmpi"}
MPIS = ("openmpi", "mpich", "mpi")


class CalibrationError(Exception):
    """Why nothing is measured; its text is one line."""


def add_to(commands):
    parser = commands.add_parser(
        "calibrate", help="measure what the simulator has to know",
        description="Measures what messages and tasks cost between two places, in a second or so, and writes the file that "
                    "tactus simulate --costs reads. Other programs make the figures larger: the machine should be quiet.",
        epilog="Between machines: mpirun -n 2 -H ONE,OTHER tactus calibrate -o FILE. docs/simulator.md says how each figure is measured.")
    parser.add_argument("-o", "--out", metavar="FILE", type=pathlib.Path, help="where the costs go (the terminal)")
    parser.add_argument("--mpi", action="store_true", help="between two processes under MPI, rather than two places of one process")
    parser.add_argument("--sleepers", action="store_true",
                        help="busy places sleep: for runs whose tasks sleep, as many as there are processors or more")


def words(parsed):
    """Measures; returns what to print."""
    if parsed.out is not None and (parsed.out.is_dir() or not parsed.out.absolute().parent.is_dir()):
        raise CalibrationError(f"calibrate: -o '{parsed.out}' cannot be written: it is a folder, or its folder is not there")
    launcher = next((name for variable, name in LAUNCHERS.items() if variable in os.environ), None)
    program = found(parsed.mpi or launcher is not None, launcher)
    arguments = [str(program), *(["sleepers"] if parsed.sleepers else []), *([str(parsed.out.absolute())] if parsed.out is not None else [])]
    if launcher is not None:
        return replaced_by(arguments)
    return measured([*(launched(program) if parsed.mpi else []), *arguments], parsed.out)


def found(is_mpi, launcher):
    if not is_mpi:
        if (program := programs.find(NAME)) is None:
            raise CalibrationError(f"calibrate: {programs.remedy(NAME)}")
        return program
    for mpi in sorted(MPIS, key=lambda mpi: mpi != launcher):
        if (program := programs.find(f"{NAME}_{mpi}")) is not None:
            return program
    wanted = launcher or "openmpi"
    raise CalibrationError(f"calibrate: between processes: {programs.remedy(f'{NAME}_{wanted}', f' -DTACTUS_MPI={wanted}')}")


def replaced_by(arguments):
    """This process is one of several, and so is what it becomes."""
    try:
        os.execv(arguments[0], arguments)
    except OSError as error:
        raise CalibrationError(f"calibrate: {arguments[0]}: {error.strerror}") from None


def launched(program):
    """Two processes of it."""
    mpi = pathlib.Path(program).name.removeprefix(f"{NAME}_")
    launcher = shutil.which(f"mpirun.{mpi}") or shutil.which("mpirun")
    if launcher is None:
        raise CalibrationError("calibrate: --mpi: there is no mpirun on the PATH; install an MPI, or start it under your launcher: "
                               "'srun -n 2 tactus calibrate -o FILE'")
    return [launcher, *(["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []), "-n", "2"]


def measured(command, out):
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env={**os.environ, **as_root})
    except OSError as error:
        raise CalibrationError(f"calibrate: {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        said = [line.removeprefix("tactus: ") for line in done.stderr.splitlines() if line.strip()]
        ours = next((line for line in said if line.startswith("calibrate: ")), None)
        raise CalibrationError(ours or f"calibrate: {command[0]} ended with status {done.returncode}: {said[-1] if said else 'it said nothing'}")
    return str(out) if out is not None else done.stdout.rstrip("\n")
