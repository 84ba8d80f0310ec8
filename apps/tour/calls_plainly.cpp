// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

namespace tour {
namespace {

// Not inlined into itself: the other forms make each of these calls too.
[[gnu::noinline]] std::uint64_t fib(int n) { return n < 2 ? static_cast<std::uint64_t>(n) : fib(n - 1) + fib(n - 2); }

}  // namespace

fib_form calls_plainly() { return fib; }

}  // namespace tour
