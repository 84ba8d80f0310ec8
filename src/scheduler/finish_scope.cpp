// SPDX-License-Identifier: Apache-2.0
// The slow half of the finish protocol: docs/protocols/finish.md.

#include <tactus/scheduler/impl/finish_scope.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/scheduler/impl/exceptions_aside.hpp>

#include "base/poll.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/seeded.hpp"
#include "scheduler/task_names.hpp"

#include <chrono>
#include <new>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

std::string tasks_elsewhere(const wait_point& body) {
  remote_ledger* const l = static_cast<const finish_scope*>(body.object)->ledger();
  return l == nullptr ? std::string() : l->text();
}

void describe_wait(const wait_point& body, std::string& text) {
  text += "the tasks of a finish";
  if (tells_kinds_only()) {
    return;
  }
  if (const std::string elsewhere = tasks_elsewhere(body); !elsewhere.empty()) {
    text += " (" + elsewhere + ')';
  }
}

constinit const wait_kind k_wait{describe_wait, "the tasks of a finish", wait_kind::k_none, wait_kind::k_none,
                                 [](const wait_point& body) { return !tasks_elsewhere(body).empty(); }};

constexpr int k_looks_in_a_sight = 16;                          // at the finish, for one at the deques of all workers
constexpr std::chrono::nanoseconds k_longest_in_place{50'000};  // as long as a thief looks for work

// A finish inside a catch block, or in a destructor during unwinding: the exceptions being handled are not the child's.
TACTUS_NOINLINE void run_with_exceptions_aside(worker* w, queued_task* t) {
  const exceptions_aside aside(w);
  t->run(t, w);
}

// Runs a task of the finish that the caller waits for, as a computation of its own on the caller's stack.
TACTUS_ALWAYS_INLINE void run_on_top(worker* w, queued_task* t) {
  ++w->counters.tasks_run_inline;
  if (w->exceptions->empty()) [[likely]] {
    t->run(t, w);
  } else {
    run_with_exceptions_aside(w, t);
  }
}

// What keeps one from being made again takes its place.
std::exception_ptr exception_in(failure& f) noexcept {
  try {
    return f.take();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

// All balances were mine: opened and held by this worker, nobody else holds it, and nothing but the body is outstanding.
TACTUS_ALWAYS_INLINE bool finish_scope::closed_at_once(worker* w) noexcept {
  ++w->counters.finishes;
  // acquire: what holders that have left did; pairs with the release in flush_all() (F2)
  if (w->balance != &local_ || word_.load(memory_order_acquire) + local_ != w->only_the_body) {
    return false;
  }
  w->held = by_itself(parent_);
  w->balance = by_itself(outer_balance_);
  return true;
}

void finish_scope::close() noexcept {
  if (!closed_at_once(current_worker())) {
    close_slowly();
  }
}

void finish_scope::close_and_throw() {
  if (!closed_at_once(current_worker())) {
    close_slowly_and_throw();
    return;
  }
  if (has_kept()) [[unlikely]] {
    throw_failures();
  }
}

void finish_scope::throw_failures() {
  failures all = take_failures();
  if (!all.exceptions.empty()) {  // else there was a ledger only
    throw multiple_exceptions(std::move(all.exceptions), all.from);
  }
}

// The common way: the newest entry is a task of this finish. Nothing but `this` outlives a call here, so there is little to save;
// every other case is a function of its own.
TACTUS_ALWAYS_INLINE void finish_scope::close_by_tasks() {
  do {
    worker* const w = current_worker();
    const entry newest = w->deque.newest();
    if (stack_below(w) <= w->room_to_run_on_top || !newest.is_plain_task()) [[unlikely]] {
      close_with_care();
      return;
    }
    const work_deque::claim claim = w->deque.begin_pop();
    if (!claim.won()) [[unlikely]] {
      close_with(claim);
      return;
    }
    auto* const t = static_cast<queued_task*>(newest.task_pointer());
    if (t->finish != this) [[unlikely]] {
      close_with(claim);
      return;
    }
    run_on_top(w, t);
  } while (!completed_by_body(current_worker()));
}

// The values of the task that end with this body: clocks that were made in it.
TACTUS_ALWAYS_INLINE void finish_scope::end_body() const noexcept {
  task_frame* const task = current_worker()->task;
  if (task->locals != nullptr) [[unlikely]] {
    destroy_locals_of(*this, *task);
  }
}

void finish_scope::close_slowly() {
  end_body();
  close_by_tasks();
}

void finish_scope::close_slowly_and_throw() {
  end_body();
  close_by_tasks();
  if (has_kept()) [[unlikely]] {
    throw_failures();
  }
}

void finish_scope::close_with(work_deque::claim newest) {
  worker* w = current_worker();
  if (const entry e = w->deque.finish_pop(newest); e) {
    auto* const t = static_cast<queued_task*>(e.pointer());
    if (t->finish == this) {
      w->hand_in_before(e);
      run_on_top(w, t);
      w = current_worker();
      w->hand_in_arrivals();
      if (!completed_by_body(w)) {
        close_by_tasks();
      }
      return;
    }
    w->deque.push(e);
  }
  if (!completed_by_body(w)) {
    wait_for_the_rest();
  }
}

// Where there may be no room on this stack, under the seeded scheduler, and where messages come from other processes.
void finish_scope::close_with_care() {
  for (;;) {
    worker* w = current_worker();
    seeded_point(w);
    seeded_stir(w);
    if (w->is_time_to_look_outside()) {  // there may be children for long
      w->owner->look_between_tasks(w);
    }
    if (w->open.is_open()) [[unlikely]] {
      publish_open(w);
    }
    if (stack_below(w) > w->room_to_begin && (!w->seeded || w->owner->seeded()->choose(2) == 0)) {
      if (const entry e = w->deque.pop_task(); e) {
        auto* const t = static_cast<queued_task*>(e.pointer());
        if (t->finish == this) {
          w->hand_in_before(e);
          run_on_top(w, t);
          w = current_worker();
          if (completed_by_body(w)) {
            w->hand_in_arrivals();
            return;
          }
          continue;
        }
        w->deque.push(e);
      }
    }
    w->hand_in_arrivals();
    if (!completed_by_body(w)) {
      wait_for_the_rest();
    }
    return;
  }
}

// If nothing but the body is outstanding and its worker is the only holder, nobody else can come to know this finish any more.
TACTUS_ALWAYS_INLINE bool finish_scope::completed_by_body(worker* w) noexcept {
  // acquire: what holders that have left did; pairs with the release in flush_all() (F2)
  if (word_.load(memory_order_acquire) + *w->balance != finish_word::k_body_and_holder) {
    return false;
  }
  if (w->slot != this) [[likely]] {
    w->held = by_itself(parent_);
    w->balance = by_itself(outer_balance_);
  } else {
    w->leave_slot(parent_);
  }
  return true;
}

// What is outstanding runs on other workers, and there is nothing else to do: as long as a thief would look for work, the body
// looks whether they are through. A task that is suspended goes on where its last child ended, far from the caches that hold
// its data, which costs a loop of short steps more than its steps do.
bool finish_scope::completes_in_place(worker* w) noexcept {
  const scheduler& owner = *w->owner;
  if (owner.size() == 1 || owner.oversubscribed() || w->seeded) {
    return false;
  }
  w->hand_in_arrivals();  // the others may wait for these
  hand_over_loop_rests(w);
  if (w->has_released()) {
    return false;  // which nobody else may be able to take
  }
  const bool completed = poll_for(
      k_longest_in_place, k_looks_in_a_sight, [&] { return completed_by_body(w); },
      [&] { return owner.work_in_sight(); });
  if (completed) {
    ++w->counters.finishes_in_place;
  }
  return completed;
}

TACTUS_NOINLINE void finish_scope::wait_for_the_rest() {
  if (current_worker()->open.is_open()) {
    publish_open(current_worker());
    close_by_tasks();
    return;
  }
  if (completes_in_place(current_worker())) {
    return;
  }
  wait_point body;
  body.object = this;
  body.commit = give_token_back;
  body.kind = &k_wait;
  body.finish = parent_;  // this one will be complete: the body goes on under its parent
  ++current_worker()->counters.finishes_parked;
  suspend_for_finish(body);
}

bool finish_scope::give_token_back(wait_point& body) {
  auto* const self = static_cast<finish_scope*>(body.object);
  worker* const w = current_worker();
  TACTUS_ASSERT(w->held == self, "the worker whose body has just parked still holds its finish");
  self->body_ = &body;  // before the token: whoever completes reads it (F2)
  w->count_end();
  return true;  // even if this completes it: the worker hands its balance in when it turns away or runs dry
}

void finish_scope::add_failure(std::exception_ptr e) noexcept { add_failure(std::move(e), where_from()); }

std::string finish_scope::where_from() noexcept {
  const task_frame* const task = any_worker()->task;  // also inside a step of lockstep
  const char* const name = task != nullptr ? task->name() : nullptr;
  std::string from;
  if (name != nullptr) {
    try {
      from = "task '" + std::string(name) + "'";
      // NOLINTNEXTLINE(bugprone-empty-catch): the exception matters more than whose it was
    } catch (const std::bad_alloc&) {
    }
  }
  return from;
}

void finish_scope::add_failure(std::exception_ptr e, std::string from) noexcept {
  auto* const f = new (std::nothrow) failure(std::move(e), std::move(from));
  if (f == nullptr) {
    end_without_memory("a finish needs memory for an exception that a task ended by", "std::bad_alloc");
  }
  push(f);
}

void finish_scope::push(failure* f) noexcept {
  std::uintptr_t kept = kept_.load(memory_order_acquire);  // acquire: a ledger; pairs with attach()
  while ((kept & k_is_ledger) == 0) {
    f->next = reinterpret_cast<failure*>(kept);
    // release: publishes the node; the finish's own completion orders it before the reader. acquire: as above
    if (kept_.compare_exchange_weak(kept, reinterpret_cast<std::uintptr_t>(f), memory_order_acq_rel,
                                    memory_order_acquire)) {
      return;
    }
  }
  atomic<failure*>& list = ledger_in(kept)->failures_;
  f->next = list.load(memory_order_relaxed);  // relaxed: checked by the exchange
  // release: as above
  while (!list.compare_exchange_weak(f->next, f, memory_order_release, memory_order_relaxed)) {
  }
}

remote_ledger* finish_scope::attach(remote_ledger* l) noexcept {
  std::uintptr_t kept = kept_.load(memory_order_acquire);  // acquire: a ledger of somebody else
  do {
    if ((kept & k_is_ledger) != 0) {
      return ledger_in(kept);
    }
    l->failures_.store(reinterpret_cast<failure*>(kept), memory_order_relaxed);  // relaxed: nobody knows it yet
    // release: publishes the ledger; pairs with ledger() and push(). acquire: the list that goes with it
  } while (!kept_.compare_exchange_weak(kept, reinterpret_cast<std::uintptr_t>(l) | k_is_ledger, memory_order_acq_rel,
                                        memory_order_acquire));
  return l;
}

failure* finish_scope::take_oldest_first() noexcept {
  const std::uintptr_t kept = kept_.exchange(0, memory_order_acquire);  // pairs with push()
  auto* newest = reinterpret_cast<failure*>(kept);
  if ((kept & k_is_ledger) != 0) {
    remote_ledger* const l = ledger_in(kept);
    newest = l->failures_.exchange(nullptr, memory_order_acquire);  // as above
    l->finish_closed();
  }
  failure* oldest = nullptr;
  while (newest != nullptr) {
    failure* const before = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, before);
  }
  return oldest;
}

void finish_scope::add_failures_of(finish_scope& inner) noexcept {
  for (failure* f = inner.take_oldest_first(); f != nullptr;) {
    failure* const next = f->next;
    push(f);
    f = next;
  }
}

failures finish_scope::take_failures() {
  failures all;
  failure* f = take_oldest_first();
  try {
    for (; f != nullptr; delete std::exchange(f, f->next)) {
      all.exceptions.push_back(exception_in(*f));
      all.from.push_back(std::move(f->from));
    }
  } catch (...) {
    while (f != nullptr) {
      delete std::exchange(f, f->next);
    }
    throw;
  }
  return all;
}

void finish_scope::uncount_from_outside(worker* w) noexcept {
  // acq_rel: as in flush_all()
  if (word_.fetch_sub(finish_word::k_one_task, memory_order_acq_rel) == finish_word::k_one_task) {
    make_ready(w, *body_);
  }
}

void worker::flush_all() noexcept {
  finish_scope* f = held;
  finish_scope* const last = slot;
  held = nullptr;
  slot = nullptr;
  balance = &slot_balance;
  while (f != nullptr) {
    finish_scope* const outer = f->parent_;  // before the word changes: f may be gone right after (F4)
    const std::int64_t mine = f == last ? slot_balance : f->local_;
    const std::int64_t change = mine - finish_word::k_one_holder;
    // acq_rel: hands on what this worker did under f, and takes over what the others did (F2)
    if (f->word_.fetch_add(change, memory_order_acq_rel) + change == 0) {
      if (finish_scope::is_part(outer)) [[unlikely]] {
        owner->remote()->part_is_idle(this,
                                      finish_scope::key_in(outer));  // by its key: it may be gone (remote_finish D9)
      } else {
        make_ready(this, *f->body_);
      }
    }
    if (f == last) {
      break;
    }
    f = outer;
  }
}

void worker::hold_other(finish_scope* f) noexcept {
  seeded_point(this);
  flush_all();
  if (f != nullptr) {
    // relaxed: only the count matters here, the entry that brought us carries the data; the read-modify-write keeps the
    // release sequence of earlier flushes alive (F3)
    f->word_.fetch_add(finish_word::k_one_holder, memory_order_relaxed);
    slot = f;
    slot_balance = 0;
    held = f;
  }
}

void worker::leave_slot(finish_scope* parent) noexcept {
  slot = nullptr;
  held = nullptr;
  balance = &slot_balance;
  hold(parent);
}

}  // namespace tactus::detail
