// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus, divided along both axes: as life_mpi.cpp.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <utility>

namespace ts = tactus;

constexpr int k_generations = 100;

bool is_born(long i, long j) { return (i * 7 + j * 13) % 5 == 0 || (i * j) % 7 == 3; }

void grow(const ts::view<const int, 2>& from, const ts::view<int, 2>& to, const ts::box<2>& cells) {
  cells.each([&](auto i, auto j) {
    int around = -from(i, j);
    for (auto y = i - 1; y <= i + 1; ++y) {
      for (auto x = j - 1; x <= j + 1; ++x) around += from(y, x);
    }
    to(i, j) = around == 3 || (around == 2 && from(i, j) == 1) ? 1 : 0;
  });
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    const auto board = ts::range(0, 30) * ts::range(0, 40);
    ts::dist_array<int, 2> a(ts::dist<2>::block(board, ts::all_axes), {.ghost = 1, .periodic = true, .name = "life"});
    ts::dist_array<int, 2> b(a.dist(), a.options());
    a.for_each([](ts::point<2> p, int& cell) { cell = is_born(p[0], p[1]) ? 1 : 0; });

    ts::at_each(ts::places(), [now = a.ref(), next = b.ref()]() mutable {
      for (int n = 0; n < k_generations; ++n) {
        const auto from = now.local();
        const auto to = next.local();
        now.send_ghosts();
        grow(from, to, from.interior());
        now.wait_for_ghosts();
        for (const auto& side : from.boundary()) grow(from, to, side);
        std::swap(now, next);
      }
    });

    std::printf("%d alive\n", (k_generations % 2 == 0 ? a : b).reduce(ts::op::sum));
  });
}

// Prints: 151 alive
