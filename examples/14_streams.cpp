// SPDX-License-Identifier: Apache-2.0
// Streams: a pipeline of three stages, two of which have several tasks.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <optional>

namespace ts = tactus;

constexpr int k_limit = 1000;

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    int found = 0, sum = 0;
    ts::finish([&] {
      //! [stream]
      const ts::stream<int> numbers(ts::bound{8}), primes(ts::bound{8});
      for (int first = 0; first < 3; ++first) {
        ts::async([in = numbers.in(), first] {
          for (int n = first; n < k_limit; n += 3) in.push(n);  // waits while 8 numbers are on their way
          in.close();
        });
      }
      for (int i = 0; i < 4; ++i) {
        ts::async([out = numbers.out(), in = primes.in()] {
          while (const std::optional<int> n = out.pop()) {  // each number goes to one of the four
            if (is_prime(*n)) in.push(*n);
          }
          in.close();
        });
      }
      //! [stream]
      ts::async([&, out = primes.out()] {
        while (const std::optional<int> n = out.pop()) {
          ++found;
          sum += *n;
        }
      });
    });
    std::printf("%d primes below %d, sum %d\n", found, k_limit, sum);
  });
}

// Prints: 168 primes below 1000, sum 76127
