// SPDX-License-Identifier: Apache-2.0
// Conditions that tasks wait for until a block makes them hold.

#include <tactus/sync/impl/atomic_domain.hpp>

#include <exception>
#include <utility>

namespace tactus::detail {

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
    const restricted_scope restricted(restriction::in_condition);
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
  try {
    check_home(current_worker(), "monitor::when");
  } catch (...) {
    unlock();
    throw;
  }
  waiter p;
  p.object = this;
  p.commit = wait_for_condition;
  p.cancel = cancel;
  p.kind = &k_condition;
  p.holds = holds;
  p.condition = condition;
  p.floats = float_environment::of_thread();
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

// Conditions run in the place of their tasks, with their identity. One that throws goes to its task.
atomic_domain::waiter* atomic_domain::first_that_holds() noexcept {
  worker* const w = any_worker();
  task_frame* const mine = w->task;
  const restricted_scope restricted(restriction::in_condition);
  waiter* found = nullptr;
  queue rest;
  for (waiter* p = for_condition_.first(); p != nullptr;) {
    auto* const next = static_cast<waiter*>(p->next);
    bool holds = false;
    if (found == nullptr) {
      w->task = p->task;
      holder_.store(p->task, memory_order_relaxed);  // relaxed: read by this thread only while it is equal
      const own_floats_aside floats(p->floats);
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
      make_ready_anywhere(*p);
    } else {
      rest.append(p);
    }
    p = next;
  }
  for_condition_ = rest;
  return found;
}

}  // namespace tactus::detail
