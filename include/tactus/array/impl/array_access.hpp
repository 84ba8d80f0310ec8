// SPDX-License-Identifier: Apache-2.0
// What operations on whole distributed arrays do at each place.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/dist_array_ref.hpp>
#include <tactus/array/impl/array_part.hpp>
#include <tactus/base/error.hpp>
#include <tactus/place/at.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What operations on whole arrays do at each place.
template <class T, std::size_t N>
struct array_access {
  using ref = dist_array_ref<T, N>;
  using pieces = std::vector<array<T, N>>;

  static array_part<T, N>& part(const ref& h, const char* call) { return h.any(call); }
  static ref made(place_object_name name) { return ref(name); }
  static place_object_name name(const ref& h) { return h.name_; }

  static void count(const ref& h, array_operation o, std::uint64_t messages, std::uint64_t bytes) {
    part(h, "an operation").counts().add(o, messages, bytes);
  }
  static void count_use(const ref& h, array_operation o) { part(h, "an operation").counts().use(o); }

  /// What values take in messages.
  template <class V>
  static std::uint64_t bytes_of(const V& values) {
    return packed_bytes(values);
  }
  static std::uint64_t bytes_of(const pieces& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::uint64_t all = 0;
      for (const array<T, N>& one : values) {
        all += one.size() * sizeof(T);
      }
      return all;
    } else {
      return packed_bytes(values);
    }
  }

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

  /// The same, for a place that they go to.
  static pieces read_for(const ref& h, array_operation o, place asker, const std::vector<box<N>>& boxes) {
    pieces all = read(h, boxes);
    if (asker != here()) {
      count(h, o, 1, bytes_of(all));
    }
    return all;
  }
  static array<T, N> read_block(const ref& h, place asker, const box<N>& b) {
    part(h, "sequence").check_closed("sequence");
    return std::move(read_for(h, array_operation::sequence, asker, {b}).front());
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
        part(h, "accumulate").lock_of(u.number()).hold([&] {
          both.each([&](const point<N>& x) { u[x] = m(u[x], from[x]); });
        });
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
          const pieces all = at(
              who,
              [source, asker = here()](const std::vector<box<N>>& of) {
                return read_for(source, array_operation::copy, asker, of);
              },
              of_owner);
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
};

}  // namespace tactus::detail
