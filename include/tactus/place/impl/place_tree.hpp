// SPDX-License-Identifier: Apache-2.0
// One call at each of several places, by a tree of tasks.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/place/async_at.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <bit>
#include <cstddef>
#include <exception>
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

  /// Keeps the exception being handled, for each of n places.
  void keep(std::size_t n = 1) noexcept {
    for (; n != 0; --n) {
      scope_.add_failure(std::current_exception());
    }
  }

  /// Waits for all below, then hands on what has escaped, to the finish of the calling task.
  TACTUS_API void hand_on();

  /// The same, of the top where nothing could be sent: throws why.
  [[noreturn]] TACTUS_API void close_and_throw_first();

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
    send(all, function, group, arguments...);
    call(all, function, arguments...);
    all.hand_on();
  }

  /// Sends what follows the first of `group` on, under a finish of the caller's; what keeps it from being sent counts for each place that is
  /// not called.
  /// \return how many of at most k_tree_width have been sent
  template <class... As>
  static std::size_t send(tree_finish& all, const Fn& f, const std::vector<place>& group, const As&... arguments) {
    std::size_t sent = 0;
    for_each_part(group.size() - 1, [&](std::size_t first, std::size_t last) {
      try {
        const auto begin = group.begin() + 1;
        std::vector<place> below(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
        const place next = below.front();
        async_at(to_reach(next), tree_node{f}, std::move(below), arguments...);
        ++sent;
      } catch (...) {
        all.keep(last - first);
      }
    });
    return sent;
  }

  /// Calls the function with copies of the arguments.
  template <class... As>
  static void call(tree_finish& all, const Fn& f, const As&... arguments) {
    try {
      Fn copy(f);
      std::tuple<As...> own(arguments...);
      std::apply([&copy](As&... each) { static_cast<void>(call_received(copy, each...)); }, own);
    } catch (...) {
      all.keep();
    }
  }
};

/// Arguments for all places, as bytes that are made once and handed on as they are, so that a place that cannot read them keeps none below
/// it from being called.
struct packed_arguments {
  std::vector<std::byte> bytes;
  int from = 0;
  bool is_little = true;  // as its numbers are

  /// What a serialize throws passes through.
  template <class... As>
  static packed_arguments make(const As&... each) {
    packed_arguments made;
    made.bytes.resize(packed_bytes(each...));
    made.from = current_worker()->place;
    made.is_little = is_little_here();
    pack_here(made.bytes.data(), made.bytes.size(), each...);
    return made;
  }

  static bool is_little_here() noexcept {
    return (std::endian::native == std::endian::little) == (order_here() == byte_order::same);
  }
};

/// A function that is called with packed arguments, as with these.
template <class Fn, class... As>
struct unpacking {
  Fn function;

  void operator()(const packed_arguments& packed) {
    if (packed.is_little == (std::endian::native == std::endian::little)) {
      call<byte_order::same>(packed);
    } else if constexpr ((facts_of<As>::swaps && ...)) {
      call<byte_order::swapped>(packed);
    } else {
      throw_not_swapped(packed.from);
    }
  }

private:
  template <byte_order Order>
  void call(const packed_arguments& packed) {
    reader<Order> in(packed.bytes, packed.from);
    std::tuple<As...> arguments{unpack<As>(in)...};
    in.expect_end();
    std::apply([this](As&... each) { static_cast<void>(call_received(function, each...)); }, arguments);
  }
};

}  // namespace tactus::detail
