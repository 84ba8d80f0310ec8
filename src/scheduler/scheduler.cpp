// SPDX-License-Identifier: Apache-2.0
// Life of a scheduler.

#include "scheduler/scheduler.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/cpus.hpp>
#include <tactus/fiber/impl/context.hpp>

#include "base/probe.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/worker_visit.hpp"

#include <cstdio>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

extern "C" {
// TACTUS_API once more: g++ forgets what a declaration has said of a thread-local variable.
TACTUS_API __attribute__((used)) __thread tactus::detail::worker* tactus_this_worker
    __attribute__((tls_model("initial-exec"))) = nullptr;
}

namespace tactus::detail {
namespace {

constexpr std::size_t k_root_stack_bytes = std::size_t{8} << 20;
constexpr std::uintptr_t k_never_enough = std::numeric_limits<std::uintptr_t>::max();

#if !defined(NDEBUG) || defined(TACTUS_CHECKED)
constexpr bool k_asserts = true;
#else
constexpr bool k_asserts = false;
#endif

struct native_start {
  worker* w;
  stack_top stack;
};

TACTUS_NO_SANITIZE void* serve_entry(void* argument, void* saved) {
  const native_start s = *static_cast<native_start*>(argument);
  s.w->native.context = saved;
  scheduler_loop(s.w, s.stack, {});
}

}  // namespace

worker* this_worker_out_of_line() noexcept {
  worker* w = tactus_this_worker;
  asm volatile("" : "+r"(w)::"memory");
  return w;
}

worker::worker(scheduler* owner_scheduler, int number, int first_seat, const config& options)
    : policy(options.policy),
      seeded(options.seed != 0),
      with_care(seeded || notes_tasks(options)),
      owner(owner_scheduler),
      home_number(owner_scheduler != nullptr ? owner_scheduler->home_number() : 0),  // null: in tests of parking
      workers_of_place(options.threads),
      place(owner_scheduler != nullptr ? owner_scheduler->place() : 0),  // as above
      places_of_run(options.places),
      copies_as_bytes((k_asserts && options.local_copy != copying::construct) ||
                      options.local_copy == copying::serialize ||
                      (owner_scheduler != nullptr && owner_scheduler->run().processes() != nullptr)),
      moves_flexible(options.placement != placement_policy::none && options.labels != "none" && options.places > 1),
      sites(owner_scheduler != nullptr ? owner_scheduler->run().sites() : nullptr),
      plays_swapped(copies_as_bytes && owner_scheduler != nullptr && plays_other_order(place)),
      id(number),
      seat(first_seat + number),
      random(options.seed, static_cast<std::uint64_t>(seat)),
      wakes_plainly(notes_tasks(options) ? nullptr : owner_scheduler) {
  constexpr std::int64_t never = -1;
  constexpr std::int64_t any_length = std::numeric_limits<std::int32_t>::max();
  if (seeded) {
    only_the_body = 0;  // a finish that is being closed has its body outstanding
  }
  if (with_care) {
    deque.be_patient_for(never);
  } else {
    const bool work_first = policy == spawn_policy::work_first;
    children_first = work_first ? std::numeric_limits<std::int64_t>::max() : 0;  // more than any program spawns
    deque.be_patient_for(policy == spawn_policy::adaptive     ? k_short_deque
                         : policy == spawn_policy::help_first ? any_length
                                                              : never);
  }
}

void worker::join_run() noexcept {
  if (!(floats == owner->floats())) {
    floats = owner->floats();
    floats.enter();
  }
}

scheduler::scheduler(run_control& run, std::uint64_t home_number, const config& options, place_seat seat)
    : run_(run),
      home_number_(home_number),
      options_(options),
      seat_(seat),
      domain_(make_place_domain()),
      objects_(make_place_objects(options.places, seat.place)),
      teams_(make_team_table()),
      stacks_(options.stack_bytes, options.memory_bytes, stack_pool::warm_within(options.memory_bytes)),
      idle_(static_cast<std::size_t>(options.threads),
            options.seed != 0 ? idle_set::order::plain_fences : idle_set::order::cheap_notify),
      inbox_(run) {
  add_outside(inbox_);
  for (int i = 0; i < options_.threads; ++i) {
    auto w = std::make_unique<worker>(this, i, seat_.first_worker, options_);
    w->idle = &idle_;
    w->domain = domain_.get();
    w->objects = objects_in(*objects_);
    w->stack_mask = stacks_.stride() - 1;
    w->room_to_begin = stacks_.room_to_begin();
    w->room_to_run_on_top = w->seeded ? k_never_enough : w->room_to_begin;
    w->stacks.attach(&stacks_, &w->counters);
    w->tasks.attach(&run_.depot(), &w->counters);
    w->open.attach(&batches_, &w->counters);
    workers_.push_back(std::move(w));
  }
  sleeps_seen_.resize(workers_.size());
  bind_workers();
  for (const auto& w : workers_) {
    w->stacks.prepare();  // here, where a refusal can be told
  }
}

scheduler::~scheduler() { stop_threads(); }

void scheduler::set_remote(std::unique_ptr<remote_side> r) {
  remote_ = std::move(r);
  if (remote_ == nullptr) {
    return;
  }
  add_outside(*remote_);
  if (remote_->is_far()) {
    for (const auto& w : workers_) {
      w->room_to_run_on_top = k_never_enough;
    }
  }
}

void scheduler::start_threads() {
  if (remote_ != nullptr) {
    remote_->start_threads();
  }
  threads_.reserve(workers_.size());
  for (const auto& each : workers_) {
    worker* const w = each.get();
    if (w == callers_) {
      continue;
    }
    try {
      threads_.emplace_back([this, w] { thread_main(w); });
    } catch (const std::system_error& e) {
      throw resource_error("tactus: could not start worker " + std::to_string(w->seat) + " of " +
                           std::to_string(run_.workers().size()) + " (" + e.what() +
                           "); lower threads (TACTUS_THREADS)");
    }
  }
}

void scheduler::stop_threads() noexcept {
  stopping_.store(
      true, memory_order_seq_cst);  // before the wake-ups; a worker that has announced itself looks at it once more
  // A worker may be between two looks: wake until each has gone.
  idle_.wake_all();
  for (std::thread& t : threads_) {
    t.join();
  }
  threads_.clear();
}

void scheduler::thread_main(worker* w) {
  char name[16];
  std::snprintf(name, sizeof name, "tactus-%d", w->seat);
  ::pthread_setname_np(::pthread_self(), name);
  const worker_visit here(w);
  serve(w);
  w->stacks.drain();
}

TACTUS_NO_SANITIZE void scheduler::serve(worker* w) {
  native_start s{w, w->stacks.take(stack_pool::at_limit::insist)};  // of the constructor
  sanitizer_switch(leaving::for_now, w->native.sanitizer, w->running, w->stacks.context(s.stack));
  tactus_call(&s, serve_entry, s.stack);
}

bool scheduler::leave_requested(const worker* w) const noexcept {
  return (w == callers_ && !run_.is_active()) ||
         stopping_.load(memory_order_seq_cst);  // pairs with the store in stop_threads()
}

fiber_stack* scheduler::make_root_stack() {
  root_stack_ = stacks_.make_single(k_root_stack_bytes);
  return root_stack_;
}

void scheduler::send(continuation* s) noexcept {
  sent_by_strangers_.fetch_add(1,
                               memory_order_release);  // release: before s can be taken; pairs with sent_by_strangers()
  inbox_.send(s);
  idle_.notify();
}

fiber_stack* scheduler::stack_of(void* address) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const auto root_end = reinterpret_cast<std::uintptr_t>(root_stack_);
  if (root_stack_ != nullptr && a < root_end && a >= reinterpret_cast<std::uintptr_t>(root_stack_->low)) {
    return root_stack_;
  }
  return stacks_.control_block_around(a);
}

barrier* scheduler::take_barrier() {
  const std::lock_guard lock(barriers_mutex_);
  if (free_barriers_.empty()) {
    if (free_barriers_.capacity() <= barriers_.size()) {
      free_barriers_.reserve(2 * barriers_.size() + 16);
    }
    barriers_.push_back(std::make_unique<barrier>(this));
    return barriers_.back().get();
  }
  barrier* const b = free_barriers_.back();
  free_barriers_.pop_back();
  return b;
}

void scheduler::put_barrier(barrier* b) noexcept {
  const std::lock_guard lock(barriers_mutex_);
  free_barriers_.push_back(b);
}

}  // namespace tactus::detail
