// SPDX-License-Identifier: Apache-2.0
// The store of the lazy strategies and of tree: a cell for each task that sends. phaser-accumulators.txt, sections 4.2
// and 4.3; docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/sync/impl/accumulator_store.hpp>
#include <tactus/sync/impl/accumulator_values.hpp>
#include <tactus/sync/impl/membership.hpp>
#include <tactus/sync/impl/phaser_core.hpp>
#include <tactus/sync/strategy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What a task sent, one value for each phase. The task's own until it has signalled, then of whoever turns the phase.
template <class T>
struct alignas(k_cache_line) sender_cell {
  explicit sender_cell(const T& identity)
      : in_phase{tagged<T>{0, identity}, tagged<T>{0, identity}, tagged<T>{0, identity}, tagged<T>{0, identity}} {}
  std::array<tagged<T>, k_buffers> in_phase;
};

template <class T, class C>
class cell_store final : public accumulator_store<T> {
public:
  cell_store(phaser_core& core, std::uint64_t key, const combination<T, C>& by, const strategy& how)
      : core_(core), key_(key), by_(by), folds_by_halves_(how.kind() == strategy_kind::tree) {
    fixed_.reserve(how.cells());
  }

  /// Adds the member's first value of the phase, or returns false if that needs more than a few steps.
  static TACTUS_ALWAYS_INLINE bool send_at_once(const membership& m, std::uint64_t key, std::uint64_t phase,
                                                const T& x) {
    if (m.cell_key != key) [[unlikely]] {
      return false;
    }
    tagged<T>& to = static_cast<sender_cell<T>*>(m.cell)->in_phase[buffer_of(phase)];
    if (to.of(phase) != nullptr) [[unlikely]] {
      return false;
    }
    to.set(phase, x);
    return true;
  }

  void send(worker* /*w*/, membership& m, std::uint64_t phase, const T& x) override {
    tagged<T>& to = cell_store::cell_of(m)->in_phase[buffer_of(phase)];
    if (to.of(phase) == nullptr) {
      to.set(phase, x);
      return;
    }
    to.value = by_.guarded(to.value, x);
  }

  sender_cell<T>* cell_of(membership& m) override {
    if (m.cell_key != key_) {
      find_cell(m);
    }
    return static_cast<sender_cell<T>*>(m.cell);
  }

  void take_early(worker* /*w*/, std::uint64_t phase, const early_send<T>& e) override {
    tagged<T>& to = e.cell->in_phase[buffer_of(phase)];
    to.value = to.of(phase) != nullptr ? by_.guarded(e.value, to.value) : e.value;  // it may meet what was sent since
    to.tag = tag_of(phase);
  }

  T fold(std::uint64_t phase) override {
    refresh_order();
    // Half of the cells lie in another processor's cache.
    const auto sent_by = [&, buffer = buffer_of(phase)](std::size_t i) -> const T* {
      __builtin_prefetch(&in_order_[lesser(i + k_cells_ahead, in_order_.size() - 1)]->in_phase[buffer]);
      return in_order_[i]->in_phase[buffer].of(phase);
    };
    if (!folds_by_halves_) {
      return by_.fold(in_order_.size(), sent_by);
    }
    const std::optional<T> sum = fold_by_halves(0, in_order_.size(), sent_by);
    return sum.has_value() ? *sum : by_.identity;
  }

  [[nodiscard]] std::vector<contribution<T>> contributions(std::uint64_t phase) const override {
    std::vector<contribution<T>> all;
    core_.for_each_sender([&](const sender& s) {
      if (const auto* cell = static_cast<const sender_cell<T>*>(s.cell(key_)); cell != nullptr) {
        if (const T* const sent = cell->in_phase[buffer_of(phase)].of(phase); sent != nullptr) {
          all.push_back({s.ordinal, *sent});
        }
      }
    });
    return all;
  }

private:
  static constexpr std::size_t k_cells_ahead = 12;
  static constexpr std::size_t k_leaf = 8;

  // The one that the member has, or a new one.
  TACTUS_NOINLINE void find_cell(membership& m) {
    sender& s = m.sends_as != nullptr ? *m.sends_as : core_.make_sender(m);
    void* const there = s.cell(key_);
    m.cell = there != nullptr ? there : make_cell(s);
    m.cell_key = key_;
  }

  sender_cell<T>* make_cell(sender& s) {
    const std::lock_guard hold(lock_);
    sender_cell<T>* made = nullptr;
    if (fixed_.size() < fixed_.capacity()) {
      made = &fixed_.emplace_back(by_.identity);
    } else {
      cells_.push_back(std::make_unique<sender_cell<T>>(by_.identity));
      made = cells_.back().get();
    }
    s.set_cell(key_, made);
    cells_changed_.store(true, memory_order_release);  // release: pairs with refresh_order()
    return made;
  }

  // Halves of the senders down to a few, whoever of them has sent: the shape depends on the registrations alone.
  template <class At>
  std::optional<T> fold_by_halves(std::size_t first, std::size_t last, const At& at) const {
    if (last - first <= k_leaf) {
      std::optional<T> sum;
      for (std::size_t i = first; i != last; ++i) {
        if (const T* const sent = at(i); sent != nullptr) {
          sum = sum.has_value() ? by_(*sum, *sent) : *sent;
        }
      }
      return sum;
    }
    const std::size_t middle = first + (last - first + 1) / 2;
    std::optional<T> left = fold_by_halves(first, middle, at);
    std::optional<T> right = fold_by_halves(middle, last, at);
    if (!left.has_value() || !right.has_value()) {
      return left.has_value() ? std::move(left) : std::move(right);
    }
    return std::optional<T>(by_(*left, *right));
  }

  // The cells in the order of registration; who has none has sent nothing.
  void refresh_order() {
    if (order_version_ == core_.order_version() &&
        !cells_changed_.load(memory_order_acquire)) {  // acquire: make_cell()
      return;
    }
    const std::lock_guard hold(lock_);
    in_order_.clear();
    for (const auto& s : core_.order()) {
      if (void* const cell = s->cell(key_); cell != nullptr) {
        in_order_.push_back(static_cast<sender_cell<T>*>(cell));
      }
    }
    cells_changed_.store(false, memory_order_relaxed);  // relaxed: under the lock
    order_version_ = core_.order_version();  // not before: where there is no memory, the next phase looks again
  }

  phaser_core& core_;
  const std::uint64_t key_;      // the accumulator's
  const combination<T, C>& by_;  // the state's
  const bool folds_by_halves_;

  // Of whoever turns the phase.
  std::vector<sender_cell<T>*> in_order_;
  std::uint64_t order_version_ = 0;

  std::mutex lock_;                    // protects all below
  std::vector<sender_cell<T>> fixed_;  // of fixed_lazy: has room for so many
  std::vector<std::unique_ptr<sender_cell<T>>> cells_;
  atomic<bool> cells_changed_{false};  // written under the lock
};

}  // namespace tactus::detail
