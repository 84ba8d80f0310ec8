// SPDX-License-Identifier: Apache-2.0
// What a type is to the serialiser, by itself: whether its parts travel is asked in travel_facts.hpp.
#pragma once

#include <tactus/wire/impl/archives.hpp>
#include <tactus/wire/impl/fields.hpp>

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tactus::detail {

enum class travel_kind : std::uint8_t {
  none,       // stays
  own,        // has a serialize
  scalar,     // arithmetic, enum
  blob,       // bytes that nobody looks at: a trivially copyable class that shows no fields
  empty,      // a class without fields
  aggregate,  // field by field, or as bytes where that is the same
  array,
  product,   // pair, tuple
  sequence,  // vector, deque, list, string
  bits,      // vector<bool>
  keyed,     // maps and sets
  choice,    // variant
  maybe,     // optional
  owner      // unique_ptr
};

// A serialize of the user's: a function that only argument-dependent lookup finds, or a member.
namespace lookup {
void serialize() = delete;  // hides what an outer namespace may have

template <class Archive, class T>
concept has_function = requires(Archive& archive, T& x) { serialize(archive, x); };

template <class Archive, class T>
void call(Archive& archive, T& x) {
  if constexpr (has_function<Archive, T>) {
    static_cast<void>(serialize(archive, x));
  } else {
    static_cast<void>(x.serialize(archive));
  }
}
}  // namespace lookup

template <class T>
concept has_serialize =
    (std::is_class_v<T> || std::is_union_v<T> || std::is_enum_v<T>) &&
    (lookup::has_function<counter, T> || requires(counter& archive, T& x) { x.serialize(archive); });

template <class T>
concept has_load = requires(reader<byte_order::same>& in) {
  { T::load(in) } -> std::same_as<T>;
};

/// T's name, and what the compiler says behind it.
template <class T>
consteval std::string_view name_and_more() {
  const std::string_view here = __PRETTY_FUNCTION__;
  const std::string_view before = "T = ";
  return here.substr(here.find(before) + before.size());
}
/// Whether T is a class of the standard library, by its name.
template <class T>
consteval bool is_of_library() {
  return name_and_more<T>().starts_with("std::");
}
/// Or of Tactus.
template <class T>
consteval bool is_of_libraries() {
  return is_of_library<T>() || name_and_more<T>().starts_with("tactus::");
}

/// A deque, list, map or set, told by what it has: a program that does without them does not compile their headers for us. That the name
/// is asked for too keeps out what a program derives from one, with fields of its own.
template <class T>
concept library_container = requires {
  typename T::allocator_type;
  typename T::value_type;
} && (requires { typename T::key_type; } || requires(T& x) { x.emplace_back(); }) && is_of_library<T>();

template <class T>
concept library_set = library_container<T> && requires { typename T::key_type; };
template <class T>
concept library_map = library_set<T> && requires { typename T::mapped_type; };

/// One whose order, or hash, is told by its type and not by an object, which would not go along.
template <class T>
concept keeps_by_type =
    (!requires { typename T::key_compare; } || requires { requires std::is_empty_v<typename T::key_compare>; }) &&
    (!requires { typename T::hasher; } || requires {
      requires std::is_empty_v<typename T::hasher> && std::is_empty_v<typename T::key_equal>;
    });
template <class T>
concept keeps_by_object = library_set<T> && !keeps_by_type<T>;

/// Classes of the standard library, with what they are made of.
template <class T>
struct library_kind {
  static constexpr travel_kind value = travel_kind::none;
  using parts = types<>;
};
template <travel_kind Kind, class... Parts>
struct known_kind {
  static constexpr travel_kind value = Kind;
  using parts = types<Parts...>;
};

template <library_container T>
struct library_kind<T> : known_kind<travel_kind::sequence, typename T::value_type> {};
template <library_set T>
struct library_kind<T> : known_kind<travel_kind::keyed, typename T::key_type> {};
template <library_map T>
struct library_kind<T> : known_kind<travel_kind::keyed, typename T::key_type, typename T::mapped_type> {};

template <class E, class A>
struct library_kind<std::vector<E, A>> : known_kind<travel_kind::sequence, E> {};
template <class A>
struct library_kind<std::vector<bool, A>> : known_kind<travel_kind::bits> {};
template <class C, class R, class A>
struct library_kind<std::basic_string<C, R, A>> : known_kind<travel_kind::sequence, C> {};
template <class E, std::size_t N>
struct library_kind<std::array<E, N>> : known_kind<travel_kind::array, E> {};
template <class E>
struct library_kind<std::array<E, 0>> : known_kind<travel_kind::empty> {};
template <class E, std::size_t N>
struct library_kind<E[N]> : known_kind<travel_kind::array, E> {};
template <class A, class B>
struct library_kind<std::pair<A, B>> : known_kind<travel_kind::product, A, B> {};
template <class... E>
struct library_kind<std::tuple<E...>> : known_kind<travel_kind::product, E...> {};
template <class E>
struct library_kind<std::optional<E>> : known_kind<travel_kind::maybe, E> {};
template <class... E>
struct library_kind<std::variant<E...>> : known_kind<travel_kind::choice, E...> {};
template <class E>
struct library_kind<std::unique_ptr<E>> : known_kind<travel_kind::owner, E> {};
template <class T>
inline constexpr bool is_view = false;
template <class E, std::size_t N>
inline constexpr bool is_view<std::span<E, N>> = true;
template <class C, class R>
inline constexpr bool is_view<std::basic_string_view<C, R>> = true;

template <class T>
inline constexpr bool shares = false;
template <class T>
inline constexpr bool shares<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool shares<std::weak_ptr<T>> = true;

/// Classes of Tactus that are of the place where they were made, and say so.
template <class T>
concept stays = requires { typename T::stays_at_its_place; };

// The library is asked for first: to look at what a function of the program's returns may not compile, where it is deduced.

/// Iterators: of the libraries all, whatever they are made of; others where they lead to an object. One that counts is a number.
template <class T>
concept library_iterator =
    (requires { typename T::iterator_category; } && is_of_libraries<T>()) || (is_of_library<T>() && requires(T& x) {
      *x;
      ++x;
    });
template <class T>
concept is_iterator = library_iterator<T> || requires(T& x) {
  typename T::iterator_category;
  requires std::is_lvalue_reference_v<decltype(*x)>;
};

/// Of trivially copyable classes of the standard library, those that show that they lead to what is not in them: initializer_list, subrange
/// and views of ranges, mdspan, atomic_ref, type_index, source_location.
template <class T>
concept library_view = is_of_library<T>() && (requires(T& x) { x.begin(); } || requires(T& x) { x.data_handle(); } ||
                                              requires { T::required_alignment; } ||
                                              requires(T& x) { x.hash_code(); } || requires(T& x) { x.file_name(); });

/// Of trivially copyable classes, those that are an address in other words: iterators and views, error codes, coroutine handles, reference
/// wrappers. These are told by what a const one gives: of a class that wraps a number that is no way to change it.
template <class T>
concept is_address = is_iterator<T> || library_view<T> || requires(T& x) {
  requires std::is_polymorphic_v<std::remove_reference_t<decltype(x.category())>>;
  x.value();
} || requires { T::from_address(nullptr); } || requires(const T& x) {
  { x.get() } -> std::same_as<typename T::type&>;
};

/// Whether a copy is its bytes. Nothing here may ask whether T can be assigned: g++ 12 says ever after that a closure is not trivially
/// copyable.
template <class T>
inline constexpr bool copies_as_bytes =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;

template <class T>
consteval travel_kind find_kind() {
  if constexpr (stays<T>) {
    return travel_kind::none;
  } else if constexpr (has_serialize<T>) {
    return travel_kind::own;
  } else if constexpr (is_view<T> || shares<T> || keeps_by_object<T>) {
    return travel_kind::none;
  } else if constexpr (library_kind<T>::value != travel_kind::none) {
    return library_kind<T>::value;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return travel_kind::scalar;
  } else if constexpr (!std::is_class_v<T> && !std::is_union_v<T>) {
    return travel_kind::none;
  } else if constexpr (copies_as_bytes<T> && (is_address<T> || find_reference<T>())) {
    return travel_kind::none;
  } else if constexpr (std::is_empty_v<T> && copies_as_bytes<T> && std::default_initializable<T>) {
    return travel_kind::empty;
  } else if constexpr (shown_fields<T> != 0) {
    return travel_kind::aggregate;
  } else {
    return copies_as_bytes<T> ? travel_kind::blob : travel_kind::none;
  }
}

template <class T>
inline constexpr travel_kind kind_of = find_kind<T>();

/// What a T is made of, as far as that can be seen; keys and fields may be const.
template <class T, travel_kind Kind = kind_of<T>>
struct parts_of {
  using type = typename library_kind<T>::parts;
};
template <class T>
struct parts_of<T, travel_kind::aggregate> {
  using type = field_types<T>;
};
template <class T>
struct parts_of<T, travel_kind::own> {
  using type = types<>;
};
template <class T>
using parts = typename parts_of<T>::type;

/// Whether a T can be copied, all that it holds included: of a vector of what cannot, the standard's trait says that it can.
template <class T, class... Seen>
consteval bool find_copyable() {
  if constexpr (std::is_array_v<T>) {
    return find_copyable<std::remove_all_extents_t<T>, Seen...>();
  } else if constexpr (!std::is_copy_constructible_v<T>) {
    return false;
  } else if constexpr ((std::is_same_v<T, Seen> || ...)) {
    return true;
  } else {
    return
        []<class... E>(types<E...>) { return (find_copyable<std::remove_cv_t<E>, T, Seen...>() && ...); }(parts<T>{});
  }
}
/// Else it goes as bytes, inside of a process too.
template <class T>
inline constexpr bool goes_as_copy = find_copyable<T>();

}  // namespace tactus::detail
