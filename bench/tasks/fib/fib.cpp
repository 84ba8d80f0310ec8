// SPDX-License-Identifier: Apache-2.0
// Its own translation unit, compiled like all others, so that no competitor can inline the sequential call.
#include "tasks/fib/fib.hpp"

namespace bench {

std::uint64_t serial_fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  return serial_fib(n - 1) + serial_fib(n - 2);
}

}  // namespace bench
