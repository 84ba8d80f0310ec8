// SPDX-License-Identifier: Apache-2.0
// How an exception is written: the number of the place that it leaves, then nodes. The elements of a list stand behind its node, in their
// order, each with what is below it; so a tree of any depth is written and read without recursion.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

enum class exception_node : std::uint8_t {
  nothing,     // a null exception_ptr
  unknown,     // type name, text, number of the place where it was converted
  known,       // number, text
  system,      // system_error_parts
  registered,  // name of type_info, type name, text, number of bytes, bytes
  list,        // multiple_exceptions: whether its text is its own, the text if so, number of elements
  deadlock     // text, number of elements
};

/// What the bytes begin with, as their writer stores numbers.
inline constexpr std::uint16_t k_order_mark = 0x0102;
inline constexpr std::uint16_t k_order_mark_swapped = 0x0201;

/// So many deadlock_error may be below each other; the next is unknown. Theirs are lists that free each other by recursion.
inline constexpr int k_most_deadlocks = 8;

}  // namespace tactus::detail
