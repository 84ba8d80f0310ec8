// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/async.hpp>
#include <tactus/task/impl/spawn.hpp>

#include "base/probe.hpp"

#include "scheduler/seeded.hpp"

#include <exception>
#include <utility>

namespace tactus::detail {
namespace {

// A spawner that goes behind the ready tasks keeps a stack with at least one page in use. That is worth it only when it has
// queued as much itself: 64 descriptors of 64 bytes.
constexpr std::uint32_t k_prolific = 64;

// How many spawns one look at the deque is good for: its top lies in a cache line that thieves write, and reading it at each
// spawn made a producer twice as slow as either fixed policy.
constexpr std::int64_t k_spawns_per_look = 64;

// While thieves take from it, a deque may grow to here: about 9 MiB of descriptors and slots.
constexpr std::int64_t k_long_deque = 128 * 1024;

// Stacks out of the pool, those in the workers' caches included: about 20 MiB of pages.
constexpr std::size_t k_many_stacks = 2048;

// Evidence for the next spawns; reads what other workers write.
adaptive_choice look(worker* w) noexcept {
  const std::int64_t size = w->deque.size_seen_by_owner();
  const bool thieves_are_hungry = w->deque.taken_by_others_since_last_look();
  if (size < k_short_deque || (thieves_are_hungry && size < k_long_deque)) {
    return adaptive_choice::queue;
  }
  if (w->owner->stacks().outstanding() < k_many_stacks) {
    return adaptive_choice::run_now;
  }
  return adaptive_choice::queue_and_step_back;
}

}  // namespace

adaptive_choice choose_adaptively(worker* w) noexcept {
  if (++w->task->spawned < k_prolific) {
    return adaptive_choice::queue;
  }
  adaptive_choice choice = look(w);
  if (choice == adaptive_choice::run_now && !w->stacks.try_fill()) {
    choice = adaptive_choice::queue;
  }
  // What was found holds for the next spawns that leave the policy to the runtime; under the seeded scheduler each asks.
  if (!w->with_care && w->policy == spawn_policy::adaptive) {
    if (choice == adaptive_choice::run_now) {
      w->children_first = k_spawns_per_look - 1;
    } else {
      w->deque.widen(k_spawns_per_look);
    }
  }
  return choice;
}

void step_back() noexcept {
  ++current_worker()->counters.spawned_throttled;
  try {
    go_behind_ready_work();
    // NOLINTNEXTLINE(bugprone-empty-catch): there is no stack to step back to, and the child is queued all the same
  } catch (const std::exception&) {
  }
}

// So many batches are as many tasks as make a deque long, and about what a second-level cache holds.
void step_back_from_batches(worker* w) noexcept {
  constexpr std::int64_t k_few_batches = k_short_deque / task_batch::k_most;
  if (++w->task->spawned >= k_prolific / task_batch::k_most && w->deque.size_seen_by_owner() >= k_few_batches) {
    publish_open(w);
    step_back();
  }
}

void queue_with(spawn_attributes& attributes, bool has_affinity, labelled_closure f) {
  attributes.policy = spawn_policy::help_first;
  if (has_affinity) {
    spawn_with<attribute_kinds{.registering = true, .placing = true}>(current_worker(), attributes, std::move(f));
  } else {
    spawn_with<attribute_kinds{.registering = true, .placing = false}>(current_worker(), attributes, std::move(f));
  }
}

namespace {

// Calls spawn(f) for f, which is noted as a child of this kind.
template <class Spawn>
void spawn_noted(traced_child kind, traced_closure f, Spawn&& spawn) {
  f.note_spawn(current_worker(), kind);
  const std::uint64_t number = f.number();
  try {
    spawn(std::move(f));
  } catch (...) {
    profile_not_spawned(current_worker(), number);
    throw;
  }
}

}  // namespace

void spawn_traced(worker* w, spawn_request asked, traced_closure f) {
  spawn_noted(traced_child::task, std::move(f), [&](traced_closure child) { carry_out(w, asked, std::move(child)); });
  trace_go_on(current_worker());  // a child that ran first has ended, or the spawner is elsewhere
}

void spawn_traced(worker* w, affine_request asked, traced_closure f) {
  spawn_noted(traced_child::task, std::move(f), [&](traced_closure child) { carry_out(w, asked, std::move(child)); });
}

void spawn_traced_share(const char* name, any_closure f) {
  spawn_noted(traced_child::share, traced_closure::share(name, std::move(f)),
              [](traced_closure child) { spawn_queued(current_worker(), std::move(child)); });
}

void seeded_step(worker* w) noexcept { seeded_point(w); }

}  // namespace tactus::detail
