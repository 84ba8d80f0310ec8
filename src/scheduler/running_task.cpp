// SPDX-License-Identifier: Apache-2.0

#include "scheduler/running_task.hpp"

#include <tactus/scheduler/impl/worker.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>

#include <sys/uio.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr int k_most_tries = 3;
constexpr int k_most_values = 1'000;         // of one task
constexpr std::size_t k_longest_name = 200;  // as much as is told

// Copies memory that may be gone by now: an error then, and no fault.
bool copy(void* to, const void* from, std::size_t bytes) noexcept {
  const iovec here{to, bytes};
  const iovec there{const_cast<void*>(from), bytes};
  return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// An object of type T as bytes that nobody has made.
// NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer, whose own bytes are meant
template <class T>
class copied {
public:
  [[nodiscard]] bool from(const void* there) noexcept { return copy(bytes_, there, sizeof(T)); }
  [[nodiscard]] const T& get() const noexcept { return *std::launder(reinterpret_cast<const T*>(bytes_)); }

private:
  alignas(T) std::byte bytes_[sizeof(T)];
};
// NOLINTEND(bugprone-sizeof-expression)

std::optional<std::string> name_in(const task_name& name) {
  std::string text(std::min(name.text.size(), k_longest_name), '\0');
  if (!copy(text.data(), name.text.data(), text.size())) {
    return std::nullopt;
  }
  return text;
}

// Of the task with this frame: empty if it has none. Nothing: the frame, or what belongs to it, is gone.
std::optional<std::string> name_of(const task_frame* frame) {
  copied<task_frame> top;
  if (!top.from(frame)) {
    return std::nullopt;
  }
  const local_value* v = top.get().locals;
  for (int i = 0; v != nullptr && i < k_most_values; ++i) {
    copied<task_name> value;  // a name, or as many bytes of whatever it is
    copied<local_value> head;
    if (!head.from(v)) {
      return std::nullopt;
    }
    if (head.get().key == task_name::k_key) {
      return value.from(v) ? name_in(value.get()) : std::nullopt;
    }
    v = head.get().next;
  }
  return std::string();
}

std::optional<std::string> look(const worker& w) {
  if (w.sleeps.load(memory_order_relaxed)) {  // relaxed: a report is late anyway
    return "sleeps";
  }
  const std::uint64_t before = progress_of(w);
  copied<task_frame*> task;
  if (!task.from(&w.task)) {
    return "runs a task whose name cannot be read here";
  }
  if (task.get() == nullptr) {
    return "is between tasks";
  }
  const std::optional<std::string> name = name_of(task.get());
  copied<task_frame*> after;
  if (!name || !after.from(&w.task) || after.get() != task.get() || progress_of(w) != before) {
    return std::nullopt;
  }
  return name->empty() ? "runs an unnamed task" : "runs task '" + *name + "'";
}

}  // namespace

std::string what_it_does(const worker& w) {
  for (int i = 0; i < k_most_tries; ++i) {
    if (std::optional<std::string> seen = look(w)) {
      return *std::move(seen);
    }
  }
  return "goes from task to task";
}

std::uint64_t progress_of(const worker& w) noexcept {
  const live_worker_counters& c = w.counters;
  return c.tasks_run.value() + c.tasks_run_inline.value() + c.spawned_work_first.value() +
         c.spawned_help_first.value() + c.spawned_shared.value() + c.spawned_invited.value() + c.suspensions.value() +
         c.resumptions.value() + c.finishes.value();
}

}  // namespace tactus::detail
