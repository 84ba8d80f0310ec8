// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <tactus/tactus.hpp>

#include <memory>

namespace ts = tactus;

namespace tour {
namespace {

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0, b = 0;
  ts::finish([&] {
    ts::async([&] { a = fib(n - 1); });
    b = fib(n - 2);
  });
  return a + b;
}

}  // namespace

fib_form calls_tactus(int threads) {
  const auto runtime = std::make_shared<ts::runtime>(ts::config{.threads = threads, .env = false});
  return [runtime](int n) { return runtime->run([n] { return fib(n); }); };
}

}  // namespace tour
