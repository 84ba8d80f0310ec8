// SPDX-License-Identifier: Apache-2.0
// Where the values of a task are, as it is told to the bodies of its at() and back. docs/protocols/frames.md, "Values of a task".
#pragma once

#include <tactus/place/impl/at_wait.hpp>
#include <tactus/task/impl/task_values.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tactus::detail {

struct call_frame;

/// What a body finds; the values are a copy of its own.
struct task_visit {
  task_origin origin;
  std::unique_ptr<values_elsewhere> elsewhere;
  std::string name;  // of the task; none without memory for it
  int designated;    // place, of the task
};

/// As a request says it. Ends the process where there is no memory.
[[nodiscard]] task_visit visit_of(const call_frame& said, byte_order order, std::size_t places) noexcept;

/// What a request says of its task: nothing if that is the caller itself, which is where it was meant to be, has no values elsewhere and no
/// name. std::bad_alloc.
[[nodiscard]] std::vector<std::byte> bytes_of_visit(const at_wait& wait, byte_order order);

/// What a reply says: none if there are none. std::bad_alloc.
[[nodiscard]] std::vector<std::byte> bytes_of_values(const values_elsewhere* v, byte_order order);

/// By the caller, of what a reply says. Ends the process where there is no memory.
void add_values(values_elsewhere*& to, std::span<const std::byte> said, byte_order order, std::size_t places) noexcept;

/// The designated place of the calling task, also in the body of an at(): of one that cannot move where it runs itself.
[[nodiscard]] int designated_place_of(const worker* w) noexcept;

/// Ends those that the task has at other places, before all else of it.
void end_values_elsewhere(task_frame& task) noexcept;

}  // namespace tactus::detail
