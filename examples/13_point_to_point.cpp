// SPDX-License-Identifier: Apache-2.0
// Phasers, continued: tasks that only signal, tasks that only wait, a bound, and a phaser for each neighbour.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ts = tactus;

using enum ts::phaser_mode;

constexpr std::uint64_t k_ahead = 4;
constexpr std::uint64_t k_numbers = 1000;

void produce_and_consume() {
  std::array<std::uint64_t, k_ahead + 2> ring{};  // one is being written, one is being read, the others lie between
  std::uint64_t sum = 0, largest = 0;
  ts::finish([&] {
    //! [bound]
    const ts::phaser ready(signal_wait, ts::bound{k_ahead});
    ts::async(ts::phased(ready.as(signal_only)), [&ring, ready] {
      for (std::uint64_t i = 0; i < k_numbers; ++i) {
        ring[i % ring.size()] = i * i % 997;
        ready.signal();  // waits if a consumer is k_ahead numbers behind
      }
    });
    ts::async(ts::phased(ready.as(wait_only)), [&, ready] {
      for (std::uint64_t i = 0; i < k_numbers; ++i) {
        ready.wait();  // number i is there
        sum += ring[i % ring.size()];
      }
    });
    //! [bound]
    ts::async(ts::phased(ready.as(wait_only)), [&, ready] {
      for (std::uint64_t i = 0; i < k_numbers; ++i) {
        ready.wait();
        largest = std::max(largest, ring[i % ring.size()]);
      }
    });
  });
  std::printf("sum %llu, largest %llu\n", static_cast<unsigned long long>(sum),
              static_cast<unsigned long long>(largest));
}

constexpr std::size_t k_cells = 50;
constexpr std::size_t k_rounds = 100;

struct rod {
  std::array<std::vector<double>, 2> cells{std::vector<double>(k_cells), std::vector<double>(k_cells)};

  rod() { cells[0].back() = cells[1].back() = 1; }

  void average(std::size_t round, std::size_t j) {
    const std::vector<double>& from = cells[round % 2];
    cells[(round + 1) % 2][j] = (from[j - 1] + from[j + 1]) / 2;
  }
};

rod one_by_one() {
  rod r;
  for (std::size_t round = 0; round < k_rounds; ++round) {
    for (std::size_t j = 1; j + 1 < k_cells; ++j) r.average(round, j);
  }
  return r;
}

rod with_neighbours() {
  rod r;
  //! [neighbours]
  ts::finish([&r] {
    const std::vector<ts::phaser> done(k_cells);  // done[j]: cell j has been averaged once more
    for (std::size_t j = 1; j + 1 < k_cells; ++j) {
      ts::async(ts::phased(done[j].as(signal_only), done[j - 1].as(wait_only), done[j + 1].as(wait_only)), [&r, j] {
        for (std::size_t round = 0; round < k_rounds; ++round) {
          r.average(round, j);
          ts::next();  // tells the neighbours, and waits for both of them
        }
      });
    }
  });
  //! [neighbours]
  return r;
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    produce_and_consume();
    std::printf("the same as one by one: %s\n", with_neighbours().cells == one_by_one().cells ? "yes" : "no");
  });
}

// Prints: sum 496511, largest 996
// Prints: the same as one by one: yes
