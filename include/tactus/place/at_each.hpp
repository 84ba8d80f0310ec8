// SPDX-License-Identifier: Apache-2.0
// at_each: one call at each of several places.
#pragma once

#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/named_function.hpp>
#include <tactus/place/impl/place_tree.hpp>
#include <tactus/wire/impl/travel_kinds.hpp>

#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {

struct at_each_verb {
  template <class Places, class F, class... Args>
    requires requires(Places& group) {
      { *std::begin(group) } -> std::convertible_to<place>;
      std::end(group);
    }
  void operator()(Places&& group, F&& f, Args&&... args) const {
    check_call_travels<std::decay_t<F>, std::decay_t<Args>...>();
    if constexpr (compiles<std::decay_t<F>, std::decay_t<Args>...>) {
      call_each(std::forward<Places>(group), std::forward<F>(f), std::forward<Args>(args)...);
    }
  }

private:
  // Else the check says why, and nothing else does.
  template <class Fn, class... As>
  static constexpr bool compiles = can_be_received<Fn, As...> && ((facts_of<As>::why == refusal::none) && ...);

  template <class Places, class F, class... Args>
  static void call_each(Places&& group, F&& f, Args&&... args) {
    using Fn = sent_function<std::decay_t<F>>;
    const worker* const w = worker_for("at_each");
    look_at_closure(static_cast<const std::decay_t<F>&>(f), lies_on_a_stack, "at_each");
    const place own(place::unchecked{w->place});
    std::vector<place> all{own};  // which begins the tree
    bool is_among = false;
    for (const place p : group) {
      check_target(w, p.id(), "at_each");
      if (p == own && !is_among) {
        is_among = true;
      } else {
        all.push_back(p);
      }
    }
    const Fn function(std::forward<F>(f));
    call_all<Fn, std::decay_t<Args>...>(function, all, is_among, std::decay_t<Args>(std::forward<Args>(args))...);
  }

  template <class Fn, class... As>
  static void call_all(const Fn& f, const std::vector<place>& all, bool is_among, As&&... arguments) {
    constexpr bool copied = (goes_as_copy<As> && ...);
    if constexpr (!(reaching_handle<As> || ...)) {
      if (!copied || current_worker()->copies_as_bytes) {  // the one that copying has led to
        call_at_top(packed_tree_call<Fn, As...>(f, packed_arguments::make(arguments...)), all, is_among);
        return;
      }
    }
    if constexpr (copied) {
      call_at_top(tree_call_of<Fn, As...>(f, std::move(arguments)...), all, is_among);
    } else {
      static_assert(
          !(reaching_handle<As> || ...),
          "at_each: an argument that cannot be copied goes as bytes, which a clock, phaser or accumulator does not");
    }
  }
};

}  // namespace detail

/// Calls f(args...) once at each of `group`, and returns when all of them, and what they have spawned, have ended. A tree of
/// messages: two for each place but the caller's.
/// \param group any range of places that can be gone through twice, as places(); a place that is in it twice is called twice
/// \param f, args as for async_at; each place gets a copy: as bytes, at its own place too, where an argument cannot be copied
/// Errors: all that escaped, in one multiple_exceptions, when all have ended: one for each place where f threw or could not be called. Before
/// anything was sent: place_error for a place that there is not and for a closure that is seen to name the caller's stack, usage_error
/// outside a task, what copying and serialize throw here, and resource_error for more bytes than memory_bytes allows.
/// Suspends: yes, and goes on on any worker of its place.
/// Visibility: what f did everywhere happens before the return.
/// \snippet 17_places.cpp at_each
/// \ingroup places
#ifdef DOXYGEN
template <class Places, class F, class... Args>
void at_each(Places&& group, F&& f, Args&&... args);
#else
inline constexpr detail::at_each_verb at_each{};
#endif

}  // namespace tactus
