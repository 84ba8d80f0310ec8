// SPDX-License-Identifier: Apache-2.0
// Where values lie that tasks send to an accumulator: in cells of their own, with their worker, or in one place for all.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/cache_line.hpp>
#include <tactus/base/platform.hpp>
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

/// Contributions as they come. Appending one where there is room is all that has to be fast: it writes member by member, as a vector
/// would not, whose copy of the whole waits for the members just written elsewhere.
template <class T>
class contribution_log {
public:
  /// Whether append_at_once() may be used: there is room, and the last one is another task's, not to be combined with this.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_ready_for(std::uint64_t ordinal) const noexcept {
    return used_ != entries_.size() && entries_[used_ - 1].ordinal != ordinal;
  }

  TACTUS_ALWAYS_INLINE void append_at_once(std::uint64_t ordinal, const T& x) {
    contribution<T>& place = entries_[used_];
    place.value = x;
    place.ordinal = ordinal;
    ++used_;
  }

  void append(std::uint64_t ordinal, const T& x) {
    if (used_ != entries_.size()) {
      append_at_once(ordinal, x);
      return;
    }
    entries_.push_back({ordinal, x});
    ++used_;
    if constexpr (std::is_trivially_destructible_v<T>) {
      entries_.resize(entries_.capacity(), entries_.back());
    }
  }

  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      entries_.clear();
    }
    used_ = 0;
  }

  contribution<T>& back() { return entries_[used_ - 1]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.begin() + static_cast<std::ptrdiff_t>(used_); }

private:
  std::vector<contribution<T>> entries_;  // places for more where values need no end
  std::size_t used_ = 0;
};

/// What the tasks on one worker sent. Combined as it comes, and kept singly for folds in order.
template <class T>
struct alignas(k_cache_line) worker_share {
  struct part {
    explicit part(const T& identity) : sum{0, identity} {}
    tagged<T> sum;            // not of eager strategies, but for the tag
    contribution_log<T> log;  // of the tagged phase
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
