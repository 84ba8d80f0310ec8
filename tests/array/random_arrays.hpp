// SPDX-License-Identifier: Apache-2.0
// Random distributed arrays, whose every cell says whose value it has to be. design: each exchange e of cell p carries value(p, e).
#pragma once

#include <tactus/array/dist_array.hpp>
#include <tactus/tactus.hpp>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
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
  int tasks = 1;     // that wait, each for a box of its own
  bool any = false;  // wait_for_any
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

template <std::size_t N, class Random>
random_case<N> make_case(Random& random) {
  const auto upto = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  random_case<N> c;
  ts::box<N> domain;
  for (std::size_t d = 0; d < N; ++d) {
    domain.lo[d] = upto(20) - 10;
    domain.hi[d] = domain.lo[d] + 1 + upto(N == 1 ? 30 : N == 2 ? 11 : 5);
    c.o.ghost[d] = ts::width(upto(3), upto(3));
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
  const ts::place_group all = ts::places();
  std::vector<ts::place> some(all.begin(), all.end());
  if (upto(3) == 0) {
    std::shuffle(some.begin(), some.end(), random);
    some.resize(1 + random() % some.size());
  }
  const ts::place_group on(some.begin(), some.end());
  const unsigned seed = static_cast<unsigned>(random());
  switch (upto(6)) {
    case 0:
      c.d = ts::dist<N>::block(domain, on);
      c.text = "block";
      break;
    case 1:
      c.d = ts::dist<N>::block(domain, ts::all_axes, on);
      c.text = "all_axes";
      break;
    case 2:
      c.d = ts::dist<N>::cyclic(domain, random() % N, on);
      c.text = "cyclic";
      break;
    case 3:
      c.d = ts::dist<N>::block_cyclic(domain, random() % N, 2, on);
      c.text = "block_cyclic";
      break;
    case 4:
      c.d = ts::dist<N>::recursive_bisection(
          domain, [](const ts::point<N>& p) { return p[0] % 3 == 0 ? 3.0 : 1.0; }, {}, on);
      c.text = "bisection";
      break;
    case 5:
      c.d = ts::dist<N>::hilbert(domain, ts::point<N>::all(2), [](const ts::point<N>&) { return 1.0; }, {}, on);
      c.text = "hilbert";
      break;
    default:
      c.d = ts::dist<N>::from(
          domain, [&](const ts::point<N>& p) { return on[number(p, domain, {}, seed) / 7 % on.size()]; }, on);
      c.text = "from";
  }
  return c;
}

/// At one place: exchanges, each compared cell by cell; how many were wrong.
template <class T, std::size_t N>
std::uint64_t exchange_and_compare(const ts::dist_array_ref<T, N>& h, int exchanges, int tasks, bool any) {
  const auto d = h.dist();
  const auto o = h.options();
  const ts::box<N> domain = d.region().bounding_box();
  std::uint64_t wrong = 0;
  const auto blocks = h.blocks();
  const auto expect = [&](const ts::view<T, N>& u, const ts::point<N>& p, std::uint64_t e) {
    bool is_ghost = !u.resident().contains(p);
    if (!is_ghost) {
      return true;
    }
    int axes = 0;
    for (std::size_t k = 0; k < N; ++k) {
      if (p[k] < domain.lo[k] || p[k] >= domain.hi[k]) {
        if (!o.periodic[k]) {
          return u[p] == T{};  // an outer cell
        }
      }
      axes += p[k] < u.resident().lo[k] || p[k] >= u.resident().hi[k] ? 1 : 0;
    }
    if (!o.corners && axes > 1 && o.storage == ts::block_storage::each) {
      return u[p] == T{};
    }
    if (!o.corners && axes > 1) {
      return true;  // another block's ghost, perhaps
    }
    return u[p] == cell_type<T>::of(number(p, domain, o.periodic, e));
  };
  for (std::uint64_t e = 1; e <= static_cast<std::uint64_t>(exchanges); ++e) {
    for (const ts::view<T, N>& u : blocks) {
      u.resident().each([&](const ts::point<N>& p) { u[p] = cell_type<T>::of(number(p, domain, o.periodic, e)); });
    }
    h.send_ghosts();
    if (o.storage == ts::block_storage::each) {
      for (const ts::view<T, N>& u : blocks) {  // what was sent was sent
        u.resident().each([&](const ts::point<N>& p) { u[p] = cell_type<T>::of(0); });
      }
    }
    if (tasks > 1 && !blocks.empty()) {
      std::vector<std::uint64_t> bad(static_cast<std::size_t>(tasks), 0);
      ts::finish([&] {
        for (int t = 0; t < tasks; ++t) {
          ts::async([&, t] {
            const ts::view<T, N>& u = blocks[static_cast<std::size_t>(t) % blocks.size()];
            ts::box<N> some = u.stored();
            some.hi[0] = some.lo[0] + (some.extent(0) + t) / (t + 1);
            h.wait_for_ghosts(some);
            some.each([&](const ts::point<N>& p) { bad[static_cast<std::size_t>(t)] += expect(u, p, e) ? 0U : 1U; });
          });
        }
      });
      for (const std::uint64_t b : bad) {
        wrong += b;
      }
    }
    if (any) {
      while (const auto came = h.wait_for_any_ghosts()) {
        for (const ts::box<N>& b : came->boxes) {
          for (const ts::view<T, N>& u : blocks) {
            if (o.storage == ts::block_storage::each && blocks.size() == 1) {
              b.each([&](const ts::point<N>& p) { wrong += expect(u, p, e) ? 0U : 1U; });
            }
          }
        }
      }
    } else {
      h.wait_for_ghosts();
    }
    for (const ts::view<T, N>& u : blocks) {
      u.stored().each([&](const ts::point<N>& p) { wrong += expect(u, p, e) ? 0U : 1U; });
    }
  }
  return wrong;
}

/// A case, all its places; how many cells were wrong.
template <class T, std::size_t N>
std::uint64_t run_case(const random_case<N>& c) {
  ts::dist_array<T, N> a(c.d, c.o);
  const auto h = a.ref();
  const auto bad = ts::detail::answers_of<std::uint64_t>(
      c.d.group(), [h, n = c.exchanges, t = c.tasks, any = c.any] { return exchange_and_compare(h, n, t, any); });
  std::uint64_t wrong = 0;
  for (const std::uint64_t b : bad) {
    wrong += b;
  }
  // Backward: each cell gets as many ones as there are ghosts of it.
  if constexpr (std::is_same_v<T, long>) {
    a.fill(1);
    const long before = static_cast<long>(c.d.region().size());
    long ghosts = 0;
    for (const ts::place p : c.d.group()) {
      ghosts += ts::at(p, [h] {
        long n = 0;
        for (const auto& from : h.neighbours()) {
          n += static_cast<long>(from.cells_in);
        }
        return n;
      });
    }
    a.accumulate_ghosts(ts::op::sum);
    wrong += a.reduce(ts::op::sum) == before + ghosts ? 0U : 1U;
  }
  return wrong;
}

/// Cases from a seed on; tells of those that fail.
inline std::uint64_t run_cases(std::uint64_t seed, int cases) {
  std::uint64_t failed = 0;
  for (int i = 0; i < cases; ++i) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed + static_cast<std::uint64_t>(i)));
    std::uint64_t wrong = 0;
    std::string text;
    const auto one = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      const random_case<N> c = make_case<N>(random);
      text = c.text;
      switch (random() % 4) {
        case 0: wrong = run_case<long>(c); break;
        case 1: wrong = run_case<unsigned char>(c); break;
        case 2: wrong = run_case<std::string>(c); break;
        default: wrong = run_case<triple>(c);
      }
    };
    switch (random() % 3) {
      case 0: one(std::integral_constant<std::size_t, 1>()); break;
      case 1: one(std::integral_constant<std::size_t, 2>()); break;
      default: one(std::integral_constant<std::size_t, 3>());
    }
    if (wrong != 0) {
      ++failed;
      std::printf("seed %llu (%s): %llu cells are wrong\n",
                  static_cast<unsigned long long>(seed) + static_cast<unsigned>(i), text.c_str(),
                  static_cast<unsigned long long>(wrong));
    }
  }
  return failed;
}

}  // namespace random_arrays
