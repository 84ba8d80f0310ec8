// SPDX-License-Identifier: Apache-2.0
// One worker's waiters of one phase of a barrier. Protocol: docs/protocols/clock.md.
//
// Its worker adds to it by way of its deferred_arrivals, which know the true end until they are handed in; from then
// on it belongs to whoever turns the phase. Reports read it at any time: what is below an end that they see stays (H1).
#pragma once

#include <tactus/base/impl/platform.hpp>

#include <cstdint>
#include <utility>

namespace tactus::detail {

struct continuation;
struct deferred_arrivals;

class waiter_list {
public:
  /// So many entries behind the room may be read as hints, as those that it has not come to: each is old or null (C9).
  static constexpr std::uint32_t k_spare_entries = 16;

  waiter_list() = default;
  waiter_list(const waiter_list&) = delete;
  waiter_list& operator=(const waiter_list&) = delete;
  ~waiter_list();

  // ---- its worker, until it hands in; then whoever turns the phase ----

  [[nodiscard]] continuation** begin() const noexcept { return entries_; }
  [[nodiscard]] continuation** end() const noexcept { return entries_ + count_; }
  [[nodiscard]] continuation** end_of_room() const noexcept { return entries_ + capacity_; }

  /// Those before `end` are all.
  void end_at(continuation* const* end) noexcept { count_ = static_cast<std::uint32_t>(end - entries_); }

  /// Takes all off; returns how many. The array stays as it is.
  std::uint32_t take_off() noexcept { return std::exchange(count_, 0); }

  /// Makes room for as many again as it has, all of which are in use; says where the next one goes and where the room
  /// ends. False: no memory, and nothing has changed.
  [[nodiscard]] bool grow(continuation**& next, continuation**& end) noexcept;

  /// Gives back an array that most barriers would not need. Only while empty.
  void shrink() noexcept;

  // ---- reports, while the worker writes: an old number is as good (docs/protocols/hang.md) ----

  /// How many there are, with those that `of_worker`, its worker's, have not handed in.
  [[nodiscard]] std::uint32_t count_seen(const deferred_arrivals& of_worker) const noexcept;
  [[nodiscard]] TACTUS_NO_SANITIZE continuation* seen(std::uint32_t i) const noexcept { return entries_[i]; }

private:
  friend struct debugger_layout;

  continuation** entries_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace tactus::detail
