// SPDX-License-Identifier: Apache-2.0
#include "x10/xrx/pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <utility>

#include "x10/xrx/xrx.hpp"

namespace bench::xrx {
namespace {

/// Address space, of which a blocked activity touches a few pages; 1,000 threads ask for 250 MiB of it.
constexpr std::size_t k_stack_bytes = std::size_t{256} * 1024;

thread_local worker* this_worker = nullptr;

/// Starts `main` in a thread with a small stack; 0 or the error number.
int start_system_thread(unsigned long& id, void* (*main)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, k_stack_bytes);
  pthread_t thread{};
  const int error = pthread_create(&thread, &attributes, main, argument);
  pthread_attr_destroy(&attributes);
  id = thread;
  return error;
}

}  // namespace

scheme scheme_named(std::string_view name) {
  const auto at = std::find(k_scheme_names.begin(), k_scheme_names.end(), name);
  if (at == k_scheme_names.end()) throw std::invalid_argument("no scheme is named '" + std::string(name) + "'");
  return static_cast<scheme>(at - k_scheme_names.begin());
}

// --- worker

void worker::park() {
  std::unique_lock lock(park_mutex_);
  permitted_.wait(lock, [this] { return permit_; });
  permit_ = false;
}

void worker::unpark() {
  {
    const std::lock_guard lock(park_mutex_);
    permit_ = true;
  }
  permitted_.notify_one();
}

void worker::push(std::unique_ptr<activity> a) {
  const std::lock_guard lock(deque_mutex_);
  deque_.push_back(std::move(a));
  size_.store(deque_.size(), std::memory_order_relaxed);  // relaxed: a hint; queued_ of the pool decides
}

std::unique_ptr<activity> worker::pop() {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;  // relaxed: a hint; queued_ of the pool decides
  const std::lock_guard lock(deque_mutex_);
  if (deque_.empty()) return nullptr;
  std::unique_ptr<activity> newest = std::move(deque_.back());
  deque_.pop_back();
  size_.store(deque_.size(), std::memory_order_relaxed);  // relaxed: a hint
  return newest;
}

std::unique_ptr<activity> worker::steal() {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;  // relaxed: a hint; queued_ of the pool decides
  const std::lock_guard lock(deque_mutex_);
  if (deque_.empty()) return nullptr;
  std::unique_ptr<activity> oldest = std::move(deque_.front());
  deque_.pop_front();
  size_.store(deque_.size(), std::memory_order_relaxed);  // relaxed: a hint
  return oldest;
}

std::size_t worker::random(std::size_t below) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's linear congruential generator
  return static_cast<std::size_t>(random_ >> 33) % below;
}

// --- pool: life

pool::pool(int threads, scheme s) : scheme_(s), threads_(static_cast<std::size_t>(threads)) {
  {
    const std::lock_guard lock(mutex_);
    executing_ = threads_;
  }
  for (std::size_t i = 0; i < threads_; ++i) start_thread_counted();
  throw_if_stopped();
}

pool::~pool() {
  quits_.store(true);
  const std::size_t made = std::min(size_.load(), k_most_threads);
  for (std::size_t i = 0; i < made; ++i) workers_[i].load()->unpark();
  for (const unsigned long id : system_threads_) pthread_join(id, nullptr);
  for (std::size_t i = 0; i < made; ++i) delete workers_[i].load();
}

void pool::start_thread_counted() {
  const std::size_t index = size_.fetch_add(1);
  if (index >= k_most_threads) {
    size_.store(k_most_threads);
    stop(reason::threads, "more than " + std::to_string(k_most_threads) + " threads");
    return;
  }
  auto made = std::make_unique<worker>(*this, index);
  worker* const w = made.get();
  workers_[index].store(made.release());
  const std::lock_guard lock(system_threads_mutex_);
  unsigned long id = 0;
  const int error = start_system_thread(
      id,
      [](void* argument) -> void* {
        auto* self = static_cast<worker*>(argument);
        this_worker = self;
        self->owner.work(*self);
        return nullptr;
      },
      w);
  if (error == 0) {
    system_threads_.push_back(id);
  } else {
    stop(reason::threads, std::string("no more threads: ") + std::strerror(error));
  }
}

worker& pool::current() {
  if (this_worker == nullptr) throw std::logic_error("only an activity may do this");
  return *this_worker;
}

void pool::run(const std::function<void()>& body, double cap_seconds) {
  throw_if_stopped();
  finish_state root;  // counts the root activity only: that one waits in a finish for all the others
  execute(make_activity(root, [&body] { finish(body); }));
  if (!root.over_within(cap_seconds)) {
    std::ostringstream why;
    why << "capped: not over after " << cap_seconds << " s";
    stop(reason::cap, why.str());
    root.wait_outside();
  }
  root.rethrow();
}

void pool::stop(reason r, const std::string& why) {
  {
    const std::lock_guard lock(why_mutex_);
    if (why_.empty()) {
      reason_ = r;
      why_ = why;
    }
  }
  stopped_.store(true);  // before the permits: who parks after this store gets one or has seen it
  const std::size_t made = std::min(size_.load(), k_most_threads);
  for (std::size_t i = 0; i < made; ++i) {
    if (worker* w = workers_[i].load()) w->unpark();
  }
}

void pool::throw_if_stopped() const {
  if (!is_stopped()) return;
  const std::lock_guard lock(why_mutex_);
  if (reason_ == reason::cap) throw over_cap(why_);
  throw stopped(why_);
}

counts pool::counted() const {
  const auto read = [](const std::atomic<std::uint64_t>& c) { return c.load(std::memory_order_relaxed); };
  counts sum;
  sum.activities = read(counters.activities);
  sum.advances = read(counters.advances);
  sum.clock_waits = read(counters.clock_waits);
  sum.clock_wakeups = read(counters.clock_wakeups);
  sum.clock_wakeups_by_atomic = read(counters.clock_wakeups_by_atomic);
  sum.clock_vain = read(counters.clock_vain);
  sum.when_wakeups = read(counters.when_wakeups);
  sum.when_wakeups_by_clock = read(counters.when_wakeups_by_clock);
  sum.when_vain = read(counters.when_vain);
  sum.threads = size_.load();
  const std::lock_guard lock(mutex_);
  sum.most_running = most_executing_;
  return sum;
}

void pool::reset_counts() {
  for (auto* c : {&counters.activities, &counters.advances, &counters.clock_waits, &counters.clock_wakeups,
                  &counters.clock_wakeups_by_atomic, &counters.clock_vain, &counters.when_wakeups,
                  &counters.when_wakeups_by_clock, &counters.when_vain})
    c->store(0, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  most_executing_ = executing_;
}

// --- pool: what a thread does

void pool::work(worker& self) {
  while (!quits_.load()) {
    if (std::exchange(self.retires, false)) {
      park_until_chosen(self);
    } else if (std::unique_ptr<activity> a = next_activity(self)) {
      execute_now(self, std::move(a));
    } else if (rests(self)) {
      park_until_chosen(self);
    }
  }
}

std::unique_ptr<activity> pool::next_activity(worker& self) {
  if (self.assigned) return std::move(self.assigned);
  if (std::unique_ptr<activity> own = self.pop()) {
    queued_.fetch_sub(1);
    return own;
  }
  if (spare_because_too_many(self)) return nullptr;
  return steal(self);
}

std::unique_ptr<activity> pool::steal(worker& self) {
  const std::size_t made = std::min(size_.load(), k_most_threads);
  const std::size_t first = self.random(made);
  for (std::size_t i = 0; i < made && queued_.load() != 0; ++i) {
    worker* const victim = workers_[(first + i) % made].load();
    if (victim == nullptr) continue;  // counted, not yet made
    if (std::unique_ptr<activity> a = victim->steal()) {
      queued_.fetch_sub(1);
      return a;
    }
  }
  return nullptr;
}

void pool::execute_now(worker& self, std::unique_ptr<activity> a) {
  bump(counters.activities);
  self.current = a.get();
  finish_state& counting = *a->finish;
  std::exception_ptr thrown;
  try {
    throw_if_stopped();
    a->body();
  } catch (...) {
    thrown = std::current_exception();
  }
  drop_all(*a);
  a.reset();  // what it captured is gone before the finish counts it
  self.current = nullptr;
  counting.child_ended(self, std::move(thrown));
}

void pool::park_until_chosen(worker& self) {
  do {
    self.park();
    // relaxed: the unpark that let park return came after the store and is ordered before this by park's mutex
  } while (self.credit.load(std::memory_order_relaxed) == 0 && !quits_.load());
}

// --- pool: who runs

void pool::counts_as_executing_locked(worker& w) {
  // relaxed: written under mutex_, and see park_until_chosen
  if (w.credit.fetch_add(1, std::memory_order_relaxed) == 0) most_executing_ = std::max(most_executing_, ++executing_);
}

void pool::idle_becomes_spare_locked() {
  spare_.push_back(idle_.back());
  idle_.pop_back();
  idle_seen_.store(idle_.size());
}

bool pool::replace_parked_locked() {
  worker* next = nullptr;
  if (!pending_.empty()) {
    next = pending_.front();
    pending_.pop_front();
  } else if (executing_ + idle_.size() >= threads_) {
    return false;
  } else if (!spare_.empty()) {
    next = spare_.back();
    spare_.pop_back();
  } else {
    most_executing_ = std::max(most_executing_, ++executing_);
    return true;
  }
  counts_as_executing_locked(*next);
  next->unpark();
  return false;
}

void pool::about_to_park(worker& w) {
  bool needs_thread = false;
  {
    const std::lock_guard lock(mutex_);
    if (w.credit.fetch_sub(1, std::memory_order_relaxed) > 1) return;  // relaxed: under mutex_. Woken already
    --executing_;
    needs_thread = replace_parked_locked();
  }
  if (needs_thread) start_thread_counted();
}

void pool::wake_all(std::vector<waiter>& waiting, waits_at by) {
  if (waiting.empty()) return;
  for (const waiter& w : waiting) {
    if (w.place == waits_at::clock) {
      bump(counters.clock_wakeups);
      if (by == waits_at::when) bump(counters.clock_wakeups_by_atomic);
    } else {
      bump(counters.when_wakeups);
      if (by == waits_at::clock) bump(counters.when_wakeups_by_clock);
    }
  }
  if (is_bounded(scheme_)) {
    const std::lock_guard lock(mutex_);
    for (const waiter& w : waiting) {
      const bool runs_still = w.thread->credit.load(std::memory_order_relaxed) > 0;  // relaxed: under mutex_
      if (!runs_still && idle_.empty()) {
        pending_.push_back(w.thread);
        continue;
      }
      if (!runs_still) idle_becomes_spare_locked();
      counts_as_executing_locked(*w.thread);
      w.thread->unpark();
    }
  } else {
    {
      const std::lock_guard lock(mutex_);
      for (const waiter& w : waiting) counts_as_executing_locked(*w.thread);
      while (!idle_.empty() && executing_ + idle_.size() > threads_) idle_becomes_spare_locked();
    }
    for (const waiter& w : waiting) w.thread->unpark();
  }
  waiting.clear();
}

void pool::hand_over(worker& self, worker& w) {
  const std::lock_guard lock(mutex_);
  if (w.credit.load(std::memory_order_relaxed) > 0) {  // relaxed: under mutex_
    // it has not parked yet and just goes on
  } else if (!idle_.empty()) {
    idle_becomes_spare_locked();
  } else if (is_bounded(scheme_)) {
    self.credit.fetch_sub(1, std::memory_order_relaxed);  // relaxed: under mutex_
    --executing_;
    spare_.push_back(&self);
    self.retires = true;
  }
  counts_as_executing_locked(w);
  w.unpark();
}

void pool::woken_by_stop(worker& w) {
  const std::lock_guard lock(mutex_);
  std::erase(pending_, &w);
  if (w.credit.load(std::memory_order_relaxed) > 0) return;  // relaxed: under mutex_
  w.credit.store(1, std::memory_order_relaxed);              // relaxed: under mutex_
  ++executing_;  // beyond any bound, and so not for most_executing_: the program's own running is over
}

bool pool::spare_because_too_many(worker& self) {
  const std::lock_guard lock(mutex_);
  if (executing_ + idle_.size() <= threads_) return false;
  self.credit.fetch_sub(1, std::memory_order_relaxed);  // relaxed: under mutex_
  --executing_;
  spare_.push_back(&self);
  self.retires = true;
  return true;
}

/// Nothing was found: true if the caller stands in a list of resting threads now and has to park.
bool pool::rests(worker& self) {
  if (self.retires) return false;  // it does already: work() parks it
  const std::lock_guard lock(mutex_);
  self.credit.fetch_sub(1, std::memory_order_relaxed);  // relaxed: under mutex_
  --executing_;
  if (!pending_.empty()) {
    spare_.push_back(&self);
    replace_parked_locked();  // never asks for a thread, for it finds the pending one
    return true;
  }
  if (executing_ + 1 + idle_.size() > threads_) {
    spare_.push_back(&self);
    return true;
  }
  idle_.push_back(&self);
  idle_seen_.store(idle_.size());  // before the look at queued_; execute() looks the other way round
  if (queued_.load() == 0) return true;
  idle_.pop_back();
  idle_seen_.store(idle_.size());
  self.credit.fetch_add(1, std::memory_order_relaxed);  // relaxed: under mutex_
  ++executing_;
  return false;
}

void pool::execute(std::unique_ptr<activity> a) {
  const auto idle_one_gets = [this](std::unique_ptr<activity>* given) {
    if (idle_seen_.load() == 0) return false;
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return false;
    worker* const w = idle_.back();
    idle_.pop_back();
    idle_seen_.store(idle_.size());
    if (given != nullptr) w->assigned = std::move(*given);
    counts_as_executing_locked(*w);
    w->unpark();
    return true;
  };
  if (idle_one_gets(&a)) return;
  queued_.fetch_add(1);  // before the push: queued_ is never less than what the deques hold
  (this_worker != nullptr ? this_worker : workers_[0].load())->push(std::move(a));
  idle_one_gets(nullptr);  // one that became idle meanwhile; it looks for the activity
}

}  // namespace bench::xrx
