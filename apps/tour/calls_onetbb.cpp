// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"
#include "onetbb_pool.hpp"

#include <oneapi/tbb/task_group.h>

#include <memory>

namespace tour {
namespace {

std::uint64_t fib(int n, tbb::task_group_context& context) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
  tbb::task_group group(context);
  group.run([&a, n, &context] { a = fib(n - 1, context); });
  const std::uint64_t b = fib(n - 2, context);
  group.wait();
  return a + b;
}

}  // namespace

fib_form calls_onetbb(int threads) {
  const auto pool = std::make_shared<onetbb_pool>(threads);
  return [pool](int n) {
    return pool->arena.execute([n] {
      tbb::task_group_context context;
      return fib(n, context);
    });
  };
}

}  // namespace tour
