// SPDX-License-Identifier: Apache-2.0
// A function and its arguments, as they were when it was sent.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/held_bytes.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/task/impl/task_body.hpp>
#include <tactus/wire/impl/travel_check.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// A handle of something that tasks are registered on: it goes to a place that this reaches, or says that it does not.
template <class T>
concept reaching_handle = requires(const T& x) { x.refuse_elsewhere(); };

/// Arguments that travel as objects.
template <class Fn, class... As>
class packed_call {
public:
  using timeline_label_of = typename labelled<Fn>::type;
  static constexpr bool has_handles = (reaching_handle<As> || ...);

  template <class F, class... Gs>
  explicit packed_call(std::in_place_t, F&& f, Gs&&... given)
      : function_(std::forward<F>(f)), arguments_(std::forward<Gs>(given)...) {}

  /// A reference stays one: what is done with it, and whether it can be copied, is the caller's matter.
  decltype(auto) operator()() {
    return std::apply([this](As&... each) -> decltype(auto) { return call_received(function_, each...); }, arguments_);
  }

  /// As bytes, for place `to`.
  template <bool Replies>
  [[nodiscard]] wired_call wired(int to) const {
    return std::apply([&](const As&... each) { return wire<Replies>(to, function_, each...); }, arguments_);
  }

  /// The same, of what is at an end here: long ranges go apart where they can.
  template <bool Replies>
  [[nodiscard]] wired_call wired_beside(int to) && {
    if constexpr (can_go_apart<As...>) {
      if (ranges_go_apart(to)) {
        const packed_size n =
            std::apply([](const As&... each) { return packed_size_of(true, each...); }, std::as_const(arguments_));
        if (n.ranges != 0) {
          return wire_beside<Replies>(to, function_, n, std::move(arguments_));
        }
      }
    }
    return wired<Replies>(to);
  }

  /// So many bytes they are, as far as they can be; what copying throws.
  [[nodiscard]] std::size_t size() const {
    const std::size_t of_function = std::is_empty_v<Fn> ? 0 : sizeof(Fn);
    return of_function +
           std::apply([](const As&... each) { return (std::size_t{0} + ... + size_of(each)); }, arguments_);
  }

  /// Besides its own bytes.
  [[nodiscard]] std::size_t held() const {
    return std::apply([](const As&... each) { return (std::size_t{0} + ... + held_bytes(each)); }, arguments_);
  }

private:
  template <class T>
  static std::size_t size_of(const T& x) {
    if constexpr (reaching_handle<T>) {
      return sizeof(T);
    } else {
      return packed_bytes(x);
    }
  }

  [[no_unique_address]] Fn function_;
  [[no_unique_address]] std::tuple<As...> arguments_;
};

/// Does not compile unless all of them travel.
template <class Fn, class... As>
constexpr void check_call_travels() {
  check_closure<Fn>();
  static_assert(can_be_received<Fn, As...>,
                "the function cannot be called with these arguments, as rvalues or as lvalues");
  []<std::size_t... I>(std::index_sequence<I...>) {
    (check_travels<I + 1, As>(), ...);
  }(std::index_sequence_for<As...>{});
}

/// The look at a closure before it is sent: place_error.
enum class look : std::uint8_t { into_closure, none };

/// Whether `address` lies on the stack of a task of this process.
[[nodiscard]] TACTUS_API bool lies_on_a_stack(std::uintptr_t address) noexcept;

template <class T>
void check_reach([[maybe_unused]] const T& x) {
  if constexpr (reaching_handle<T>) {
    x.refuse_elsewhere();
  }
}

/// Whether a call has a result that goes back.
enum class answer : bool { none, result };

/// Whether a call goes straight to its place, and long ranges may so beside it.
enum class way : bool { straight, may_go_on };

/// Calls then(call), of what is sent to place `to`: f and copies of the arguments, as objects or as bytes. What copying and packing throws
/// passes through. `call` names the function for errors.
template <answer Answer = answer::none, way Way = way::may_go_on, class Then, class F, class... Gs>
decltype(auto) with_sent_call(const char* call, look how, int to, Then&& then, F&& f, Gs&&... given) {
  using Fn = std::decay_t<F>;
  check_call_travels<Fn, std::decay_t<Gs>...>();
  if (how == look::into_closure) {
    look_at_closure(static_cast<const Fn&>(f), lies_on_a_stack, call);
  }
  constexpr bool has_handles = (reaching_handle<std::decay_t<Gs>> || ...);
  if constexpr (has_handles) {
    if (to != current_worker()->place) {
      (check_reach(given), ...);
    }
  }
  packed_call<Fn, std::decay_t<Gs>...> packed(std::in_place, std::forward<F>(f), std::forward<Gs>(given)...);
  if constexpr (!has_handles) {
    constexpr bool replies = Answer == answer::result;
    if (current_worker()->copies_as_bytes) {  // the one that copying has led to
      if constexpr (Way == way::straight) {
        return then(std::move(packed).template wired_beside<replies>(to));
      } else {
        return then(packed.template wired<replies>(to));
      }
    }
  }
  return then(std::move(packed));
}

}  // namespace tactus::detail
