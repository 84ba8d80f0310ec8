// SPDX-License-Identifier: Apache-2.0
// Boxes of cells of distributed arrays, read, written and combined from any place.
#pragma once

#include <tactus/array/array.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/array/impl/operation_counts.hpp>
#include <tactus/array/view.hpp>
#include <tactus/place/async_at.hpp>
#include <tactus/place/at.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tactus {

template <class T, std::size_t N>
class dist_array_ref;

namespace detail {

template <class T, std::size_t N>
struct array_access;

/// What array_access does with cells at one place, for those of all owners at once: a message to each. By a task at any place.
template <class T, std::size_t N>
struct box_access {
  using access = array_access<T, N>;
  using ref = dist_array_ref<T, N>;
  using pieces = std::vector<array<T, N>>;

  static array<T, N> get(const ref& h, const box<N>& b) {
    const auto by_owner = access::owners(access::part(h, "get"), b, "get");
    access::count_use(h, array_operation::get);
    array<T, N> all(b);
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async([&all, h, who = owner, &of_owner = boxes] {
          const auto came = at(
              who,
              [h, asker = here()](const std::vector<box<N>>& of) {
                return access::read_for(h, array_operation::get, asker, of);
              },
              of_owner);
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
    const auto by_owner = access::owners(access::part(h, "set"), a.region(), "set");
    access::count_use(h, array_operation::set);
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async_at(
            to_reach(owner), [h](const pieces& all) { access::write(h, all); },
            cut_for(h, array_operation::set, owner, a, boxes));
      }
    });
  }

  template <class Op>
  static void accumulate(const ref& h, const array<T, N>& a, const Op& o) {
    look_at_monoid(o, "accumulate");
    const auto m = monoid_of<T>("accumulate", o);
    const auto by_owner = access::owners(access::part(h, "accumulate"), a.region(), "accumulate");
    access::count_use(h, array_operation::accumulate);
    finish([&] {
      for (const auto& [owner, boxes] : by_owner) {
        async_at(
            to_reach(owner), [h](const pieces& all, const auto& how) { access::combine(h, all, how.to_be_used()); },
            cut_for(h, array_operation::accumulate, owner, a, boxes), m);
      }
    });
  }

private:
  // What goes to an owner.
  static pieces cut_for(const ref& h, array_operation o, place to, const array<T, N>& a,
                        const std::vector<box<N>>& boxes) {
    pieces cells = access::cut(a, boxes);
    if (to != here()) {
      access::count(h, o, 1, access::bytes_of(cells));
    }
    return cells;
  }
};

}  // namespace detail
}  // namespace tactus
