// SPDX-License-Identifier: Apache-2.0
#include <tactus/place/placement.hpp>

#include <tactus/base/error.hpp>

#include "base/probe.hpp"
#include "place/task_values.hpp"

#include <string>

namespace tactus {
namespace detail {

void throw_carried_from_elsewhere(int home, int designated) {
  if (home < 0) {
    throw place_error("tactus::place_flexible::carrying: the reference names no object");
  }
  throw place_error("tactus::place_flexible::carrying: the object is at place " + std::to_string(home) +
                    " and the designated place of the task is " + std::to_string(designated) +
                    "; write place_flexible(r.home()).carrying(r)");
}

void note_fetched() noexcept {
  if (worker* const w = current_worker(); w->timeline != nullptr) {
    profile_access(w, -1);
  }
}

}  // namespace detail

place designated_place() {
  const detail::worker* const w = detail::any_worker_for("designated_place", detail::asked::task);
  return place(place::unchecked{detail::designated_place_of(w)});
}

}  // namespace tactus
