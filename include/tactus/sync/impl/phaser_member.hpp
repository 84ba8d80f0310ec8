// SPDX-License-Identifier: Apache-2.0
// A registration on a phaser, and what its mode allows. docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/sync/impl/membership.hpp>
#include <tactus/sync/phaser_mode.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tactus::detail {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): nothing derives from it, and nobody deletes its bases
class phaser_core;

[[nodiscard]] constexpr bool may_signal(phaser_mode m) noexcept { return m != phaser_mode::wait_only; }
[[nodiscard]] constexpr bool may_wait(phaser_mode m) noexcept { return m != phaser_mode::signal_only; }

/// Whether a task in mode `m` may give a child mode `to`.
[[nodiscard]] constexpr bool covers(phaser_mode m, phaser_mode to) noexcept {
  return m == to || (m < phaser_mode::signal_only && m < to);
}

/// How often a member has signalled, and whether the barrier counts it as pending (P1).
struct given_word {
  static constexpr std::uint64_t k_counted = 1;
  static constexpr std::uint64_t k_signal = 2;

  static constexpr std::uint64_t signals(std::uint64_t w) noexcept { return w / k_signal; }
};

/// A registration on a phaser.
struct alignas(k_cache_line) phaser_member : membership {
  /// In phaser_core.hpp.
  inline phaser_member(std::shared_ptr<phaser_core> c, barrier* b, std::uint64_t number, phaser_mode how) noexcept;

  static void end(local_value* v) noexcept;

  [[nodiscard]] std::uint64_t waited_for() const noexcept {
    return waited.load(memory_order_relaxed);  // relaxed: by the member, or for what may be forgotten
  }

  const std::shared_ptr<phaser_core> core;
  const phaser_mode mode;
  const bool is_plain;     ///< as on a clock, as long as it only says next
  bool in_single = false;  ///< it runs a body of next_single
  std::size_t index = 0;   ///< in the registry that it is in

  /// Phases that it has waited for: of wait_only members, and of all on a bounded phaser. Read by those who turn the phase.
  atomic<std::uint64_t> waited{0};

  /// On a bounded phaser: `waited` as the room has seen it. Protected by the core's lock.
  std::uint64_t seen = 0;

  /// A given_word, of signal_only members. Written by the member and, where the bit is clear, by those who turn the phase.
  atomic<std::uint64_t> given{0};
};

/// Members in no order. With the lock of their phaser.
class phaser_registry {
public:
  /// For one more, which then cannot fail to enter. std::bad_alloc.
  void reserve_one() {
    if (members_.size() == members_.capacity()) {
      members_.reserve(2 * members_.size() + 8);
    }
  }

  void enter(phaser_member& m) noexcept {
    m.index = members_.size();
    members_.push_back(&m);
  }

  void remove(const phaser_member& m) noexcept {
    members_[m.index] = members_.back();
    members_[m.index]->index = m.index;
    members_.pop_back();
  }

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] auto begin() const noexcept { return members_.begin(); }
  [[nodiscard]] auto end() const noexcept { return members_.end(); }

private:
  std::vector<phaser_member*> members_;
};

}  // namespace tactus::detail
