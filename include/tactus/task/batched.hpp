// SPDX-License-Identifier: Apache-2.0
// batched: small tasks that share an entry of the queue. work-stealing.txt, section 6 (adaptive batching).
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/open_batch.hpp>
#include <tactus/task/impl/spawn.hpp>

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// Whether closures of this type may share an entry: each is copied to the stack of the worker that runs it.
template <class Fn>
inline constexpr bool may_share_entry = is_plain_closure<Fn> && fits_queued<Fn>;

/// A slot of a batch with its closure.
template <class Fn>
struct batch_slot {
  task_batch::runner run;
  Fn function;

  explicit batch_slot(const Fn& f) noexcept : run(copy_and_run), function(f) {}

  // The batch may be somebody else's before the task ends.
  static void copy_and_run(const void* slot) noexcept {
    Fn function(static_cast<const batch_slot*>(slot)->function);
    run_task_body(function);
  }
};

/// What the head of a batch runs.
TACTUS_API void run_batch(queued_task* t, worker* w);

template <class Fn>
TACTUS_ALWAYS_INLINE void put_in(worker* w, task_batch* b, const Fn& f) noexcept {
  ::new (b->at(b->count)) batch_slot<Fn>(f);
  ++b->count;
  w->count_spawn();  // before others can have it: who takes the task counts its end
  ++w->counters.spawned_help_first;
}

/// Adds f to the open batch, if that takes it.
template <class Fn>
TACTUS_ALWAYS_INLINE bool try_add(worker* w, const Fn& f) noexcept {
  task_batch* const b = w->open.begin();
  if (b == nullptr || sizeof(batch_slot<Fn>) > b->bytes || b->head.finish != w->held) [[unlikely]] {
    w->open.end();
    return false;
  }
  put_in(w, b, f);
  const bool full = b->count == b->room;
  w->open.end();
  if (full || w->idle->has_sleepers()) [[unlikely]] {
    publish_open(w);
  }
  return true;
}

/// Opens a batch with f, or spawns f as if it had no attribute.
template <class Fn>
TACTUS_NOINLINE void spawn_batched_slowly(worker* w, spawn_policy policy, const Fn& f) {
  if (task_batch* const b = begin_batch(w, run_batch, sizeof(batch_slot<Fn>)); b != nullptr) {
    put_in(w, b, f);
    open_batch_with(w, b);
    if (policy == spawn_policy::adaptive) {
      step_back_from_batches(w);
    }
    return;
  }
  spawn(w, policy, f);
}

struct batched_attribute {
  template <class F>
  TACTUS_ALWAYS_INLINE static void spawn_at(worker* w, spawn_policy policy, F&& f) {
    using Fn = std::decay_t<F>;
    if constexpr (may_share_entry<Fn>) {
      if (policy == spawn_policy::help_first || policy == spawn_policy::adaptive) [[likely]] {
        if (!try_add<Fn>(w, f)) [[unlikely]] {
          by_copy(f, [w, policy]<class G>(G&& g) { spawn_batched_slowly<Fn>(w, policy, g); });
        }
        return;
      }
    }
    spawn(w, policy, std::forward<F>(f));
  }
};

}  // namespace detail

/// Attribute of async: several such tasks of one worker, of whatever types, may share an entry of its queue. Queueing,
/// stealing and beginning then cost once for up to 32 tasks. Each is a task of its own all the same: one that waits does not hold up
/// the rest of its entry, exceptions, task_local values and the finish are as ever.
///
/// How many share one follows how hungry thieves are: while a worker sleeps, each task is an entry; a worker that has found
/// nothing else takes what is being put together; and who runs such an entry gives half of what is left to a worker that
/// sleeps.
///
/// For closures that are trivially copyable and of at most 48 bytes, under adaptive and help_first, also where the spawn names the policy;
/// otherwise, with other attributes, with a seed, with a timeline, and where Linux has no sys_membarrier, it does nothing.
/// Errors: as async without it.
/// Cost: about 4 ns a task, to spawn it and to begin it, where it shares an entry; else as async without it.
/// Source: work-stealing.txt, section 6.
/// \snippet reference.cpp batched
/// \ingroup tasks
#ifdef DOXYGEN
attribute batched;
#else
inline constexpr detail::batched_attribute batched{};
#endif

}  // namespace tactus
