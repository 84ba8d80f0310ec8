// SPDX-License-Identifier: Apache-2.0
// The four modes of a registration on a phaser.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstdint>

namespace tactus {

/// What a task may do on a phaser: a lattice with signal_wait_next at the top; signal_only and wait_only cannot be compared.
/// Errors: phaser_use_error for what the mode does not allow, and for a child that would get more than its parent has.
/// Source: phaser-accumulators.txt, section 2.
/// \snippet 13_point_to_point.cpp bound
/// \ingroup phasers
enum class phaser_mode : std::uint8_t {
  signal_wait_next,  ///< signals, waits, and may run the body of next_single
  signal_wait,       ///< signals and waits
  signal_only,       ///< signals, and may run ahead of those who wait
  wait_only,         ///< waits for those who signal; nobody waits for it, but for what a bound says
};

}  // namespace tactus
