// SPDX-License-Identifier: Apache-2.0
// Stretches of a task in which most operations are misuse: its worker is restricted from them.

#include <tactus/base/error.hpp>

#include "scheduler/scheduler.hpp"

#include <string>

namespace tactus::detail {
namespace {

struct restricted_state {
  worker* w;
  restriction because;
};

thread_local restricted_state t_restricted{nullptr, restriction::in_block};

// Thread-local addresses must not be kept across a switch, so they are reached through calls that cannot be inlined.
TACTUS_NOINLINE restricted_state get_restricted() noexcept {
  const restricted_state s = t_restricted;
  asm volatile("" ::: "memory");
  return s;
}

bool is_restricted(restriction why) noexcept {
  const restricted_state s = get_restricted();
  return s.w != nullptr && s.because == why;
}

}  // namespace

TACTUS_NOINLINE void restrict_worker(worker* w, restriction why) noexcept {
  t_restricted = {w, why};
  tactus_this_worker = nullptr;
  asm volatile("" ::: "memory");
}

TACTUS_NOINLINE void unrestrict_worker() noexcept {
  tactus_this_worker = t_restricted.w;
  t_restricted.w = nullptr;
  asm volatile("" ::: "memory");
}

worker* any_worker() noexcept {
  worker* const w = this_worker_out_of_line();
  return w != nullptr ? w : get_restricted().w;
}

worker* any_worker_for(const char* call, asked about) {
  worker* const w = any_worker();
  if (w == nullptr || (about == asked::task && is_restricted(restriction::in_combine))) {
    throw_outside_task(call);
  }
  return w;
}

worker* locking_worker_for(const char* call) {
  if (is_restricted(restriction::in_combine) || is_restricted(restriction::in_mpi_call)) {
    throw_outside_task(call);
  }
  return any_worker_for(call);
}

bool in_step() noexcept { return is_restricted(restriction::in_step); }

bool in_condition() noexcept { return is_restricted(restriction::in_condition); }

void throw_outside_task(const char* call) {
  const restricted_state s = get_restricted();
  const std::string name = std::string("tactus::") + call;
  if (s.w == nullptr) {
    throw usage_error(name + " was called from a thread that runs no task (or after fork); call it inside tactus::run");
  }
  const char* const task = s.w->task != nullptr ? s.w->task->name() : nullptr;
  const std::string called = name + " was called " + (task != nullptr ? "by task '" + std::string(task) + "' " : "");
  if (s.because == restriction::in_step) {
    throw usage_error(called + "in a step of lockstep, which may not wait; use clocked tasks where a step has to");
  }
  if (s.because == restriction::in_combine) {
    throw usage_error(called + "in the function with which an accumulator combines, which may only compute");
  }
  if (s.because == restriction::in_mpi_call) {
    throw usage_error(
        called + "inside of tactus::mpi::call, which holds the lock under which messages go; do it after that call");
  }
  throw atomic_use_error(called +
                         "inside an atomic block or its condition, which may not spawn, wait, signal, register or "
                         "drop; do it after the block");
}

restricted_scope::restricted_scope(restriction why) noexcept
    : was_restricted_(get_restricted().w != nullptr), was_because_(get_restricted().because) {
  restrict_worker(any_worker(), why);
}

restricted_scope::~restricted_scope() {
  if (was_restricted_) {
    restrict_worker(any_worker(), was_because_);
  } else {
    unrestrict_worker();
  }
}

unrestricted_scope::unrestricted_scope() noexcept
    : was_restricted_(get_restricted().w != nullptr), was_because_(get_restricted().because) {
  if (was_restricted_) {
    unrestrict_worker();
  }
}

unrestricted_scope::~unrestricted_scope() {
  if (was_restricted_) {
    restrict_worker(any_worker(), was_because_);
  }
}

}  // namespace tactus::detail
