// SPDX-License-Identifier: Apache-2.0
// What a team's reductions do with two values: with whole ones, or element by element.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/sync/impl/operator_of.hpp>
#include <tactus/wire/impl/travel_facts.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Two members gave so many elements.
[[noreturn]] TACTUS_NOINLINE inline void throw_unequal_lengths(std::size_t lower, std::size_t upper) {
  throw place_error("tactus::team: members gave " + std::to_string(lower) + " and " + std::to_string(upper) +
                    " elements to combine; all give as many");
}

/// How members hold a value while it is combined, what they get, and what those get that get nothing. Of values that stay what they are:
template <class T, class E>
struct team_data_as_given {
  using type = T;
  using element = E;
  static type of(T&& x) { return std::move(x); }
  static T result(type&& x, const T& /*given*/) { return std::move(x); }
  static T nothing(const T& /*given*/) {
    static_assert(std::default_initializable<T>, "members that are not the root get a T{}: give a T that can be one");
    return T{};
  }
};
/// Whole: one element.
template <class T>
struct team_data : team_data_as_given<T, T> {
  static constexpr bool has_fixed_length = true;
};
template <class E, class A>
struct team_data<std::vector<E, A>> : team_data_as_given<std::vector<E, A>, E> {
  static constexpr bool has_fixed_length = false;
};
template <class E, std::size_t N>
struct team_data<std::array<E, N>> : team_data_as_given<std::array<E, N>, E> {
  static constexpr bool has_fixed_length = true;
};
/// In place: what comes back is written to where the span leads.
template <class E, std::size_t N>
struct team_data<std::span<E, N>> {
  using type = std::vector<std::remove_cv_t<E>>;
  using element = std::remove_cv_t<E>;
  static constexpr bool has_fixed_length = false;
  static type of(std::span<E, N>&& x) { return type(x.begin(), x.end()); }
  static std::span<E, N> result(type&& x, std::span<E, N> given) {
    static_assert(!std::is_const_v<E>,
                  "a span is combined in place: give one whose elements can be written to, or a vector");
    for (std::size_t i = 0; i < given.size(); ++i) {
      given[i] = std::move(x[i]);
    }
    return given;
  }
  static std::span<E, N> nothing([[maybe_unused]] std::span<E, N> given) {
    if constexpr (N == std::dynamic_extent || N == 0) {
      return {};
    } else {
      return given;
    }
  }
};

/// What the elements of a value take; of a whole one, it.
template <class T>
[[nodiscard]] std::size_t bytes_in(const T& x) noexcept {
  if constexpr (team_data<T>::has_fixed_length) {
    return sizeof x;
  } else {
    return x.size() * sizeof(typename team_data<T>::element);
  }
}

/// Calls f(combine), where combine(a, b) is what the operator makes of two elements: one of the usual ones as a function of its own, so
/// that loops over it are fast.
template <class E, class F>
void with_function(op kind, F&& f) {
  if constexpr (std::is_arithmetic_v<E>) {
    switch (kind) {
      case op::sum: f([](E a, E b) { return static_cast<E>(a + b); }); return;
      case op::min: f([](E a, E b) { return least_of(a, b); }); return;
      case op::max: f([](E a, E b) { return greatest_of(a, b); }); return;
      default: break;
    }
  }
  const operator_of<E> any(kind);
  f([&any](const E& a, const E& b) { return any(a, b); });
}
template <class E, class Op, class F>
  requires(!std::same_as<Op, op>)
void with_function(const Op& function, F&& f) {
  f(function);
}

/// Whether an E comes to every member whatever it is: no code of the user's runs, nothing needs memory of its own, and places of either
/// byte order read it.
template <class E>
inline constexpr bool always_arrives =
    is_fixed<E> && !facts_of<E>::has_user_code && facts_of<E>::swaps && std::is_nothrow_copy_constructible_v<E> &&
    std::is_nothrow_move_constructible_v<E>;

/// combine(lower ranks' value, higher ranks' value), into the first.
template <class T, class Op>
class team_combine {
  using data = team_data<T>;
  using E = typename data::element;
  using value = typename data::type;
  static constexpr bool is_whole = std::same_as<value, E>;
  static constexpr bool is_named = std::same_as<Op, op>;

  static_assert(
      std::is_trivially_copyable_v<Op>,
      "the operation of a team must be trivially copyable: a function, or a closure that captures values only");
  static_assert(
      [] {
        if constexpr (is_named) {
          return true;
        } else {
          return std::is_invocable_r_v<E, const Op&, const E&, const E&>;
        }
      }(),
      "the operation of a team takes two values and makes one of them; of arrays, vectors and spans it takes two "
      "elements");

public:
  /// Whether neither it nor a copy on the way throws anywhere, but for want of memory, so that members need not tell others.
  static constexpr bool is_safe = data::has_fixed_length && [] {
    if constexpr (is_named) {
      return std::is_arithmetic_v<E>;
    } else {
      return std::is_nothrow_invocable_r_v<E, const Op&, const E&, const E&> && std::is_nothrow_move_assignable_v<E> &&
             always_arrives<E>;
    }
  }();

  /// Whether all who combine the same values make the same of them, or fail all alike, but for want of memory.
  static constexpr bool is_same_everywhere = is_named && std::is_arithmetic_v<E>;

  /// phaser_use_error: E has no such operator.
  explicit team_combine(Op o) : op_(o) {
    if constexpr (is_named) {
      static_cast<void>(identity_of<E>(o));
    }
  }

  void operator()(value& lower, const value& upper) const { combine_into(lower, lower, upper); }

  /// The same, into the second.
  void into_upper(const value& lower, value& upper) const { combine_into(upper, lower, upper); }

private:
  void combine_into(value& into, const value& lower, const value& upper) const {
    with_function<E>(op_, [&](const auto& combine) {
      if constexpr (is_whole) {
        into = combine(lower, upper);
      } else {
        const std::size_t n = lower.size();
        if (n != upper.size()) {
          throw_unequal_lengths(n, upper.size());
        }
        for (std::size_t i = 0; i < n; ++i) {
          into[i] = combine(lower[i], upper[i]);
        }
      }
    });
  }

  [[no_unique_address]] Op op_;
};

}  // namespace tactus::detail
