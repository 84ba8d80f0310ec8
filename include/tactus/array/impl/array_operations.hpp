// SPDX-License-Identifier: Apache-2.0
// What operations on distributed arrays have in common: operators, and answers of several places.
#pragma once

#include <tactus/array/point.hpp>
#include <tactus/place/at.hpp>
#include <tactus/place/impl/team_combine.hpp>
#include <tactus/sync/operators.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// a < b.
struct is_less {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
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
};

/// A function and its neutral element; both travel, the second as an argument.
template <class T, class Function>
struct given_monoid {
  T unit;
  Function function;

  [[nodiscard]] T identity() const { return unit; }
  T operator()(const T& a, const T& b) const { return static_cast<T>(function(a, b)); }
  template <class F>
  void with(F&& f) const {
    f(function);
  }
  [[nodiscard]] static std::uint64_t number() noexcept { return 0; }
};

template <class T>
named_monoid<T> monoid_of(op kind) {
  static_cast<void>(identity_of<T>(kind));  // throws where T has no such operator
  return {kind};
}
template <class T, class U, class Function>
given_monoid<T, Function> monoid_of(const monoid<U, Function>& m) {
  return {static_cast<T>(m.identity), m.combine};
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
