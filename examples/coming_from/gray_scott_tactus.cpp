// SPDX-License-Identifier: Apache-2.0
// Two substances that react and diffuse: as gray_scott_petsc.cpp.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <utility>

namespace ts = tactus;

constexpr int k_steps = 200;

struct field {
  double u, v;
};

void react(const ts::view<const field, 2>& x, const ts::view<field, 2>& y, const ts::box<2>& cells) {
  cells.each([&](auto i, auto j) {
    const field c = x(i, j);
    const double du = x(i - 1, j).u + x(i + 1, j).u + x(i, j - 1).u + x(i, j + 1).u - 4 * c.u;
    const double dv = x(i - 1, j).v + x(i + 1, j).v + x(i, j - 1).v + x(i, j + 1).v - 4 * c.v;
    const double reacting = c.u * c.v * c.v;
    y(i, j) = {c.u + 0.16 * du - reacting + 0.035 * (1 - c.u), c.v + 0.08 * dv + reacting - 0.1 * c.v};
  });
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    const auto dish = ts::range(0, 40) * ts::range(0, 40);
    const auto spread = ts::dist<2>::block(dish, ts::all_axes);
    ts::dist_array<field, 2> a(spread, {.ghost = 1, .periodic = true, .corners = false, .name = "now"});
    ts::dist_array<field, 2> b(spread, {.ghost = 1, .periodic = true, .corners = false, .name = "next"});
    a.for_each([](ts::point<2> p, field& c) {
      const bool is_inside = p[0] >= 15 && p[0] < 25 && p[1] >= 17 && p[1] < 23;
      c = is_inside ? field{0.5, 0.25} : field{1, 0};
    });

    ts::at_each(spread.group(), [now = a.ref(), next = b.ref()]() mutable {
      for (int n = 0; n < k_steps; ++n) {
        now.update_ghosts();
        react(now.local(), next.local(), now.local().resident());
        std::swap(now, next);
      }
    });

    const ts::monoid both{field{0, 0}, [](field s, field c) { return field{s.u + c.u, s.v + c.v}; }};
    const field sum = a.reduce(both);
    std::printf("u %.4f, v %.4f\n", sum.u, sum.v);
  });
}

// Prints: u 1518.6950, v 29.6597
