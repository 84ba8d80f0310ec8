// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate: how many there are, and all of them at once. C++20 shows no more than a structured binding does, and
// a binding of the wrong length is an error rather than an answer; so the count has to be right before anything is bound.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tactus::detail {

inline constexpr std::size_t k_most_fields = 16;

template <class... Ts>
struct types {};

/// Becomes whatever is asked of it, or what is described. Never called.
struct any_value {
  template <class U>
  operator U() const noexcept;  // NOLINT(google-explicit-constructor): that it converts by itself is its whole use
};
struct any_object {
  template <class U>
  operator U&() const noexcept;  // NOLINT(google-explicit-constructor)
};
struct any_union {
  template <class U>
    requires std::is_union_v<U>
  operator U() const noexcept;  // NOLINT(google-explicit-constructor)
};
template <class Derived>
struct any_base_of {
  template <class U>
    requires(std::is_base_of_v<U, Derived> && !std::is_same_v<U, Derived>)
  operator U() const noexcept;  // NOLINT(google-explicit-constructor)
};

/// Whether T can be made from N empty braces, and from those and one more thing behind. An empty brace is a field, whatever the
/// field is: an array takes no more than one.
template <class T, std::size_t N>
struct braced;

template <class... E>
void take_fields(E&...);

// For each number of fields: its row of braces; the fields handed to f, by reference; whether they can be, which bit-fields cannot.
#define TACTUS_BRACED(n, ...)                                                         \
  template <class T>                                                                  \
  struct braced<T, n> {                                                               \
    static constexpr bool fits = requires { T{__VA_ARGS__}; };                        \
    template <class Probe>                                                            \
    static constexpr bool then = requires { T{__VA_ARGS__ __VA_OPT__(, ) Probe{}}; }; \
  }
#define TACTUS_FIELDS(n, ...)                                                                 \
  template <class T, class F>                                                                 \
  constexpr decltype(auto) with_fields(std::integral_constant<std::size_t, n>, T& x, F&& f) { \
    auto& [__VA_ARGS__] = x;                                                                  \
    return std::forward<F>(f)(__VA_ARGS__);                                                   \
  }                                                                                           \
  template <class T>                                                                          \
  constexpr auto have_addresses(std::integral_constant<std::size_t, n>, T& x) {               \
    auto& [__VA_ARGS__] = x;                                                                  \
    return std::bool_constant<requires { take_fields(__VA_ARGS__); }>{};                      \
  }

// clang-format off
TACTUS_BRACED(0);
TACTUS_BRACED(1, {});
TACTUS_BRACED(2, {}, {});
TACTUS_BRACED(3, {}, {}, {});
TACTUS_BRACED(4, {}, {}, {}, {});
TACTUS_BRACED(5, {}, {}, {}, {}, {});
TACTUS_BRACED(6, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(7, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(8, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(9, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(10, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(11, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(12, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(13, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(14, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(15, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(16, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
TACTUS_BRACED(17, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});

TACTUS_FIELDS(1, a)
TACTUS_FIELDS(2, a, b)
TACTUS_FIELDS(3, a, b, c)
TACTUS_FIELDS(4, a, b, c, d)
TACTUS_FIELDS(5, a, b, c, d, e)
TACTUS_FIELDS(6, a, b, c, d, e, g)
TACTUS_FIELDS(7, a, b, c, d, e, g, h)
TACTUS_FIELDS(8, a, b, c, d, e, g, h, i)
TACTUS_FIELDS(9, a, b, c, d, e, g, h, i, j)
TACTUS_FIELDS(10, a, b, c, d, e, g, h, i, j, k)
TACTUS_FIELDS(11, a, b, c, d, e, g, h, i, j, k, r)
TACTUS_FIELDS(12, a, b, c, d, e, g, h, i, j, k, r, m)
TACTUS_FIELDS(13, a, b, c, d, e, g, h, i, j, k, r, m, n)
TACTUS_FIELDS(14, a, b, c, d, e, g, h, i, j, k, r, m, n, o)
TACTUS_FIELDS(15, a, b, c, d, e, g, h, i, j, k, r, m, n, o, p)
TACTUS_FIELDS(16, a, b, c, d, e, g, h, i, j, k, r, m, n, o, p, q)
// clang-format on
#undef TACTUS_BRACED
#undef TACTUS_FIELDS

/// How many empty braces make a T, up to one more than can be bound.
template <class T, std::size_t N = 0>
constexpr std::size_t count_braces() {
  if constexpr (N <= k_most_fields) {
    if constexpr (braced<T, N + 1>::fits) {
      return count_braces<T, N + 1>();
    }
  }
  return N;
}

/// Bases count as fields but cannot be bound; nor can a union without a name, which none of these probes tells from one with a name.
/// A field that no empty brace makes, a reference say, would be missed.
template <class T, std::size_t N>
constexpr bool can_be_bound() {
  if constexpr (N == 0 || N > k_most_fields || braced<T, 0>::template then<any_base_of<T>>) {
    return false;
  } else if constexpr (braced<T, N>::template then<any_value> || braced<T, N>::template then<any_object>) {
    return false;
  } else if constexpr ([]<std::size_t... I>(std::index_sequence<I...>) {
                         return (braced<T, I>::template then<any_union> || ...);
                       }(std::make_index_sequence<N>{})) {
    return false;
  } else {
    return decltype(have_addresses(std::integral_constant<std::size_t, N>{}, std::declval<T&>()))::value;
  }
}

/// A binding of such a type asks std::get, not the fields.
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };

/// The number of fields of an aggregate that a structured binding shows, one by one; 0: of none, or not to be seen.
template <class T>
constexpr std::size_t count_fields() {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T> && !tuple_like<T>) {
    if constexpr (braced<T, 0>::fits) {
      constexpr std::size_t n = count_braces<T>();
      if constexpr (can_be_bound<T, n>()) {
        return n;
      }
    }
  }
  return 0;
}

/// Whether T can be made of so many things that are there already, or of fewer, but not of as many that are made for it.
template <class T, class... Objects>
constexpr bool takes_objects_only() {
  if constexpr (sizeof...(Objects) > k_most_fields) {
    return false;
  } else if constexpr (requires { T{Objects{}...}; }) {
    return !requires { T{(static_cast<void>(Objects{}), any_value{})...}; };
  } else {
    return takes_objects_only<T, any_object, Objects...>();
  }
}

/// Whether an aggregate, of those that are copied as bytes, holds a reference, as far as that is seen.
template <class T>
constexpr bool find_reference() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || std::is_empty_v<T> || tuple_like<T>) {
    return false;
  } else if constexpr (braced<T, 0>::fits) {
    constexpr std::size_t n = count_braces<T>();
    if constexpr (n <= k_most_fields) {
      return braced<T, n>::template then<any_object> && !braced<T, n>::template then<any_value>;
    }
    return false;
  } else {
    return takes_objects_only<T>();
  }
}

template <class T>
inline constexpr std::size_t shown_fields = count_fields<T>();

/// Hands the fields of x to f, by reference and in their order.
template <class T, class F>
constexpr decltype(auto) for_fields(T& x, F&& f) {
  return with_fields(std::integral_constant<std::size_t, shown_fields<std::remove_cv_t<T>>>{}, x, std::forward<F>(f));
}

/// Their types, const as they are.
template <class T>
using field_types = decltype(for_fields(std::declval<T&>(), []<class... E>(E&...) { return types<E...>{}; }));

}  // namespace tactus::detail
