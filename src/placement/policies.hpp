// SPDX-License-Identifier: Apache-2.0
// What make_placement() makes: a function for each policy, in a file for each.
#pragma once

#include "placement/placement.hpp"

#include <memory>

namespace tactus::detail {

std::unique_ptr<placement> make_no_placement();
std::unique_ptr<placement> make_work_dealing(const placement_settings& settings);
std::unique_ptr<placement> make_eager_dealing(const placement_settings& settings);
std::unique_ptr<placement> make_lifeline(const placement_settings& settings);
std::unique_ptr<placement> make_hybrid(const placement_settings& settings);
std::unique_ptr<placement> make_random_stealing(const placement_settings& settings);
std::unique_ptr<placement> make_sender_threshold(const placement_settings& settings);
std::unique_ptr<placement> make_proportional(const placement_settings& settings);

}  // namespace tactus::detail
