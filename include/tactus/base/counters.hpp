// SPDX-License-Identifier: Apache-2.0
// What each worker counts. The scheduler and the task room increment; the trace room reads and prints.
// The only list of counters: a name, its meaning and how workers add up stand in one line of visit().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>

namespace tactus {

/// How the counters of several workers become one.
/// Errors: none.
/// \snippet reference.cpp counters
/// \ingroup inside
enum class counter_kind : std::uint8_t {
  count,       ///< events: workers add up
  bytes,       ///< memory held: workers add up
  high_water,  ///< a maximum: the largest worker stands for all
};

/// One cell per counter. Programs see it as worker_counters, whose cells are numbers.
/// Errors: none.
/// \snippet reference.cpp counters
/// \ingroup inside
template <class Cell>
struct basic_worker_counters {
  Cell spawned_work_first{};    ///< asyncs whose child ran at once
  Cell spawned_help_first{};    ///< asyncs whose child was queued
  Cell spawned_shared{};        ///< asyncs whose child went to the queue of all workers
  Cell spawned_invited{};       ///< asyncs whose child was queued for another worker, as its affinity asks
  Cell spawned_remote{};        ///< asyncs whose child was sent to another place
  Cell spawned_throttled{};     ///< asyncs whose spawner went behind the worker's ready tasks
  Cell tasks_run{};             ///< tasks started here, each once
  Cell bodies_for_others{};     ///< of these, bodies of at() for tasks at other places
  Cell tasks_run_inline{};      ///< of those, on the stack of a task that ends its finish
  Cell steals_tried{};          ///< visits to a victim
  Cell steals_won{};            ///< visits that brought something home
  Cell tasks_stolen{};          ///< queued tasks taken from other workers, batches counted one by one
  Cell invited_taken{};         ///< tasks taken that were queued for another worker
  Cell continuations_stolen{};  ///< suspended spawners taken from other workers
  Cell suspensions{};           ///< tasks that had to wait
  Cell resumptions{};           ///< tasks that went on here after waiting
  Cell phases{};                ///< phases of clocks that were turned here
  Cell made_per_worker{};       ///< accumulators for which the strategy automatic has chosen per_worker
  Cell finishes{};              ///< finish scopes that ended here
  Cell finishes_in_place{};     ///< of these, those whose task waited for others without a suspension
  Cell finishes_parked{};       ///< and those whose task was suspended
  Cell parks{};                 ///< times this worker slept
  Cell wake_ups{};              ///< times this worker woke a sleeping one; not those of other threads
  Cell unseen_exceptions{};     ///< exceptions of futures that nobody looked at
  Cell peak_stacks_live{};      ///< most task stacks in use at once
  Cell stacks_created{};        ///< stacks that could not come from a cache
  Cell descriptor_bytes{};      ///< memory for queued tasks
  Cell stack_bytes{};           ///< memory for stacks, address space and not residency

  /// Calls f(name, meaning, kind, pointer to member) for each counter, in the order of the declarations.
  template <class F>
  static constexpr void visit(F&& f) {
    using c = basic_worker_counters;
    f("spawned_work_first", "spawned, child first", counter_kind::count, &c::spawned_work_first);
    f("spawned_help_first", "spawned, child queued", counter_kind::count, &c::spawned_help_first);
    f("spawned_shared", "spawned, child shared", counter_kind::count, &c::spawned_shared);
    f("spawned_invited", "spawned, child invited", counter_kind::count, &c::spawned_invited);
    f("spawned_remote", "spawned, child sent", counter_kind::count, &c::spawned_remote);
    f("spawned_throttled", "spawned, spawner set back", counter_kind::count, &c::spawned_throttled);
    f("tasks_run", "tasks run", counter_kind::count, &c::tasks_run);
    f("bodies_for_others", "bodies run of at() elsewhere", counter_kind::count, &c::bodies_for_others);
    f("tasks_run_inline", "tasks run at a finish", counter_kind::count, &c::tasks_run_inline);
    f("steals_tried", "steals tried", counter_kind::count, &c::steals_tried);
    f("steals_won", "steals won", counter_kind::count, &c::steals_won);
    f("tasks_stolen", "tasks stolen", counter_kind::count, &c::tasks_stolen);
    f("invited_taken", "invited tasks taken", counter_kind::count, &c::invited_taken);
    f("continuations_stolen", "continuations stolen", counter_kind::count, &c::continuations_stolen);
    f("suspensions", "suspensions", counter_kind::count, &c::suspensions);
    f("resumptions", "resumptions", counter_kind::count, &c::resumptions);
    f("phases", "phases turned", counter_kind::count, &c::phases);
    f("made_per_worker", "accumulators per worker", counter_kind::count, &c::made_per_worker);
    f("finishes", "finishes", counter_kind::count, &c::finishes);
    f("finishes_in_place", "finishes that waited in place", counter_kind::count, &c::finishes_in_place);
    f("finishes_parked", "finishes that suspended", counter_kind::count, &c::finishes_parked);
    f("parks", "parks", counter_kind::count, &c::parks);
    f("wake_ups", "wake-ups", counter_kind::count, &c::wake_ups);
    f("unseen_exceptions", "exceptions unseen", counter_kind::count, &c::unseen_exceptions);
    f("peak_stacks_live", "peak stacks live", counter_kind::high_water, &c::peak_stacks_live);
    f("stacks_created", "stacks created", counter_kind::count, &c::stacks_created);
    f("descriptor_bytes", "descriptor memory", counter_kind::bytes, &c::descriptor_bytes);
    f("stack_bytes", "stack memory", counter_kind::bytes, &c::stack_bytes);
  }

  /// Whether all counters are equal.
  friend bool operator==(const basic_worker_counters&, const basic_worker_counters&) = default;
};

/// A snapshot of one worker's counters: plain numbers.
/// Errors: none.
/// \snippet reference.cpp counters
/// \ingroup inside
using worker_counters = basic_worker_counters<std::uint64_t>;

/// Adds one worker's counters to a sum: events and bytes add up, of maxima the larger stays.
/// Errors: none.
/// \snippet reference.cpp counters
/// \ingroup inside
constexpr void accumulate(worker_counters& sum, const worker_counters& one) {
  worker_counters::visit([&](const char*, const char*, counter_kind kind, auto member) {
    if (kind != counter_kind::high_water) {
      sum.*member += one.*member;
    } else if (sum.*member < one.*member) {
      sum.*member = one.*member;
    }
  });
}

namespace detail {

/// A number that one worker writes and any thread may read at any time.
/// The same three plain instructions as a non-atomic increment: no read-modify-write, no fence.
class live_counter {
public:
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(memory_order_relaxed);  // a count publishes nothing else
  }

  TACTUS_ALWAYS_INLINE void operator++() noexcept {
#if defined(__x86_64__) && !TACTUS_TSAN && !TACTUS_ASAN
    // One instruction in place of three; compilers do not merge a relaxed load and store. Not locked: one writer.
    asm("incq %0" : "+m"(value_));
#else
    *this += 1;
#endif
  }

  void operator+=(std::uint64_t more) noexcept {
    value_.store(value() + more, memory_order_relaxed);  // only the owning worker writes, so nothing is lost between
  }

  void operator-=(std::uint64_t less) noexcept {
    value_.store(value() - less, memory_order_relaxed);  // as above
  }

  void raise_to(std::uint64_t level) noexcept {
    if (value() < level) {
      value_.store(level, memory_order_relaxed);  // as above
    }
  }

private:
  atomic<std::uint64_t> value_{0};  // written by the owning worker only
};

using live_worker_counters = basic_worker_counters<live_counter>;

/// What the counters show now. Live, tasks_run leaves out the tasks that tasks_run_inline and spawned_work_first count
/// already, so that each start touches one counter; here they are in. Taken while the worker runs, each number is exact for some moment, not all for the same.
inline worker_counters snapshot(const live_worker_counters& live) {
  constexpr std::size_t k_counters = [] {
    std::size_t n = 0;
    worker_counters::visit([&n](const char*, const char*, counter_kind, auto) { ++n; });
    return n;
  }();
  std::array<std::uint64_t, k_counters> values{};
  auto next = values.begin();
  live_worker_counters::visit(
      [&](const char*, const char*, counter_kind, auto cell) { *next++ = (live.*cell).value(); });
  next = values.begin();
  worker_counters seen;
  worker_counters::visit([&](const char*, const char*, counter_kind, auto cell) { seen.*cell = *next++; });
  seen.tasks_run += seen.tasks_run_inline + seen.spawned_work_first;
  return seen;
}

}  // namespace detail

}  // namespace tactus
