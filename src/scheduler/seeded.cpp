// SPDX-License-Identifier: Apache-2.0

#include "scheduler/seeded.hpp"

#include <tactus/fiber/impl/context.hpp>

#include "scheduler/futex.hpp"

#include <algorithm>
#include <utility>

namespace tactus::detail {
namespace {

struct first_entry {
  continuation* left;
  worker* next;
  stack_top stack;
};

TACTUS_NO_SANITIZE void* start_virtual_worker(void* argument, void* saved) {
  const first_entry f = *static_cast<first_entry*>(argument);
  f.left->context = saved;
  scheduler_loop(f.next, f.stack, {});
}

TACTUS_NO_SANITIZE void save_seat(void* argument, void* saved) {
  static_cast<continuation*>(argument)->context = saved;
}

}  // namespace

seeded_order::seeded_order(std::vector<worker*> workers, std::uint64_t seed)
    : workers_(std::move(workers)), seed_(seed), random_(seed), seats_(workers_.size()) {}

void seeded_order::restart() noexcept {
  seats_[0].started = true;  // the calling thread is already inside
  for (worker* const w : workers_) {
    w->floats = w->owner->floats();
  }
  settle(workers_.front());
  for (worker* const w : workers_) {
    if (w->id == 0) {
      w->idle->order_by_number();
    }
  }
  random_ = rng(seed_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i]->random = rng(seed_, i);
    workers_[i]->rounds_to_look = k_rounds_to_look;
    workers_[i]->member_rounds = 0;
    workers_[i]->yields = 0;
  }
}

bool seeded_order::runnable(std::size_t i) const noexcept {
  // acquire: a foreign thread may have woken it; pairs with wake_locked()
  return !seats_[i].asleep || workers_[i]->woken.load(memory_order_acquire) != 0;
}

TACTUS_NO_SANITIZE void seeded_order::switch_to(worker* from, std::size_t next) noexcept {
  seat_state& mine = seats_[static_cast<std::size_t>(from->seat)];
  seat_state& theirs = seats_[next];
  worker* const to = workers_[next];
  const exception_state handled = *from->exceptions;
  *from->exceptions = {};
  const bool in_task = from->task != nullptr;  // else it may stay here until another run
  const float_environment floats = float_environment::of_thread();
  from->floats.enter();
  to->exceptions = from->exceptions;
  set_this_worker(to);
  if (theirs.started) {
    sanitizer_switch(leaving::for_now, mine.where.sanitizer, from->running, theirs.where.sanitizer);
    tactus_enter(&mine.where, save_seat, theirs.where.context);
  } else {
    theirs.started = true;
    stack_top const stack = to->stacks.take(stack_pool::at_limit::insist);  // of the scheduler's constructor
    first_entry f{&mine.where, to, stack};
    to->running = to->stacks.context(stack);
    sanitizer_switch(leaving::for_now, mine.where.sanitizer, from->running, to->running);
    tactus_call(&f, start_virtual_worker, stack);
  }
  // Somebody chose us again and named us as this thread's worker.
  from->running = mine.where.sanitizer;
  *from->exceptions = handled;
  (in_task ? floats : from->floats).enter();
}

std::size_t seeded_order::count_runnable() const noexcept {
  std::size_t n = 0;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    n += runnable(i) ? 1U : 0U;
  }
  return n;
}

void seeded_order::signal() noexcept {
  signals_.fetch_add(1, memory_order_release);  // publishes the wake-up; pairs with the acquire in sleep()
  futex_wake(signals_);
}

void seeded_order::point(worker* w) noexcept {
  std::uint64_t chosen = random_.below(count_runnable());
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (runnable(i) && chosen-- == 0) {
      if (i != static_cast<std::size_t>(w->seat)) {
        switch_to(w, i);
      }
      return;
    }
  }
}

void seeded_order::stir(worker* w) noexcept {
  // No scheduling point on the way: nobody sees the deque in between.
  const std::int64_t entries = w->deque.size_seen_by_owner();
  if (entries > 0) {
    w->deque.swap_newest_with(static_cast<std::int64_t>(choose(static_cast<std::uint64_t>(entries))));
  }
}

void seeded_order::sleep(worker* w) noexcept {
  seat_state& mine = seats_[static_cast<std::size_t>(w->seat)];
  mine.asleep = true;
  while (!runnable(static_cast<std::size_t>(w->seat))) {
    const std::uint32_t seen = signals_.load(memory_order_acquire);  // acquire: before the look at who is runnable
    if (count_runnable() != 0) {
      point(w);
    } else {
      futex_wait(signals_, seen);  // only a foreign thread can help now
    }
  }
  mine.asleep = false;
}

// Who comes to rest may wake one that had before.
void seeded_order::settle(worker* w) noexcept {
  for (std::size_t i = 0; i < seats_.size();) {
    if (i != static_cast<std::size_t>(w->seat) && runnable(i)) {
      switch_to(w, i);
      i = 0;
    } else {
      ++i;
    }
  }
}

}  // namespace tactus::detail
