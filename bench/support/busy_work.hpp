// SPDX-License-Identifier: Apache-2.0
// Work of a given length that touches no memory.
#pragma once

#include <cstdint>

namespace bench {

/// A chain of `steps` multiplications, out of line so that every competitor runs the same code.
void compute(std::uint64_t steps);

/// How many of them take `ns` on this machine, measured now; 0 for 0.
[[nodiscard]] std::uint64_t steps_taking(double ns);

}  // namespace bench
