// SPDX-License-Identifier: Apache-2.0
// What operations on distributed arrays have in common: operators, and answers of several places.
#pragma once

#include <tactus/array/point.hpp>
#include <tactus/base/error.hpp>
#include <tactus/place/at.hpp>
#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/named_function.hpp>
#include <tactus/place/impl/team_combine.hpp>
#include <tactus/sync/operators.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What a program calls to have cells copied from another dist.
enum class copying_call : std::uint8_t { copy, redistributed, move_to };

[[nodiscard]] constexpr const char* name_of(copying_call c) noexcept {
  switch (c) {
    case copying_call::copy: break;
    case copying_call::redistributed: return "redistributed";
    case copying_call::move_to: return "move_to";
  }
  return "copy";
}

/// a < b, and NaNs behind all numbers, as min_at() has them: by `<` alone they would be no order.
struct is_less {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>) {
      return a < b || (b != b && a == a);
    } else {
      return a < b;
    }
  }
};

/// One of the usual operators as a monoid over T that travels.
template <class T>
struct named_monoid {
  op kind = op::sum;

  [[nodiscard]] T identity() const { return identity_of<T>(kind); }
  T operator()(const T& a, const T& b) const { return operator_of<T>(kind)(a, b); }

  /// Calls f(combine), of a function that is fast.
  template <class F>
  void with(F&& f) const {
    with_function<T>(kind, std::forward<F>(f));
  }
  [[nodiscard]] std::uint64_t number() const noexcept { return static_cast<std::uint64_t>(kind) + 1; }

  /// What has come, to be used here.
  [[nodiscard]] named_monoid to_be_used() const noexcept { return *this; }
};

/// A closure with captures as part of an argument, whose fields are made before they come: in room for it until then.
template <class F>
class kept_function {
public:
  kept_function() noexcept : none_() {}
  explicit kept_function(const F& f) noexcept : function_(f) {}
  kept_function(const kept_function&) noexcept = default;
  // Asked of an F, whose own is deleted, g++ 12 would not take it for trivially copyable any more, and could not look into it.
  kept_function& operator=(const kept_function& other) noexcept { return *std::construct_at(this, other); }
  ~kept_function() = default;

  [[nodiscard]] const F& function() const noexcept { return function_; }

private:
  union {  // trivially copyable, as F is: what travels is its bytes
    char none_;
    F function_;
  };
};

/// As what a function goes that is part of an argument.
template <class F>
using kept_or_sent =
    std::conditional_t<std::default_initializable<sent_function<F>>, sent_function<F>, kept_function<F>>;

template <class F>
[[nodiscard]] const F& to_be_called(const kept_function<F>& f) noexcept {
  return f.function();
}

/// A function and its neutral element; both travel, as a kept_or_sent and as an argument.
template <class T, class Function>
struct given_monoid {
  T unit;
  Function function;

  [[nodiscard]] auto to_be_used() const {
    return given_monoid<T, std::decay_t<decltype(to_be_called(function))>>{unit, to_be_called(function)};
  }

  [[nodiscard]] T identity() const { return unit; }
  T operator()(const T& a, const T& b) const { return static_cast<T>(to_be_called(function)(a, b)); }
  template <class F>
  void with(F&& f) const {
    f(to_be_called(function));
  }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_of_function(function); }
};

[[noreturn]] inline void throw_no_operator(const char* call, std::string_view why) {
  why.remove_prefix(why.find(": "));  // who else has operators
  throw usage_error(std::string("tactus: ") + call + std::string(why));
}

/// What `call` combines elements by. usage_error: T has no such operator.
template <class T>
named_monoid<T> monoid_of(const char* call, op kind) {
  try {
    static_cast<void>(identity_of<T>(kind));
  } catch (const phaser_use_error& e) {
    throw_no_operator(call, e.what());
  }
  return {kind};
}
template <class T, class U, class Function>
auto monoid_of(const char* /*call*/, const monoid<U, Function>& m) {
  check_closure<std::remove_cv_t<Function>>();
  using sent = kept_or_sent<std::remove_cv_t<Function>>;
  return given_monoid<T, sent>{static_cast<T>(m.identity), sent(m.combine)};
}

/// The look of at() at what a monoid calls, where that goes to other places. place_error: it names the caller's stack.
inline void look_at_monoid(op /*o*/, const char* /*call*/) noexcept {}
template <class U, class Function>
void look_at_monoid(const monoid<U, Function>& m, const char* call) {
  look_at_closure<std::remove_cv_t<Function>>(m.combine, lies_on_a_stack, call);
}

/// Called with cells, f(point, value) or f(value).
template <class F, std::size_t N, class... V>
decltype(auto) call_with_cell(F& f, const point<N>& p, V&&... values) {
  if constexpr (std::invocable<F&, const point<N>&, V...>) {
    return f(p, std::forward<V>(values)...);
  } else {
    return f(std::forward<V>(values)...);
  }
}

/// What f(arguments...) returns at each of `group`, in that order; at all of them at once.
template <class R, class F, class... Args>
std::vector<R> answers_of(const place_group& group, const F& f, const Args&... arguments) {
  std::vector<std::optional<R>> all(group.size());
  finish([&] {
    for (std::size_t i = 0; i < group.size(); ++i) {
      async([&all, &group, &f, &arguments..., i] { all[i].emplace(at(group[i], f, arguments...)); });
    }
  });
  std::vector<R> values;
  values.reserve(all.size());
  for (std::optional<R>& one : all) {
    values.push_back(std::move(*one));
  }
  return values;
}

}  // namespace tactus::detail
