// SPDX-License-Identifier: Apache-2.0
// Tasks and bodies of at() that have come as bytes. docs/protocols/frames.md.
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/place/impl/wired_type.hpp>

#include "place/frame.hpp"

#include <utility>

namespace tactus::detail {

/// What the task of a call runs: as a closure in the storage of its message, whose header it begins with.
class arrived_call {
public:
  arrived_call(message_header h, frame_ptr frame, const wired_type& type) noexcept
      : header_(h), frame_(std::move(frame)), type_(&type) {}

  [[nodiscard]] const message_header& header() const noexcept { return header_; }

  /// What its frame says, which was looked at when it came.
  [[nodiscard]] call_frame said() const noexcept;

  /// Runs it as part of the calling task. What the user's code throws passes through; place_error for bytes that are damaged.
  void run(reply_bytes* reply);

private:
  message_header header_;
  frame_ptr frame_;
  const wired_type* type_;
};

/// Makes m, which has come from another place with a frame of a call, run that: as a task, or as the body of an at(). `header`: what it came
/// with; its `bytes` are the room that the task gives back when it begins, if any.
void make_runnable(queued_task* m, const message_header& header, frame_ptr frame, const wired_type& type) noexcept;

}  // namespace tactus::detail
