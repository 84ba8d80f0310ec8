// SPDX-License-Identifier: Apache-2.0
// Which place-flexible tasks have left a place for others, and which have come.
#pragma once

#include "trace/labels.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace tactus::detail {

class flexible_call;

/// A task leaves, or comes.
struct move_event {
  enum class kind : std::uint8_t { gives, takes };

  std::int64_t time;     ///< ns since the timeline began
  std::uint64_t number;  ///< of the task
  const char* text;      ///< what it is called
  std::size_t bytes;
  int other;            ///< the place that it goes to, or has come from
  std::uint16_t moves;  ///< how often it has moved by now, this time included
  kind what;
};

/// Those of one place: the newest, as many as there is room for. Any thread.
class move_track {
public:
  static constexpr std::size_t k_room = std::size_t{1} << 16;

  move_track(std::int64_t start, closure_labels& labels) noexcept : start_(start), labels_(labels) {}

  void note(move_event::kind what, const flexible_call& task, int other) noexcept;

  [[nodiscard]] std::uint64_t lost() const noexcept { return noted_ <= k_room ? 0 : noted_ - k_room; }

  /// Calls f(event, next one or null) for each there is, the oldest first. While nobody notes anything.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint64_t i = lost(); i < noted_; ++i) {
      f(events_[i % k_room], i + 1 == noted_ ? nullptr : &events_[(i + 1) % k_room]);
    }
  }

private:
  [[nodiscard]] const char* name_of(const flexible_call& task);

  static constexpr std::size_t k_most_texts = 10'000;

  const std::int64_t start_;
  closure_labels& labels_;  // of the timeline
  std::mutex mutex_;        // protects the rest
  std::vector<move_event> events_;
  std::uint64_t noted_ = 0;
  std::unordered_set<std::string> texts_;
};

}  // namespace tactus::detail
