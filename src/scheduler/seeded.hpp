// SPDX-License-Identifier: Apache-2.0
// The seeded scheduler: virtual workers on one OS thread that change at every scheduling point as a seed decides, so that a
// seed replays an interleaving exactly.
#pragma once

#include <tactus/base/impl/rng.hpp>

#include "scheduler/scheduler.hpp"

#include <vector>

namespace tactus::detail {

class seeded_order {
public:
  /// Of `workers`, in the order of their seats, at one place or several; the first one runs.
  seeded_order(std::vector<worker*> workers, std::uint64_t seed);

  /// A run begins: equal seeds give equal runs, also the second one of the same runtime. Whatever was before, all
  /// other virtual workers sleep.
  void restart() noexcept;

  /// A run begins or has ended: lets every other virtual worker come to rest.
  void settle(worker* w) noexcept;

  /// A scheduling point of `w`, which runs now: perhaps another virtual worker goes on first.
  void point(worker* w) noexcept;

  /// Brings any entry of w's deque, as the seed decides, to where w pops next.
  void stir(worker* w) noexcept;

  /// `w` has nothing to do until it is woken: others go on; if none can, the OS thread sleeps until a foreign thread wakes one.
  void sleep(worker* w) noexcept;

  /// Some virtual worker was woken, perhaps by a foreign thread.
  void signal() noexcept;

  /// The next choice among `alternatives`.
  std::uint64_t choose(std::uint64_t alternatives) noexcept { return random_.below(alternatives); }

private:
  struct seat_state {
    continuation where;  // of a virtual worker that waits for its turn
    bool started = false;
    bool asleep = false;
  };

  [[nodiscard]] bool runnable(std::size_t i) const noexcept;
  [[nodiscard]] std::size_t count_runnable() const noexcept;
  void switch_to(worker* from, std::size_t next) noexcept;

  const std::vector<worker*> workers_;
  const std::uint64_t seed_;
  rng random_;
  std::vector<seat_state> seats_;
  atomic<std::uint32_t> signals_{0};  // counts wake-ups, by any thread
};

/// Marks a place where another worker might have been faster. Nothing unless the scheduler is seeded.
TACTUS_ALWAYS_INLINE void seeded_point(worker* w) noexcept {
  if (w->seeded) [[unlikely]] {
    w->owner->seeded()->point(w);
  }
}

/// Marks a place where a worker takes the next entry of its own deque: any will do. Nothing unless the scheduler is seeded.
TACTUS_ALWAYS_INLINE void seeded_stir(worker* w) noexcept {
  if (w->seeded) [[unlikely]] {
    w->owner->seeded()->stir(w);
  }
}

}  // namespace tactus::detail
