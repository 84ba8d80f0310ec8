// SPDX-License-Identifier: Apache-2.0
// The lock of atomic blocks: who comes waits for it, and who ends a block hands it over.

#include <tactus/sync/atomic.hpp>

#include <tactus/base/error.hpp>

#include "base/poll.hpp"
#include "base/probe.hpp"
#include "scheduler/home_check.hpp"
#include "scheduler/seeded.hpp"
#include "scheduler/task_names.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::chrono::nanoseconds k_longest_spin{2'000};

atomic<std::uint32_t> g_last_monitor{0};

}  // namespace

void domain_end::operator()(atomic_domain* d) const noexcept { delete d; }

std::unique_ptr<atomic_domain, domain_end> make_place_domain() {
  return std::unique_ptr<atomic_domain, domain_end>(new atomic_domain("atomic"));
}

atomic_domain::block::block(atomic_domain* d) noexcept : domain_(d), restricted_(restriction::in_block) {
  d->holder_.store(any_worker()->task, memory_order_relaxed);  // relaxed: read by its own task only
}

atomic_domain::block::~block() { domain_->unlock(); }

// A condition is asked by whoever ends a block, on that task's stack, which must not wait for another lock in its name.
bool atomic_domain::lock(worker* w, const char* call) {
  if (w == nullptr) {
    w = locking_worker_for(call);
    if (is_mine(w)) {
      return false;
    }
    if (in_condition()) [[unlikely]] {
      throw atomic_use_error(
          std::string("tactus::") + call +
          " was called inside the condition of a when of another monitor (or of the place), which may "
          "not wait for its lock; let the condition read what blocks of its own monitor write");
    }
  } else if (w->with_care) {
    if (w->timeline != nullptr) {
      profile_use(w);
    }
    seeded_point(w);
  }
  if (!try_lock()) [[unlikely]] {
    lock_slowly(w, call);
  }
  return true;
}

// Blocks are short and their holders run, as a rule: a moment of patience spares most of the waiting.
bool atomic_domain::spin_for_lock(const worker* w, std::uintptr_t mark) noexcept {
  if (w->owner->size() == 1 || w->seeded) {
    return false;
  }
  cpu_relax();  // the caller has just looked
  return poll_for(k_longest_spin, 8, [&] { return try_lock(mark); });
}

// By who has to wait: the others would be as good in any place of the process.
void atomic_domain::check_home(const worker* w, const char* call) const {
  if (home_ != 0 && w->home_number != home_) {
    throw_of_another_home(call, "the monitor", home_, "",
                          "; one that is made outside of tasks may be used by several, one after another");
  }
}

void atomic_domain::lock_slowly(worker* w, const char* call) {
  check_home(w, call);
  if (spin_for_lock(w, 0)) {
    return;
  }
  const unrestricted_scope shown;
  // In a program that is stuck tasks unwind, and may run blocks on their way. Whoever holds the lock then is running or ready, and
  // not stuck.
  if (w->owner->deadlocked()) {
    while (!try_lock()) {
      yield_now(stack_pool::at_limit::insist);
    }
    return;
  }
  wait_for_lock();
}

void atomic_domain::wait_for_lock() {
  waiter p;
  p.object = this;
  p.commit = enlist;
  p.cancel = cancel;
  p.kind = &k_lock;
  suspend(p);
  while (!p.owns && !try_lock(k_woken) && !spin_for_lock(current_worker(), k_woken)) {
    p.in_vain = true;
    try {
      suspend(p);
    } catch (...) {
      // Nobody else is woken while this task is on its way: so it has to have the lock once, to wake the next one. One that has been in
      // the queue, in a program that is stuck, is on its way no more.
      if (!p.deadlocked) {
        while (!try_lock(k_woken)) {
          yield_now(stack_pool::at_limit::insist);
        }
        unlock();
      }
      throw;
    }
  }
}

bool atomic_domain::enlist(wait_point& point) {
  auto* const self = static_cast<atomic_domain*>(point.object);
  auto& p = static_cast<waiter&>(point);
  const std::uintptr_t mark = p.in_vain ? k_woken : 0;
  std::uintptr_t seen = self->state_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  for (;;) {
    if ((seen & k_held) == 0) {
      if (self->state_.compare_exchange_weak(seen, (seen | k_held) & ~mark, memory_order_acquire,
                                             memory_order_relaxed)) {  // as try_lock()
        p.owns = true;
        return false;
      }
      continue;
    }
    p.next = reinterpret_cast<continuation*>(seen & ~k_bits);
    // release: publishes the waiter; pairs with take_newcomers()
    if (self->state_.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(&p) | (seen & k_bits & ~mark),
                                           memory_order_release, memory_order_relaxed)) {
      return true;
    }
  }
}

void atomic_domain::unlock() noexcept {
  holder_.store(nullptr, memory_order_relaxed);  // relaxed: as above
  if (for_lock_.is_empty() && for_condition_.is_empty()) {
    std::uintptr_t held = k_held;
    // release: what this block did; pairs with the acquires of whoever locks next
    if (state_.compare_exchange_strong(held, k_free, memory_order_release, memory_order_relaxed)) {
      return;
    }
  }
  unasked_ = true;
  hand_over();
}

void atomic_domain::take_newcomers() noexcept {
  // acquire: pairs with enlist()
  auto* newest = reinterpret_cast<waiter*>(state_.fetch_and(k_bits, memory_order_acquire) & ~k_bits);
  waiter* oldest = nullptr;
  while (newest != nullptr) {
    auto* const before = static_cast<waiter*>(newest->next);
    newest->next = oldest;
    oldest = newest;
    newest = before;
  }
  while (oldest != nullptr) {
    auto* const after = static_cast<waiter*>(oldest->next);
    if (oldest->in_vain) {
      for_lock_.prepend(oldest);
    } else {
      for_lock_.append(oldest);
    }
    oldest = after;
  }
}

void atomic_domain::give_lock(waiter* p) noexcept {
  p->owns = true;
  make_ready_anywhere(*p);  // the lock is its own from here on
}

void atomic_domain::hand_over() noexcept {
  do {
    take_newcomers();
    if (unasked_ && (!condition_was_last_ || for_lock_.is_empty())) {
      waiter* const next = first_that_holds();
      unasked_ = next != nullptr;
      if (next != nullptr) {
        condition_was_last_ = true;
        give_lock(next);
        return;
      }
    }
    if (!for_lock_.is_empty() && for_lock_.first()->in_vain) {
      condition_was_last_ = false;
      give_lock(for_lock_.take_first());
      return;
    }
  } while (!free_lock());
}

// Frees the lock and wakes the first who waits for it, unless another one is on its way. False if somebody has come meanwhile.
bool atomic_domain::free_lock() noexcept {
  std::uintptr_t seen = state_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  if ((seen & ~k_bits) != 0) {
    return false;
  }
  waiter* const next = (seen & k_woken) == 0 ? for_lock_.take_first() : nullptr;
  const bool was_last = std::exchange(condition_was_last_, false);
  const std::uintptr_t then = next != nullptr || (seen & k_woken) != 0 ? k_woken : k_free;
  // release: what this block did, and the queue; pairs with the acquires of whoever locks next
  if (!state_.compare_exchange_strong(seen, then, memory_order_release, memory_order_relaxed)) {
    condition_was_last_ = was_last;
    if (next != nullptr) {
      for_lock_.prepend(next);
    }
    return false;
  }
  if (next != nullptr) {
    make_ready_anywhere(*next);
  }
  return true;
}

void atomic_domain::cancel(wait_point& p) {
  auto* const self = static_cast<atomic_domain*>(p.object);
  self->for_lock_ = {};
  self->for_condition_ = {};
  // relaxed, both: no worker runs, and whoever goes on is ordered after this one
  self->state_.store(self->state_.load(memory_order_relaxed) & k_bits, memory_order_relaxed);
}

constinit const wait_kind atomic_domain::k_lock{describe, "the lock of atomic blocks or monitor",
                                                offsetof(atomic_domain, number_)};
constinit const wait_kind atomic_domain::k_condition{describe, "the condition of a when of monitor",
                                                     offsetof(atomic_domain, number_)};

void atomic_domain::describe(const wait_point& p, std::string& text) {
  const auto& self = *static_cast<const atomic_domain*>(p.object);
  if (static_cast<const waiter&>(p).holds != nullptr) {
    text += "the condition of a when of ";
  } else {
    text += "the lock of ";
  }
  text += self.name_ == std::string_view("monitor") ? numbered("monitor", self.number_, g_last_monitor)
                                                    : "the place (atomic)";
  const reported_tasks* const report = reported_tasks::now();
  if (report == nullptr || static_cast<const waiter&>(p).holds != nullptr) {
    return;
  }
  // relaxed: only a task that waits is looked at, and it has written this before. One that runs, or is gone, is none of
  // the report's.
  if (const task_frame* const holder = self.holder_.load(memory_order_relaxed); report->has(holder)) {
    text += ", which " + report->name(holder) + " holds";
  }
}

}  // namespace tactus::detail
