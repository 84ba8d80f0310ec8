// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/impl/array_part.hpp>

#include <tactus/base/error.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <string>

namespace tactus::detail {

void throw_no_array(const char* call) {
  throw usage_error(
      std::string("tactus: ") + call + " at place " + std::to_string(any_worker()->place) +
      ", of an array that is not there: it has ended, or its run has, or move_to() has given it new refs; "
      "keep the array until its last use, and take ref() again");
}

}  // namespace tactus::detail
