// SPDX-License-Identifier: Apache-2.0
// Variables of the task, as thread_local ones are of the thread.
#pragma once

#include <tactus/base/impl/any_function.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/impl/task_values.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

namespace tactus {
namespace detail {

template <class T>
struct local_value_of : local_value {
  T value;
};

/// The running task; usage_error, which names the call, outside of any.
TACTUS_ALWAYS_INLINE task_frame* task_for(const char* call) {
  worker* w = current_worker();
  if (w == nullptr) [[unlikely]] {
    w = any_worker_for(call);  // inside an atomic block a task keeps its values
  }
  return w->task;
}

}  // namespace detail

/// One T per task and place where it uses it: made at its first use there, gone when the task has ended and before its finish ends.
/// Follows the task from worker to worker; not inherited by children. Each element of a for_each has its own. The body of an at() is the
/// same task: at another place it has the values that bodies there had before, here those of its caller.
/// May be made and destroyed anywhere; used in tasks only. Never suspends.
/// Errors: usage_error outside a task; std::bad_alloc, and what making a T throws, at the first use in a task.
/// Cost: a walk over the task's own values, 2 ns for the first.
/// \snippet reference.cpp task_local
/// \ingroup tasks
template <class T>
class task_local {
public:
#ifndef DOXYGEN
  using stays_at_its_place = void;
#endif

  /// Values begin as T{}.
  task_local() : task_local([] { return T{}; }) {}

  /// Values begin as make() says, called in the task that uses it first.
  template <std::invocable Make>
  explicit task_local(Make make) : make_(std::move(make)) {}

  task_local(const task_local&) = delete;
  task_local& operator=(const task_local&) = delete;

  /// The calling task's value.
  T& get() const {
    detail::task_frame* const task = detail::task_for("task_local");
    for (detail::local_value* v = task->locals; v != nullptr; v = v->next) {
      if (v->key == key_) {
        return static_cast<detail::local_value_of<T>*>(v)->value;
      }
    }
    if (task->locals != nullptr) {
      if (detail::local_value* const v = detail::value_apart(task, key_)) {
        return static_cast<detail::local_value_of<T>*>(v)->value;
      }
    }
    auto made =
        std::unique_ptr<detail::local_value_of<T>>(new detail::local_value_of<T>{{key_, destroy, nullptr}, make_()});
    // After make_(), which may have used other task_locals of this task.
    static_cast<void>(detail::value_apart(task, key_, made.get()));
    return made.release()->value;
  }

  /// As get().
  T& operator*() const { return get(); }

  /// As get().
  T* operator->() const { return &get(); }

private:
  static void destroy(detail::local_value* v) noexcept { delete static_cast<detail::local_value_of<T>*>(v); }

  const std::uint64_t key_ = detail::next_local_key();
  const detail::any_function<T()> make_;
};

}  // namespace tactus
