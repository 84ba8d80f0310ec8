// SPDX-License-Identifier: Apache-2.0
// What a worker runs, told by another thread that does not stop it.
#pragma once

#include <cstdint>
#include <string>

namespace tactus::detail {

struct worker;

/// "sleeps", "is between tasks", "runs task 'name'", "runs an unnamed task": true at some moment of the call. Any thread that keeps
/// the worker's scheduler from going away.
[[nodiscard]] std::string what_it_does(const worker& w);

/// Changes whenever the worker begins, ends, leaves or goes on with a task.
[[nodiscard]] std::uint64_t progress_of(const worker& w) noexcept;

}  // namespace tactus::detail
