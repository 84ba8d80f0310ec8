// SPDX-License-Identifier: Apache-2.0
// The operators of accumulators by name.
#pragma once

#include <cstdint>

namespace tactus {

/// Operators of accumulators: phaser-accumulators.txt, section 3.1, and what section 7 plans. minloc and maxloc are for pairs of a value and where
/// it was found; of equal values the smaller place.
enum class op : std::uint8_t {
  sum,
  product,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  minloc,
  maxloc
};

template <class T, class Op = op>
class accumulator;

}  // namespace tactus
