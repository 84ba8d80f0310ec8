// SPDX-License-Identifier: Apache-2.0
// Puts control frames in the order in which they were sent. docs/protocols/processes.md, "Engine".
#pragma once

#include <tactus/place/impl/frame_block.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace tactus::detail {

/// Of those that one other process sends. By who talks to MPI.
class control_order {
public:
  enum class turn : std::uint8_t { now, later, again };

  /// `last`: the number before that of the first one.
  explicit control_order(std::uint32_t last = 0) noexcept : last_(last) {}

  /// What comes now is the caller's, and counts; then take_early(). What comes later is kept. What comes again is the caller's, and wrong.
  /// std::bad_alloc.
  [[nodiscard]] turn add(std::uint32_t number, frame_ptr& frame) {
    const auto ahead = static_cast<std::int32_t>(number - last_ - 1);  // numbers begin again at 0
    if (ahead == 0) {
      ++last_;
      return turn::now;
    }
    return ahead > 0 && early_.try_emplace(number, std::move(frame)).second ? turn::later : turn::again;
  }

  /// The next one, which counts, where it has come before its turn; else null.
  [[nodiscard]] frame_ptr take_early() noexcept {
    const auto next = early_.find(last_ + 1);
    if (next == early_.end()) {
      return nullptr;
    }
    frame_ptr frame = std::move(next->second);
    early_.erase(next);
    ++last_;
    return frame;
  }

  /// The number of the next one, and how many have come before it.
  [[nodiscard]] std::uint32_t due() const noexcept { return last_ + 1; }
  [[nodiscard]] std::size_t early() const noexcept { return early_.size(); }

private:
  std::uint32_t last_;
  std::map<std::uint32_t, frame_ptr> early_;
};

}  // namespace tactus::detail
