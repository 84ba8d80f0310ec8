// SPDX-License-Identifier: Apache-2.0
// Whether a type travels, which of its parts does not and why, and what follows for the ways it is written.
#pragma once

#include <tactus/wire/impl/travel_kinds.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tactus::detail {

enum class refusal : std::uint8_t {
  none,
  address,       // a pointer, or what is one in other words
  reference,     //
  view,          // span, string_view
  shared,        // shared_ptr, weak_ptr
  by_object,     // a set or map whose comparator, or hash, has a state
  place_bound,   // of Tactus, and of the place where it was made
  no_length,     // unique_ptr<T[]>
  not_made,      // the user's, without a default constructor and load
  abstract,      // behind a unique_ptr
  is_const,      // a field that cannot be assigned, of a class that is no bytes
  many_choices,  // a variant of more alternatives than a byte has values
  no_serialize   // nothing is known of it
};

/// What is known of a type; `part`: what is refused, it or something in it.
template <refusal Why, class Part, bool Swaps, bool HasUserCode>
struct facts {
  static constexpr refusal why = Why;
  using part = Part;
  static constexpr bool swaps = Swaps;
  static constexpr bool has_user_code = HasUserCode;
};

/// Of a blob: the numbers that it consists of, which the standard promises of these, so that they can be swapped.
template <class T>
struct unit_of {
  using type = void;
};
template <class T>
  requires requires(T& x) {
    x.real();
    x.imag();
    requires std::is_arithmetic_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);
  }
struct unit_of<T> {  // complex
  using type = typename T::value_type;
};
template <class T>
  requires requires {
    typename T::period;
    requires std::is_arithmetic_v<typename T::rep> && sizeof(T) == sizeof(typename T::rep);
  }
struct unit_of<T> {  // duration, and time_point, which names them too
  using type = typename T::rep;
};
template <template <std::size_t> class Bits, std::size_t N>
  requires requires(Bits<N>& x) {
    x.set().count();
    x &= x;
    requires sizeof(Bits<N>) % sizeof(unsigned long) == 0;
  }
struct unit_of<Bits<N>> {  // bitset
  using type = unsigned long;
  static constexpr bool has_spare_bits = N % (8 * sizeof(unsigned long)) != 0;
};
template <class T>
using unit = typename unit_of<T>::type;
template <class T>
concept has_spare_bits = requires { requires unit_of<T>::has_spare_bits; };

/// The reason why a type that is none of the kinds stays.
template <class T>
consteval refusal why_none() {
  if constexpr (stays<T>) {
    return refusal::place_bound;
  } else if constexpr (std::is_reference_v<T>) {
    return refusal::reference;
  } else if constexpr (std::is_class_v<T> && copies_as_bytes<T> && find_reference<T>()) {
    return refusal::reference;
  } else if constexpr (is_view<T>) {
    return refusal::view;
  } else if constexpr (shares<T>) {
    return refusal::shared;
  } else if constexpr (keeps_by_object<T>) {
    return refusal::by_object;
  } else if constexpr (std::is_scalar_v<T> || std::is_function_v<T>) {
    return refusal::address;
  } else if constexpr (copies_as_bytes<T> && is_address<T>) {
    return refusal::address;
  } else {
    return refusal::no_serialize;
  }
}

/// The reason why one that is of a kind stays nonetheless, its parts left aside.
template <class T>
consteval refusal why_itself() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (k == travel_kind::none) {
    return why_none<T>();
  } else if constexpr (k == travel_kind::own) {
    return has_load<T> || (std::default_initializable<T> && std::move_constructible<T>) ? refusal::none
                                                                                        : refusal::not_made;
  } else if constexpr (k == travel_kind::choice) {
    return std::variant_size_v<T> < 256 ? refusal::none : refusal::many_choices;
  } else if constexpr (k == travel_kind::owner) {
    using E = typename T::element_type;
    return std::is_abstract_v<E> && !has_load<E> ? refusal::abstract : refusal::none;
  } else if constexpr (k == travel_kind::aggregate && !copies_as_bytes<T>) {
    return []<class... E>(types<E...>) {
      return (std::is_const_v<E> || ...) ? refusal::is_const : refusal::none;
    }(parts<T>{});
  } else {
    return refusal::none;
  }
}

/// Of a type without parts.
template <class T>
consteval bool swaps_itself() {
  if constexpr (kind_of<T> == travel_kind::scalar) {
    return !std::is_same_v<T, long double>;
  } else if constexpr (kind_of<T> == travel_kind::blob) {
    return !std::is_void_v<unit<T>> && !std::is_same_v<unit<T>, long double>;
  } else {
    return true;
  }
}

template <class T, class... Seen>
struct examined;

/// The parts in a row: the first that is refused, or what all of them have in common.
template <class Whole, class Parts, class... Seen>
struct examined_parts;
template <class Whole, class... Seen>
struct examined_parts<Whole, types<>, Seen...> {
  using type = facts<refusal::none, void, swaps_itself<Whole>(), kind_of<Whole> == travel_kind::own>;
};
template <class Whole, class First, class... Rest, class... Seen>
struct examined_parts<Whole, types<First, Rest...>, Seen...> {
  using first = typename examined<std::remove_cv_t<First>, Seen...>::type;
  template <class F>
  struct with_rest {
    using rest = typename examined_parts<Whole, types<Rest...>, Seen...>::type;
    using type =
        facts<rest::why, typename rest::part, F::swaps && rest::swaps, F::has_user_code || rest::has_user_code>;
  };
  template <class F>
    requires(F::why != refusal::none)
  struct with_rest<F> {
    using type = F;
  };
  using type = typename with_rest<first>::type;
};

/// A class that holds itself, in a vector say, is met again among its own parts; there it is as good as it is.
template <class T, class... Seen>
struct examined {
  template <refusal Why, bool IsMetAgain>
  struct result {
    using type = facts<Why, T, false, false>;
  };
  template <bool IsMetAgain>
    requires(IsMetAgain)
  struct result<refusal::none, IsMetAgain> {
    using type = facts<refusal::none, void, true, false>;
  };
  template <bool IsMetAgain>
    requires(!IsMetAgain && kind_of<T> == travel_kind::aggregate)
  struct result<refusal::none, IsMetAgain> {
    using type = typename examined_parts<T, parts<T>, T, Seen...>::type;
  };
  template <bool IsMetAgain>
    requires(!IsMetAgain && kind_of<T> != travel_kind::aggregate)
  struct result<refusal::none, IsMetAgain> {
    using type = typename examined_parts<T, parts<T>, Seen...>::type;
  };
  using type = typename result<why_itself<T>(), (std::is_same_v<T, Seen> || ...)>::type;
};

/// Arrays without a length, which unique_ptr<T[]> holds.
template <class T, class... Seen>
struct examined<T[], Seen...> {
  using type = facts<refusal::no_length, std::unique_ptr<T[]>, false, false>;
};

template <class T>
using facts_of = typename examined<std::remove_cv_t<T>>::type;

/// Whether T is written as the bytes that it has in memory, padding and all: numbers, and classes and arrays of such.
template <class T>
consteval bool find_image() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (k == travel_kind::scalar || k == travel_kind::blob || k == travel_kind::empty) {
    return true;
  } else if constexpr (k == travel_kind::array || (k == travel_kind::aggregate && copies_as_bytes<T>)) {
    return []<class... E>(types<E...>) { return (find_image<std::remove_cv_t<E>>() && ...); }(parts<T>{});
  } else {
    return false;
  }
}
template <class T>
inline constexpr bool is_image = find_image<T>();

/// The fewest bytes that a T takes.
template <class T>
consteval std::size_t find_least_bytes() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (is_image<T>) {
    return sizeof(T);
  } else if constexpr (k == travel_kind::sequence || k == travel_kind::keyed || k == travel_kind::bits) {
    return sizeof(std::uint64_t);
  } else if constexpr (k == travel_kind::choice || k == travel_kind::maybe || k == travel_kind::owner) {
    return 1;
  } else if constexpr (k == travel_kind::array) {
    return
        []<class E>(types<E>) { return sizeof(T) / sizeof(E) * find_least_bytes<std::remove_cv_t<E>>(); }(parts<T>{});
  } else {
    return []<class... E>(types<E...>) {
      return (std::size_t{0} + ... + find_least_bytes<std::remove_cv_t<E>>());
    }(parts<T>{});
  }
}
template <class T>
inline constexpr std::size_t least_bytes = find_least_bytes<T>();

/// Whether every T takes as many.
template <class T>
consteval bool find_fixed() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (is_image<T>) {
    return true;
  } else if constexpr (k == travel_kind::product || k == travel_kind::array || k == travel_kind::aggregate) {
    return []<class... E>(types<E...>) { return (find_fixed<std::remove_cv_t<E>>() && ...); }(parts<T>{});
  } else {
    return false;
  }
}
template <class T>
inline constexpr bool is_fixed = find_fixed<T>();

}  // namespace tactus::detail
