// SPDX-License-Identifier: Apache-2.0
// What the type of an array's elements lacks, where an operation needs more than that they can be made.
#pragma once

#include <tactus/place/travels.hpp>

#include <type_traits>

namespace tactus::detail {

/// Whether elements can be copied. Containers say so of themselves whatever is in them, so that is asked too.
template <class T>
consteval bool can_be_copied() {
  if constexpr (requires {
                  typename T::allocator_type;
                  typename T::value_type;
                }) {
    return std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T> &&
           std::is_copy_constructible_v<typename T::value_type>;
  } else {
    return std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>;
  }
}

/// Whether cells are copied as their bytes. Types whose copies are all deleted, std::atomic for one, are trivially copyable as well.
template <class T>
inline constexpr bool copies_are_bytes = std::is_trivially_copyable_v<T> && can_be_copied<T>();

/// Whether copies of elements can go to other places from cell to cell: of such that are trivially copyable, as their bytes.
template <class T>
inline constexpr bool copies_go = copies_are_bytes<T> || (can_be_copied<T>() && travels<T>);

/// Whether they can as arguments and results do, which have to travel in any case.
template <class T>
inline constexpr bool values_go = can_be_copied<T>() && travels<T>;

/// Does not compile; for the other branch where an operation asks whether they can.
template <class T>
[[noreturn]] void refuse_elements() {
  static_assert(
      can_be_copied<T>(),
      "this operation copies elements of a dist_array, and their type (T) cannot be copied; make it copyable, "
      "or use them where they are: local(), blocks(), for_each(), map()");
  static_assert(!can_be_copied<T>() || copies_go<T>,
                "this operation sends copies of a dist_array's elements to other places, and their type (T) does not "
                "travel; give it a serialize, or make it trivially copyable, or use them where they are: local(), "
                "blocks(), for_each(), map()");
  static_assert(!copies_go<T> || travels<T>,
                "this operation sends elements of a dist_array as values to other places, and their type (T) does not "
                "travel: that it is trivially copyable is enough for ghosts and transfer only; give it a "
                "serialize, or use them where they are: local(), blocks(), for_each(), map()");
  __builtin_unreachable();
}

}  // namespace tactus::detail
