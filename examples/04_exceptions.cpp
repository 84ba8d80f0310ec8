// SPDX-License-Identifier: Apache-2.0
// Exceptions: every task runs to its end, every exception is kept, the finish throws them all at once.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace ts = tactus;

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    std::atomic<int> good{0};
    //! [multiple_exceptions]
    try {
      ts::finish([&] {
        for (int i = 1; i <= 9; ++i) {
          ts::async([&good, i] {
            if (i % 3 == 0) throw std::runtime_error("task " + std::to_string(i) + " failed");
            ++good;
          });
        }
      });
    } catch (const ts::multiple_exceptions& e) {
      std::printf("%d tasks succeeded, %zu failed\n", good.load(), e.exceptions().size());
    }
    //! [multiple_exceptions]
  });
}

// Prints: 6 tasks succeeded, 3 failed
