// SPDX-License-Identifier: Apache-2.0
// Where values lie that tasks send to an accumulator: in cells of their own, with their worker, or in one place for all.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/sync/strategy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// A phase as a tag; 0 tags nothing.
constexpr std::uint64_t tag_of(std::uint64_t phase) noexcept { return phase + 1; }

/// What tasks send and read in phases k and k + 1 while k is being completed, and what those that have signalled k + 1 may still ask
/// about k: so much has to be kept apart (P5).
inline constexpr std::size_t k_buffers = 4;
constexpr std::size_t buffer_of(std::uint64_t phase) noexcept { return phase % k_buffers; }

/// One contribution, for folds in order.
template <class T>
struct contribution {
  std::uint64_t ordinal;
  T value;
};

/// A value of one phase.
template <class T>
struct tagged {
  std::uint64_t tag = 0;
  T value;
};

/// What a task sent, one value for each phase. The task's own until it has signalled, and then whoever's turns the phase.
template <class T>
struct alignas(k_cache_line) sender_cell {
  explicit sender_cell(const T& identity)
      : in_phase{tagged<T>{0, identity}, tagged<T>{0, identity}, tagged<T>{0, identity}, tagged<T>{0, identity}} {}
  std::array<tagged<T>, k_buffers> in_phase;
};

/// What the tasks on one worker sent. Combined as it comes, and kept singly for folds in order.
template <class T>
struct alignas(k_cache_line) worker_share {
  struct part {
    explicit part(const T& identity) : sum{0, identity} {}
    tagged<T> sum;                     // not of eager strategies, but for the tag
    std::vector<contribution<T>> log;  // of the tagged phase
  };
  explicit worker_share(const T& identity) : in_phase{part(identity), part(identity), part(identity), part(identity)} {}
  std::array<part, k_buffers> in_phase;
};

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
  void send(const C& combine, const T& x, delay_between_tries delay) {
    T seen = value.load(memory_order_relaxed);  // relaxed: checked by the exchange; published by the arrival
    // relaxed: as above
    while (!value.compare_exchange_weak(seen, T(combine(seen, x)), memory_order_relaxed, memory_order_relaxed)) {
      delay.once();
    }
  }
  void reset(const T& identity) { value.store(identity, memory_order_relaxed); }  // relaxed: nobody else uses it now
  T get() const { return value.load(memory_order_relaxed); }                      // relaxed: all have arrived

  atomic<T> value;
};

template <class T>
struct alignas(k_cache_line) shared_value<T, false> {
  explicit shared_value(const T& identity) : value(identity) {}

  template <class C>
  void send(const C& combine, const T& x, delay_between_tries /*delay*/) {
    const std::lock_guard hold(lock);
    value = T(combine(std::as_const(value), x));
  }
  void reset(const T& identity) { value = identity; }
  const T& get() const { return value; }

  std::mutex lock;  // protects the value
  T value;
};

}  // namespace tactus::detail
