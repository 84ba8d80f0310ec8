// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/spawn.hpp>

#include <tactus/task/task_local.hpp>

#include "scheduler/seeded.hpp"

namespace tactus::detail {
namespace {

// A spawner that goes behind the ready tasks keeps a stack with at least one page in use. That is worth it only when it has
// queued as much itself: 64 descriptors of 64 bytes.
constexpr std::uint32_t k_prolific = 64;

// Stacks out of the pool, those in the workers' caches included: about 20 MiB of pages.
constexpr std::size_t k_many_stacks = 2048;

}  // namespace

adaptive_choice choose_adaptively(worker* w) noexcept {
  if (w->deque.size_seen_by_owner() < k_short_deque || w->task->spawned < k_prolific) {
    return adaptive_choice::queue;
  }
  if (w->owner->stacks().outstanding() < k_many_stacks && w->stacks.try_fill()) {
    return adaptive_choice::run_now;
  }
  return w->task->spawned % k_prolific == 0 ? adaptive_choice::queue_and_step_back : adaptive_choice::queue;
}

void step_back() {
  ++current_worker()->counters.spawned_throttled;
  go_behind_ready_work();
}

void seeded_step(worker* w) noexcept { seeded_point(w); }

void keep_failure() noexcept { current_worker()->held->add_failure(std::current_exception()); }

void end_extras(task_frame& frame) noexcept {
  destroy_locals(frame);
  delete frame.extras;
  frame.extras = nullptr;
}

}  // namespace tactus::detail
