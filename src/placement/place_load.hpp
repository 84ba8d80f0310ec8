// SPDX-License-Identifier: Apache-2.0
// What a place says of how much it has to do.
#pragma once

#include "placement/placement.hpp"

#include <algorithm>
#include <vector>

namespace tactus::detail {

inline place_load load_of(const place_view& view, int workers) {
  return {.surplus = view.flexible + view.sensitive,
          .idle = view.idle,
          .speed = workers * std::int64_t{1'000'000'000} / std::max<std::int64_t>(view.mean_task, 1)};
}

inline void tell_load(const placement_event& question, const place_view& view, int workers,
                      std::vector<placement_action>& actions) {
  actions.push_back({.what = placement_action::tell_load,
                     .to = question.from,
                     .nonce = question.nonce,
                     .load = load_of(view, workers)});
}

}  // namespace tactus::detail
