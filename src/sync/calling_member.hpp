// SPDX-License-Identifier: Apache-2.0
// The calling task's registration on a phaser, and what is said where it does not allow what is asked.
#pragma once

#include <tactus/base/error.hpp>
#include <tactus/sync/impl/phaser_core.hpp>

#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"

#include <string>

namespace tactus::detail {

inline const char* name_of(phaser_mode m) noexcept {
  switch (m) {
    case phaser_mode::signal_wait_next: return "signal_wait_next";
    case phaser_mode::signal_wait: return "signal_wait";
    case phaser_mode::signal_only: return "signal_only";
    case phaser_mode::wait_only: break;
  }
  return "wait_only";
}

[[noreturn]] inline void throw_misuse(const char* call, const phaser_core& core, const std::string& text) {
  throw phaser_use_error(
      with_calling_task(std::string("tactus::") + call + ": phaser " + std::to_string(core.key()) + ": " + text));
}

[[noreturn]] inline void throw_not_registered(const char* call, const phaser_core& core) {
  throw_misuse(
      call, core,
      "the calling task is not registered on it; spawn it with async(phased(ph, ...), ...) from a task that is, "
      "or make the phaser in it; it may have dropped the phaser");
}

[[noreturn]] inline void throw_in_mode(const char* call, const phaser_member& m, const char* what) {
  throw_misuse(call, *m.core,
               std::string("the calling task is registered as ") + name_of(m.mode) + ", which may not " + what);
}

[[noreturn]] inline void throw_in_single(const char* call, const phaser_core& core) {
  throw_misuse(call, core,
               "the calling task runs the body of a next_single on it; do it after next_single has returned");
}

// The calling task's registration; null if there is none.
inline phaser_member* find_phaser_member(worker* w, const phaser_core& core) noexcept {
  return static_cast<phaser_member*>(find_member(*w->task, core.key()));
}

inline phaser_member& member_of(worker* w, const phaser_core& core, const char* call) {
  phaser_member* const m = find_phaser_member(w, core);
  if (m == nullptr) [[unlikely]] {
    throw_not_registered(call, core);
  }
  if (m->in_single) [[unlikely]] {
    throw_in_single(call, core);
  }
  return *m;
}

// An element of a lockstep is registered nowhere, whatever the task is that carries it out.
inline worker* worker_of(const phaser_core& core, const char* call) {
  worker* const w = current_worker();
  if (w == nullptr && in_step()) {
    throw_not_registered(call, core);
  }
  return w != nullptr ? w : worker_for(call);
}

// The same for calls that an atomic block allows.
inline worker* any_worker_of(const phaser_core& core, const char* call) {
  worker* const w = any_worker_for(call, asked::task);
  if (in_step()) {
    throw_not_registered(call, core);
  }
  return w;
}

}  // namespace tactus::detail
