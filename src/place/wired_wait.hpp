// SPDX-License-Identifier: Apache-2.0
// A task that waits for the body of its at(), whose end comes as bytes.
#pragma once

#include <tactus/place/impl/at_wait.hpp>
#include <tactus/place/impl/wired_call.hpp>

#include <cstddef>
#include <span>

namespace tactus::detail {

/// On the stack of the caller; at_callers knows it by a number.
struct wired_wait : at_wait {
  received_reply reply;
  std::span<const std::byte> values;  ///< among the reply's: where the task has some now
};

}  // namespace tactus::detail
