# SPDX-License-Identifier: Apache-2.0
"""The rounds of a measurement, and which of its processes each program is in then.

All programs are started anew after every third round. A simulation has decided that. Logarithms of times have normal
errors: of a process and of a round, which each of two sides has for itself, and of a round that both share, half as large
as the other. Of 1,500 intervals of 95 % of the ratio, as stats.py makes them, so many per cent held the true one:

    processes times rounds                     3 x 7   5 x 3   6 x 3   7 x 2   12 x 1     3 x 7 as one lot of rounds
    processes differ like rounds                88.5    96.3    95.7    96.3     96.3     73.9
    processes differ twice as much              85.5    93.9    93.1    95.7     95.3     68.9
    processes do not differ                     98.8    98.5    99.4    98.7     96.6     97.0
    width, in errors of a round (first line)     3.3     3.6     3.2     3.3      2.9      2.2
    repetitions, those that warm up with them     24      20      24      21       24       24
    the same, of a member that takes long         10      12      14      14       24       10

The last column is what was done before. A member that takes long has seven rounds in the five processes: of those the three
lines are 94.2, 93.3 and 96.8 per cent; of what it had before, 7 rounds in 3 processes, 84.3, 80.1 and 94.6.

Each program is started twice more than with three processes. By starts and repetitions that were timed, groups of short
repetitions take an eighth less time for all that, those of long ones up to a fifth more, and those that start ranks of MPI
for short repetitions a third more. Weighed by what the plan expects of each, the default set and --all stay as
long to within a twentieth. More processes would make intervals a little narrower, and the run
longer."""

PROCESSES = 5
ROUNDS_OF_A_PROCESS = 3
ROUNDS = PROCESSES * ROUNDS_OF_A_PROCESS


def process_of(number):
    """In which a round is, both counted from 0. A group that is alone has all of its rounds, which are few, in one."""
    return number // ROUNDS_OF_A_PROCESS


def is_for_long_ones(number):
    """Whether members that take long have it too: the first round of each process, and the second one of the first two processes,
    for a median of fewer than seven says too little."""
    return number % ROUNDS_OF_A_PROCESS == 0 or number in (1, 1 + ROUNDS_OF_A_PROCESS)
