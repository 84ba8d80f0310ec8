// SPDX-License-Identifier: Apache-2.0
#include <tactus/tactus.hpp>

#include <cstdio>

namespace ts = tactus;

//! [fibonacci]
long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  ts::finish([&] {
    ts::async([&] { a = fibonacci(n - 1); });
    b = fibonacci(n - 2);
  });
  return a + b;
}
//! [fibonacci]

//! [main]
int main(int argc, char** argv) {
  return ts::run(argc, argv, [] { std::printf("fibonacci(25) = %ld\n", fibonacci(25)); });
}
//! [main]

// Prints: fibonacci(25) = 75025
