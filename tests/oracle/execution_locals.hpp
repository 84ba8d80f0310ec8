// SPDX-License-Identifier: Apache-2.0
// What each task of a random program keeps in its task_local: who it belongs to, as an object and as a number.
#pragma once

#include <tactus/tactus.hpp>

#include <cstdint>

namespace oracle {

/// Counts how many of its kind are alive.
struct local_value {
  std::uint64_t owner = 0;
  local_value();
  local_value(const local_value&) = delete;
  local_value& operator=(const local_value&) = delete;
  ~local_value();
};

extern tactus::task_local<local_value> local_object;
extern tactus::task_local<std::uint64_t> local_number;

}  // namespace oracle
