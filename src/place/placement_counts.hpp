// SPDX-License-Identifier: Apache-2.0
// What a place counts of its place-flexible tasks, for statistics.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

template <class Cell>
struct basic_placement_counts {
  Cell dealt{};
  Cell given{};
  Cell received{};
  Cell migrated_bytes{};
  Cell migrations{};  // tasks that left their first place
  Cell results_home{};
  Cell results_home_bytes{};
  Cell starvations{};
  Cell steals_tried{};
  Cell steals_failed{};
  Cell lifeline_requests{};
  Cell relays{};
  Cell loads_asked{};
};

struct placement_counts : basic_placement_counts<std::uint64_t> {
  // Each worker counts its own:
  std::uint64_t kept = 0;     // tasks that began where they were meant to, and had never left
  std::uint64_t spawned = 0;  // by tasks of the place
};

/// A number that one thread raises.
class own_count {
public:
  void operator++() noexcept { value_.store(value() + 1, memory_order_relaxed); }  // relaxed: a count, as all here
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(memory_order_relaxed); }
  void begin_anew() noexcept { value_.store(0, memory_order_relaxed); }

private:
  atomic<std::uint64_t> value_{0};
};

/// A number that anybody may raise.
class shared_count {
public:
  void operator++() noexcept { *this += 1; }
  void operator+=(std::uint64_t more) noexcept { value_.fetch_add(more, memory_order_relaxed); }    // relaxed: a count
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(memory_order_relaxed); }  // relaxed: as above

private:
  atomic<std::uint64_t> value_{0};
};

struct live_placement_counts : basic_placement_counts<shared_count> {
  void count_result_home(std::size_t bytes) noexcept {
    ++results_home;
    results_home_bytes += bytes;
  }

  [[nodiscard]] placement_counts seen() const noexcept {
    return {{dealt.value(), given.value(), received.value(), migrated_bytes.value(), migrations.value(),
             results_home.value(), results_home_bytes.value(), starvations.value(), steals_tried.value(),
             steals_failed.value(), lifeline_requests.value(), relays.value(), loads_asked.value()}};
  }
};

}  // namespace tactus::detail
