// SPDX-License-Identifier: Apache-2.0
// What the tasks on one worker sent to an accumulator in one phase, kept singly.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/sync/impl/accumulator_values.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Contributions of one phase as they come. Appending one where there is room is all that has to be fast: it writes
/// member by member, as a vector would not, whose copy of the whole waits for the members just written elsewhere.
///
/// What is sent is counted elsewhere, too: by `count`, which each function calls once. What that throws, or copying, moving and combining
/// values, leaves the function, and then the log is as it was: a send is in both or in neither.
template <class T>
class contribution_log {
public:
  /// Whether append_at_once() may be used: there is room, and the last one is another task's, not to be combined with
  /// this.
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool is_ready_for(std::uint64_t ordinal) const noexcept {
    if constexpr (!std::is_nothrow_move_assignable_v<T>) {
      if (entries_[used_ - 1].ordinal == k_void) {
        return false;
      }
    }
    return used_ != entries_.size() && entries_[used_ - 1].ordinal != ordinal;
  }

  template <class Count>
  TACTUS_ALWAYS_INLINE void append_at_once(std::uint64_t ordinal, const T& x, const Count& count) {
    contribution<T>& entry = entries_[used_];
    entry.value = x;
    entry.ordinal = ordinal;
    count();
    ++used_;
  }

  /// Forgets what there was, for the first of a phase; also where it throws.
  template <class Count>
  TACTUS_ALWAYS_INLINE void begin_with(std::uint64_t ordinal, const T& x, const Count& count) {
    clear();
    append(ordinal, x, count);
  }

  /// One more of the phase: adds x to the last entry if that is the same task's.
  template <class C, class Count>
  TACTUS_ALWAYS_INLINE void add(const combination<T, C>& by, std::uint64_t ordinal, const T& x, const Count& count) {
    const std::size_t last = entries_[used_ - 1].ordinal != k_void ? used_ - 1 : used_ - 2;
    if (entries_[last].ordinal != ordinal) {
      append(ordinal, x, count);
    } else if constexpr (std::is_nothrow_move_assignable_v<T>) {
      T both = by(entries_[last].value, x);
      count();
      entries_[last].value = std::move(both);
    } else {  // there would be no way back after count(): what is combined is written beside it, and only the ordinals change then
      const T both = by(entries_[last].value, x);
      const std::size_t beside = place_beside(last, both);
      count();
      entries_[beside].ordinal = ordinal;
      entries_[last].ordinal = k_void;
    }
  }

  void copy_to(std::vector<contribution<T>>& all) const {
    for (std::size_t i = 0; i != used_; ++i) {
      if (entries_[i].ordinal != k_void) {
        all.push_back(entries_[i]);
      }
    }
  }

private:
  static constexpr std::uint64_t k_void = ~std::uint64_t{0};  // the ordinal of what is none, beside one that is

  // An entry that is none, with that value, next to the last one: of each two neighbours at the end one is.
  std::size_t place_beside(std::size_t last, const T& value) {
    const std::size_t beside = last != used_ - 1 ? used_ - 1 : used_ - 2;
    if (used_ >= 2 && entries_[beside].ordinal == k_void) {
      entries_[beside].value = value;
      return beside;
    }
    append(k_void, value, [] {});
    return used_ - 1;
  }

  template <class Count>
  void append(std::uint64_t ordinal, const T& x, const Count& count) {
    if (used_ != entries_.size()) {
      append_at_once(ordinal, x, count);
      return;
    }
    entries_.push_back({ordinal, x});
    if constexpr (std::is_trivially_destructible_v<T>) {  // what throws leaves room
      entries_.resize(entries_.capacity(), entries_.back());
      count();
    } else {
      try {
        count();
      } catch (...) {
        entries_.pop_back();
        throw;
      }
    }
    ++used_;
  }

  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      entries_.clear();
    }
    used_ = 0;
  }

  std::vector<contribution<T>> entries_;  // with room for more where values need no end
  std::size_t used_ = 0;
};

/// Of pairs of an ordinal and a place: by ordinals, and those of one by places.
TACTUS_API void sort_by_ordinal(std::vector<std::pair<std::uint64_t, std::size_t>>& order) noexcept;

/// Stable: what one task sent stays in its order.
template <class T>
[[nodiscard]] std::vector<contribution<T>> in_order_of_registration(std::vector<contribution<T>> all) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(all.size());
  for (std::size_t i = 0; i != all.size(); ++i) {
    order.emplace_back(all[i].ordinal, i);
  }
  sort_by_ordinal(order);
  std::vector<contribution<T>> sorted;
  sorted.reserve(all.size());
  for (const auto& [ordinal, i] : order) {
    sorted.push_back(std::move(all[i]));
  }
  return sorted;
}

}  // namespace tactus::detail
