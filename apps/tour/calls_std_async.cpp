// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <future>

namespace tour {
namespace {

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::future<std::uint64_t> a = std::async(std::launch::async, fib, n - 1);
  const std::uint64_t b = fib(n - 2);
  return a.get() + b;
}

}  // namespace

fib_form calls_std_async() { return fib; }

}  // namespace tour
