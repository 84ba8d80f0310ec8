// SPDX-License-Identifier: Apache-2.0
// place: the name of an address space.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tactus {

/// The name of a place: an address space with workers of its own. A value like a number: it is copied as its bytes, may be captured, and
/// travels. Made by default it is place 0.
/// Errors: none of its own.
/// \snippet 16_travels.cpp place
/// \ingroup places
class place {
public:
  constexpr place() noexcept = default;

  /// The place of that number.
  constexpr explicit place(int id) noexcept : id_(id) {}

  /// Its number, from 0.
  [[nodiscard]] constexpr int id() const noexcept { return id_; }

  friend constexpr bool operator==(place, place) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(place, place) noexcept = default;

  /// Both ways, between machines of either byte order.
  template <class Ar>
  friend constexpr void serialize(Ar& ar, place& p) {
    ar & p.id_;
  }

private:
  std::int32_t id_ = 0;
};

/// "place 2", as errors and reports name it.
/// Errors: none but the want of memory.
/// \snippet 16_travels.cpp place
/// \ingroup places
[[nodiscard]] inline std::string to_string(place p) { return "place " + std::to_string(p.id()); }

}  // namespace tactus

template <>
struct std::hash<tactus::place> {
  std::size_t operator()(tactus::place p) const noexcept { return std::hash<int>{}(p.id()); }
};
