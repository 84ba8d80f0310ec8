// SPDX-License-Identifier: Apache-2.0
// A task that is spawned at a place, and that is the spawner's own.
#pragma once

#include <tactus/place/impl/spawn_at.hpp>

#include <memory>
#include <utility>

namespace tactus::detail {

/// Throws before anything was spawned.
template <class F>
void spawn_here(way_here how, std::unique_ptr<task_name> name, F&& f) {
  worker* const w = current_worker();
  const spawn_policy policy = how == way_here::queued ? spawn_policy::help_first : w->policy;
  spawn_slowly(w, spawn_request{policy, name.get()}, std::forward<F>(f));
  static_cast<void>(name.release());  // the task has it, or has had it
}

}  // namespace tactus::detail
