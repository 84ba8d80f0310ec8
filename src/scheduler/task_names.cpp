// SPDX-License-Identifier: Apache-2.0

#include "scheduler/task_names.hpp"

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <string_view>

namespace tactus::detail {
namespace {

// No task stops while one of them is set.
thread_local const reported_tasks* t_report = nullptr;
thread_local bool t_without_numbers = false;

std::string shown_label(const task_frame* task) {
  const traced_task* const known = task != nullptr ? task->traced() : nullptr;
  return known != nullptr ? " (" + std::string(known->label) + ')' : "";
}

}  // namespace

std::string shown_name(const task_frame* task) {
  const char* const name = task != nullptr ? task->name() : nullptr;
  return name != nullptr ? "task '" + std::string(name) + "'" : "an unnamed task" + shown_label(task);
}

std::string with_calling_task(std::string text) {
  constexpr std::string_view k_caller = "the calling task";
  const worker* const w = any_worker();
  const char* const name = w != nullptr && w->task != nullptr ? w->task->name() : nullptr;
  const std::size_t at = text.find(k_caller);
  if (name != nullptr && at != std::string::npos) {
    text.insert(at + k_caller.size(), " '" + std::string(name) + "'");
  }
  return text;
}

std::string numbered(const char* kind, const report_number& number, atomic<std::uint32_t>& last) {
  return t_without_numbers ? "a " + std::string(kind) : std::string(kind) + ' ' + number.of(last);
}

without_numbers::without_numbers() noexcept { t_without_numbers = true; }
without_numbers::~without_numbers() { t_without_numbers = false; }

bool tells_kinds_only() noexcept { return t_without_numbers; }

reported_tasks::reported_tasks(const std::vector<const task_frame*>& tasks) : all_(tasks) {
  numbers_.reserve(tasks.size());
  for (const task_frame* const task : tasks) {
    numbers_.emplace_back(task, task->name() != nullptr ? 0 : ++unnamed_);
  }
  std::sort(numbers_.begin(), numbers_.end());
  t_report = this;
}

reported_tasks::~reported_tasks() { t_report = nullptr; }

const reported_tasks* reported_tasks::now() noexcept { return t_report; }

bool reported_tasks::has(const task_frame* task) const noexcept {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(task, std::size_t{0}));
  return at != numbers_.end() && at->first == task;
}

std::string reported_tasks::name(const task_frame* task) const {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(task, std::size_t{0}));
  if (unnamed_ < 2 || at == numbers_.end() || at->first != task || at->second == 0) {
    return shown_name(task);
  }
  return "unnamed task " + std::to_string(at->second) + shown_label(task);
}

}  // namespace tactus::detail
