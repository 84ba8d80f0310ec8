// SPDX-License-Identifier: Apache-2.0
// Problem fib: the naive recursion, one task per call of fib(n-1). The unit is one call, of which
// 2 F(n+1) - 1 are made; with threshold T the calls with n <= T are sequential (work-stealing.txt, figure 12).
#pragma once

#include <cstdint>
#include <string>

#include "support/program.hpp"

namespace bench {

/// The sequential call that the others are measured against. Kept out of line and out of recursive
/// inlining: what is compared is a task with a call, and an inlined call is no call.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t serial_fib(int n);

/// F(n) by iteration.
constexpr std::uint64_t fib_number(int n) {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

class fib_problem {
public:
  static constexpr int k_default_size = 32;
  static constexpr int k_largest = 60;

  explicit fib_problem(const options& o)
      : n(o.size == 0 ? k_default_size : static_cast<int>(o.size)), threshold(o.threshold) {
    if (o.size > k_largest) throw std::invalid_argument("fib: --size is at most " + std::to_string(k_largest));
  }

  void reset() { result = 0; }

  void verify() const {
    const std::uint64_t expected = fib_number(n);
    if (result != expected) {
      throw wrong_answer("fib(" + std::to_string(n) + ") is " + std::to_string(expected) + ", not " +
                         std::to_string(result));
    }
  }

  [[nodiscard]] std::uint64_t operations() const { return 2 * fib_number(n + 1) - 1; }

  void report(nlohmann::json& line) const {
    line["size"] = n;
    line["threshold"] = threshold;
  }

  const int n;
  const int threshold;
  std::uint64_t result = 0;
};

}  // namespace bench
