// SPDX-License-Identifier: Apache-2.0
// The clocks of a timeline: that of this process, and what it says of those of others. docs/protocols/processes.md, "Timelines".
#pragma once

#include <algorithm>
#include <cstdint>

namespace tactus::detail {

/// Nanoseconds by the clock of this process.
[[nodiscard]] std::int64_t timeline_now() noexcept;

/// From now on that clock is ahead by so much, and gains so many nanoseconds in a second. For tests.
void disturb_timeline_clock(std::int64_t ahead, std::int64_t gains) noexcept;

/// By how much the clock of another process is ahead of the one here, when the one here says so.
struct clock_point {
  std::int64_t at = 0;
  std::int64_t ahead = 0;
};

/// What the clock of another process was found to say. Whoever answers does so at some moment between question and answer: the shorter
/// that takes, the better is it known when.
class clock_comparison {
public:
  /// Asked and heard by the clock here, answered by the other one.
  void add(std::int64_t asked, std::int64_t answered, std::int64_t heard) noexcept;

  /// The answer to the question that was answered most quickly, taken for one in the middle.
  [[nodiscard]] clock_point best() const noexcept;

  /// By how much that may be wrong.
  [[nodiscard]] std::int64_t uncertainty() const noexcept { return (heard_ - asked_) / 2; }

  /// Whether both may be the same clock, as those of processes of one machine are.
  [[nodiscard]] bool may_be_the_same() const noexcept { return asked_ <= answered_ && answered_ <= heard_; }

private:
  bool any_ = false;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
  std::int64_t heard_ = 0;
};

/// Tells by the clock of one process what that of another one has said: from one comparison to a later one it gains or loses evenly.
class clock_map {
public:
  clock_map() = default;  // they are the same
  clock_map(const clock_point& first, const clock_point& last) noexcept;

  [[nodiscard]] std::int64_t here(std::int64_t there) const noexcept;

private:
  std::int64_t since_ = 0;  // by the other clock
  std::int64_t ahead_ = 0;
  double gains_ = 0;  // for each nanosecond of the other clock
};

/// Times of a process's timeline, as they stand in the file of all.
struct file_time {
  clock_map to_clock_of_file;
  std::int64_t own_start = 0;
  std::int64_t start_of_file = 0;

  [[nodiscard]] std::int64_t operator()(std::int64_t since_own_start) const noexcept {
    return std::max<std::int64_t>(to_clock_of_file.here(own_start + since_own_start) - start_of_file, 0);
  }
};

}  // namespace tactus::detail
