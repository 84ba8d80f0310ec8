// SPDX-License-Identifier: Apache-2.0
// What clocks stand on: members that arrive, wait and are released together, at O(1) per member and O(workers) per phase.
//
// Protocol, invariants and models: docs/protocols/clock.md. In short: a worker keeps the arrivals of its members back, as a plain
// sum, while all it does is to go on with the next member; it hands them in by one atomic subtraction. The one that leaves nobody
// pending turns the phase and gives each worker its own waiters as one range. After uclocks.txt, section 4, where each arrival
// takes the clock's lock and each waiter is a thread.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/base/platform.hpp>
#include <tactus/deque/work_deque.hpp>
#include <tactus/scheduler/released.hpp>
#include <tactus/scheduler/strand.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tactus::detail {

class barrier;
class scheduler;
struct queued_task;
struct worker;

/// phase, registered and pending members in one word, so that one atomic operation changes all. The phase is the lowest bits of
/// the true one: a member can be one phase behind, not more.
struct barrier_word {
  static constexpr int k_registered_shift = 28;
  static constexpr int k_phase_shift = 56;
  static constexpr std::uint64_t k_count_mask = (std::uint64_t{1} << k_registered_shift) - 1;
  static constexpr std::uint64_t k_arrival = 1;
  static constexpr std::uint64_t k_registration = std::uint64_t{1} << k_registered_shift;
  static constexpr std::uint64_t k_member = k_registration + k_arrival;

  static constexpr std::uint64_t pending(std::uint64_t w) noexcept { return w & k_count_mask; }
  static constexpr std::uint64_t registered(std::uint64_t w) noexcept { return w >> k_registered_shift & k_count_mask; }
  static constexpr std::uint8_t phase(std::uint64_t w) noexcept {
    return static_cast<std::uint8_t>(w >> k_phase_shift);
  }
  static constexpr std::uint64_t make(std::uint8_t phase, std::uint64_t registered) noexcept {
    return std::uint64_t{phase} << k_phase_shift | registered << k_registered_shift | registered;
  }
};

/// Among the values of a task that is a member; the key is the barrier's.
struct barrier_member : local_value {
  bool arrived = false;  ///< it has said so and not yet waited
};

/// One worker's waiters of one phase.
struct barrier_waiters {
  strand** entries = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
};

/// Arrivals and departures that a worker has not handed in yet, and what it goes on with next. The worker's own.
struct kept_arrivals {
  barrier* of = nullptr;            ///< whose; null: none
  std::uint64_t sum = 0;            ///< to be subtracted from its word
  barrier_waiters* list = nullptr;  ///< this worker's, of that phase; null until a waiter needs it
  strand** wait_next = nullptr;     ///< where the next waiter goes
  strand** wait_end = nullptr;
  strand** run_next = nullptr;  ///< released strands that are this worker's alone
  strand** run_end = nullptr;
  const barrier* run_of = nullptr;  ///< that released them

  /// Keeps nothing any more; what comes next stays.
  void close() noexcept {
    of = nullptr;
    sum = 0;
    list = nullptr;
    wait_next = nullptr;
    wait_end = nullptr;
  }
};

/// How a waiter spends the first moments; one meaning, three costs.
enum class barrier_hint : std::uint8_t { eager, lazy, automatic };

/// Memory is reused, never freed while the scheduler lives; an identity (key) is never reused.
class barrier {
public:
  explicit barrier(scheduler* home);
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  ~barrier();

  /// Gives it a new identity and one member, who has not arrived.
  void begin(std::uint64_t key) noexcept;

  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

  /// The phase, for members that have not arrived in it: it stays while they have not.
  [[nodiscard]] std::uint64_t phase() const noexcept {
    // relaxed, both: the caller keeps the word's phase where it is; who is about to turn it may have written phase_ already (C3)
    const std::uint64_t p = phase_.load(memory_order_relaxed);
    return p - static_cast<std::uint8_t>(p - barrier_word::phase(word_.load(memory_order_relaxed)));
  }

  // ---- by members; each says in what state it is ----

  /// Makes room for `n` more members, by one that has not arrived.
  void add_members(std::uint64_t n) noexcept {
    // relaxed: the phase cannot turn before the caller arrives, and its arrival carries on whatever there is to see (C2)
    word_.fetch_add(n * barrier_word::k_member, memory_order_relaxed);
  }

  /// Adds one by a member that has arrived in `phase`; the new one has arrived in that phase, too.
  void add_arrived_member(std::uint64_t phase) noexcept;

  /// Subtracts `what` (arrivals, departures) now, and turns the phase if that leaves nobody pending. Not touched afterwards if the
  /// caller is no member any more.
  void subtract(worker* w, std::uint64_t what) noexcept;

  /// The same later: when the worker turns to anything but this barrier's next member.
  void subtract_later(worker* w, std::uint64_t what) noexcept;

  /// Removes a member that has arrived in `phase`.
  void remove_arrived_member(worker* w, std::uint64_t phase) noexcept;

  /// Arrives and waits until the phase has turned. Throws, and nothing has happened: resource_error, std::bad_alloc.
  /// False if the program is stuck: the arrival, in phase `arrived_in`, stands, and the wait was in vain.
  [[nodiscard]] bool arrive_and_wait(worker* w, barrier_hint hint, std::uint64_t& arrived_in);

  /// The shortest way to do that, in two steps, for members that have nothing to undo. In src/scheduler/barrier_wait.hpp.
  [[nodiscard]] inline bool next_is_at_hand(const worker* w) const noexcept;
  [[nodiscard]] inline bool wait_while_next_goes_on(worker* w, strand& here);

  /// The next one, in two steps, too.
  [[nodiscard]] inline queued_task* take_member_to_start(worker* w) noexcept;
  [[nodiscard]] inline bool wait_while_member_starts(worker* w, strand& here, queued_task* member);

  /// The phase in which a wait that was in vain began.
  [[nodiscard]] static std::uint64_t phase_of_failure(const strand& here) noexcept {
    return reinterpret_cast<std::uintptr_t>(here.next);
  }

  /// Waits until `phase`, in which the caller has arrived, has turned. Errors and result as above.
  [[nodiscard]] bool wait_arrived(worker* w, std::uint64_t phase, barrier_hint hint);

  [[nodiscard]] bool has_turned(std::uint64_t phase) const noexcept {
    // acquire: what members did before they arrived; pairs with the turn (C3)
    return barrier_word::phase(word_.load(memory_order_acquire)) != static_cast<std::uint8_t>(phase);
  }

  // ---- by the worker ----

  /// Hands in what `w` has kept for this barrier.
  void hand_in(worker* w) noexcept;

  // ---- deadlock; no worker runs ----

  /// Calls f(strand*) for every waiter.
  template <class F>
  void for_each_waiter(F&& f) const {
    for (const share& s : shares_) {
      const barrier_waiters& list = s.lists[phase() & 1];
      for (std::size_t i = 0; i < list.count; ++i) {
        f(list.entries[i]);
      }
    }
  }

  /// Appends "clock 1f, phase 3".
  void describe(std::string& text, std::uint64_t phase) const;

  /// Takes every waiter off and makes it throw when it goes on; appends them to `all`.
  void cancel(std::vector<strand*>& all);

private:
  /// What one worker has of it. Written by that worker; what it has written before it hands in its arrivals is read by whoever turns
  /// the phase.
  struct alignas(k_cache_line) share {
    barrier_waiters lists[2];  // by parity of the phase
    released_range range;
    std::uint32_t polls_lost = 0;
    std::uint32_t polls_skipped = 0;
  };

  /// All that wait in one phase.
  struct waiting_ranges {
    released_range* mine = nullptr;    // the releasing worker's
    released_range* others = nullptr;  // linked
  };

  void open(worker* w, std::uint64_t phase);
  [[nodiscard]] bool wait_as_pending(worker* w, std::uint64_t phase);
  [[nodiscard]] bool go_on_with_next(worker* w, strand* next);
  [[nodiscard]] inline queued_task* next_queued_member(worker* w) noexcept;
  inline void prepare(worker* w, strand& here) noexcept;
  [[nodiscard]] bool turn_as_last(worker* w) noexcept;
  [[nodiscard]] bool may_poll(worker* w, std::uint64_t arriving, barrier_hint hint) noexcept;
  [[nodiscard]] bool poll(worker* w, std::uint64_t phase) noexcept;
  [[nodiscard]] bool reopen(std::uint64_t phase) noexcept;
  [[nodiscard]] bool park(worker* w);
  static bool enlist(wait_point& p);
  inline void append(worker* w, strand& here) noexcept;
  void turn(worker* w) noexcept;
  [[nodiscard]] waiting_ranges collect(worker* w, std::uint64_t phase) noexcept;
  static void release(worker* w, waiting_ranges waiting) noexcept;
  void end() noexcept;

  alignas(k_cache_line) atomic<std::uint64_t> word_{0};  // barrier_word; all members
  atomic<std::uint64_t> phase_{0};                       // by whoever turns it, before the word
  std::uint64_t key_ = 0;                                // immutable between begin() and the end of the last member
  scheduler* const home_;
  std::vector<share> shares_;
};

/// Set in the strand of a waiter that cancel() has taken off.
extern const char k_cancelled;

}  // namespace tactus::detail
