// SPDX-License-Identifier: Apache-2.0
// Averages of neighbours, over and over: with a clock for so many sweeps, as in averaging.x10, and with a phaser and an
// accumulator until little changes, as in averaging.hj.
#include <tactus/tactus.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace ts = tactus;

constexpr std::size_t k_cells = 100, k_tasks = 4, k_sweeps = 200;
constexpr double k_small = 0.01;

struct rod {
  std::array<std::vector<double>, 2> cells{std::vector<double>(k_cells + 2), std::vector<double>(k_cells + 2)};

  rod() { cells[0].back() = cells[1].back() = 1; }

  // One task's part of a sweep; returns how much has changed.
  double average(std::size_t task, std::size_t sweep) {
    const std::vector<double>& from = cells[sweep % 2];
    std::vector<double>& to = cells[(sweep + 1) % 2];
    double change = 0;
    for (std::size_t j = 1 + task * k_cells / k_tasks; j <= (task + 1) * k_cells / k_tasks; ++j) {
      to[j] = (from[j - 1] + from[j + 1]) / 2;
      change += std::abs(to[j] - from[j]);
    }
    return change;
  }

  double average_all(std::size_t sweep) {
    double change = 0;
    for (std::size_t task = 0; task < k_tasks; ++task) change += average(task, sweep);
    return change;
  }
};

rod with_a_clock() {
  rod r;
  ts::finish(ts::clocked, [&r](ts::clock c) {
    for (std::size_t task = 0; task < k_tasks; ++task) {
      ts::async(ts::clocked(c), [&r, task] {
        for (std::size_t sweep = 0; sweep < k_sweeps; ++sweep) {
          r.average(task, sweep);
          ts::advance_all();
        }
      });
    }
  });
  return r;
}

std::size_t with_an_accumulator() {
  rod r;
  double delta = k_small + 1;
  std::size_t sweeps = 0;
  ts::finish([&] {
    const ts::phaser ph(ts::phaser_mode::signal_wait_next);
    const ts::accumulator<double> change(ph, ts::op::sum, ts::strategy::dynamic_lazy);
    for (std::size_t task = 0; task < k_tasks; ++task) {
      ts::async(ts::phased(ph), [&, ph, change, task] {
        while (delta > k_small) {
          change.send(r.average(task, sweeps));
          ph.next_single([&] {  // all have sent, and nobody goes on before this is done
            delta = change.result();
            ++sweeps;
          });
        }
      });
    }
  });
  return sweeps;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    rod r;
    for (std::size_t sweep = 0; sweep < k_sweeps; ++sweep) r.average_all(sweep);
    const bool same = with_a_clock().cells == r.cells;

    rod s;
    std::size_t expected = 1;
    while (s.average_all(expected - 1) > k_small) ++expected;
    const std::size_t sweeps = with_an_accumulator();

    std::printf("as one by one: %s, little changes after %zu sweeps\n", same && sweeps == expected ? "yes" : "no",
                sweeps);
    return same && sweeps == expected ? 0 : 1;
  });
}

// Prints: as one by one: yes, little changes after 1422 sweeps
