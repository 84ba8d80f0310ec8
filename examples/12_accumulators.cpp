// SPDX-License-Identifier: Apache-2.0
// Phasers and accumulators: iterative averaging with one barrier in an iteration. Source: phaser-accumulators.txt, figure 4.
#include <tactus/tactus.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace ts = tactus;

constexpr double k_epsilon = 0.01;

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
    for (std::size_t j = 1; j + 1 < r.now.size(); ++j) delta += r.average(j);
    std::swap(r.now, r.next);
  }
  return r;
}

rod in_phases(rod r) {
  double delta = k_epsilon + 1;
  //! [accumulator]
  ts::finish([&] {
    const ts::phaser ph(ts::phaser_mode::signal_wait_next);
    const ts::accumulator<double> change(ph, ts::op::sum, ts::strategy::dynamic_lazy);
    for (std::size_t j = 1; j + 1 < r.now.size(); ++j) {
      ts::async(ts::phased(ph), [&, ph, change, j] {
        while (delta > k_epsilon) {
          change.send(r.average(j));
          ph.next_single([&] {  // all cells are averaged, and one task does this before anybody goes on
            delta = change.result();
            ++r.iterations;
            std::swap(r.now, r.next);
          });
        }
      });
    }
  });
  //! [accumulator]
  return r;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    rod start{std::vector<double>(50), std::vector<double>(50)};
    start.now.back() = start.next.back() = 1;
    const rod expected = one_by_one(start), r = in_phases(start);
    std::printf("%d iterations, the same as one by one: %s\n", r.iterations,
                r.iterations == expected.iterations && r.now == expected.now ? "yes" : "no");
  });
}

// Prints: 685 iterations, the same as one by one: yes
