// SPDX-License-Identifier: Apache-2.0
// Writing what leaves the calling worker's place.
#pragma once

#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>

namespace tactus::detail {

/// How the calling worker's place writes numbers: as this machine does, unless a test has it play one of the other kind.
[[nodiscard]] inline byte_order order_here() noexcept {
  const worker* const w = current_worker();
  return w != nullptr && w->plays_swapped ? byte_order::swapped : byte_order::same;
}

/// Writes values so.
template <class... T>
void pack_here(std::byte* to, std::size_t counted, const T&... x) {
#ifdef TACTUS_PLAYS_SWAPPED
  if (order_here() == byte_order::swapped) {
    pack<byte_order::swapped>(to, counted, x...);
    return;
  }
#endif
  pack(to, counted, x...);
}

/// The same where long ranges go apart, to a place that is alike. g++ 12 sees a range counted as one that goes apart and written as one that
/// does not, and would warn that it is too long for `to` if it knew the size of that.
template <class... T>
void pack_here_beside(sent_ranges& apart, std::byte* to, std::size_t counted, const T&... x) {
  pack_beside<byte_order::same>(&apart, by_itself(to), counted, x...);
}

}  // namespace tactus::detail
