// SPDX-License-Identifier: Apache-2.0
// What policies of places that do not share memory send each other. docs/protocols/frames.md has the layout.
#pragma once

#include "place/flexible_tasks.hpp"
#include "place/frame.hpp"

#include <span>
#include <vector>

namespace tactus::detail {

[[nodiscard]] frame_ptr make_placement(const frame_head& head, const placement_note& note, byte_order order);

/// Of frames of tasks.
[[nodiscard]] frame_ptr make_loot(const frame_head& head, const loot_reason& why, std::span<const frame_ptr> tasks,
                                  byte_order order);

// Reading what anybody may have sent: null, or what is wrong with it.

[[nodiscard]] const char* read_placement(frame_bytes frame, byte_order order, frame_head& head,
                                         placement_note& note) noexcept;

/// The frames of tasks are still to be read. std::bad_alloc.
[[nodiscard]] const char* read_loot(frame_bytes frame, byte_order order, frame_head& head, loot_reason& why,
                                    std::vector<frame_bytes>& tasks);

}  // namespace tactus::detail
