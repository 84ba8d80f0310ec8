// SPDX-License-Identifier: Apache-2.0
// Where work may lie: one list for all who ask whether there is any. A new source is added here, and each question says whether it
// counts; one that forgot it would lose wake-ups.
#pragma once

#include <tactus/base/impl/platform.hpp>

namespace tactus::detail {

struct worker;

/// The sources, as bits.
namespace source {
inline constexpr unsigned block =
    1U << 0U;  ///< released continuations that the worker has claimed: nobody else takes them
inline constexpr unsigned released = 1U << 1U;  ///< those that a barrier has released for it
inline constexpr unsigned deque = 1U << 2U;
inline constexpr unsigned affine = 1U << 3U;   ///< tasks that would run best on it
inline constexpr unsigned yielded = 1U << 4U;  ///< continuations that let everything ready on it go first
inline constexpr unsigned shared = 1U << 5U;   ///< tasks of the policy work_sharing; of the place
inline constexpr unsigned outside = 1U << 6U;  ///< what no worker of the place has made; of the place
inline constexpr unsigned batch = 1U << 7U;    ///< small tasks that the worker is putting together

/// What some worker could take from this one. Besides, what it puts together, by scheduler::bring_open_batch().
inline constexpr unsigned open_to_thieves = released | deque | affine | yielded;

/// What a worker does before it waits for another one at a barrier. Not `yielded`, which goes behind, nor `outside`: a poll is short.
inline constexpr unsigned before_polling = block | released | deque | affine | shared | batch;

/// What a yielding task lets go first. What is outside is asked for besides.
inline constexpr unsigned before_yielding = block | released | deque | affine | shared | yielded | batch;

/// What a member that has just turned a phase lets go first every so often: what would never run else, because the members go on
/// with each other. Not `released`: these are the members.
inline constexpr unsigned besides_members = deque | yielded | batch;
}  // namespace source

/// Work that no worker of a place has made: sent by foreign threads, and by other places.
class outside_source {
public:
  outside_source() = default;
  outside_source(const outside_source&) = delete;
  outside_source& operator=(const outside_source&) = delete;

  /// Puts what has come where `w`, the calling worker, finds it; returns whether there was any. May be called on the stack of a task:
  /// runs no user code.
  virtual bool poll(worker* w) noexcept = 0;

  /// Whether poll() would find something. Any thread of the process.
  [[nodiscard]] virtual bool in_sight() const noexcept = 0;

  /// Whether something may come although nothing of the run is running or ready: then no task that waits is stuck.
  [[nodiscard]] virtual bool may_come() const noexcept = 0;

protected:
  ~outside_source() = default;
};

}  // namespace tactus::detail
