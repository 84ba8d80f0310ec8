// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/impl/help_first.hpp>

#include "scheduler/scheduler.hpp"

#include <cstddef>
#include <utility>

namespace tactus::detail {
namespace {

// Returns whose idle workers want to hear of it: one for whom it lies best, or null.
worker* push_where_asked(worker* w, queued_task* t, queue_choice where) {
  if (where.which == queue_choice::kind::shared) {
    w->owner->shared().push(t);
    ++w->counters.spawned_shared;
    return nullptr;
  }
  if (where.which == queue_choice::kind::of_worker) {
    const auto workers = static_cast<std::size_t>(w->owner->size());
    if (worker* const wanted = w->owner->worker_number(where.worker % workers); wanted != w) {
      wanted->affine.push(t);
      ++w->counters.spawned_invited;
      return wanted;
    }
  }
  w->deque.push_or_throw(entry::task(t));
  ++w->counters.spawned_help_first;
  return nullptr;
}

}  // namespace

void enqueue(worker* w, queued_task* t, queue_choice where, void (*unmake)(queued_task*) noexcept) {
  t->finish = w->held;
  w->count_spawn();  // before others can see it: who takes the task counts its end
  try {
    if (worker* const best = push_where_asked(w, t, where); best != nullptr) {
      w->idle->notify(best);
      return;
    }
  } catch (...) {
    w->count_end();
    unmake(t);
    throw;
  }
  w->idle->notify();
}

void spawn_queued_named(task_name* name, any_closure f, queue_choice where) {
  spawn_queued(current_worker(), named_closure(name, std::move(f)), nullptr, where);
}

}  // namespace tactus::detail
