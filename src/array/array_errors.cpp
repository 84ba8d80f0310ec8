// SPDX-License-Identifier: Apache-2.0
#include <tactus/array/impl/array_part.hpp>

#include <tactus/array/impl/idle_exchanges.hpp>
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

void idle_exchanges::check(const char* call, const exchange_way* open) const {
  if (open != nullptr) {
    if (!of(*open).is_open) {
      throw usage_error(std::string("tactus: ") + call + ": no exchange of '" + array_ + "' is open at " +
                        to_string(here_) + ": " +
                        (*open == exchange_way::forward ? "send_ghosts" : "send_contributions") + " first");
    }
    return;
  }
  // The group may have ended with its exchange open, which is so no more then.
  if (of_group_ != nullptr && any_worker()->objects->find(group_) != nullptr && of_group_->is_open()) {
    throw usage_error(std::string("tactus: ") + call + " of '" + array_ + "' at " + to_string(here_) + ": " +
                      *group_text_ + " is being exchanged there; wait for that first");
  }
  check_closed(call, exchange_way::forward, "wait_for_ghosts");
  check_closed(call, exchange_way::backward, "wait_for_contributions");
}

void idle_exchanges::check_closed(const char* call, exchange_way way, const char* remedy) const {
  if (of(way).is_open) {
    throw usage_error(std::string("tactus: ") + call + ": exchange " + std::to_string(of(way).begun) + " of '" +
                      array_ + "' is open at " + to_string(here_) + ": " + remedy + " first");
  }
}

}  // namespace tactus::detail
