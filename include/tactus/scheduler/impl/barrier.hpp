// SPDX-License-Identifier: Apache-2.0
// What clocks stand on: members that arrive, wait and are released together, at O(1) per member and O(workers) per phase.
//
// Protocol, invariants and models: docs/protocols/clock.md. In short: a worker keeps the arrivals of its members back, as a plain
// sum, while all it does is to go on with the next member; it hands them in by one atomic subtraction. The one that leaves nobody
// pending turns the phase and gives each worker its own waiters as one range. After uclocks.txt, section 4, where each arrival
// takes the clock's lock and each waiter is a thread.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/barrier_word.hpp>
#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/scheduler/impl/phase_hook.hpp>
#include <tactus/scheduler/impl/poll_habit.hpp>
#include <tactus/scheduler/impl/released.hpp>
#include <tactus/scheduler/impl/waiter_list.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::detail {

class scheduler;
struct queued_task;
struct worker;

/// Among the values of a task that is a member; the key is the barrier's.
struct barrier_member : local_value {
  bool arrived = false;  ///< it has said so and not yet waited
};

/// How a waiter spends the first moments; one meaning, three costs.
enum class barrier_hint : std::uint8_t { eager, lazy, automatic };

/// Memory is reused, never freed while the scheduler lives; an identity (key) is never reused.
class barrier {
public:
  explicit barrier(scheduler* home);
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  /// Gives it a new identity and one member, who has not arrived, or none.
  void begin(std::uint64_t key, std::uint64_t members = 1) noexcept;

  /// May be used again from here on. Called by the barrier itself unless it has a hook that is a phaser's.
  TACTUS_NOINLINE void end() noexcept;

  /// Null: a clock's, without accumulators.
  [[nodiscard]] phase_hook* hook() const noexcept {
    return hook_.load(memory_order_acquire);  // acquire: what is in it; pairs with set_hook()
  }

  /// By a member, or before there is one. False: there is another one already, and then that is `h`.
  [[nodiscard]] bool set_hook(phase_hook*& h) noexcept {
    phase_hook* there = nullptr;
    // release: what is in it. acquire: what is in the other one
    const bool set = hook_.compare_exchange_strong(there, h, memory_order_release, memory_order_acquire);
    if (!set) {
      h = there;
    }
    return set;
  }

  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }

  /// Of those on its lists, who wait for the turn; their wait_point::object is the barrier.
  static const wait_kind k_wait;

  /// The phase, for members that have not arrived in it: it stays while they have not.
  [[nodiscard]] std::uint64_t phase() const noexcept {
    // relaxed, both: the caller keeps the word's phase where it is; who is about to turn it may have written phase_ already (C3)
    const std::uint64_t p = phase_.load(memory_order_relaxed);
    return p - static_cast<std::uint8_t>(p - barrier_word::phase(word_.load(memory_order_relaxed)));
  }

  /// The same for everybody who keeps the barrier from ending. By somebody who turns it at the same time it may be seen late.
  [[nodiscard]] TACTUS_API std::uint64_t phase_by_anyone() const noexcept;

  // ---- by members; each says in what state it is ----

  /// Makes room for `n` more members, by one that has not arrived.
  void add_members(std::uint64_t n) noexcept {
    // relaxed: the phase cannot turn before the caller arrives, and its arrival carries on whatever there is to see (C2)
    word_.fetch_add(n * barrier_word::k_member, memory_order_relaxed);
  }

  /// Adds one by a member that has arrived in `phase`; the new one has arrived in that phase, too. Whether that one has turned, and so
  /// both are pending in the next. The mark tells who is about to turn it that it is special now (phaser P2).
  bool add_arrived_member(std::uint64_t phase, std::uint64_t mark = 0) noexcept;

  /// Numbers for members to come, in the order in which they are registered: k_ordinals - 1 of them, from one above a multiple of
  /// k_ordinals on. The first member's is 0.
  static constexpr std::uint64_t k_ordinals = 64;
  std::uint64_t take_ordinals() noexcept {
    return ordinals_.fetch_add(k_ordinals, memory_order_relaxed) + 1;  // relaxed: numbers, and one parent's rise
  }

  /// Adds or removes one that has run ahead of the phase, and will arrive in later ones: it is registered and not pending.
  void add_member_ahead() noexcept {
    word_.fetch_add(barrier_word::k_registration, memory_order_relaxed);  // relaxed: the number alone
  }
  void remove_member_ahead() noexcept {
    word_.fetch_sub(barrier_word::k_registration, memory_order_release);  // release: what it did; as an arrival
  }

  /// Subtracts `what` (arrivals, departures) now, and turns the phase if that leaves nobody pending. Not touched afterwards if the
  /// caller is no member any more.
  void subtract(worker* w, std::uint64_t what) noexcept;

  /// The same later: when the worker turns to anything but this barrier's next member.
  TACTUS_API void subtract_later(worker* w, std::uint64_t what) noexcept;

  /// Removes a member that has arrived in `phase`.
  void remove_arrived_member(worker* w, std::uint64_t phase) noexcept;

  enum class outcome : std::uint8_t {
    turned,
    in_vain,         ///< the program is stuck; the arrival stands
    wait_elsewhere,  ///< the arrival stands, and the hook's wait_off_list() is the way to wait
  };

  /// Arrives, in phase `arrived_in`, and waits until that has turned. Throws, and nothing has happened: resource_error, std::bad_alloc.
  [[nodiscard]] outcome arrive_and_wait(worker* w, barrier_hint hint, std::uint64_t& arrived_in);

  /// The shortest way to do that, in two steps, for members that have nothing to undo. In src/scheduler/barrier_wait.hpp.
  [[nodiscard]] inline bool next_is_at_hand(const worker* w) const noexcept;
  [[nodiscard]] inline bool wait_while_next_goes_on(worker* w, continuation& here);

  /// The next one, in two steps, too.
  [[nodiscard]] inline queued_task* take_member_to_start(worker* w) noexcept;
  [[nodiscard]] inline bool wait_while_member_starts(worker* w, continuation& here, queued_task* member);

  /// Waits until `phase`, in which the caller has arrived, has turned: not where there is a phaser's hook. False: in vain. Errors as above.
  [[nodiscard]] bool wait_arrived(worker* w, std::uint64_t phase, barrier_hint hint);

  /// Whether it has turned, after a look for a moment where that may pay.
  [[nodiscard]] bool has_turned_soon(worker* w, std::uint64_t phase, barrier_hint hint) noexcept {
    return has_turned(phase) || (may_poll(w, 0, hint) && poll(w, phase));
  }

  [[nodiscard]] bool has_turned(std::uint64_t phase) const noexcept {
    // acquire: what members did before they arrived; pairs with the turn (C3)
    return barrier_word::phase(word_.load(memory_order_acquire)) != static_cast<std::uint8_t>(phase);
  }

  // ---- by a hook; nobody is pending ----

  /// All that wait in one phase.
  struct waiting_ranges {
    released_range* mine = nullptr;    // the releasing worker's
    released_range* others = nullptr;  // linked
  };

  [[nodiscard]] std::uint64_t phase_to_turn() const noexcept {
    return phase_.load(memory_order_relaxed);  // relaxed: nobody else writes it now
  }

  /// O(workers). Takes those of the present phase off; then publish() turns it, and release() lets them go on.
  [[nodiscard]] waiting_ranges collect(worker* w) noexcept {
    // relaxed: nobody else writes it now
    return collect(w, phase_.load(memory_order_relaxed));
  }

  /// Turns the phase; `guard` more are pending then than there are members, who are returned. seq_cst: see phase_hook::has_off_list().
  std::uint64_t publish(std::uint64_t guard) noexcept;

  static void release(worker* w, waiting_ranges waiting) noexcept;

  /// Takes away what publish() has added, and arrivals. True: nobody is pending again.
  [[nodiscard]] bool remove_guard(std::uint64_t guard) noexcept;

  // ---- by the worker ----

  /// Hands in what `w` has kept for this barrier.
  TACTUS_API void hand_in(worker* w) noexcept;

  // ---- deadlock; no worker runs ----

  /// Calls f(continuation*) for every waiter. While no worker runs, or with the report gate raised.
  template <class F>
  void for_each_waiter(F&& f) const {
    for (const share& s : shares_) {
      const std::uint64_t parity = phase() & 1;
      const std::uint32_t count = waiters_on(s, parity);
      for (std::uint32_t i = 0; i < count; ++i) {
        f(s.lists[parity].seen(i));
      }
    }
  }

  /// Appends "clock 1f, phase 3".
  void describe(std::string& text, std::uint64_t phase) const;

  /// Takes every waiter off and makes it throw when it goes on; appends them to `all`.
  void cancel(std::vector<continuation*>& all);

private:
  friend struct debugger_layout;

  /// What one worker has of it. Written by that worker; what it has written before it hands in its arrivals is read by whoever turns
  /// the phase.
  struct alignas(k_cache_line) share {
    waiter_list lists[2];  // by parity of the phase
    released_range range;
    poll_habit polls;
  };

  static std::uint32_t waiters_on(const share& s, std::uint64_t parity) noexcept;

  void open(worker* w, std::uint64_t phase);
  [[nodiscard]] bool wait_as_pending(worker* w, std::uint64_t phase);
  [[nodiscard]] bool go_on_with_next(worker* w, continuation* next);
  [[nodiscard]] inline queued_task* next_queued_member(worker* w) noexcept;
  inline void prepare(worker* w, continuation& here) noexcept;
  [[nodiscard]] bool has_phaser_hook() const noexcept {
    const phase_hook* const h = hook();
    return h != nullptr && !h->is_clock;
  }
  [[nodiscard]] bool turn_as_last(worker* w) noexcept;
  [[nodiscard]] bool may_poll(worker* w, std::uint64_t arriving, barrier_hint hint) noexcept;
  [[nodiscard]] bool poll(worker* w, std::uint64_t phase) noexcept;
  [[nodiscard]] bool reopen(std::uint64_t phase) noexcept;
  void tell_of_vain_arrival() noexcept;
  [[nodiscard]] bool park(worker* w);
  static bool enlist(wait_point& p);
  inline void append(worker* w, continuation& here) noexcept;
  void turn(worker* w) noexcept;
  [[nodiscard]] waiting_ranges collect(worker* w, std::uint64_t phase) noexcept;

  alignas(k_cache_line) atomic<std::uint64_t> word_{0};  // barrier_word; all members
  atomic<std::uint64_t> phase_{0};                       // by whoever turns it, before the word
  atomic<std::uint64_t> ordinals_{0};                    // parents
  std::uint64_t key_ = 0;                                // immutable between begin() and the end of the last member
  atomic<phase_hook*> hook_{nullptr};                    // set once between begin() and end()
  scheduler* const home_;
  std::vector<share> shares_;
};

}  // namespace tactus::detail
