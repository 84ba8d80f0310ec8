// SPDX-License-Identifier: Apache-2.0
// Runs random distributed arrays, whose every cell says whose value it has to be.
#pragma once

#include <tactus/array/dist_array.hpp>
#include <tactus/tactus.hpp>

#include "array/random_cases.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace random_arrays {

/// How a place waits, and what it promises.
struct manners {
  int exchanges;
  int tasks;
  bool any;
  bool scribbles;
  std::uint64_t promises;
};

/// At one place: exchanges, each compared cell by cell; how many were wrong.
template <class T, std::size_t N>
std::uint64_t exchange_and_compare(const ts::dist_array_ref<T, N>& h, const manners& how) {
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
  const auto overwrite = [&] {
    if (o.storage == ts::block_storage::each) {  // else another block's ghosts are among them
      for (const ts::view<T, N>& u : blocks) {
        u.resident().each([&](const ts::point<N>& p) { u[p] = cell_type<T>::of(0); });
      }
    }
  };
  for (std::uint64_t e = 1; e <= static_cast<std::uint64_t>(how.exchanges); ++e) {
    for (const ts::view<T, N>& u : blocks) {
      u.resident().each([&](const ts::point<N>& p) { u[p] = cell_type<T>::of(number(p, domain, o.periodic, e)); });
    }
    const bool is_kept =
        how.promises != 0 && mix(how.promises + e * 31 + static_cast<std::uint64_t>(ts::here().id())) % 4 != 0;
    h.send_ghosts(is_kept ? ts::ghost_source::kept : ts::ghost_source::copied);
    wrong += h.exchange() == e ? 0U : 1U;
    if (!is_kept) {
      overwrite();  // what was sent was sent
    }
    ts::box<N> written;  // ghosts that are the program's already
    if (how.tasks > 1 && !blocks.empty()) {
      const auto tasks = static_cast<std::size_t>(how.tasks);
      std::vector<std::uint64_t> bad(tasks, 0);
      ts::finish([&] {
        for (std::size_t t = 0; t < tasks; ++t) {
          ts::async([&, t] {
            const ts::view<T, N>& u = blocks[t % blocks.size()];
            ts::box<N> some = u.stored();
            some.hi[0] = some.lo[0] + (some.extent(0) + static_cast<ts::index_t>(t)) / static_cast<ts::index_t>(t + 1);
            h.wait_for_ghosts(some);
            some.each([&](const ts::point<N>& p) { bad[t] += expect(u, p, e) ? 0U : 1U; });
          });
        }
      });
      for (const std::uint64_t b : bad) {
        wrong += b;
      }
    } else if (how.scribbles && blocks.size() == 1) {
      const ts::view<T, N>& u = blocks.front();
      ts::box<N> some = u.stored();
      const std::size_t axis = e % N;
      (e % 2 == 0 ? some.hi[axis] : some.lo[axis]) = e % 2 == 0 ? u.resident().lo[axis] : u.resident().hi[axis];
      if (h.ghosts_ready(some) || e % 3 != 0) {
        h.wait_for_ghosts(some);
        written = some;
        some.each([&](const ts::point<N>& p) {
          wrong += expect(u, p, e) ? 0U : 1U;
          if (!u.resident().contains(p)) {
            const bool is_outer = u[p] == T{};
            u[p] = is_outer ? T{} : cell_type<T>::of(1);
          }
        });
      }
    }
    if (how.any) {
      while (const auto came = h.wait_for_any_ghosts()) {
        for (const ts::box<N>& b : came->boxes) {
          for (const ts::view<T, N>& u : blocks) {
            if (o.storage == ts::block_storage::each && blocks.size() == 1) {
              b.each([&](const ts::point<N>& p) { wrong += written.contains(p) || expect(u, p, e) ? 0U : 1U; });
            }
          }
        }
      }
    } else {
      h.wait_for_ghosts();
    }
    overwrite();  // what is kept is kept no longer
    for (const ts::view<T, N>& u : blocks) {
      u.stored().each([&](const ts::point<N>& p) { wrong += written.contains(p) || expect(u, p, e) ? 0U : 1U; });
    }
  }
  return wrong;
}

/// A case, all its places; how many cells were wrong.
template <class T, std::size_t N>
std::uint64_t run_case(const random_case<N>& c) {
  ts::dist_array<T, N> a(c.d, c.o);
  const auto h = a.ref();
  const manners how{c.exchanges, c.tasks, c.any, c.scribbles, c.promises};
  const auto bad =
      ts::detail::answers_of<std::uint64_t>(c.d.group(), [h, how] { return exchange_and_compare(h, how); });
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
      if constexpr (N <= 3) {
        switch (random() % 4) {
          case 0: wrong = run_case<long>(c); break;
          case 1: wrong = run_case<unsigned char>(c); break;
          case 2: wrong = run_case<std::string>(c); break;
          default: wrong = run_case<triple>(c);
        }
      } else {
        wrong = run_case<long>(c);  // the kind of element does not know how many axes there are
      }
    };
    switch (random() % 8) {
      case 0:
      case 1: one(std::integral_constant<std::size_t, 1>()); break;
      case 2:
      case 3: one(std::integral_constant<std::size_t, 2>()); break;
      case 4:
      case 5: one(std::integral_constant<std::size_t, 3>()); break;
      case 6: one(std::integral_constant<std::size_t, 4>()); break;
      default: one(std::integral_constant<std::size_t, 5>());
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
