// SPDX-License-Identifier: Apache-2.0
// Operators by name.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstdint>

namespace tactus {

/// Operators of accumulators, reduce, teams, arrays and contributions of ghosts: what each makes of two values, and the result of none.
/// min, max, minloc and maxloc pass over a NaN where there is anything else, wherever it stands. Of NaNs alone comes a NaN, or the result
/// of none where that is combined too: by arrays, and by accumulators that are eager.
/// Errors: for a type that has no such operator, phaser_use_error where an accumulator is made and of teams, usage_error of the others.
/// Source: phaser-accumulators.txt, section 3.1, and what section 7 plans.
/// \snippet reference.cpp op
/// \ingroup accumulators
enum class op : std::uint8_t {
  sum,          ///< a + b; T{}
  product,      ///< a * b; 1
  min,          ///< the smaller one; the largest number there is
  max,          ///< the larger one; the smallest number there is
  bit_and,      ///< a & b; all bits
  bit_or,       ///< a | b; no bit
  bit_xor,      ///< a ^ b; no bit
  logical_and,  ///< a && b; true
  logical_or,   ///< a || b; false
  minloc,       ///< of pairs of a value and where it was found; of equal values the smaller place
  maxloc        ///< the same with the larger value
};

template <class T, class Op = op>
class accumulator;

}  // namespace tactus
