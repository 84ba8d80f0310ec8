// SPDX-License-Identifier: Apache-2.0
// What stands behind a phaser, and behind the accumulators of a clock. docs/protocols/phaser.md.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/scheduler/scheduler.hpp>
#include <tactus/sync/membership.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tactus {

/// What a task may do on a phaser: a lattice with signal_wait_next at the top; signal_only and wait_only cannot be compared.
/// Errors: phaser_use_error for what the mode does not allow, and for a child that would get more than its parent has.
/// Source: phaser-accumulators.txt, section 2.
/// \snippet 13_point_to_point.cpp bound
/// \ingroup phasers
enum class phaser_mode : std::uint8_t {
  signal_wait_next,  ///< signals, waits, and may run the body of next_single
  signal_wait,       ///< signals and waits
  signal_only,       ///< signals, and may run ahead of those who wait
  wait_only,         ///< waits for those who signal; nobody waits for it, but for what a bound says
};

namespace detail {

class accumulator_base;
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): nothing derives from it, and nobody deletes its bases
class phaser_core;
struct phaser_member;
class reported_tasks;

[[nodiscard]] constexpr bool may_signal(phaser_mode m) noexcept { return m != phaser_mode::wait_only; }
[[nodiscard]] constexpr bool may_wait(phaser_mode m) noexcept { return m != phaser_mode::signal_only; }

/// Whether a task in mode `m` may give a child mode `to`.
[[nodiscard]] constexpr bool covers(phaser_mode m, phaser_mode to) noexcept {
  return m == to || (m < phaser_mode::signal_only && m < to);
}

/// Who sends to accumulators: a member's place in the order of registration. Outlives the member as long as what it sent is needed.
struct sender {
  sender(phaser_core& c, std::uint64_t number) noexcept : core(c), ordinal(number) {}
  sender(const sender&) = delete;
  sender& operator=(const sender&) = delete;
  ~sender();

  phaser_core& core;
  const std::uint64_t ordinal;
  std::uint64_t ended_in = 0;  ///< it has sent to no later phase; protected by the core's lock
  bool ended = false;          ///< protected by the core's lock

  /// Its cell at one accumulator; null if there is none yet. By anyone: another accumulator may be looking while the member adds.
  /// The newest are found first: those of accumulators that are gone stay.
  [[nodiscard]] void* cell(std::uint64_t of) const noexcept {
    const cell_node* p = newest_.load(memory_order_acquire);  // acquire: pairs with set_cell()
    while (p != nullptr && p->of != of) {
      p = p->next;
    }
    return p != nullptr ? p->cell : nullptr;
  }

  /// By the member. std::bad_alloc.
  void set_cell(std::uint64_t of, void* c);

private:
  struct cell_node {
    std::uint64_t of;  // an identity, not an address: those are used again
    void* cell;
    const cell_node* next;
  };
  atomic<const cell_node*> newest_{nullptr};
};

/// Tells the core that a member which has sent ends.
void end_sender(const membership& m) noexcept;

/// Shared by the handles, the registrations and the accumulators of a phaser (or the accumulators of a clock).
class phaser_core final : public phase_hook, public std::enable_shared_from_this<phaser_core> {
public:
  static constexpr std::uint64_t k_unbounded = ~std::uint64_t{0};
  static constexpr std::uint64_t k_nobody = ~std::uint64_t{0};  ///< in place of a phase: there is nobody to ask for one

  phaser_core(barrier* b, std::uint64_t key, std::uint64_t most_ahead, bool of_clock) noexcept;
  phaser_core(const phaser_core&) = delete;
  phaser_core& operator=(const phaser_core&) = delete;
  ~phaser_core();

  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  [[nodiscard]] bool is_bounded() const noexcept { return bound_ != k_unbounded; }

  // ---- members ----

  /// Whoever keeps the barrier from being used for something else: members, and those who turn the phase.
  void keep() noexcept { users_.fetch_add(1, memory_order_relaxed); }  // relaxed: by one who keeps it already
  void let_go() noexcept;

  /// Of a clock: until the clock ends.
  void keep_itself();

  /// Before anybody else knows `m`. A child that signals has its parent's credit, if that is pending. std::bad_alloc.
  void join(phaser_member& m, const phaser_member* parent);
  void leave(worker* w, phaser_member& m) noexcept;

  void signal(worker* w, phaser_member& m);
  void wait(worker* w, phaser_member& m, barrier_hint hint);
  void next_single(worker* w, phaser_member& m, void (*body)(void*), void* argument);

  /// What phaser::phase() tells.
  [[nodiscard]] std::uint64_t phase_of(const phaser_member& m) const noexcept;

  // ---- accumulators ----

  /// By a member. std::bad_alloc.
  void add(std::shared_ptr<accumulator_base> a);

  /// Makes the calling member a sender. std::bad_alloc.
  sender& make_sender(membership& m);
  void sender_ended(const membership& m) noexcept;

  /// Senders in the order of registration, for whoever turns the phase; the version changes with them.
  [[nodiscard]] const std::vector<std::unique_ptr<sender>>& order() const noexcept { return order_; }
  [[nodiscard]] std::uint64_t order_version() const noexcept { return order_version_; }

  /// Calls f(sender&) for each, in the order of registration, with the lock. By anyone.
  template <class F>
  void for_each_sender(F&& f) const {
    const std::lock_guard hold(lock_);
    for (const auto& s : order_) {
      f(*s);
    }
  }

  /// The barrier's phase; it may turn meanwhile.
  [[nodiscard]] std::uint64_t phase_now() const noexcept { return barrier_->phase_by_anyone(); }

  /// Whether nobody is left who signals, so that no phase is completed any more.
  [[nodiscard]] bool is_closed() const noexcept {
    return closed_.load(memory_order_acquire);  // acquire: what all did who have signalled
  }

  /// At how many waiters and waiting tasks it has looked on behalf of others: what tests of its cost count.
  [[nodiscard]] std::uint64_t looks() const noexcept {
    const std::lock_guard hold(lock_);
    return looks_;
  }

  // ---- by the barrier ----

  void complete(worker* w, std::uint64_t phase) noexcept override;
  void turn(worker* w) noexcept override;
  void free_off_list(worker* w, std::uint64_t phase) noexcept override;
  void wait_off_list(worker* w, std::uint64_t phase) override;
  void ended() noexcept override;
  [[nodiscard]] bool is_awaited(const local_value& member) const noexcept override;

private:
  struct waiting_point;
  class single_in_progress;

  /// Points of tasks that wait for the core, linked by their `next`.
  using point_list = waiting_point*;

  [[nodiscard]] bool turn_once(worker* w) noexcept;
  void take_news() noexcept;
  void sweep(std::uint64_t phase) noexcept;
  [[nodiscard]] std::uint64_t oldest_needed() const noexcept;
  [[nodiscard]] bool has_passed(std::uint64_t phase) const noexcept;
  [[nodiscard]] bool is_among_waiters(const phaser_member& m) const noexcept;
  [[nodiscard]] bool has_room(std::uint64_t signalled) const noexcept;
  void find_slowest_locked() noexcept;
  void count_down_locked(phaser_member& m) noexcept;
  void roomless_no_more_locked(std::uint32_t n) noexcept;
  void wait_for_room(worker* w, phaser_member& m, std::uint64_t signalled);
  void waiter_passed(phaser_member& m) noexcept;
  void waiter_left(phaser_member& m) noexcept;
  template <class F>
  [[nodiscard]] point_list take_if(point_list& points, std::uint32_t& taken, F&& ready) noexcept;
  [[nodiscard]] point_list take_roomy_locked(phaser_member& m) noexcept;
  [[nodiscard]] point_list take_off_list_locked(std::uint64_t before) noexcept;
  static void make_room(std::vector<phaser_member*>& registry);
  static void enter(std::vector<phaser_member*>& registry, phaser_member& m) noexcept;
  static void remove(std::vector<phaser_member*>& registry, const phaser_member& m) noexcept;
  static void free_all(point_list points) noexcept;
  static bool wait_for_turn(wait_point& p);
  static bool hand_in_single(wait_point& p);
  static bool wait_for_slower(wait_point& p);
  static void cancel(wait_point& p);
  static void describe(const wait_point& p, std::string& text);
  static void describe_room(const wait_point& p, std::string& text);
  void describe_slowest(const reported_tasks& report, std::string& text) const;

  const std::uint64_t key_;
  const std::uint64_t bound_;
  barrier* const barrier_;
  atomic<std::uint64_t> users_{0};
  std::shared_ptr<phaser_core> self_;      // of a clock: while the clock lasts
  atomic<bool> closed_{false};             // nobody is left who signals; written under the lock
  atomic<bool> news_{false};               // there are new accumulators or senders
  atomic<std::uint32_t> slow_readers_{0};  // wait_only members
  atomic<std::uint64_t> slowest_{
      0};  // of a bounded phaser: how often the slowest waiter has waited, or less; ~0: there is none
  atomic<std::uint32_t> roomless_{0};  // signallers that wait for room

  // Of whoever turns the phase; changed with the lock.
  std::vector<std::shared_ptr<accumulator_base>> active_;
  std::vector<std::unique_ptr<sender>> order_;  // by ordinal
  std::uint64_t order_version_ = 0;

  mutable std::mutex lock_;  // protects all below
  std::vector<phaser_member*> signallers_only_;
  std::vector<phaser_member*> waiters_;  // wait_only, and on a bounded phaser all that wait
  point_list off_list_ = nullptr;        // as many as off_list_count_ counts
  point_list singles_ = nullptr;         // arrived by next_single in this phase
  point_list without_room_ = nullptr;    // of a bounded phaser
  bool slowest_known_ =
      false;                  // slowest_ is exact: who passes or leaves counts laggards_ down, until nobody lacks room
  std::size_t laggards_ = 0;  // if so: waiters that have waited no more often than the slowest
  std::uint64_t looks_ = 0;
  std::vector<std::shared_ptr<accumulator_base>> new_accumulators_;
  std::vector<std::unique_ptr<sender>> new_senders_;
  std::size_t senders_ended_ = 0;
};

/// A registration on a phaser.
struct alignas(k_cache_line) phaser_member : membership {
  phaser_member(std::shared_ptr<phaser_core> c, barrier* b, std::uint64_t number, phaser_mode how) noexcept
      : membership(b, number, end),
        core(std::move(c)),
        mode(how),
        is_plain(how < phaser_mode::signal_only && !core->is_bounded()) {
    on_heap = true;
    goes_plainly = is_plain;
  }

  static void end(local_value* v) noexcept;

  [[nodiscard]] std::uint64_t waited_for() const noexcept {
    return waited.load(memory_order_relaxed);  // relaxed: by the member, or for what may be forgotten
  }

  const std::shared_ptr<phaser_core> core;
  const phaser_mode mode;
  const bool is_plain;     ///< as on a clock, as long as it only says next
  bool in_single = false;  ///< it runs a body of next_single
  std::size_t index = 0;   ///< in the core's registry of its mode

  /// Phases that it has waited for: of wait_only members, and of all on a bounded phaser. Read by those who turn the phase.
  atomic<std::uint64_t> waited{0};

  /// On a bounded phaser: `waited` as the core has seen it. Protected by the core's lock.
  std::uint64_t seen = 0;

  /// Of signal_only members: twice how often it has signalled, plus one while the barrier counts it as pending. The member and, where
  /// that bit is clear, those who turn the phase.
  atomic<std::uint64_t> given{0};
};

}  // namespace detail
}  // namespace tactus
