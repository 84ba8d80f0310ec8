// SPDX-License-Identifier: Apache-2.0
// What the fuzzers call: each hands any text to one parser and checks what must hold of whatever it accepts.
#pragma once

#include <span>
#include <string_view>

namespace fuzz {

using target = void(std::string_view text);

target edge_list;      // apps/spanning_tree
target matrix_market;  // apps/spanning_tree
target metis;          // apps/spanning_tree
target imsuite;        // bench/x10/imsuite
target options;        // TACTUS_* variables and --tactus-* flags
target cgroups;        // the table of mounts, the groups of a process, cpu.max
target processors;     // lists of processors
target messages;       // values that another place has sent
target exceptions;     // exceptions that another place has sent
target frames;         // messages of other processes
target packed;         // several of them in one message of MPI
target checkpoint;     // files of distributed arrays

/// Ends the process, saying what did not hold, so that a fuzzer keeps the text.
void require(bool holds, const char* what);

}  // namespace fuzz
