// SPDX-License-Identifier: Apache-2.0
// lockstep: the iterative averaging of 08_clocks.cpp, without a stack for each cell.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace ts = tactus;

constexpr double k_epsilon = 1e-3;

struct rod {
  std::vector<double> now, next, change;
  int iterations = 0;

  void average(std::size_t j) {
    next[j] = (now[j - 1] + now[j + 1]) / 2;
    change[j] = std::abs(next[j] - now[j]);
  }
  [[nodiscard]] bool still_changes() const { return std::ranges::max(change) > k_epsilon; }
};

rod one_by_one(rod r) {
  for (; r.still_changes(); ++r.iterations) {
    for (std::size_t j = 1; j + 1 < r.now.size(); ++j) r.average(j);
    std::swap(r.now, r.next);
  }
  return r;
}

rod in_lock_step(rod r) {
  //! [lockstep]
  ts::lockstep(
      std::size_t{1}, r.now.size() - 1, [&] { return r.still_changes(); },  // asked before each round
      [&](std::size_t j) { r.average(j); },                                 // then a barrier
      [&](std::size_t j) {
        if (j == 1) {
          ++r.iterations;
          std::swap(r.now, r.next);
        }
      });
  return r;
  //! [lockstep]
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    rod start{std::vector<double>(50), std::vector<double>(50), std::vector<double>(50)};
    start.now.back() = start.next.back() = 1;
    start.change[1] = 1;  // so that the first round takes place
    const rod expected = one_by_one(start), r = in_lock_step(start);
    std::printf("%d iterations, the same as one by one: %s\n", r.iterations,
                r.iterations == expected.iterations && r.now == expected.now ? "yes" : "no");
  });
}

// Prints: 478 iterations, the same as one by one: yes
