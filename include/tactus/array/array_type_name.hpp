// SPDX-License-Identifier: Apache-2.0
// array_type_name: what a file of an array calls the type of its elements.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

/// What the files that dist_array::save() writes call the type of their elements; load() compares it. Empty, as it is unless a program
/// specialises it: the library's name for it. Numbers are called by what they are ("float64", "int32", so long and long long are one
/// where both have 64 bits), strings, vectors, arrays and pairs by their parts, and classes as the compiler spells them. A program says a
/// name of its own for a class that is to be read by programs of other compilers, or under other names, and another one when what the
/// class consists of changes:
/// `template <> inline constexpr std::string_view tactus::array_type_name<particle> = "particle, with mass";`
/// Errors: none.
/// \snippet 23_checkpoints.cpp array_type_name
/// \ingroup arrays
template <class T>
inline constexpr std::string_view array_type_name{};

namespace detail {

/// What an element is to readers that know no C++: the letters of NumPy, and W.
enum class element_kind : char {
  truth = 'b',
  signed_number = 'i',
  unsigned_number = 'u',
  floating = 'f',
  complex = 'c',
  bytes = 'V',  // what they mean only the program knows
  wire = 'W'    // in the form of messages, each as long as it is
};

template <class T>
concept complex_number = requires(T& x) {
  x.real();
  x.imag();
  requires std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type);
};

template <class T>
consteval element_kind kind_of_element() {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    return element_kind::wire;
  } else if constexpr (std::is_same_v<T, bool>) {
    return element_kind::truth;
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? element_kind::signed_number : element_kind::unsigned_number;
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return element_kind::floating;
  } else if constexpr (complex_number<T>) {
    return sizeof(T) <= 16 ? element_kind::complex : element_kind::bytes;
  } else {
    return element_kind::bytes;
  }
}

/// As the compiler spells it.
template <class T>
std::string spelled() {
  std::string_view here = __PRETTY_FUNCTION__;
  here.remove_prefix(here.find("T = ") + 4);
  std::string name(here.substr(0, here.find_last_of(']')));
  if (const std::size_t rest = name.find("; std::string = "); rest != std::string::npos) {
    name.erase(rest);  // g++ explains what else it has named
  }
  for (std::size_t at = 0; (at = name.find("{anonymous}", at)) != std::string::npos;) {
    name.replace(at, 11, "(anonymous namespace)");
  }
  return name;
}

template <class T>
struct file_name_of {
  static std::string text() {
    constexpr element_kind kind = kind_of_element<T>();
    const std::string bits = std::to_string(8 * sizeof(T));
    if constexpr (kind == element_kind::truth) {
      return "bool";
    } else if constexpr (kind == element_kind::signed_number) {
      return "int" + bits;
    } else if constexpr (kind == element_kind::unsigned_number) {
      return "uint" + bits;
    } else if constexpr (kind == element_kind::floating) {
      return "float" + bits;
    } else if constexpr (kind == element_kind::complex) {
      return "complex" + bits;
    } else {
      return spelled<T>();
    }
  }
};

/// The name of T in files, or as much of it as they have room for.
template <class T>
std::string type_name_for_files() {
  constexpr std::size_t k_most = 4096;
  std::string name;
  if constexpr (!array_type_name<T>.empty()) {
    name = array_type_name<T>;
  } else {
    name = file_name_of<T>::text();
  }
  return name.substr(0, k_most);
}

template <class R, class A>
struct file_name_of<std::basic_string<char, R, A>> {
  static std::string text() { return "string"; }
};
template <class E, class A>
struct file_name_of<std::vector<E, A>> {
  static std::string text() { return "vector<" + type_name_for_files<E>() + ">"; }
};
template <class E, std::size_t N>
struct file_name_of<std::array<E, N>> {
  static std::string text() { return "array<" + type_name_for_files<E>() + "," + std::to_string(N) + ">"; }
};
template <class A, class B>
struct file_name_of<std::pair<A, B>> {
  static std::string text() { return "pair<" + type_name_for_files<A>() + "," + type_name_for_files<B>() + ">"; }
};

}  // namespace detail
}  // namespace tactus
