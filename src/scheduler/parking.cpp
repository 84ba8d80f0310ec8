// SPDX-License-Identifier: Apache-2.0

#include <tactus/scheduler/impl/parking.hpp>

#include "scheduler/scheduler.hpp"

#include "scheduler/futex.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>

#include <linux/membarrier.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): nanosleep is POSIX

namespace tactus::detail {

bool fence_all_processors() noexcept {
  static const bool registered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return registered && ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void nap(std::chrono::nanoseconds time) noexcept {
  const timespec span{.tv_sec = 0, .tv_nsec = time.count()};
  ::nanosleep(&span, nullptr);
}

idle_set::idle_set(std::size_t workers, order how) : workers_(workers) {
  idle_.reserve(workers);
  if (how == order::plain_fences || !fence_all_processors()) {
    attention_.store(k_needs_fence, memory_order_relaxed);  // relaxed: no other thread yet
  }
}

void idle_set::notify_slowly(worker* best) noexcept {
  if ((attention_.load(memory_order_relaxed) & k_needs_fence) != 0) {  // relaxed: the bit never changes
    // seq_cst read-modify-write in place of a fence: orders the caller's store before the loads below; pairs with
    // announce() (parking P1)
    if (attention_.fetch_add(0, memory_order_seq_cst) == k_needs_fence) {
      return;
    }
  }
  // that searcher looks again after it stops counting as one (parking P1)
  if (best == nullptr && searching_.load(memory_order_seq_cst) > 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (best != nullptr && std::find(idle_.begin(), idle_.end(), best) != idle_.end()) {
    wake_locked(best);
    return;
  }
  if (searching_.load(memory_order_relaxed) == 0 &&
      !idle_.empty()) {  // relaxed: a searcher that starts now looks by itself
    wake_locked(idle_.back());
  }
}

void idle_set::wake_locked(worker* w) noexcept {
  idle_.erase(std::find(idle_.begin(), idle_.end(), w));
  ++departures_;
  attention_.fetch_sub(1,
                       memory_order_relaxed);  // relaxed: written under mutex_; a late reader only comes here in vain
  searching_.fetch_add(1, memory_order_seq_cst);  // on its behalf, so that the next notify() does not wake another
  w->woken.store(1, memory_order_release);        // pairs with the acquire in sleep() (parking P3)
  if (worker* const waker = any_worker(); waker != nullptr) {
    ++waker->counters.wake_ups;
  }
  if (w->seeded) {
    w->owner->seeded()->signal();
  } else {
    futex_wake(w->woken);
  }
}

void idle_set::wake_one_for_sure() noexcept {
  const std::lock_guard lock(mutex_);
  if (!idle_.empty()) {
    wake_locked(idle_.back());
  }
}

void idle_set::order_by_number() noexcept {
  const std::lock_guard lock(mutex_);
  std::sort(idle_.begin(), idle_.end(), [](const worker* a, const worker* b) { return a->id < b->id; });
}

void idle_set::wake(worker* w) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::find(idle_.begin(), idle_.end(), w) != idle_.end()) {
    wake_locked(w);
  }
}

void idle_set::wake_all() noexcept {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    wake_locked(idle_.back());
  }
}

void idle_set::begin_search() noexcept {
  searching_.fetch_add(1, memory_order_seq_cst);
}  // seq_cst: see notify_slowly()

void idle_set::end_search() noexcept {
  if (searching_.fetch_sub(1, memory_order_seq_cst) != 1) {  // seq_cst: pairs with notify_slowly() (parking P1)
    return;
  }
  if ((attention_.load(memory_order_seq_cst) & ~k_needs_fence) == 0) {  // who announces itself later looks by itself
    return;
  }
  const std::lock_guard lock(mutex_);
  if (searching_.load(memory_order_relaxed) == 0 && !idle_.empty()) {  // relaxed: as in notify_slowly()
    wake_locked(idle_.back());
  }
}

void idle_set::announce(worker* w) noexcept {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(w);
    attention_.fetch_add(
        1, memory_order_seq_cst);  // seq_cst: before the looks that follow, for whoever takes the slow way
    searching_.fetch_sub(1, memory_order_seq_cst);  // as above
  }
  if ((attention_.load(memory_order_relaxed) & k_needs_fence) == 0) {  // relaxed: the bit never changes
    fence_all_processors();  // a notify() either has made its work visible by now or will see the announcement (parking P1)
  }
}

bool idle_set::withdraw(worker* w) noexcept {
  const std::lock_guard lock(mutex_);
  const auto it = std::find(idle_.begin(), idle_.end(), w);
  if (it == idle_.end()) {
    return false;
  }
  idle_.erase(it);
  ++departures_;
  attention_.fetch_sub(1, memory_order_relaxed);  // relaxed: as in wake_locked()
  searching_.fetch_add(1, memory_order_seq_cst);
  return true;
}

bool idle_set::withdraw_if_all_asleep(worker* w, std::uint64_t& departures) noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_.size() != workers_) {
    return false;
  }
  idle_.erase(std::find(idle_.begin(), idle_.end(), w));
  ++departures_;
  attention_.fetch_sub(1, memory_order_relaxed);  // relaxed: as in wake_locked()
  searching_.fetch_add(1, memory_order_seq_cst);
  departures = departures_;
  return true;
}

bool idle_set::nobody_left_since(std::uint64_t departures) noexcept {
  const std::lock_guard lock(mutex_);
  return departures_ == departures;
}

void idle_set::sleep(worker* w) noexcept {
  ++w->counters.parks;
  if (w->seeded) {
    w->owner->seeded()->sleep(w);
  }
  w->sleeps.store(true, memory_order_relaxed);        // relaxed: for signal handlers of this thread
  atomic_signal_fence(memory_order_seq_cst);          // it is true while there is nothing else to tell, and then only
  while (w->woken.load(memory_order_acquire) == 0) {  // acquire: pairs with wake_locked() (parking P3)
    futex_wait(w->woken, 0);
  }
  atomic_signal_fence(memory_order_seq_cst);
  w->sleeps.store(false, memory_order_relaxed);  // relaxed: as above
  w->woken.store(0, memory_order_relaxed);       // relaxed: nobody wakes a worker that is not announced
}

}  // namespace tactus::detail
