// SPDX-License-Identifier: Apache-2.0
// The numbers of a barrier that change together. Protocol: docs/protocols/clock.md.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstdint>

namespace tactus::detail {

/// phase, registered and pending members in one word, so that one atomic operation changes all. The phase is the lowest bits of
/// the true one: a member can be one phase behind, not more.
struct barrier_word {
  static constexpr int k_registered_shift = 28;
  static constexpr int k_phase_shift = 56;
  static constexpr std::uint64_t k_pending_mask = (std::uint64_t{1} << k_registered_shift) - 1;
  static constexpr std::uint64_t k_registered_mask = k_pending_mask >> 1;
  /// Somebody has made this phase special after arriving in it, and may have left since: numbers alone would not show it.
  static constexpr std::uint64_t k_mark = std::uint64_t{1} << (k_phase_shift - 1);
  static constexpr std::uint64_t k_arrival = 1;
  static constexpr std::uint64_t k_registration = std::uint64_t{1} << k_registered_shift;
  static constexpr std::uint64_t k_member = k_registration + k_arrival;

  static constexpr std::uint64_t pending(std::uint64_t w) noexcept { return w & k_pending_mask; }
  static constexpr std::uint64_t registered(std::uint64_t w) noexcept {
    return w >> k_registered_shift & k_registered_mask;
  }
  static constexpr std::uint8_t phase(std::uint64_t w) noexcept {
    return static_cast<std::uint8_t>(w >> k_phase_shift);
  }
  static constexpr std::uint64_t make(std::uint8_t phase, std::uint64_t registered) noexcept {
    return std::uint64_t{phase} << k_phase_shift | registered << k_registered_shift | registered;
  }
};

}  // namespace tactus::detail
