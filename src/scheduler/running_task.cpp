// SPDX-License-Identifier: Apache-2.0

#include "scheduler/running_task.hpp"

#include <tactus/scheduler/impl/worker.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// What is told of a task by its name. Nothing: the frame, or what belongs to it, is gone.
std::optional<std::string> named_task(const task_name& name) {
  std::string text(std::min(name.text.size(), k_longest_name), '\0');
  if (!copy(text.data(), name.text.data(), text.size())) {
    return std::nullopt;
  }
  return "runs task '" + text + "'";
}

// Text that ends with a zero. No part of it that is read at once lies on two pages.
std::optional<std::string> copied_text(const char* there) {
  constexpr std::size_t k_part = 32;
  std::string text;
  for (std::size_t seen = 0; seen < k_longest_name;) {
    char part[k_part];
    const std::size_t bytes = k_part - reinterpret_cast<std::uintptr_t>(there + seen) % k_part;
    if (!copy(part, there + seen, bytes)) {
      return std::nullopt;
    }
    const auto shown = static_cast<std::size_t>(std::find(part, part + bytes, '\0') - part);
    text.append(part, shown);
    if (shown != bytes) {
      break;
    }
    seen += bytes;
  }
  return text;
}

// The same of the body of an at(), whose caller has the name.
std::optional<std::string> named_task(const lent_name& name) {
  const std::optional<std::string> text = copied_text(name.text);
  return text ? std::optional("runs task '" + *text + "'") : std::nullopt;
}

// The same of one without a name, which a timeline may know.
std::optional<std::string> unnamed_task(const char* label) {
  if (label == nullptr) {
    return "runs an unnamed task";
  }
  const std::optional<std::string> text = copied_text(label);
  return text ? std::optional("runs an unnamed task (" + *text + ')') : std::nullopt;
}

std::optional<std::string> shown_task(const task_frame* frame) {
  copied<task_frame> top;
  if (!top.from(frame)) {
    return std::nullopt;
  }
  const char* label = nullptr;
  const local_value* v = top.get().locals;
  for (int i = 0; v != nullptr && i < k_most_values; ++i) {
    copied<task_name> name;  // or as many bytes of whatever it is
    copied<lent_name> lent;
    copied<traced_task> known;
    copied<local_value> head;
    if (!head.from(v)) {
      return std::nullopt;
    }
    if (head.get().key == task_name::k_key) {
      if (!name.from(v)) {
        return std::nullopt;
      }
      if (!name.get().text.empty()) {
        return named_task(name.get());
      }
    }
    if (head.get().key == lent_name::k_key) {
      if (!lent.from(v)) {
        return std::nullopt;
      }
      if (lent.get().text != nullptr) {
        return named_task(lent.get());
      }
    }
    if (head.get().key == traced_task::k_key) {
      if (!known.from(v)) {
        return std::nullopt;
      }
      label = known.get().label;
    }
    v = head.get().next;
  }
  return unnamed_task(label);
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
  std::optional<std::string> shown = shown_task(task.get());
  copied<task_frame*> after;
  if (!shown || !after.from(&w.task) || after.get() != task.get() || progress_of(w) != before) {
    return std::nullopt;
  }
  return shown;
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
