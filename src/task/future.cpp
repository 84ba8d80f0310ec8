// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/impl/future_state.hpp>

#include "scheduler/home_check.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/task_names.hpp"

#include <cstdio>

namespace tactus::detail {
namespace {

std::string message_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    const char* const what = x.what();
    return what != nullptr ? what : "";
  } catch (...) {
    return "unknown exception";
  }
}

// A wait for a promise that may be counted at another run, which knows nothing of the waiting one.
class external_wait {
public:
  explicit external_wait(external_count* run) noexcept : run_(run) {
    if (run_ != nullptr) {
      run_->wait_begins();
    }
  }
  ~external_wait() {
    if (run_ != nullptr) {
      run_->wait_ends();
    }
  }
  external_wait(const external_wait&) = delete;
  external_wait& operator=(const external_wait&) = delete;

private:
  external_count* const run_;
};

void tell_of_unseen(const std::exception_ptr& e, const std::string& task) noexcept {
  try {
    const std::string text = "tactus: nobody looked at the exception of the future of " +
                             (task.empty() ? std::string("an unnamed task") : "task '" + task + "'") + ": " +
                             message_of(e) + "\n";
    std::fputs(text.c_str(), stderr);
  } catch (...) {
    std::fputs("tactus: nobody looked at the exception of a future, and there is no memory to tell of which\n", stderr);
  }
}

}  // namespace

atomic<std::uint64_t> g_unseen_outside_workers{0};
atomic<std::uint32_t> g_last_future{0};

future_state_base::~future_state_base() {
  if (!of_task_ || exception_ == nullptr ||
      seen_.load(memory_order_relaxed)) {  // relaxed: release() ordered the readers before us
    return;
  }
  if (worker* const w = current_worker(); w != nullptr) {
    ++w->counters.unseen_exceptions;
  } else {
    g_unseen_outside_workers.fetch_add(1, memory_order_relaxed);  // relaxed: a count
  }
  tell_of_unseen(exception_, name_);
}

// Waiters of two runtimes would be on one list, and the verdict on one of these would take off both.
void future_state_base::settle(std::uint64_t home, const char* object, const char* call) {
  std::uint64_t there = 0;
  // acquire: a list that a verdict has emptied, see cancel(). relaxed: who comes second waits, or throws, by the number alone
  if (!made_in_.compare_exchange_strong(there, home, memory_order_acquire, memory_order_relaxed) && there != home &&
      !(made_outside_ && are_of_one_runtime(there, home))) {
    throw_of_another_home(std::string(object) + call, "the future or promise", there, ", or use at_future",
                          "; between runtimes use promises made with tactus::external");
  }
}

void future_state_base::wait_suspended() {
  if (!current_worker()->owner->deadlocked()) {  // else it throws at once
    check_home("future::", "get");
  }
  wait_point p;
  p.commit = enlist;
  p.cancel = cancel;
  p.kind = &k_wait;
  p.object = this;
  const external_wait counted(external_ ? &current_worker()->owner->run().externals() : nullptr);
  suspend(p);
}

bool future_state_base::enlist(wait_point& p) {
  auto* const self = static_cast<future_state_base*>(p.object);
  std::uintptr_t seen = self->waiters_.load(memory_order_acquire);
  do {
    if (seen == k_ready) {
      return false;
    }
    p.next = reinterpret_cast<wait_point*>(seen);
    // release: publishes the waiter; pairs with the exchange in wake_waiters(). acquire on failure: it may be ready by now
  } while (!self->waiters_.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(&p), memory_order_release,
                                                 memory_order_acquire));
  return true;
}

void future_state_base::cancel(wait_point& p) {
  auto* const self = static_cast<future_state_base*>(p.object);
  if (!self->made_outside_ || self->external_) {
    // relaxed: no worker of its home runs, and whoever goes on is ordered after this one
    self->waiters_.store(0, memory_order_relaxed);
    return;
  }
  const std::uint64_t of = self->made_in_.load(memory_order_relaxed);  // relaxed: it is ours, or we have given it away
  if (of == 0 || !are_of_one_runtime(of, p.home->home_number())) {
    return;  // taken off with the first of its waiters; another runtime's by now, perhaps
  }
  self->waiters_.store(0, memory_order_relaxed);  // relaxed: published by what follows
  self->made_in_.store(0, memory_order_release);  // release: the empty list; pairs with settle()
}

constinit const wait_kind future_state_base::k_wait{describe, "future", offsetof(future_state_base, number_),
                                                    offsetof(future_state_base, name_)};

void future_state_base::describe(const wait_point& p, std::string& text) {
  const auto* const self = static_cast<const future_state_base*>(p.object);
  if (self->name_.empty()) {
    text +=
        numbered("future", self->number_, g_last_future) + (self->of_task_ ? " of an unnamed task" : " of a promise");
  } else {
    text += "the future of task '" + self->name_ + "'";
  }
}

void wake_waiters(future_state_base& s) noexcept {
  const visit_from_outside visit(s.made_in_.load(memory_order_relaxed));  // relaxed: its home's tasks know the number
  // acq_rel: publishes the value, takes over the waiters
  auto* waiter = reinterpret_cast<wait_point*>(s.waiters_.exchange(future_state_base::k_ready, memory_order_acq_rel));
  while (waiter != nullptr) {
    auto* const next = static_cast<wait_point*>(waiter->next);  // before it is ready: then it may be gone
    make_ready(*waiter);
    waiter = next;
  }
}

void promise_rights::claim(const char* call, const future_state_base& s) {
  if (counted_ == nullptr && any_worker() == nullptr) {
    throw usage_error(
        std::string("tactus::promise::") + call +
        " was called from a thread that runs no task; make the promise with tactus::external to fulfil it from there");
  }
  if (!claim_quietly()) {
    throw usage_error(std::string("tactus::promise::") + call + ": the promise of future " + s.number() +
                      " is fulfilled already; it can be once");
  }
}

bool promise_rights::claim_quietly() noexcept {
  return !claimed_.exchange(true,
                            memory_order_acq_rel);  // acq_rel: one of several wins, and a later one is ordered after it
}

void publish_promise(future_state_base& s, external_count* counted) noexcept {
  wake_waiters(s);
  if (counted != nullptr) {
    counted->done();
  }
}

std::exception_ptr broken_promise_exception(const future_state_base& s) noexcept {
  try {
    const worker* const w = any_worker();
    const std::string by = w != nullptr ? "by " + shown_name(w->task) : "outside of tasks";
    return std::make_exception_ptr(broken_promise("tactus: the promise of future " + s.number() + " was destroyed " +
                                                  by + " before it was fulfilled"));
  } catch (...) {
    return std::current_exception();  // no memory for the text
  }
}

}  // namespace tactus::detail
