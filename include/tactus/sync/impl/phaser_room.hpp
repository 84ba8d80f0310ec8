// SPDX-License-Identifier: Apache-2.0
// The waiters of a phaser that others may be too far ahead of, and the signallers that wait for them. On a bounded phaser all members
// that wait are among these waiters, and a signal needs room: the slowest of them has to be near enough. On others those that only
// wait are, and there is always room; results are kept for them.
//
// A signaller goes by a number that the slowest has reached before, and looks at all waiters where that does not do. While some wait
// for room, waiters that are as slow as the slowest are counted: the last of these that passes or leaves looks at all again, and wakes
// whoever has room then. docs/protocols/phaser.md, P6.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/sync/impl/phaser_member.hpp>
#include <tactus/sync/impl/phaser_wait_list.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace tactus::detail {

class reported_tasks;

class phaser_room {
public:
  static constexpr std::uint64_t k_unbounded = ~std::uint64_t{0};
  static constexpr std::uint64_t k_nobody = ~std::uint64_t{0};  ///< in place of a phase: there is nobody to ask for one

  /// `lock` is the phaser's.
  phaser_room(barrier& of, std::uint64_t bound, std::mutex& lock) noexcept : bound_(bound), of_(of), lock_(lock) {}

  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  [[nodiscard]] bool is_bounded() const noexcept { return bound_ != k_unbounded; }

  [[nodiscard]] bool is_among_waiters(const phaser_member& m) const noexcept {
    return m.mode == phaser_mode::wait_only || (is_bounded() && may_wait(m.mode));
  }

  // ---- waiters come and go, with the lock ----

  /// For one more. std::bad_alloc.
  void reserve_one_locked() { waiters_.reserve_one(); }

  /// One that has waited so often; no less often than its parent, which is here, too.
  void enter_locked(phaser_member& m, std::uint64_t waited) noexcept {
    waiters_.enter(m);
    m.seen = waited;
    laggards_ += waited == slowest_.load(memory_order_relaxed) ? 1U : 0U;  // relaxed: under the lock
  }

  /// Takes the lock.
  void leave(phaser_member& m) noexcept;

  // ---- room, on a bounded phaser ----

  /// By a member that has signalled so often and is to signal again. Suspends where there is no room; then the member's credit has been
  /// returned. deadlock_error, resource_error.
  void wait_for_room(worker* w, phaser_member& m, std::uint64_t signalled) {
    if (!has_room(signalled)) {
      wait_slowly(w, m, signalled);
    }
  }

  /// A waiter has waited for one more phase.
  void waiter_passed(phaser_member& m) noexcept {
    m.waited.store(m.waited_for() + 1,
                   memory_order_seq_cst);  // seq_cst: before the look at who has no room (phaser P6)
    if (roomless_.load(memory_order_seq_cst) != 0) {
      free_roomy(m);
    }
  }

  // ---- what others ask ----

  /// For how many phases the slowest waiter has waited, or fewer; k_nobody if there is none.
  [[nodiscard]] std::uint64_t fewest_waits() const noexcept;

  /// With the lock: at how many waiters and waiting signallers it has looked.
  [[nodiscard]] std::uint64_t looks_locked() const noexcept { return looks_ + without_room_.looks(); }

private:
  /// The slowest waiter was there at least: it only gets further, and where there is none, none comes.
  [[nodiscard]] bool has_room(std::uint64_t signalled) const noexcept {
    const std::uint64_t slowest =
        slowest_.load(memory_order_acquire);  // acquire: what it did; pairs with find_slowest_locked()
    return slowest == k_nobody || signalled + 1 - slowest <= bound_;
  }

  void wait_slowly(worker* w, phaser_member& m, std::uint64_t signalled);
  void free_roomy(phaser_member& m) noexcept;
  void find_slowest_locked() noexcept;
  void count_down_locked(phaser_member& m) noexcept;
  void roomless_no_more_locked(std::uint32_t n) noexcept;
  [[nodiscard]] phaser_wait_list take_roomy_locked(phaser_member& m) noexcept;
  static bool wait_for_slower(wait_point& p);
  static void cancel(wait_point& p);
  static void describe(const wait_point& p, std::string& text);
  static const wait_kind k_wait;
  void describe_slowest(const reported_tasks& report, std::string& text) const;

  const std::uint64_t bound_;
  barrier& of_;

  // Written with the lock, read without.
  atomic<std::uint64_t> slowest_{0};   // how often the slowest waiter has waited, or less; k_nobody: there is none
  atomic<std::uint32_t> roomless_{0};  // signallers that wait for room, or more

  std::mutex& lock_;  // protects all below
  phaser_registry waiters_;
  phaser_wait_list without_room_;
  bool slowest_known_ =
      false;                  // slowest_ is exact: who passes or leaves counts laggards_ down, until nobody lacks room
  std::size_t laggards_ = 0;  // if so: waiters that have waited no more often than the slowest
  std::uint64_t looks_ = 0;
};

}  // namespace tactus::detail
