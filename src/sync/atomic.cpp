// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/atomic.hpp>

#include "scheduler/seeded.hpp"

#include <chrono>
#include <string_view>

namespace tactus::detail {
namespace {

constexpr std::chrono::nanoseconds k_longest_spin{2'000};

}  // namespace

atomic_domain& place_domain() noexcept {
  static constinit atomic_domain domain{"atomic"};
  return domain;
}

void atomic_domain::queue::append(waiter* p) noexcept {
  p->next = nullptr;
  if (last == nullptr) {
    first = p;
  } else {
    last->next = p;
  }
  last = p;
}

atomic_domain::waiter* atomic_domain::queue::take_first() noexcept {
  waiter* const p = first;
  if (p != nullptr) {
    first = static_cast<waiter*>(p->next);
    if (first == nullptr) {
      last = nullptr;
    }
  }
  return p;
}

atomic_domain::block::block(atomic_domain* d) noexcept : domain_(d), hidden_(hidden_because::in_block) {
  d->holder_.store(any_worker()->task, memory_order_relaxed);  // relaxed: read by its own task only
}

atomic_domain::block::~block() { domain_->unlock(); }

void atomic_domain::lock(worker* w) {
  if (w->seeded && current_worker() != nullptr) {
    seeded_point(w);
  }
  if (!try_lock()) [[unlikely]] {
    lock_slowly(w);
  }
}

// Blocks are short and their holders run, as a rule: a moment of patience spares most of the waiting.
void atomic_domain::lock_slowly(worker* w) {
  if (w->owner->size() > 1 && !w->seeded) {
    const auto begin = std::chrono::steady_clock::now();
    do {
      for (int i = 0; i < 8; ++i) {
        cpu_relax();
        if (try_lock()) {
          return;
        }
      }
    } while (std::chrono::steady_clock::now() - begin < k_longest_spin);
  }
  const shown_worker shown;
  // In a program that is stuck tasks unwind, and may run blocks on their way. Whoever holds the lock then is running or ready, and
  // not stuck.
  if (w->owner->deadlocked()) {
    while (!try_lock()) {
      yield_now();
    }
    return;
  }
  waiter p;
  p.object = this;
  p.commit = enlist;
  p.cancel = cancel;
  p.describe = describe;
  suspend(p);  // and has the lock then
}

bool atomic_domain::enlist(wait_point& p) {
  auto* const self = static_cast<atomic_domain*>(p.object);
  std::uintptr_t seen = self->state_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  for (;;) {
    if (seen == k_free) {
      if (self->state_.compare_exchange_weak(seen, k_held, memory_order_acquire,
                                             memory_order_relaxed)) {  // as try_lock()
        return false;
      }
      continue;
    }
    p.next = reinterpret_cast<strand*>(seen & ~k_held);
    // release: publishes the waiter; pairs with take_newcomers()
    if (self->state_.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(static_cast<waiter*>(&p)) | k_held,
                                           memory_order_release, memory_order_relaxed)) {
      return true;
    }
  }
}

void atomic_domain::unlock() noexcept {
  holder_.store(nullptr, memory_order_relaxed);  // relaxed: as above
  if (for_lock_.first == nullptr && for_condition_.first == nullptr) {
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
  auto* newest = reinterpret_cast<waiter*>(state_.exchange(k_held, memory_order_acquire) & ~k_held);
  waiter* oldest = nullptr;
  while (newest != nullptr) {
    auto* const before = static_cast<waiter*>(newest->next);
    newest->next = oldest;
    oldest = newest;
    newest = before;
  }
  while (oldest != nullptr) {
    auto* const after = static_cast<waiter*>(oldest->next);
    for_lock_.append(oldest);
    oldest = after;
  }
}

// Conditions run in the place of their tasks, with their identity. One that throws goes to its task.
atomic_domain::waiter* atomic_domain::first_that_holds() noexcept {
  worker* const w = any_worker();
  task_frame* const mine = w->task;
  const hidden_worker hidden(hidden_because::in_block);
  waiter* found = nullptr;
  queue rest;
  for (waiter* p = for_condition_.first; p != nullptr;) {
    auto* const next = static_cast<waiter*>(p->next);
    bool holds = false;
    if (found == nullptr) {
      w->task = p->task;
      holder_.store(p->task, memory_order_relaxed);  // relaxed: read by this thread only while it is equal
      try {
        holds = p->holds(p->condition);
      } catch (...) {
        p->failure = std::current_exception();
      }
      w->task = mine;
      // relaxed: as above; before p goes on, which would take the lock for its own (A1)
      holder_.store(nullptr, memory_order_relaxed);
    }
    if (holds) {
      found = p;
    } else if (p->failure != nullptr) {
      make_ready(w, p);
    } else {
      rest.append(p);
    }
    p = next;
  }
  for_condition_ = rest;
  return found;
}

void atomic_domain::hand_over() noexcept {
  for (;;) {
    take_newcomers();
    waiter* next = nullptr;
    if (condition_was_last_) {
      next = for_lock_.take_first();
    }
    if (next == nullptr && unasked_) {
      next = first_that_holds();
      unasked_ = next != nullptr;
    }
    if (next == nullptr) {
      next = for_lock_.take_first();
    }
    if (next != nullptr) {
      condition_was_last_ = next->holds != nullptr;
      make_ready(any_worker(), next);  // the lock is its own from here on
      return;
    }
    std::uintptr_t held = k_held;
    if (state_.compare_exchange_strong(held, k_free, memory_order_release, memory_order_relaxed)) {  // as in unlock()
      return;
    }
  }
}

bool atomic_domain::wait_for_condition(wait_point& p) {
  auto* const self = static_cast<atomic_domain*>(p.object);
  self->for_condition_.append(static_cast<waiter*>(&p));
  self->hand_over();
  return true;
}

// The caller has the lock. On return it has it and the condition holds; on exception it has not.
void atomic_domain::wait_until(bool (*holds)(void*), void* condition) {
  bool now = false;
  try {
    const hidden_worker hidden(hidden_because::in_block);
    holder_.store(any_worker()->task, memory_order_relaxed);  // relaxed: read by its own task only
    now = holds(condition);
  } catch (...) {
    unlock();
    throw;
  }
  if (now) {
    return;
  }
  holder_.store(nullptr, memory_order_relaxed);  // as above
  waiter p;
  p.object = this;
  p.commit = wait_for_condition;
  p.cancel = cancel;
  p.describe = describe;
  p.holds = holds;
  p.condition = condition;
  p.task = current_worker()->task;
  try {
    suspend(p);
  } catch (...) {
    if (!p.deadlocked) {
      unlock();  // it has not come onto any list
    }
    throw;
  }
  if (p.failure != nullptr) {
    std::rethrow_exception(std::move(p.failure));
  }
}

void atomic_domain::cancel(wait_point& p) {
  auto* const self = static_cast<atomic_domain*>(p.object);
  self->for_lock_ = {};
  self->for_condition_ = {};
  // relaxed, both: no worker runs, and whoever goes on is ordered after this one
  self->state_.store(self->state_.load(memory_order_relaxed) & k_held, memory_order_relaxed);
}

void atomic_domain::describe(const wait_point& p, std::string& text) {
  const auto& self = *static_cast<const atomic_domain*>(p.object);
  if (static_cast<const waiter&>(p).holds != nullptr) {
    text += "the condition of a when of ";
  } else {
    text += "the lock of ";
  }
  text += self.name_ == std::string_view("monitor") ? "a monitor" : "the place (atomic)";
}

}  // namespace tactus::detail
