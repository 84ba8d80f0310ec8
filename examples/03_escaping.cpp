// SPDX-License-Identifier: Apache-2.0
// Escaping tasks: a task may end before its children do; one finish at the root joins them all.
// Marks everything that can be reached from one corner of a grid, walls left out.
#include <tactus/tactus.hpp>

#include <array>
#include <atomic>
#include <cstdio>

namespace ts = tactus;

constexpr int k_side = 200;

struct grid {
  std::array<std::atomic<bool>, k_side * k_side> seen{};

  static bool is_wall(int x, int y) {
    return x < 0 || y < 0 || x >= k_side || y >= k_side || (x % 10 == 5 && y % 10 != 7);
  }

  //! [visit]
  void visit(int x, int y) {
    if (is_wall(x, y)) return;
    const auto cell = static_cast<std::size_t>(y) * k_side + static_cast<std::size_t>(x);
    if (seen[cell].exchange(true)) return;
    ts::async([=, this] { visit(x + 1, y); });
    ts::async([=, this] { visit(x - 1, y); });
    ts::async([=, this] { visit(x, y + 1); });
    ts::async([=, this] { visit(x, y - 1); });
  }
  //! [visit]
};

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    grid g;
    ts::finish([&] { g.visit(0, 0); });
    int reached = 0;
    for (const auto& cell : g.seen) reached += cell ? 1 : 0;
    std::printf("reached %d of %d cells\n", reached, k_side * k_side);
  });
}

// Prints: reached 36400 of 40000 cells
