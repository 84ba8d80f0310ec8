// SPDX-License-Identifier: Apache-2.0
// Cells of distributed arrays that go from place to place in boxes.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/array/impl/array_part.hpp>
#include <tactus/base/error.hpp>
#include <tactus/place/async_at.hpp>
#include <tactus/place/at.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tactus {

template <class T, std::size_t N>
class dist_array_ref;

namespace detail {

/// What operations on arrays, and on boxes of their cells, do at each place.
template <class T, std::size_t N>
struct array_access {
  using ref = dist_array_ref<T, N>;
  using pieces = std::vector<array<T, N>>;

  static array_part<T, N>& part(const ref& h, const char* call) { return h.any(call); }
  static ref made(place_object_name name) { return ref(name); }
  static place_object_name name(const ref& h) { return h.name_; }

  /// Boxes of cells, each with who has them and in which block. usage_error: some of them nobody has.
  static std::map<place, std::vector<box<N>>> owners(const array_part<T, N>& p, const box<N>& all, const char* call) {
    std::map<place, std::vector<box<N>>> by_owner;
    std::size_t cells = 0;
    for (const place q : p.dist().group()) {
      for (const box<N>& b : p.dist().blocks(q)) {
        if (const box<N> both = b & all; !both.empty()) {
          by_owner[q].push_back(both);
          cells += both.size();
        }
      }
    }
    if (cells != all.size()) {
      const region<N> missing = region<N>(all) - p.dist().region();
      throw usage_error(std::string("tactus: ") + call + " of '" + p.options().name + "' from " + to_string(all) +
                        ": " + to_string(missing.boxes().front().lo) + " is not in the array's region, which lies in " +
                        to_string(p.dist().region().bounding_box()));
    }
    return by_owner;
  }

  /// Copies of cells that are here.
  static pieces read(const ref& h, const std::vector<box<N>>& boxes) {
    pieces all;
    for (const box<N>& b : boxes) {
      array<T, N>& one = all.emplace_back(b);
      for_each_block_in(h, b, [&](const view<T, N>& u, const box<N>& both) {
        const view<T, N> to = one.all();
        both.each([&](const point<N>& x) { to[x] = u[x]; });
      });
    }
    return all;
  }

  static void write(const ref& h, const pieces& all) {
    for (const array<T, N>& one : all) {
      const view<const T, N> from = one.all();
      for_each_block_in(h, one.region(), [&](const view<T, N>& u, const box<N>& both) {
        both.each([&](const point<N>& x) { u[x] = from[x]; });
      });
    }
  }

  template <class Monoid>
  static void combine(const ref& h, const pieces& all, const Monoid& m) {
    for (const array<T, N>& one : all) {
      const view<const T, N> from = one.all();
      for_each_block_in(h, one.region(), [&](const view<T, N>& u, const box<N>& both) {
        const std::lock_guard lock(part(h, "accumulate").lock_of(u.number()));
        both.each([&](const point<N>& x) { u[x] = m(u[x], from[x]); });
      });
    }
  }

  template <class F>
  static void for_each_block_in(const ref& h, const box<N>& b, F&& f) {
    for (const view<T, N>& u : part(h, "cells").blocks()) {
      if (const box<N> both = u.resident() & b; !both.empty()) {
        f(u, both);
      }
    }
  }

  static pieces cut(const array<T, N>& a, const std::vector<box<N>>& boxes) {
    pieces all;
    for (const box<N>& b : boxes) {
      array<T, N>& one = all.emplace_back(b);
      const view<T, N> to = one.all();
      b.each([&](const point<N>& x) { to[x] = a[x]; });
    }
    return all;
  }

  /// By a place that has cells of the target: gets what of them lies in `wanted`, and `shift` away in the source.
  static void fetch(const ref& source, const ref& target, const box<N>& wanted, const point<N>& shift) {
    const array_part<T, N>& from = part(source, "copy");
    const point<N> none;
    std::vector<box<N>> mine;
    for (const view<T, N>& u : part(target, "copy").blocks()) {
      if (const box<N> both = u.resident() & (wanted + shift); !both.empty()) {
        mine.push_back(both + (none - shift));
      }
    }
    if (mine.empty()) {
      return;
    }
    std::map<place, std::vector<box<N>>> by_owner;
    for (const place q : from.dist().group()) {
      for (const box<N>& b : from.dist().blocks(q)) {
        for (const box<N>& m : mine) {
          if (const box<N> both = b & m; !both.empty()) {
            by_owner[q].push_back(both);
          }
        }
      }
    }
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async([&source, &target, &shift, who = owner, &of_owner = boxes] {
          const pieces all = at(who, [source](const std::vector<box<N>>& of) { return read(source, of); }, of_owner);
          for (const array<T, N>& one : all) {
            const view<const T, N> values = one.all();
            for_each_block_in(target, one.region() + shift, [&](const view<T, N>& u, const box<N>& both) {
              both.each([&](const point<N>& x) { u[x] = values[x - shift]; });
            });
          }
        });
      }
    });
  }

  // ---- boxes of cells from anywhere ----

  static array<T, N> get(const ref& h, const box<N>& b) {
    array<T, N> all(b);
    const auto by_owner = owners(part(h, "get"), b, "get");
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async([&all, h, who = owner, &of_owner = boxes] {
          const auto came = at(who, [h](const std::vector<box<N>>& of) { return read(h, of); }, of_owner);
          const view<T, N> to = all.all();
          for (const array<T, N>& one : came) {
            const view<const T, N> from = one.all();
            one.region().each([&](const point<N>& x) { to[x] = from[x]; });
          }
        });
      }
    });
    return all;
  }

  static void set(const ref& h, const array<T, N>& a) {
    const auto by_owner = owners(part(h, "set"), a.region(), "set");
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async_at(owner, [h](const std::vector<array<T, N>>& all) { write(h, all); }, cut(a, boxes));
      }
    });
  }

  template <class Op>
  static void accumulate(const ref& h, const array<T, N>& a, const Op& o) {
    const auto m = monoid_of<T>(o);
    const auto by_owner = owners(part(h, "accumulate"), a.region(), "accumulate");
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async_at(
            owner, [h](const std::vector<array<T, N>>& all, const auto& how) { combine(h, all, how); }, cut(a, boxes),
            m);
      }
    });
  }
};

}  // namespace detail
}  // namespace tactus
