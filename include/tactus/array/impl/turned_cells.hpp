// SPDX-License-Identifier: Apache-2.0
// Cells between places that store numbers in different orders: those whose bytes are all that goes of them.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/view.hpp>
#include <tactus/wire/impl/byte_image.hpp>

#include <cstddef>
#include <type_traits>

namespace tactus::detail {

template <class T>
consteval bool find_turns_in_place() {
  if constexpr (std::is_trivially_copyable_v<T> && facts_of<T>::why == refusal::none) {
    return is_image<T> && facts_of<T>::swaps && kind_of<T> != travel_kind::empty && !is_doubtful<T>;
  } else {
    return false;
  }
}

/// Whether cells are copied to where they belong, and are what they were once each of their numbers has been turned round there. Others are
/// made one by one.
template <class T>
inline constexpr bool turns_in_place = find_turns_in_place<T>();

/// Of cells that have the bytes of the other order.
template <class T, std::size_t N>
void turn_cells(const view<T, N>& u, const box<N>& cells) noexcept {
  box<N> first = cells;
  first.hi[N - 1] = cells.lo[N - 1] + 1;
  first.each([&](const point<N>& x) {
    turn_images<T>(reinterpret_cast<std::byte*>(&u[x]), static_cast<std::size_t>(cells.extent(N - 1)));
  });
}

}  // namespace tactus::detail
