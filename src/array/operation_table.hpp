// SPDX-License-Identifier: Apache-2.0
// What the arrays of each place have counted; trace reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::detail {

class place_objects;

struct counted_operation {
  std::string array;
  const char* operation = "";
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Of the place that has these objects, by array and operation; arrays of one name are one. std::bad_alloc.
[[nodiscard]] std::vector<counted_operation> operations_of(const place_objects* of);

/// The place goes: what its arrays count from now on is lost.
void forget_operations(const place_objects* of) noexcept;

}  // namespace tactus::detail
