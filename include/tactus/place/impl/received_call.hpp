// SPDX-License-Identifier: Apache-2.0
// A function and its arguments, as they were when it was sent.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/pack.hpp>
#include <tactus/place/impl/travel_check.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// How a received function is called: with rvalues if it can be, else with lvalues.
template <class Fn, class... As>
inline constexpr bool takes_rvalues = std::is_invocable_v<Fn&, As&&...>;
template <class Fn, class... As>
inline constexpr bool can_be_received = takes_rvalues<Fn, As...> || std::is_invocable_v<Fn&, As&...>;

template <class Fn, class... As>
decltype(auto) call_received(Fn& function, As&... arguments) {
  if constexpr (takes_rvalues<Fn, As...>) {
    return function(std::move(arguments)...);
  } else {
    return function(arguments...);
  }
}

/// What it returns there: a value, since a reference arrives as a copy.
template <class Fn, class... As>
using received_result = std::remove_cvref_t<decltype(call_received(std::declval<Fn&>(), std::declval<As&>()...))>;

/// Arguments that travel as objects.
template <class Fn, class... As>
class packed_call {
public:
  using timeline_label_of = typename labelled<Fn>::type;
  using result = received_result<Fn, As...>;

  template <class F, class... Gs>
  explicit packed_call(std::in_place_t, F&& f, Gs&&... given)
      : function_(std::forward<F>(f)), arguments_(std::forward<Gs>(given)...) {}

  result operator()() {
    return std::apply([this](As&... each) -> result { return call_received(function_, each...); }, arguments_);
  }

private:
  template <class, class...>
  friend class wired_call;

  [[no_unique_address]] Fn function_;
  [[no_unique_address]] std::tuple<As...> arguments_;
};

/// Arguments that travel as bytes.
template <class Fn, class... As>
class wired_call {
public:
  using timeline_label_of = typename labelled<Fn>::type;
  using result = received_result<Fn, As...>;

  /// As they are sent from place `from`; what their serialize throws passes through.
  wired_call(int from, const packed_call<Fn, As...>& given) : function_(given.function_), from_(from) {
    std::apply(
        [this](const As&... each) {
          size_ = packed_bytes(each...);
          bytes_ = std::make_unique_for_overwrite<std::byte[]>(size_);
          pack(bytes_.get(), size_, each...);
        },
        given.arguments_);
  }

  result operator()() {
    reader<byte_order::same> in({bytes_.get(), size_}, from_);
    std::tuple<As...> arguments{unpack<As>(in)...};
    in.expect_end();
    return std::apply([this](As&... each) -> result { return call_received(function_, each...); }, arguments);
  }

private:
  [[no_unique_address]] Fn function_;
  int from_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
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

/// Calls then(call), of what is sent: f and copies of the arguments, whichever way they travel. What copying and packing throws passes
/// through. `call` names the function for errors.
template <class Then, class F, class... Gs>
decltype(auto) with_sent_call(const char* call, look how, Then&& then, F&& f, Gs&&... given) {
  using Fn = std::decay_t<F>;
  check_call_travels<Fn, std::decay_t<Gs>...>();
  if (how == look::into_closure) {
    look_at_closure(static_cast<const Fn&>(f), lies_on_a_stack, call);
  }
  packed_call<Fn, std::decay_t<Gs>...> packed(std::in_place, std::forward<F>(f), std::forward<Gs>(given)...);
  const worker* const w = current_worker();  // copying may have suspended
  if (w->copies_as_bytes) {
    wired_call<Fn, std::decay_t<Gs>...> wired(w->place, packed);
    return then(std::move(wired));
  }
  return then(std::move(packed));
}

}  // namespace tactus::detail
