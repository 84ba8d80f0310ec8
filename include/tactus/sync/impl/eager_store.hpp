// SPDX-License-Identifier: Apache-2.0
// The store of the eager strategies: one value for all. phaser-accumulators.txt, section 4.1; docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/sync/impl/accumulator_store.hpp>
#include <tactus/sync/impl/accumulator_values.hpp>
#include <tactus/sync/impl/contribution_log.hpp>
#include <tactus/sync/impl/membership.hpp>
#include <tactus/sync/strategy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

template <class T>
inline constexpr bool has_free_atomic = [] {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t) &&
                (sizeof(T) & (sizeof(T) - 1)) == 0) {
    return std::atomic<T>::is_always_lock_free;
  } else {
    return false;
  }
}();

/// The one value that all send to, eagerly. phaser-accumulators.txt, section 4.1.
template <class T, bool LockFree = has_free_atomic<T>>
struct alignas(k_cache_line) shared_value {
  explicit shared_value(const T& identity) : value(identity) {}

  template <class C>
  TACTUS_ALWAYS_INLINE void send(const C& combine, const T& x, delay_between_tries delay) {
    T seen = value.load(memory_order_relaxed);  // relaxed: checked by the exchange; published by the arrival
    // relaxed: as above
    while (!value.compare_exchange_weak(seen, T(combine(seen, x)), memory_order_relaxed, memory_order_relaxed)) {
      delay.once();
    }
  }
  // relaxed: nobody else uses it now
  void reset(const T& identity) noexcept { value.store(identity, memory_order_relaxed); }
  T get() const noexcept { return value.load(memory_order_relaxed); }  // relaxed: all have arrived

  atomic<T> value;
};

template <class T>
struct alignas(k_cache_line) shared_value<T, false> {
  explicit shared_value(const T& of_none) noexcept : identity(of_none) {}

  template <class C>
  void send(const C& combine, const T& x, delay_between_tries /*delay*/) {
    const std::lock_guard hold(lock);
    value = T(combine(get(), x));
  }
  void reset(const T& /*identity*/) noexcept { value.reset(); }  // copies nothing, which might fail
  const T& get() const noexcept { return value.has_value() ? *value : identity; }

  const T& identity;
  std::mutex lock;  // protects the value
  std::optional<T> value;
};

/// Beside the value it keeps what the tasks on each worker sent, for scans.
template <class T, class C>
class eager_store final : public accumulator_store<T> {
public:
  eager_store(const combination<T, C>& by, const strategy& how, std::size_t workers)
      : by_(by),
        strategy_(how),
        values_{shared_value<T>(by.identity), shared_value<T>(by.identity), shared_value<T>(by.identity),
                shared_value<T>(by.identity)},
        logs_(workers) {}

  void send(worker* w, membership& m, std::uint64_t phase, const T& x) override { add(w, phase, m.ordinal, x); }

  sender_cell<T>* cell_of(membership& /*m*/) override { return nullptr; }

  void take_early(worker* w, std::uint64_t phase, const early_send<T>& e) override {
    add(w, phase, e.ordinal, e.value);
  }

  T fold(std::uint64_t phase) override { return values_[buffer_of(phase)].get(); }

  void forget(std::uint64_t phase) noexcept override { values_[buffer_of(phase)].reset(by_.identity); }

  [[nodiscard]] std::vector<contribution<T>> contributions(std::uint64_t phase) const override {
    std::vector<contribution<T>> all;
    for (const worker_log& of_worker : logs_) {
      if (const part& p = of_worker.in_phase[buffer_of(phase)]; p.tag == tag_of(phase)) {
        p.log.copy_to(all);
      }
    }
    return in_order_of_registration(std::move(all));
  }

private:
  struct part {
    std::uint64_t tag = 0;
    contribution_log<T> log;  // of the tagged phase
  };
  struct alignas(k_cache_line) worker_log {
    std::array<part, k_buffers> in_phase;
  };

  TACTUS_ALWAYS_INLINE void add(const worker* w, std::uint64_t phase, std::uint64_t ordinal, const T& x) {
    const combining user(by_.of_user);
    const auto count = [&] { values_[buffer_of(phase)].send(by_, x, delay_between_tries(strategy_)); };
    part& to = logs_[static_cast<std::size_t>(w->id)].in_phase[buffer_of(phase)];
    if (to.tag == tag_of(phase)) {
      to.log.add(by_, ordinal, x, count);
      return;
    }
    to.log.begin_with(ordinal, x, count);
    to.tag = tag_of(phase);
  }

  const combination<T, C>& by_;  // the state's
  const strategy strategy_;
  std::array<shared_value<T>, k_buffers> values_;
  std::vector<worker_log> logs_;  // by worker
};

}  // namespace tactus::detail
