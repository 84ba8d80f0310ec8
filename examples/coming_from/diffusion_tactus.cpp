// SPDX-License-Identifier: Apache-2.0
// A warm spot spreads on a torus, over all places: as diffusion.chpl.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace ts = tactus;

constexpr int k_n = 30;
constexpr int k_steps = 50;

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    const auto torus = ts::dist<2>::block(ts::range(0, k_n) * ts::range(0, k_n), ts::all_axes);
    ts::dist_array<double, 2> now(torus, {.ghost = 1, .periodic = true, .name = "now"});
    ts::dist_array<double, 2> next(torus, {.ghost = 1, .periodic = true, .name = "next"});
    now.set({k_n / 2, k_n / 2}, 1000);

    for (int n = 0; n < k_steps; ++n) {
      now.update_ghosts();
      next.for_each([u = now.ref()](ts::point<2> p, double& x) {
        const auto [i, j] = std::pair(p[0], p[1]);
        x = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4;
      });
      std::swap(now, next);
    }
    const auto [at, warmest] = now.max_at();
    std::printf("%.3f at %s, %.3f in all\n", warmest, to_string(at).c_str(), now.reduce(ts::op::sum));
  });
}

// Prints: 12.606 at (15,15), 1000.000 in all
