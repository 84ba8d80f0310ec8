// SPDX-License-Identifier: Apache-2.0
// A shared library that has Tactus in itself.
#include <tactus/tactus.hpp>

#include <functional>

namespace {

int fibonacci(int n) {
  if (n < 2) {
    return n;
  }
  int left = 0;
  int right = 0;
  tactus::finish([&] {
    tactus::async([&left, n] { left = fibonacci(n - 1); });
    right = fibonacci(n - 2);
  });
  return left + right;
}

}  // namespace

__attribute__((visibility("default"))) int plugin_fibonacci(int n);
int plugin_fibonacci(int n) {
  return tactus::run(tactus::config{.threads = 2, .env = false}, [n] { return fibonacci(n); });
}
