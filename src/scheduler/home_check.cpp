// SPDX-License-Identifier: Apache-2.0
#include "scheduler/home_check.hpp"

#include <tactus/base/error.hpp>

#include "scheduler/scheduler.hpp"

namespace tactus::detail {

void throw_of_another_home(const std::string& call, const std::string& object, std::uint64_t made_in,
                           const char* instead, const char* between_runtimes) {
  const worker* const w = any_worker();
  if (are_of_one_runtime(w->home_number, made_in)) {
    throw place_error("tactus::" + call + ": " + object + " of place " +
                      std::to_string(made_in & ((1U << k_place_bits) - 1)) + " was used at place " +
                      std::to_string(w->place) + "; it stays where it was made: go there with at()" + instead);
  }
  throw usage_error("tactus::" + call + " was called in a task of another runtime than the one that " + object +
                    " is of" + between_runtimes);
}

}  // namespace tactus::detail
