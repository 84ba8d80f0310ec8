// SPDX-License-Identifier: Apache-2.0
// Makes a random program from a seed: the tree of statements, with slots still unbound (the interpreter binds them).
#pragma once

#include <cstdint>

#include "program.hpp"

namespace oracle {

struct generator_options {
  unsigned min_tasks = 10;
  unsigned max_tasks = 200;
  bool foreign = true;  ///< external promises, fulfilled by a foreign thread: off where runs must replay exactly
  bool loops = true;    ///< for_each and reduce
  bool stuck = false;   ///< programs that end in deadlock_error
  unsigned places = 1;  ///< the root is at the first
};

/// Fills `out` (cleared first; its memory is reused) with the program of `seed`. The same seed and options give the same program.
void generate(std::uint64_t seed, const generator_options& options, program& out);

}  // namespace oracle
