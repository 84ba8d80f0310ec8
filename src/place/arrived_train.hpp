// SPDX-License-Identifier: Apache-2.0
// Several tasks that have come in one frame, as one entry of a queue. docs/protocols/messages.md, "Trains".
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/wired_type.hpp>

#include <cstdint>

namespace tactus::detail {

/// Makes m, which has come from another place with the calls of `count` tasks of that type, run these. `header`: what it came with; its
/// `bytes` are the room that each gives back when it begins.
void make_runnable(queued_task* m, const message_header& header, frame_ptr calls, const wired_type& type,
                   std::uint32_t count) noexcept;

}  // namespace tactus::detail
