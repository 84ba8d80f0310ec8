// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/future_state.hpp>

#include <cstdio>

namespace tactus::detail {
namespace {

std::string message_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    return x.what();
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace

atomic<std::uint64_t> g_unseen_outside_workers{0};

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
  const std::string text = "tactus: nobody looked at the exception of the future of " +
                           (name_.empty() ? std::string("an unnamed task") : "task '" + name_ + "'") + ": " +
                           message_of(exception_) + "\n";
  std::fputs(text.c_str(), stderr);
}

void future_state_base::wait_suspended() {
  wait_point p;
  p.commit = enlist;
  p.cancel = cancel;
  p.describe = describe;
  p.object = this;
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
  self->waiters_.store(0,
                       memory_order_relaxed);  // relaxed: no worker runs, and whoever goes on is ordered after this one
}

void future_state_base::describe(const wait_point& p, std::string& text) {
  const auto* const self = static_cast<const future_state_base*>(p.object);
  text += self->name_.empty() ? std::string("a future") : "the future of task '" + self->name_ + "'";
}

void wake_waiters(future_state_base& s) noexcept {
  // acq_rel: publishes the value, takes over the waiters
  auto* waiter = reinterpret_cast<wait_point*>(s.waiters_.exchange(future_state_base::k_ready, memory_order_acq_rel));
  while (waiter != nullptr) {
    auto* const next = static_cast<wait_point*>(waiter->next);  // before it is ready: then it may be gone
    make_ready(*waiter);
    waiter = next;
  }
}

promise_rights::promise_rights(fulfilled_by who) noexcept : who_(who) {
  if (who == fulfilled_by::anybody) {
    g_external_unset.fetch_add(1,
                               memory_order_relaxed);  // relaxed: the tasks that will wait for it come to know it later
  }
}

void promise_rights::claim(const char* call) {
  if (who_ == fulfilled_by::tasks && any_worker() == nullptr) {
    throw usage_error(
        std::string("tactus::promise::") + call +
        " was called from a thread that runs no task; make the promise with tactus::external to fulfil it from there");
  }
  if (!claim_quietly()) {
    throw usage_error(std::string("tactus::promise::") + call + ": this promise is fulfilled already; it can be once");
  }
}

bool promise_rights::claim_quietly() noexcept {
  return !claimed_.exchange(true,
                            memory_order_acq_rel);  // acq_rel: one of several wins, and a later one is ordered after it
}

void publish_promise(future_state_base& s, fulfilled_by who) noexcept {
  wake_waiters(s);
  if (who == fulfilled_by::anybody) {
    external_promise_done();
  }
}

std::exception_ptr broken_promise_exception() {
  return std::make_exception_ptr(broken_promise("tactus: the promise was destroyed before it was fulfilled"));
}

}  // namespace tactus::detail
