// SPDX-License-Identifier: Apache-2.0
// The store of strategy per_worker: a share for each worker, to which all tasks send that it runs.
// docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/sync/impl/accumulator_store.hpp>
#include <tactus/sync/impl/accumulator_values.hpp>
#include <tactus/sync/impl/contribution_log.hpp>
#include <tactus/sync/impl/membership.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What the tasks on one worker sent. Combined as it comes, and kept singly for scans.
template <class T>
struct alignas(k_cache_line) worker_share {
  struct part {
    explicit part(const T& identity) : sum{0, identity} {}
    tagged<T> sum;
    contribution_log<T> log;  ///< of the tagged phase

    template <class C>
    TACTUS_ALWAYS_INLINE void add(const combination<T, C>& by, std::uint64_t phase, std::uint64_t ordinal, const T& x) {
      const combining user(by.of_user);
      if (sum.of(phase) == nullptr) {
        log.begin_with(ordinal, x, [&] { sum.set(phase, x); });
        return;
      }
      T both = by(sum.value, x);
      log.add(by, ordinal, x, [&] { sum.value = std::move(both); });
    }
  };
  explicit worker_share(const T& identity) : in_phase{part(identity), part(identity), part(identity), part(identity)} {}

  /// Adds x, or returns false if that needs more than a few steps.
  template <class C>
  TACTUS_ALWAYS_INLINE bool add_at_once(const combination<T, C>& by, std::uint64_t phase, std::uint64_t ordinal,
                                        const T& x) {
    part& to = in_phase[buffer_of(phase)];
    if (to.sum.tag != tag_of(phase) || !to.log.is_ready_for(ordinal)) [[unlikely]] {
      return false;
    }
    T sum = by(to.sum.value, x);
    to.log.append_at_once(ordinal, x, [&] { to.sum.value = std::move(sum); });
    return true;
  }

  std::array<part, k_buffers> in_phase;
};

template <class T, class C>
class share_store final : public accumulator_store<T> {
public:
  share_store(const combination<T, C>& by, std::size_t workers) : by_(by) {
    shares_.reserve(workers);
    for (std::size_t i = 0; i < workers; ++i) {
      shares_.emplace_back(by.identity);
    }
  }

  [[nodiscard]] std::span<worker_share<T>> shares() noexcept { return shares_; }

  void send(worker* w, membership& m, std::uint64_t phase, const T& x) override {
    part_of(w, phase).add(by_, phase, m.ordinal, x);
  }

  sender_cell<T>* cell_of(membership& /*m*/) override { return nullptr; }

  void take_early(worker* w, std::uint64_t phase, const early_send<T>& e) override {
    part_of(w, phase).add(by_, phase, e.ordinal, e.value);
  }

  T fold(std::uint64_t phase) override {
    return by_.fold(shares_.size(), [&](std::size_t i) { return shares_[i].in_phase[buffer_of(phase)].sum.of(phase); });
  }

  [[nodiscard]] std::vector<contribution<T>> contributions(std::uint64_t phase) const override {
    std::vector<contribution<T>> all;
    for (const worker_share<T>& share : shares_) {
      if (const auto& part = share.in_phase[buffer_of(phase)]; part.sum.of(phase) != nullptr) {
        part.log.copy_to(all);
      }
    }
    return in_order_of_registration(std::move(all));
  }

private:
  typename worker_share<T>::part& part_of(const worker* w, std::uint64_t phase) {
    return shares_[static_cast<std::size_t>(w->id)].in_phase[buffer_of(phase)];
  }

  const combination<T, C>& by_;          // the state's
  std::vector<worker_share<T>> shares_;  // by worker
};

}  // namespace tactus::detail
