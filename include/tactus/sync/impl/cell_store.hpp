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
#include <span>
#include <vector>

namespace tactus::detail {

/// What a task sent, one value for each phase. The task's own until it has signalled, then of whoever turns the phase; after the task has
/// ended another's (phaser P10).
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
    // Of those that have sent alone: who has a cell depends on who is early, and who has ended when.
    sent_.clear();
    for (std::size_t i = 0; i != in_order_.size(); ++i) {
      if (const T* const sent = sent_by(i); sent != nullptr) {
        sent_.push_back(sent);
      }
    }
    return fold_by_halves(sent_.data(), sent_.size());
  }

  void take_back(std::span<const std::unique_ptr<sender>> senders) noexcept override {
    const std::lock_guard hold(lock_);
    for (const auto& s : senders) {
      if (void* const cell = s->cell(key_); cell != nullptr) {
        free_.push_back(static_cast<sender_cell<T>*>(cell));  // there is room for all cells
      }
    }
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
    if (free_.empty()) {
      add_cell_locked();
    }
    sender_cell<T>* const made = free_.back();
    s.set_cell(key_, made);
    free_.pop_back();                                  // not before: set_cell() may find no memory
    cells_changed_.store(true, memory_order_release);  // release: pairs with refresh_order()
    return made;
  }

  void add_cell_locked() {
    if (const std::size_t all = fixed_.size() + cells_.size(); free_.capacity() == all) {
      free_.reserve(2 * all + fixed_.capacity() + 1);
    }
    if (fixed_.size() < fixed_.capacity()) {
      free_.push_back(&fixed_.emplace_back(by_.identity));
    } else {
      cells_.push_back(std::make_unique<sender_cell<T>>(by_.identity));
      free_.push_back(cells_.back().get());
    }
  }

  // Halves down to a few.
  T fold_by_halves(const T* const* sent, std::size_t n) const {
    if (n <= k_leaf) {
      return by_.fold(n, [sent](std::size_t i) { return sent[i]; });
    }
    const std::size_t half = n - n / 2;
    const T left = fold_by_halves(sent, half);
    return by_(left, fold_by_halves(sent + half, n - half));
  }

  // The cells in the order of registration; who has none has sent nothing.
  void refresh_order() {
    if (order_version_ == core_.order_version() &&
        !cells_changed_.load(memory_order_acquire)) {  // acquire: make_cell()
      return;
    }
    const std::lock_guard hold(lock_);
    in_order_.clear();
    sent_.reserve(folds_by_halves_ ? core_.order().size() : 0);
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
  std::vector<const T*> sent_;  // of a tree
  std::uint64_t order_version_ = 0;

  std::mutex lock_;                    // protects all below
  std::vector<sender_cell<T>> fixed_;  // of fixed_lazy: has room for so many
  std::vector<std::unique_ptr<sender_cell<T>>> cells_;
  std::vector<sender_cell<T>*> free_;  // of all of these; has room for all of them
  atomic<bool> cells_changed_{false};  // written under the lock
};

}  // namespace tactus::detail
