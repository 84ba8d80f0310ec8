// SPDX-License-Identifier: Apache-2.0
// What random distributed arrays are like, and what their cells hold: in exchange e cell p has value(p, e).
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/tactus.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace random_arrays {
namespace ts = tactus;

/// What elements of a test consist of.
template <class T>
struct cell_type {
  static T of(std::uint64_t x) { return static_cast<T>(x); }
};
template <>
struct cell_type<std::string> {
  static std::string of(std::uint64_t x) { return std::string(x % 23, 'x') + std::to_string(x); }
};
struct triple {
  double a = 0;
  std::uint64_t b = 0;
  float c = 0;
  friend bool operator==(const triple&, const triple&) = default;
};
template <>
struct cell_type<triple> {
  static triple of(std::uint64_t x) { return {static_cast<double>(x % 1000), x, 1}; }
};

template <std::size_t N>
struct random_case {
  ts::dist<N> d;
  ts::array_options<N> o;
  int exchanges = 3;
  int tasks = 1;               // that wait, each for a box of its own
  bool any = false;            // wait_for_any
  bool scribbles = false;      // writes the ghosts that it has waited for while others are on their way
  std::uint64_t promises = 0;  // seed: which sends promise that cells are kept; 0: none does
  std::string text;
};

inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31U;
  x *= 0x9e3779b97f4a7c15U;
  return x ^ (x >> 29U);
}

template <std::size_t N>
std::uint64_t number(const ts::point<N>& p, const ts::box<N>& domain, const ts::per_axis<bool, N>& periodic,
                     std::uint64_t e) {
  std::uint64_t h = 17 + e * 1000003;
  for (std::size_t d = 0; d < N; ++d) {
    ts::index_t i = p[d];
    if (periodic[d]) {
      const ts::index_t n = domain.extent(d);
      i = domain.lo[d] + (((i - domain.lo[d]) % n) + n) % n;
    }
    h = mix(h + static_cast<std::uint64_t>(i + 1000));
  }
  return h;
}

// One block at most at each place, and all products of their sides.
template <std::size_t N>
bool is_grid(const ts::dist<N>& d) {
  std::size_t parts = 0;
  std::size_t products = 1;
  std::array<std::set<std::pair<ts::index_t, ts::index_t>>, N> sides;
  for (const ts::place p : d.group()) {
    const auto blocks = d.blocks(p);
    if (blocks.size() > 1) {
      return false;
    }
    for (const ts::box<N>& b : blocks) {
      ++parts;
      for (std::size_t k = 0; k < N; ++k) {
        sides[k].emplace(b.lo[k], b.hi[k]);
      }
    }
  }
  for (const auto& s : sides) {
    products *= s.size();
  }
  return parts == products;
}

/// Some hundred cells at most, whatever N is.
template <std::size_t N, class Random>
ts::box<N> random_box(Random& random) {
  constexpr std::array<unsigned, 5> k_extents = {31, 12, 6, 4, 3};
  ts::box<N> b;
  for (std::size_t d = 0; d < N; ++d) {
    b.lo[d] = static_cast<ts::index_t>(random() % 21) - 10;
    b.hi[d] = b.lo[d] + 1 + static_cast<ts::index_t>(random() % k_extents[N - 1]);
  }
  return b;
}

/// A distribution over some or all places, and what it is.
template <std::size_t N, class Random>
ts::dist<N> random_dist(const ts::box<N>& domain, Random& random, std::string& text) {
  const auto upto = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  const ts::place_group all = ts::places();
  std::vector<ts::place> some(all.begin(), all.end());
  if (upto(3) == 0) {
    std::shuffle(some.begin(), some.end(), random);
    some.resize(1 + random() % some.size());
  }
  const ts::place_group on(some.begin(), some.end());
  const unsigned seed = static_cast<unsigned>(random());
  switch (upto(6)) {
    case 0: text = "block"; return ts::dist<N>::block(domain, on);
    case 1: text = "all_axes"; return ts::dist<N>::block(domain, ts::all_axes, on);
    case 2: text = "cyclic"; return ts::dist<N>::cyclic(domain, random() % N, on);
    case 3: text = "block_cyclic"; return ts::dist<N>::block_cyclic(domain, random() % N, 2, on);
    case 4:
      text = "bisection";
      return ts::dist<N>::recursive_bisection(
          domain, [](const ts::point<N>& p) { return p[0] % 3 == 0 ? 3.0 : 1.0; }, {}, on);
    case 5:
      text = "hilbert";
      return ts::dist<N>::hilbert(domain, ts::point<N>::all(2), [](const ts::point<N>&) { return 1.0; }, {}, on);
    default:
      text = "from";
      return ts::dist<N>::from(
          domain, [&](const ts::point<N>& p) { return on[number(p, domain, {}, seed) / 7 % on.size()]; }, on);
  }
}

template <std::size_t N, class Random>
random_case<N> make_case(Random& random) {
  const auto upto = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  random_case<N> c;
  const ts::box<N> domain = random_box<N>(random);
  constexpr int k_widest = N <= 3 ? 3 : 6 - static_cast<int>(N);
  for (std::size_t d = 0; d < N; ++d) {
    c.o.ghost[d] = ts::width(upto(k_widest), upto(k_widest));
    c.o.periodic[d] = upto(1) == 0;
    c.o.outer[d] = upto(2) == 0;
    if (upto(6) == 0) {
      c.o.ghost[d] = ts::width(domain.extent(d) + upto(2), upto(2));  // wider than all there is
    }
  }
  c.o.corners = upto(3) != 0;
  c.o.sync = upto(3) == 0 ? ts::ghost_sync::barrier : ts::ghost_sync::pairwise;
  c.o.storage = upto(3) == 0 ? ts::block_storage::bounding_box : ts::block_storage::each;
  c.o.name = "u";
  c.exchanges = 2 + upto(3);
  c.tasks = upto(2) == 0 ? 3 : 1;
  c.any = upto(3) == 0;
  c.scribbles = upto(1) == 0;
  c.promises = upto(2) == 0 ? random() | 1U : 0;
  c.d = random_dist(domain, random, c.text);
  switch (upto(5)) {
    case 0: c.o.exchange = ts::ghost_exchange::put; break;
    case 1: c.o.exchange = ts::ghost_exchange::barrier; break;
    case 2: break;
    default: c.o.exchange = is_grid(c.d) ? ts::ghost_exchange::shift : ts::ghost_exchange::put;
  }
  c.text += c.o.exchange == ts::ghost_exchange::shift ? ", shift" : "";
  return c;
}

}  // namespace random_arrays
