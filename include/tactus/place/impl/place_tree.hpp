// SPDX-License-Identifier: Apache-2.0
// One call at each of several places, by a tree of tasks.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/place/async_at.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus::detail {

/// A finish of the tree: what escapes from it goes to that of the node above, each exception by itself.
class tree_finish {
public:
  tree_finish() noexcept { scope_.open(current_worker()); }
  tree_finish(const tree_finish&) = delete;
  tree_finish& operator=(const tree_finish&) = delete;

  /// Keeps the exception being handled.
  void keep() noexcept { scope_.add_failure(std::current_exception()); }

  /// Waits for all below, then hands on what has escaped, to the finish of the calling task.
  TACTUS_API void hand_on();

  /// The same, of the top: throws it as one multiple_exceptions.
  void close_and_throw() { scope_.close_and_throw(); }

private:
  finish_scope scope_;
};

inline constexpr std::size_t k_tree_width = 4;

/// Calls f(first, last) for at most k_tree_width parts of [0, n), none of them empty.
template <class F>
void for_each_part(std::size_t n, F&& f) {
  const std::size_t parts = lesser(n, k_tree_width);
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t last = n * (i + 1) / parts;
    f(first, last);
    first = last;
  }
}

template <class Fn>
struct tree_node {
  Fn function;

  /// At the first of `group`: sends the rest on and calls the function.
  template <class... As>
  void operator()(const std::vector<place>& group, const As&... arguments) {
    tree_finish all;
    spread(all, function, group, arguments...);
    all.hand_on();
  }

  /// The same under a finish of the caller's.
  template <class... As>
  static void spread(tree_finish& all, const Fn& f, const std::vector<place>& group, const As&... arguments) {
    try {
      for_each_part(group.size() - 1, [&](std::size_t first, std::size_t last) {
        const auto begin = group.begin() + 1;
        std::vector<place> below(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
        const place next = below.front();
        async_at(to_reach(next), tree_node{f}, std::move(below), arguments...);
      });
      Fn copy(f);
      std::tuple<As...> own(arguments...);
      std::apply([&copy](As&... each) { static_cast<void>(call_received(copy, each...)); }, own);
    } catch (...) {
      all.keep();
    }
  }
};

}  // namespace tactus::detail
