// SPDX-License-Identifier: Apache-2.0
// Who sleeps, who searches, and how work that appears finds a worker: no wake-up is lost and no idle worker burns time.
//
// Protocol, invariants and models: docs/protocols/parking.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/durations.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

struct worker;

class idle_set {
public:
  /// How a notify() is ordered before the look for sleepers.
  enum class order : std::uint8_t {
    cheap_notify,  ///< the one who goes to sleep pays, by a fence on all processors, if the kernel has it
    plain_fences,  ///< both pay: for virtual workers, which are woken across threads by foreign threads only
  };

  idle_set(std::size_t workers, order how);
  idle_set(const idle_set&) = delete;
  idle_set& operator=(const idle_set&) = delete;

  /// After work became visible: wakes a sleeper unless somebody awake is searching. Any thread. One load when nobody sleeps.
  TACTUS_ALWAYS_INLINE void notify() noexcept {
    // The store that made the work visible and the load below need no fence here: a worker that goes to sleep runs a fence on
    // every processor (sys_membarrier) between announcing itself and looking once more (parking P1). Without that
    // system call,
    // attention_ carries a bit that sends us the slow way round, which has a read-modify-write.
    atomic_signal_fence(memory_order_seq_cst);
    if (attention_.load(memory_order_relaxed) != 0) [[unlikely]] {  // relaxed: see above
      notify_slowly();
    }
  }

  /// The same for work that lies best with `w`: if that one sleeps, it is the one to wake.
  TACTUS_ALWAYS_INLINE void notify(worker* w) noexcept {
    atomic_signal_fence(memory_order_seq_cst);  // as above
    if (attention_.load(memory_order_relaxed) != 0) [[unlikely]] {
      notify_slowly(w);
    }
  }

  /// Whether a worker sleeps, as far as can be seen from here without a fence. Always true where notify() needs one.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool has_sleepers() const noexcept {
    return attention_.load(memory_order_relaxed) != 0;  // relaxed: as in notify()
  }

  /// Whether somebody looks for work now. Any thread.
  [[nodiscard]] bool has_searchers() const noexcept {
    return searching_.load(memory_order_relaxed) != 0;  // relaxed: a hint
  }

  /// Wakes a sleeper even if others search: after something other than work changed. Any thread.
  void wake_one_for_sure() noexcept;

  /// For the seeded scheduler, between runs: who falls asleep in which order decides who is woken, and is to be the
  /// same each time.
  void order_by_number() noexcept;

  /// Wakes this one, if it sleeps; it will search and see why.
  void wake(worker* w) noexcept;
  void wake_all() noexcept;

  // ---- by workers ----

  void begin_search() noexcept;

  /// The searcher found work; the last one wakes another, since a notify() may have relied on it (parking P1).
  void end_search() noexcept;

  /// Announces a searcher as asleep, then orders that before whatever it looks at next.
  void announce(worker* w) noexcept;

  /// The announced worker has seen work after all: it searches again. False if somebody has woken it meanwhile, which it then
  /// has to consume by sleep().
  bool withdraw(worker* w) noexcept;

  /// Sleeps until woken; counted as a searcher from then on.
  void sleep(worker* w) noexcept;

  /// withdraw(), if every worker is announced: of several that ask, one gets true and is then the only one awake
  /// (parking P4).
  /// `departures` is then what nobody_left_since() wants.
  bool withdraw_if_all_asleep(worker* w, std::uint64_t& departures) noexcept;

  /// Whether no other worker has left the set since: an announced worker may still be on its way to the look at the
  /// queues (parking P4).
  bool nobody_left_since(std::uint64_t departures) noexcept;

  /// Calls f() if every worker is announced; none can be woken meanwhile. For reports.
  template <class F>
  void if_all_asleep(F&& f) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() == workers_) {
      f();
    }
  }

  /// Calls f(), before or after any that if_all_asleep() calls.
  template <class F>
  void apart_from_looks(F&& f) {
    const std::lock_guard lock(mutex_);
    f();
  }

private:
  static constexpr std::uint32_t k_needs_fence = std::uint32_t{1} << 31;

  TACTUS_API TACTUS_NOINLINE void notify_slowly(worker* best = nullptr) noexcept;
  void wake_locked(worker* w) noexcept;

  alignas(k_cache_line) atomic<std::uint32_t> attention_{
      0};                               // number of sleepers, and k_needs_fence; written under mutex_
  atomic<std::uint32_t> searching_{0};  // awake workers that look for work
  std::mutex mutex_;                    // protects idle_ and the writes above that go with it
  std::vector<worker*> idle_;
  std::uint64_t departures_ = 0;  // from idle_; under mutex_
  const std::size_t workers_;
};

/// Gives the processor away for about that long; nobody can end it.
void nap(std::chrono::nanoseconds time) noexcept;

/// A strong fence on all processors that run this process, if the kernel has it; returns whether it has.
bool fence_all_processors() noexcept;

}  // namespace tactus::detail
