// SPDX-License-Identifier: Apache-2.0
// Stretches of a task in which most operations are misuse: its worker is hidden from them.

#include <tactus/base/error.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include <string>

namespace tactus::detail {
namespace {

struct hidden_state {
  worker* w;
  hidden_because because;
};

thread_local hidden_state t_hidden{nullptr, hidden_because::in_block};

// Thread-local addresses must not be kept across a switch, so they are reached through calls that cannot be inlined.
TACTUS_NOINLINE hidden_state get_hidden() noexcept {
  const hidden_state s = t_hidden;
  asm volatile("" ::: "memory");
  return s;
}

}  // namespace

TACTUS_NOINLINE void hide_worker(worker* w, hidden_because why) noexcept {
  t_hidden = {w, why};
  tactus_this_worker = nullptr;
  asm volatile("" ::: "memory");
}

TACTUS_NOINLINE void show_worker() noexcept {
  tactus_this_worker = t_hidden.w;
  t_hidden.w = nullptr;
  asm volatile("" ::: "memory");
}

worker* any_worker() noexcept {
  worker* const w = this_worker_out_of_line();
  return w != nullptr ? w : get_hidden().w;
}

worker* any_worker_for(const char* call) {
  worker* const w = any_worker();
  if (w == nullptr) {
    throw_outside_task(call);
  }
  return w;
}

bool in_step() noexcept {
  const hidden_state s = get_hidden();
  return s.w != nullptr && s.because == hidden_because::in_step;
}

bool in_condition() noexcept {
  const hidden_state s = get_hidden();
  return s.w != nullptr && s.because == hidden_because::in_condition;
}

void throw_outside_task(const char* call) {
  const hidden_state s = get_hidden();
  const std::string name = std::string("tactus::") + call;
  if (s.w == nullptr) {
    throw usage_error(name + " was called from a thread that runs no task (or after fork); call it inside tactus::run");
  }
  const char* const task = s.w->task != nullptr ? s.w->task->name() : nullptr;
  const std::string called = name + " was called " + (task != nullptr ? "by task '" + std::string(task) + "' " : "");
  if (s.because == hidden_because::in_step) {
    throw usage_error(called + "in a step of lockstep, which may not wait; use clocked tasks where a step has to");
  }
  if (s.because == hidden_because::in_combine) {
    throw usage_error(called + "in the function with which an accumulator combines, which may only compute");
  }
  throw atomic_use_error(called +
                         "inside an atomic block or its condition, which may not spawn, wait, signal, register or "
                         "drop; do it after the block");
}

hidden_worker::hidden_worker(hidden_because why) noexcept
    : was_hidden_(get_hidden().w != nullptr), was_because_(get_hidden().because) {
  hide_worker(any_worker(), why);
}

hidden_worker::~hidden_worker() {
  if (was_hidden_) {
    hide_worker(any_worker(), was_because_);
  } else {
    show_worker();
  }
}

shown_worker::shown_worker() noexcept : was_hidden_(get_hidden().w != nullptr), was_because_(get_hidden().because) {
  if (was_hidden_) {
    show_worker();
  }
}

shown_worker::~shown_worker() {
  if (was_hidden_) {
    hide_worker(any_worker(), was_because_);
  }
}

}  // namespace tactus::detail
