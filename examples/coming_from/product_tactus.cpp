// SPDX-License-Identifier: Apache-2.0
// The product of two matrices, tile by tile: as product_ga.cpp.
#include <tactus/tactus.hpp>

#include <cstdio>

namespace ts = tactus;

constexpr long k_n = 60;
constexpr long k_tile = 20;

using matrix = ts::dist_array_ref<double, 2>;

// Adds the product of two tiles to one of c, wherever they are.
void multiply(const matrix& a, const matrix& b, const matrix& c, const ts::point<3>& t) {
  const auto tile = [](ts::index_t i, ts::index_t j) {
    return ts::range(i * k_tile, (i + 1) * k_tile) * ts::range(j * k_tile, (j + 1) * k_tile);
  };
  const auto x = a.get(tile(t[0], t[2]));
  const auto y = b.get(tile(t[2], t[1]));
  ts::array<double, 2> z(tile(t[0], t[1]));
  z.region().each([&](auto i, auto j) {
    for (auto k = t[2] * k_tile; k < (t[2] + 1) * k_tile; ++k) z(i, j) += x(i, k) * y(k, j);
  });
  c.accumulate(z, ts::op::sum);
}

int main(int argc, char** argv) {
  return ts::run(ts::config{.places = 4}, argc, argv, [] {
    const auto spread = ts::dist<2>::block(ts::range(0, k_n) * ts::range(0, k_n), ts::all_axes);
    ts::dist_array<double, 2> a(spread, {.name = "a"});
    ts::dist_array<double, 2> b(spread, {.name = "b"});
    ts::dist_array<double, 2> c(spread, {.name = "c"});
    a.for_each([](ts::point<2> p, double& x) { x = static_cast<double>(p[0] + p[1]); });
    b.for_each([](ts::point<2> p, double& x) { x = p[0] == p[1] ? 2 : 0; });

    const auto tiles = ts::range(0, k_n / k_tile) * ts::range(0, k_n / k_tile) * ts::range(0, k_n / k_tile);
    ts::finish([&] {
      tiles.each([&](const ts::point<3>& t) {
        const ts::place home = spread.owner({t[0] * k_tile, t[1] * k_tile});  // of the tile's first cell
        ts::async_at(home, [a = a.ref(), b = b.ref(), c = c.ref(), t] { multiply(a, b, c, t); });
      });
    });

    auto products = ts::dist_array<double, 2>(spread, {.name = "products"});
    products.map_from([](double x, double y) { return x * y; }, c, a);
    std::printf("%.0f\n", products.reduce(ts::op::sum));
  });
}

// Prints: 29382000
