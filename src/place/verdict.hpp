// SPDX-License-Identifier: Apache-2.0
// What place 0 hears before it says that a program is stuck, where places send each other bytes. docs/protocols/quiescence.md, "Rounds".
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Of a run. Two rounds, one after the other: who waits where, and has everybody cancelled that.
class verdict {
public:
  explicit verdict(std::size_t places) : waits_(places) {}

  /// True: the first round begins, and all are to be asked. False: one is under way.
  [[nodiscard]] bool begins() noexcept {
    const std::lock_guard lock(mutex_);
    if (missing_ != 0 || is_to_decide_) {
      return false;
    }
    missing_ = waits_.size();
    nothing_told_ = true;
    return true;
  }

  enum class next : std::uint8_t { wait, look_again, set, go };

  /// A place has been active, and has told so: what was answered may no longer be so.
  void told() noexcept {
    const std::lock_guard lock(mutex_);
    nothing_told_ = false;
  }

  /// An answer to the first round: lines for so many tasks. Of the last one, set: the second round may begin, and the caller says by sets()
  /// or gives_up() whether it does; look_again: somebody was active meanwhile, and there is no round any more.
  [[nodiscard]] next answered(int place, std::size_t tasks, std::string lines) noexcept {
    const std::lock_guard lock(mutex_);
    auto& waits = waits_[static_cast<std::size_t>(place)];
    waits.first = tasks;
    waits.second = std::move(lines);
    is_to_decide_ = missing_ == 1 && nothing_told_;
    --missing_;
    return missing_ != 0 ? next::wait : nothing_told_ ? next::set : next::look_again;
  }

  /// The second round begins.
  void sets() noexcept {
    const std::lock_guard lock(mutex_);
    is_to_decide_ = false;
    missing_ = waits_.size();
  }
  /// It does not, and there is no round any more.
  void gives_up() noexcept {
    const std::lock_guard lock(mutex_);
    is_to_decide_ = false;
  }
  [[nodiscard]] next confirmed() noexcept {
    const std::lock_guard lock(mutex_);
    --missing_;
    return missing_ != 0 ? next::wait : next::go;
  }

  /// What all have answered. Between the rounds.
  [[nodiscard]] std::pair<std::size_t, std::string> all_waits() const {
    std::pair<std::size_t, std::string> all;
    for (const auto& [tasks, lines] : waits_) {
      all.first += tasks;
      all.second += lines;
    }
    return all;
  }

private:
  std::mutex mutex_;  // protects what follows
  std::size_t missing_ = 0;
  bool nothing_told_ = false;
  bool is_to_decide_ = false;
  std::vector<std::pair<std::size_t, std::string>> waits_;  // by place
};

}  // namespace tactus::detail
