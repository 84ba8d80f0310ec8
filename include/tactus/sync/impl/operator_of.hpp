// SPDX-License-Identifier: Apache-2.0
// What an operator of accumulators does with two values of a type, and its identity there.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/any_function.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/sync/operators.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactus::detail {

template <class T>
concept located = requires(const T& x) {
  { x.first < x.first } -> std::convertible_to<bool>;
  { x.second < x.second } -> std::convertible_to<bool>;
  T{x.first, x.second};
};

/// Whether the operator runs code that the library does not know: for all but numbers, and pairs of them where it looks at their parts.
template <class T>
[[nodiscard]] constexpr bool runs_users_operator(op kind) noexcept {
  if constexpr (std::is_arithmetic_v<T>) {
    return false;
  } else if constexpr (located<T>) {
    return (kind != op::minloc && kind != op::maxloc) || !std::is_arithmetic_v<decltype(T::first)> ||
           !std::is_arithmetic_v<decltype(T::second)>;
  } else {
    return true;
  }
}

/// The smaller one; a NaN only of two of them, so that what comes of many does not depend on how they are put together. Of floating-point
/// numbers it is two comparisons without a jump, of which compilers make vectors.
template <class T>
[[nodiscard]] constexpr T least_of(const T& a, const T& b) {
  if constexpr (std::floating_point<T>) {
    const T least = b < a ? b : a;
    return a != a ? b : least;
  } else {
    return b < a ? b : a;
  }
}
/// The larger one, likewise.
template <class T>
[[nodiscard]] constexpr T greatest_of(const T& a, const T& b) {
  if constexpr (std::floating_point<T>) {
    const T greatest = a < b ? b : a;
    return a != a ? b : greatest;
  } else {
    return a < b ? b : a;
  }
}

/// Whether b goes before a, of pairs of a value and where it was found: `better` looks at values, and NaNs go behind all numbers.
template <class T, class Better>
[[nodiscard]] constexpr bool is_found_before(const T& b, const T& a, const Better& better) {
  using value = std::remove_cvref_t<decltype(a.first)>;
  if constexpr (std::floating_point<value>) {
    if (a.first != a.first || b.first != b.first) {
      return a.first != a.first && (b.first == b.first || b.second < a.second);
    }
  }
  return better(b.first, a.first) || (!better(a.first, b.first) && b.second < a.second);
}

[[noreturn]] TACTUS_API void throw_bad_operator(op kind);

/// One of the operators, or a function of any kind.
template <class T>
class operator_of {
public:
  explicit operator_of(op kind) : is_sum_(kind == op::sum), kind_(kind) {}
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, op> && !std::same_as<std::remove_cvref_t<F>, operator_of>)
  explicit operator_of(F&& f) : function_(std::forward<F>(f)) {}

  [[nodiscard]] bool is_function() const noexcept { return static_cast<bool>(function_); }

  TACTUS_ALWAYS_INLINE T operator()(const T& a, const T& b) const {
    if constexpr (requires { T(a + b); }) {
      if (is_sum_) [[likely]] {  // a test costs less than a jump through a table
        return T(a + b);
      }
    }
    if (function_) [[unlikely]] {
      return function_(a, b);
    }
    switch (kind_) {
      case op::sum:
        if constexpr (requires { T(a + b); }) return T(a + b);
        break;
      case op::product:
        if constexpr (requires { T(a * b); }) return T(a * b);
        break;
      case op::min:
        if constexpr (requires {
                        { b < a } -> std::convertible_to<bool>;
                      })
          return least_of(a, b);
        break;
      case op::max:
        if constexpr (requires {
                        { a < b } -> std::convertible_to<bool>;
                      })
          return greatest_of(a, b);
        break;
      case op::bit_and:
        if constexpr (requires { T(a & b); }) return T(a & b);
        break;
      case op::bit_or:
        if constexpr (requires { T(a | b); }) return T(a | b);
        break;
      case op::bit_xor:
        if constexpr (requires { T(a ^ b); }) return T(a ^ b);
        break;
      case op::logical_and:
        if constexpr (requires { T(a && b); }) return T(static_cast<bool>(a) && static_cast<bool>(b));
        break;
      case op::logical_or:
        if constexpr (requires { T(a || b); }) return T(static_cast<bool>(a) || static_cast<bool>(b));
        break;
      case op::minloc:
        if constexpr (located<T>) {
          return is_found_before(b, a, [](const auto& x, const auto& y) { return x < y; }) ? b : a;
        }
        break;
      case op::maxloc:
        if constexpr (located<T>) {
          return is_found_before(b, a, [](const auto& x, const auto& y) { return y < x; }) ? b : a;
        }
        break;
    }
    throw_bad_operator(kind_);  // not reached: identity_of() has thrown
  }

private:
  bool is_sum_ = false;
  op kind_ = op::sum;
  any_function<T(const T&, const T&)> function_;
};

template <class V>
V lowest_of() {
  return std::numeric_limits<V>::has_infinity ? V(-std::numeric_limits<V>::infinity())
                                              : std::numeric_limits<V>::lowest();
}
template <class V>
V highest_of() {
  return std::numeric_limits<V>::has_infinity ? std::numeric_limits<V>::infinity() : std::numeric_limits<V>::max();
}

template <class T>
concept limited = std::numeric_limits<T>::is_specialized;

/// The identity of an operator; phaser_use_error where T has no such operator.
template <class T>
T identity_of(op kind) {
  switch (kind) {
    case op::sum:
      if constexpr (requires(const T& a) { T(a + a); } && std::default_initializable<T>) return T{};
      break;
    case op::product:
      if constexpr (requires(const T& a) { T(a * a); } && std::constructible_from<T, int>) return T(1);
      break;
    case op::min:
      if constexpr (limited<T>) return highest_of<T>();
      break;
    case op::max:
      if constexpr (limited<T>) return lowest_of<T>();
      break;
    case op::bit_and:
      if constexpr (std::integral<T> && !std::same_as<T, bool>)
        return static_cast<T>(~T{});
      else if constexpr (std::same_as<T, bool>)
        return true;
      break;
    case op::bit_or:
    case op::bit_xor:
      if constexpr (std::integral<T>) return T{};
      break;
    case op::logical_and:
      if constexpr (requires(const T& a) { T(a && a); } && std::constructible_from<T, bool>) return T(true);
      break;
    case op::logical_or:
      if constexpr (requires(const T& a) { T(a || a); } && std::constructible_from<T, bool>) return T(false);
      break;
    case op::minloc:
    case op::maxloc:
      if constexpr (located<T>) {
        using value = std::remove_cvref_t<decltype(std::declval<T>().first)>;
        using place = std::remove_cvref_t<decltype(std::declval<T>().second)>;
        if constexpr (limited<value> && limited<place>) {
          return T{kind == op::minloc ? highest_of<value>() : lowest_of<value>(), highest_of<place>()};
        }
      }
      break;
  }
  throw_bad_operator(kind);
}

/// The same for a clock's accumulator, whose misuse is clock_use_error.
template <class T>
T identity_on_clock(op kind) {
  try {
    return identity_of<T>(kind);
  } catch (const phaser_use_error& e) {
    throw clock_use_error(e.what());
  }
}

/// For reduce.
template <class T>
struct named_reduction<T, op> {
  struct combined {
    T identity;
    operator_of<T> combine;
    T operator()(const T& a, const T& b) const { return combine(a, b); }
  };

  static combined of(op kind) {
    try {
      return {identity_of<T>(kind), operator_of<T>(kind)};
    } catch (const phaser_use_error& e) {
      std::string_view why = e.what();
      why.remove_prefix(why.find(": "));  // who else has operators
      throw usage_error("tactus::reduce" + std::string(why));
    }
  }
};

}  // namespace tactus::detail
