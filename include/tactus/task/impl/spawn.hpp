// SPDX-License-Identifier: Apache-2.0
// How a task is spawned: at once where nothing stands in the way, else by a request, which names what is not common.
// docs/adr/0002-adaptive-policy.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/impl/help_first.hpp>
#include <tactus/task/impl/work_first.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// What to do with an async when the deque is no longer short.
enum class adaptive_choice : std::uint8_t { queue, run_now, queue_and_step_back, share };
TACTUS_API adaptive_choice choose_adaptively(worker* w) noexcept;

/// A spawner that has filled the deque goes behind the tasks that are ready.
TACTUS_API void step_back() noexcept;

/// The same for one who has filled it with batches, at the begin of each.
TACTUS_API void step_back_from_batches(worker* w) noexcept;

/// A scheduling point of the seeded scheduler.
TACTUS_API void seeded_step(worker* w) noexcept;

/// What `policy` makes of one async.
TACTUS_ALWAYS_INLINE adaptive_choice choose(worker* w, spawn_policy policy) noexcept {
  switch (policy) {
    case spawn_policy::work_first: return adaptive_choice::run_now;
    case spawn_policy::help_first: return adaptive_choice::queue;
    case spawn_policy::work_sharing: return adaptive_choice::share;
    case spawn_policy::adaptive: break;
  }
  if (w->deque.is_short(w->deque.next_position()) ||
      (w->with_care && !w->seeded && w->deque.size_seen_by_owner() < k_short_deque)) {
    return adaptive_choice::queue;
  }
  if (w->policy == spawn_policy::adaptive && w->children_first > 0 && w->stacks.try_fill()) {
    --w->children_first;
    return adaptive_choice::run_now;
  }
  return choose_adaptively(w);
}

/// What one spawn asks for besides its closure.
struct spawn_request {
  spawn_policy policy;
  task_name* name = nullptr;  ///< the child's, once it is spawned
};

/// The same of one with an affinity: it is queued for that worker, whatever the policy.
struct affine_request {
  std::size_t worker;
  task_name* name = nullptr;
};

/// Does what is asked for: runs f first, or queues it. Throws before anything was spawned.
template <class F>
TACTUS_ALWAYS_INLINE void carry_out(worker* w, spawn_request asked, F&& f) {
  const adaptive_choice choice = choose(w, asked.policy);
  if (choice == adaptive_choice::run_now) {
    spawn_work_first(w, asked.name, std::forward<F>(f));
    return;
  }
  if (choice == adaptive_choice::share) {
    spawn_queued(w, std::forward<F>(f), asked.name, {.which = queue_choice::kind::shared});
    return;
  }
  spawn_queued(w, std::forward<F>(f), asked.name);
  if (choice == adaptive_choice::queue_and_step_back) [[unlikely]] {
    step_back();
  }
}

template <class F>
TACTUS_ALWAYS_INLINE void carry_out(worker* w, affine_request asked, F&& f) {
  queue_here(w, std::forward<F>(f), asked.name, {queue_choice::kind::of_worker, asked.worker});
}

/// carry_out() for all that goes into the timeline.
TACTUS_API void spawn_traced(worker* w, spawn_request asked, traced_closure f);
TACTUS_API void spawn_traced(worker* w, affine_request asked, traced_closure f);

/// Spawns f on any run, seeded and traced ones too. Throws before anything was spawned.
template <class Request, class F>
TACTUS_ALWAYS_INLINE void spawn_as_asked(worker* w, Request asked, F&& f) {
  if (w->seeded) {
    seeded_step(w);
    w = current_worker();
  }
  if (w->timeline != nullptr) [[unlikely]] {
    traced_closure traced = traced_closure::make(std::forward<F>(f));
    spawn_traced(current_worker(), asked, std::move(traced));  // copying may have suspended
    return;
  }
  carry_out(w, asked, std::forward<F>(f));
}

/// spawn_as_asked() in a frame of its own, which a common spawn does not pay for. Most have no name, and do not ask for it.
template <class F>
TACTUS_NOINLINE void spawn_slowly(worker* w, spawn_policy policy, F&& f) {
  spawn_as_asked(w, spawn_request{policy}, std::forward<F>(f));
}
template <class F>
TACTUS_NOINLINE void spawn_slowly(worker* w, spawn_request asked, F&& f) {
  spawn_as_asked(w, asked, std::forward<F>(f));
}

/// The rest of a spawn that neither try_ function has done.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_uncommon(worker* w, spawn_policy policy, F&& f) {
  by_copy(std::forward<F>(f), [w, policy]<class G>(G&& g) { spawn_slowly(w, policy, std::forward<G>(g)); });
}

/// Spawns f under the runtime's policy. Whatever is not the common case, of the policy too, shows in the length of the deque.
template <class F>
TACTUS_ALWAYS_INLINE void spawn(worker* w, F&& f) {
  using Fn = std::decay_t<F>;
  const work_deque::position position = w->deque.next_position();
  if (w->deque.is_short(position)) [[likely]] {
    if (try_help_first<Fn>(w, position, f)) [[likely]] {
      return;
    }
  } else if (--w->children_first >= 0 && try_work_first<Fn>(w, f)) {
    return;
  }
  spawn_uncommon(w, w->policy, std::forward<F>(f));
}

/// Spawns f under a policy of its own.
template <class F>
TACTUS_ALWAYS_INLINE void spawn(worker* w, spawn_policy policy, F&& f) {
  using Fn = std::decay_t<F>;
  if (!w->with_care) [[likely]] {
    if (policy == spawn_policy::work_first) {
      if (try_work_first<Fn>(w, f)) [[likely]] {
        return;
      }
    } else if (policy == spawn_policy::help_first) {
      const work_deque::position position = w->deque.next_position();
      if (w->deque.has_room(position) && try_help_first<Fn>(w, position, f)) [[likely]] {
        return;
      }
    }
  }
  spawn_uncommon(w, policy, std::forward<F>(f));
}

}  // namespace tactus::detail
