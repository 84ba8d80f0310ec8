// SPDX-License-Identifier: Apache-2.0
// Clocks: iterative averaging with a task for each cell, in lock step. Source: uclocks.txt, figure 1, here with the largest
// change in the place of the sum of changes: it does not depend on the order of the tasks.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace ts = tactus;

constexpr double k_epsilon = 1e-3;

struct rod {
  std::vector<double> now, next;
  int iterations = 0;

  double average(std::size_t j) {  // returns by how much cell j changes
    next[j] = (now[j - 1] + now[j + 1]) / 2;
    return std::abs(next[j] - now[j]);
  }
};

rod one_by_one(rod r) {
  for (double delta = k_epsilon + 1; delta > k_epsilon; ++r.iterations) {
    delta = 0;
    for (std::size_t j = 1; j + 1 < r.now.size(); ++j) delta = std::max(delta, r.average(j));
    std::swap(r.now, r.next);
  }
  return r;
}

rod in_lock_step(rod r) {
  double delta = k_epsilon + 1, largest = 0;
  //! [clocked]
  ts::finish(ts::clocked, [&](ts::clock c) {
    for (std::size_t j = 1; j + 1 < r.now.size(); ++j) {
      ts::async(ts::clocked(c), [&, c, j] {
        while (delta > k_epsilon) {
          const double change = r.average(j);
          ts::atomic([&] { largest = std::max(largest, change); });
          c.advance();  // all cells are averaged
          if (j == 1) {
            ++r.iterations;
            std::swap(r.now, r.next);
            delta = std::exchange(largest, 0.0);
          }
          c.advance();  // the next iteration is prepared
        }
      });
    }
  });
  //! [clocked]
  return r;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    rod start{std::vector<double>(50), std::vector<double>(50)};
    start.now.back() = start.next.back() = 1;
    const rod expected = one_by_one(start), r = in_lock_step(start);
    std::printf("%d iterations, the same as one by one: %s\n", r.iterations,
                r.iterations == expected.iterations && r.now == expected.now ? "yes" : "no");
  });
}

// Prints: 478 iterations, the same as one by one: yes
