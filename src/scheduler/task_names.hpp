// SPDX-License-Identifier: Apache-2.0
// What texts call a task.
#pragma once

#include <tactus/base/impl/report_number.hpp>
#include <tactus/scheduler/impl/continuation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// "task 'reader'", or "an unnamed task"; with a timeline "an unnamed task (main::{lambda()#2})".
[[nodiscard]] std::string shown_name(const task_frame* task);

/// `text`, where the first "the calling task" is followed by that task's name, if it has one.
[[nodiscard]] std::string with_calling_task(std::string text);

/// "monitor 3"; "a monitor" where numbers are left out.
[[nodiscard]] std::string numbered(const char* kind, const report_number& number, atomic<std::uint32_t>& last);

/// While it lives, numbered() leaves numbers out on this thread: a timeline sums up waits by what they are for.
class without_numbers {
public:
  without_numbers() noexcept;
  ~without_numbers();
  without_numbers(const without_numbers&) = delete;
  without_numbers& operator=(const without_numbers&) = delete;
};

[[nodiscard]] bool tells_kinds_only() noexcept;

/// The tasks of one report, each of which lies on a stack that waits: while it lives, who describes a wait may look at
/// them, on the thread that writes the report. Unnamed ones get numbers there, so that two of them can be told apart,
/// and nowhere else: a spawn has no time to number anything.
class reported_tasks {
public:
  explicit reported_tasks(const std::vector<const task_frame*>& tasks);
  ~reported_tasks();
  reported_tasks(const reported_tasks&) = delete;
  reported_tasks& operator=(const reported_tasks&) = delete;

  /// Of the report that this thread writes; null if it writes none.
  [[nodiscard]] static const reported_tasks* now() noexcept;

  /// "task 'reader'", "an unnamed task" if there is only one, else "unnamed task 2"; with what a timeline calls it, as above.
  [[nodiscard]] std::string name(const task_frame* task) const;

  /// Whether it is one of them: only then it may be looked at.
  [[nodiscard]] bool has(const task_frame* task) const noexcept;

  [[nodiscard]] const std::vector<const task_frame*>& all() const noexcept { return all_; }

private:
  const std::vector<const task_frame*>& all_;
  std::vector<std::pair<const task_frame*, std::size_t>> numbers_;  // by address; 0: it has a name
  std::size_t unnamed_ = 0;
};

}  // namespace tactus::detail
