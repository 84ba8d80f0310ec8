// SPDX-License-Identifier: Apache-2.0
// A worker: one OS thread (or, under the seeded scheduler, one virtual one) and everything it owns.
//
// Fields are grouped by who touches them. What runs on a worker may find itself on another one after any call that can
// suspend: a worker pointer is fetched again by current_worker() after each such call, never kept across it.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/base/counters.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/durations.hpp>
#include <tactus/base/impl/rng.hpp>
#include <tactus/deque/impl/work_deque.hpp>
#include <tactus/fiber/impl/context.hpp>
#include <tactus/fiber/impl/exception_state.hpp>
#include <tactus/fiber/impl/float_environment.hpp>
#include <tactus/fiber/impl/stack_cache.hpp>
#include <tactus/scheduler/impl/barrier.hpp>
#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/scheduler/impl/deferred_arrivals.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/scheduler/impl/open_batch.hpp>
#include <tactus/scheduler/impl/parking.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>
#include <tactus/scheduler/impl/released.hpp>
#include <tactus/scheduler/impl/shared_queue.hpp>
#include <tactus/scheduler/impl/yielded_queue.hpp>

#include <cstring>

namespace tactus::detail {

class atomic_domain;
class place_objects;
class scheduler;
class spawn_sites;
class timeline_part;

/// Evidence of the adaptive policy (docs/adr/0002-adaptive-policy.md): below so many queued entries, queueing is cheap and keeps
/// the stack flat.
inline constexpr std::int64_t k_short_deque = 4096;

/// So many rounds of its loop a worker does between two looks outside, at most. Prime, so that it does not beat with the program's own periods.
inline constexpr std::uint32_t k_rounds_to_look = 61;

struct alignas(k_cache_line) worker {
  worker(scheduler* owner_scheduler, int number, int first_seat, const config& options);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // ---- what runs here now; this worker only ----

  task_frame* task = nullptr;             ///< identity of the running task
  finish_scope* held = nullptr;           ///< innermost finish of the running task (finish R); null when dry
  exception_state* exceptions = nullptr;  ///< of the thread
  float_environment floats;               ///< of the run; the thread has it unless the running task has one of its own
  std::int64_t* balance = &slot_balance;  ///< of `held`, in units of k_one_task
  idle_set* idle = nullptr;
  std::uintptr_t stack_mask = 0;          ///< of an address: its offset in its stack
  std::uintptr_t room_to_begin = 0;       ///< offset above which one more task may begin on top of what runs
  std::uintptr_t room_to_run_on_top = 0;  ///< the same; none is enough where a finish has to look about
  std::int64_t only_the_body = finish_word::k_body_and_holder;  ///< what close() may take the short way for; or nothing
  std::int64_t children_first =
      0;  ///< if positive: for so many more spawns at a long deque the answer is to run the child at once
  spawn_policy policy = spawn_policy::adaptive;
  bool seeded = false;     ///< virtual: every scheduling point asks the seeded scheduler
  bool with_care = false;  ///< seeded, or with a timeline: the short ways, which know of neither, are closed
  stack_cache stacks;
  task_cache tasks;
  open_batch open;               ///< small tasks that it puts together; a thief may take them away
  finish_scope* slot = nullptr;  ///< the one finish held without having opened it
  std::int64_t slot_balance = 0;
  deferred_arrivals deferred;
  live_worker_counters counters;

  // ---- the deque, what has yielded and what barriers released: thieves too ----

  work_deque deque;
  yielded_queue yielded;
  released_work released;
  shared_queue affine;  ///< tasks that would run best here, from other workers

  // ---- rarely touched ----

  atomic_domain* domain = nullptr;         ///< of atomic and when, of its place
  const place_objects* objects = nullptr;  ///< of its place, of place_locals
  scheduler* const owner;
  const std::uint64_t home_number;  ///< as scheduler::home_number() has it
  const int workers_of_place;
  const int place;
  const int places_of_run;
  const bool copies_as_bytes;  ///< what goes to another place, also of this process
  const bool moves_flexible;   ///< place-flexible tasks of it may go to other places
  spawn_sites* const sites;    ///< who looks at spawns at places; null: nobody
  const bool plays_swapped;    ///< in tests: writes these bytes as a machine of the other order would
  const int id;                ///< among the workers of its place
  const int seat;              ///< among those of all places of its run
  /// Of members of a barrier, which go on with each other.
  std::uint32_t member_rounds = 0;
  rng random;
  struct {
    std::size_t entries = 0;
    std::chrono::nanoseconds cost{0};  ///< of each, to both sides
    std::chrono::steady_clock::time_point since;
    std::chrono::nanoseconds pause{0};  ///< how long the victim was let alone the last time
  } loot;                               ///< of the last steal that brought tasks
  timeline_part* timeline = nullptr;    ///< where to note what happens; null: nowhere
  /// Of the loop, see is_time_to_look_outside().
  std::uint32_t rounds_to_look = k_rounds_to_look;
  std::uint32_t yields = 0;  ///< by tasks on it, see yield_now()
  continuation native;  ///< the thread's own stack, while tasks run; under the seeded scheduler, this virtual worker
  context_sanitizer running;       ///< what the sanitizers think runs here
  atomic<bool> sleeps{false};      ///< in sleep(), which holds no lock
  scheduler* const wakes_plainly;  ///< whose waiters it makes ready the short way; null: a timeline wants to know
  alignas(k_cache_line) atomic<std::uint32_t> woken{
      0};  ///< 1: a waker took this worker off the idle set; consumed by sleep()

  /// Before it turns to what others made ready: threads live longer than a run, whose floating-point environment is its caller's.
  void join_run() noexcept;

  // ---- steps of the finish protocol (docs/protocols/finish.md) ----

  TACTUS_ALWAYS_INLINE void count_spawn() noexcept { *balance += finish_word::k_one_task; }
  TACTUS_ALWAYS_INLINE void count_end() noexcept { *balance -= finish_word::k_one_task; }

  /// Makes `f` the held finish before something of f runs here.
  TACTUS_ALWAYS_INLINE void hold(finish_scope* f) noexcept {
    if (held != f) [[unlikely]] {
      hold_other(f);
    }
  }

  /// Hands in every balance this worker keeps and holds nothing afterwards. Finishes that are complete by it become ready.
  void flush_all() noexcept;

  // ---- steps of the barrier protocol (docs/protocols/clock.md) ----

  /// The next continuation that a barrier released for this worker; null if there is none.
  TACTUS_ALWAYS_INLINE continuation* next_released() noexcept {
    return has_released() ? *deferred.run_next++ : nullptr;
  }

  /// Whether there is one; then `deferred` says which barrier released it.
  TACTUS_ALWAYS_INLINE bool has_released() noexcept {
    return deferred.run_next != deferred.run_end || (!released.looks_empty() && claim_released());
  }

  /// The same for the loop.
  entry next_released_entry() noexcept {
    continuation* const s = next_released();
    return s == nullptr ? entry() : deferred.run_of == deferred.of ? entry::released(s) : entry::continuation(s);
  }

  /// Makes stolen continuations what this worker goes on with next; returns the first.
  continuation* adopt(released_work::block stolen) noexcept;

  /// Makes ranges what this worker takes from.
  void adopt(released_range* ranges) noexcept;

  /// Whether to look outside before the own work: every so often, so that who has work of its own forgets nobody. If so,
  /// scheduler::look_between_tasks() says when to look again.
  TACTUS_ALWAYS_INLINE bool is_time_to_look_outside() noexcept { return --rounds_to_look == 0; }

  /// Hands in the arrivals it has kept, before anything that does not follow from them.
  TACTUS_ALWAYS_INLINE void hand_in_arrivals() noexcept {
    if (deferred.sum != 0) [[unlikely]] {
      deferred.of->hand_in(this);
    }
  }

  /// The same unless `e`, which this worker runs next, is a member that the phase waits for.
  TACTUS_ALWAYS_INLINE void hand_in_before(entry e) noexcept {
    if (deferred.sum != 0 && !follows_arrivals(e)) [[unlikely]] {
      deferred.of->hand_in(this);
    }
  }

  /// Whether it is one, of the barrier whose arrivals this worker keeps: released by it, or queued by a parent that had not arrived.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool follows_arrivals(entry e) const noexcept {
    if (!e.is_member()) {
      return false;
    }
    const barrier* of = deferred.of;
    if (!e.is_continuation()) {
      std::memcpy(&of, static_cast<queued_task*>(e.pointer())->storage, sizeof(barrier*));
    }
    return of == deferred.of;
  }

  /// Leaves `f`, held without having been opened here and complete, for its parent.
  void leave_slot(finish_scope* parent) noexcept;

private:
  void hold_other(finish_scope* f) noexcept;
  bool claim_released() noexcept;

  block_length block_;  // of released continuations
};

struct switches_seen_by_compilers {
  int none;
};

extern "C" {
/// The worker of the calling thread; null on threads that are none. Read it by current_worker().
TACTUS_API extern __thread worker* tactus_this_worker __attribute__((tls_model("initial-exec")));

/// Never read or written: stands, for the compiler, for everything that a switch to another thread changes. Defined in
/// assembly, so that no compiler can know that it never changes.
TACTUS_API extern switches_seen_by_compilers tactus_switches;
}

/// The worker that runs the caller; null outside. Never remembered by the compiler across a switch to another thread.
TACTUS_ALWAYS_INLINE worker* current_worker() noexcept {
#if !TACTUS_PORTABLE_CONTEXT && !TACTUS_TSAN && !TACTUS_ASAN
  // Compilers keep addresses of thread-local variables across calls; an asm statement that reads the variable is opaque to them.
  // They may reuse the answer as long as nothing can have written tactus_switches, that is up to the next call they cannot see.
  worker* w;
// Code that may go into a shared library, and so has no place in the program's own block, says so by __PIC__ without
// __PIE__.
#if defined(TACTUS_STATIC) && (!defined(__PIC__) || defined(__PIE__))
#define TACTUS_LOCAL_EXEC 1
#else
#define TACTUS_LOCAL_EXEC 0
#endif
#if defined(__x86_64__) && TACTUS_LOCAL_EXEC
  asm("movq %%fs:tactus_this_worker@tpoff, %0" : "=r"(w) : "m"(tactus_switches));
#elif defined(__x86_64__)
  asm("movq tactus_this_worker@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(w) : "m"(tactus_switches));
#elif TACTUS_LOCAL_EXEC
  asm("mrs %0, tpidr_el0\n\t"
      "add %0, %0, #:tprel_hi12:tactus_this_worker, lsl #12\n\t"
      "add %0, %0, #:tprel_lo12_nc:tactus_this_worker\n\t"
      "ldr %0, [%0]"
      : "=r"(w)
      : "m"(tactus_switches));
#else
  void* thread;
  asm("adrp %0, :gottprel:tactus_this_worker\n\t"
      "ldr %0, [%0, #:gottprel_lo12:tactus_this_worker]\n\t"
      "mrs %1, tpidr_el0\n\t"
      "ldr %0, [%1, %0]"
      : "=&r"(w), "=&r"(thread)
      : "m"(tactus_switches));
#endif
#undef TACTUS_LOCAL_EXEC
  return w;
#else
  worker* this_worker_out_of_line() noexcept;
  return this_worker_out_of_line();
#endif
}

TACTUS_API TACTUS_NOINLINE worker* this_worker_out_of_line() noexcept;

/// Fetches the worker for a call named in the error that is thrown outside of tasks.
[[noreturn]] TACTUS_API void throw_outside_task(const char* call);

TACTUS_ALWAYS_INLINE worker* worker_for(const char* call) {
  worker* const w = current_worker();
  if (w == nullptr) [[unlikely]] {
    throw_outside_task(call);
  }
  return w;
}

/// Offset of the caller in its stack. Another task may begin on top of the caller only above room_to_begin: each relies
/// on stack_bytes, and the frames of those that wait below it add up.
TACTUS_ALWAYS_INLINE std::uintptr_t stack_below(const worker* w) noexcept {
#if TACTUS_PORTABLE_CONTEXT || TACTUS_ASAN
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#else
  std::uintptr_t here;
#if defined(__x86_64__)
  asm("movq %%rsp, %0" : "=r"(here));  // spares the caller a frame pointer
#else
  asm("mov %0, sp" : "=r"(here));
#endif
#endif
  return here & w->stack_mask;  // stacks are aligned to their stride; right, if cautious, on the root's too
}

inline void finish_scope::open(worker* w) noexcept {
  parent_ = by_itself(w->held);
  outer_balance_ = by_itself(w->balance);
  w->held = this;
  w->balance = &local_;
}

}  // namespace tactus::detail
