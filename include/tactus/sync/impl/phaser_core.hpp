// SPDX-License-Identifier: Apache-2.0
// What stands behind a phaser, and behind the accumulators of a clock. docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/sync/impl/phaser_member.hpp>
#include <tactus/sync/impl/phaser_room.hpp>
#include <tactus/sync/impl/phaser_wait_list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

class accumulator_base;

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
  TACTUS_API void set_cell(std::uint64_t of, void* c);

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

// The whole class, and so with its type: UndefinedBehaviorSanitizer has programs ask what objects are whose members they call.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"  // its members are of types that are hidden
/// Shared by the handles, the registrations and the accumulators of a phaser (or the accumulators of a clock).
class TACTUS_API phaser_core final : public phase_hook, public std::enable_shared_from_this<phaser_core> {
public:
  static constexpr std::uint64_t k_unbounded = phaser_room::k_unbounded;
  static constexpr std::uint64_t k_nobody = phaser_room::k_nobody;

  TACTUS_HIDDEN phaser_core(barrier* b, std::uint64_t key, std::uint64_t most_ahead, bool of_clock) noexcept;
  phaser_core(const phaser_core&) = delete;
  phaser_core& operator=(const phaser_core&) = delete;
  TACTUS_HIDDEN ~phaser_core();

  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
  [[nodiscard]] std::uint64_t bound() const noexcept { return room_.bound(); }
  [[nodiscard]] bool is_bounded() const noexcept { return room_.is_bounded(); }

  // ---- members ----

  /// Whoever keeps the barrier from being used for something else: members, and those who turn the phase.
  void keep() noexcept { users_.fetch_add(1, memory_order_relaxed); }  // relaxed: by one who keeps it already
  TACTUS_HIDDEN void let_go() noexcept;

  /// Of a clock: until the clock ends.
  TACTUS_HIDDEN void keep_itself();

  /// Before anybody else knows `m`. A child that signals has its parent's credit, if that is pending. std::bad_alloc.
  TACTUS_HIDDEN void join(phaser_member& m, const phaser_member* parent);
  TACTUS_HIDDEN void leave(worker* w, phaser_member& m) noexcept;

  TACTUS_HIDDEN void signal(worker* w, phaser_member& m);
  TACTUS_HIDDEN void wait(worker* w, phaser_member& m, barrier_hint hint);
  TACTUS_HIDDEN void next_single(worker* w, phaser_member& m, void (*body)(void*), void* argument);

  /// What phaser::phase() tells.
  [[nodiscard]] TACTUS_HIDDEN std::uint64_t phase_of(const phaser_member& m) const noexcept;

  // ---- accumulators ----

  /// By a member. std::bad_alloc.
  void add(std::shared_ptr<accumulator_base> a);

  /// Makes the calling member a sender. std::bad_alloc.
  sender& make_sender(membership& m);
  TACTUS_HIDDEN void sender_ended(const membership& m) noexcept;

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
    return room_.looks_locked() + off_list_.looks();
  }

  // ---- by the barrier ----

  TACTUS_HIDDEN void complete(worker* w, std::uint64_t phase) noexcept override;
  TACTUS_HIDDEN void turn(worker* w) noexcept override;
  TACTUS_HIDDEN void free_off_list(worker* w, std::uint64_t phase) noexcept override;
  TACTUS_HIDDEN void wait_off_list(worker* w, std::uint64_t phase) override;
  TACTUS_HIDDEN void ended() noexcept override;
  [[nodiscard]] TACTUS_HIDDEN bool is_awaited(const local_value& member) const noexcept override;

private:
  struct single_point;
  class single_in_progress;

  [[nodiscard]] TACTUS_HIDDEN bool turn_once(worker* w) noexcept;
  TACTUS_HIDDEN void take_news() noexcept;
  TACTUS_HIDDEN void try_take_news();
  TACTUS_HIDDEN void forget_senders(std::uint64_t phase) noexcept;
  TACTUS_HIDDEN void take_out_senders(std::uint64_t phase) noexcept;
  [[nodiscard]] TACTUS_HIDDEN std::uint64_t oldest_needed() const noexcept;
  [[nodiscard]] TACTUS_HIDDEN bool has_passed(std::uint64_t phase) const noexcept;
  [[nodiscard]] TACTUS_HIDDEN phaser_wait_list take_off_list_locked(std::uint64_t before) noexcept;
  TACTUS_HIDDEN void begin_single(worker* w) noexcept;
  TACTUS_HIDDEN static bool wait_for_turn(wait_point& p);
  TACTUS_HIDDEN static bool hand_in_single(wait_point& p);
  TACTUS_HIDDEN static void cancel(wait_point& p);
  TACTUS_HIDDEN static void describe(const wait_point& p, std::string& text);
  TACTUS_HIDDEN static const wait_kind k_wait;

  const std::uint64_t key_;
  barrier* const barrier_;
  atomic<std::uint64_t> users_{0};
  std::shared_ptr<phaser_core> self_;      // of a clock: while the clock lasts
  atomic<bool> closed_{false};             // nobody is left who signals; written under the lock
  atomic<bool> news_{false};               // there are new accumulators or senders
  atomic<std::uint32_t> slow_readers_{0};  // wait_only members

  // Of whoever turns the phase; changed with the lock.
  std::vector<std::shared_ptr<accumulator_base>> active_;
  std::vector<std::unique_ptr<sender>> order_;  // by ordinal
  std::uint64_t order_version_ = 0;
  std::uint64_t next_look_ = 0;                // the phase in which to look for senders to forget
  std::vector<std::unique_ptr<sender>> gone_;  // while they are forgotten; with room for all of order_

  mutable std::mutex lock_;  // protects all below
  phaser_room room_;         // takes the lock itself where its functions do not say that it is held
  phaser_registry signallers_only_;
  phaser_wait_list off_list_;  // as many as off_list_count_ counts
  phaser_wait_list singles_;   // arrived by next_single in this phase
  std::vector<std::shared_ptr<accumulator_base>> new_accumulators_;
  std::vector<std::unique_ptr<sender>> new_senders_;
  std::size_t senders_ended_ = 0;
};
#pragma GCC diagnostic pop

inline phaser_member::phaser_member(std::shared_ptr<phaser_core> c, barrier* b, std::uint64_t number,
                                    phaser_mode how) noexcept
    : membership(b, number, end),
      core(std::move(c)),
      mode(how),
      is_plain(how < phaser_mode::signal_only && !core->is_bounded()) {
  on_heap = true;
  goes_plainly = is_plain;
}

}  // namespace tactus::detail
