// SPDX-License-Identifier: Apache-2.0
// How much memory an object holds besides its own bytes: what waits at a place as an object is to take as much room as if it were bytes.
#pragma once

#include <tactus/wire/impl/fields.hpp>
#include <tactus/wire/impl/travel_facts.hpp>
#include <tactus/wire/impl/travel_kinds.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

namespace tactus::detail {

/// At a glance, since what is moved is to cost nothing more: the elements of a container count as they are, without what they hold
/// themselves; so does what a unique_ptr points to. Nothing where a class has a serialize: nobody sees what it holds.
template <class T>
[[nodiscard]] std::size_t held_bytes(const T& x) {
  constexpr travel_kind kind = kind_of<T>;
  if constexpr (kind == travel_kind::sequence || kind == travel_kind::keyed) {
    return x.size() * sizeof(typename T::value_type);
  } else if constexpr (kind == travel_kind::bits) {
    return x.size() / 8;
  } else if constexpr (kind == travel_kind::array) {
    std::size_t all = 0;
    if constexpr (!std::is_trivially_copyable_v<T>) {
      for (const auto& each : x) {
        all += held_bytes(each);
      }
    }
    return all;
  } else if constexpr (kind == travel_kind::product) {
    return std::apply([](const auto&... each) { return (std::size_t{0} + ... + held_bytes(each)); }, x);
  } else if constexpr (kind == travel_kind::aggregate && !std::is_trivially_copyable_v<T>) {
    return for_fields(x, [](const auto&... each) { return (std::size_t{0} + ... + held_bytes(each)); });
  } else if constexpr (kind == travel_kind::maybe) {
    return x ? held_bytes(*x) : 0;
  } else if constexpr (kind == travel_kind::choice) {
    return x.valueless_by_exception() ? 0 : std::visit([](const auto& each) { return held_bytes(each); }, x);
  } else if constexpr (kind == travel_kind::owner) {
    return x ? sizeof(*x) : 0;
  } else {
    return 0;
  }
}

}  // namespace tactus::detail
