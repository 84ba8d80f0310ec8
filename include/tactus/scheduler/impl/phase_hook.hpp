// SPDX-License-Identifier: Apache-2.0
// The say that a later room has at a barrier (phasers, accumulators): docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstdint>

namespace tactus::detail {

struct local_value;
struct worker;

/// All is called by whoever turns the phase, while nobody is pending.
class phase_hook {
public:
  phase_hook(const phase_hook&) = delete;
  phase_hook& operator=(const phase_hook&) = delete;

  /// Everybody has arrived in `phase`. Called again for the same phase if it is found that somebody has taken the arrival back; what it
  /// has done is to be done again only if was_in_vain() was called between.
  virtual void complete(worker* w, std::uint64_t phase) noexcept = 0;

  /// Turns the phase, in place of the barrier.
  virtual void turn(worker* w) noexcept = 0;

  /// The barrier has turned `phase` in one step; there are tasks that wait off the list.
  virtual void free_off_list(worker* w, std::uint64_t phase) noexcept = 0;

  /// Waits until `phase`, in which the caller has arrived, has turned. Throws deadlock_error, resource_error.
  virtual void wait_off_list(worker* w, std::uint64_t phase) = 0;

  /// Nobody is a member any more.
  virtual void ended() noexcept = 0;

  /// Whether a member, not among the barrier's waiters, has still to arrive. Only while no worker runs.
  [[nodiscard]] virtual bool is_awaited(const local_value& member) const noexcept = 0;

  /// Whether turning takes more than complete(). Raised before the change of the word that makes it so (phaser P2).
  [[nodiscard]] bool is_special() const noexcept {
    return special_.load(memory_order_relaxed) != 0;  // relaxed: read after the word was, which carries it (phaser P2)
  }

  /// By a member that is pending, and whose wait is about to throw: it may have arrived meanwhile, so that the phase was completed, and
  /// goes on as if it had not.
  void was_in_vain() noexcept {
    completed_in_vain_.store(true, memory_order_relaxed);  // relaxed: the arrival to come carries it
  }

  /// seq_cst: who waits off the list counts itself first and looks at the word then; who turns does the reverse
  /// (phaser P3).
  [[nodiscard]] bool has_off_list() const noexcept { return off_list_count_.load(memory_order_seq_cst) != 0; }

  const bool is_clock;  ///< there is nothing but accumulators; else a phaser

protected:
  explicit phase_hook(bool of_clock) noexcept : is_clock(of_clock) {}
  ~phase_hook() = default;

  atomic<std::uint32_t> special_{0};
  atomic<std::uint32_t> off_list_count_{0};
  atomic<bool> completed_in_vain_{false};
};

}  // namespace tactus::detail
