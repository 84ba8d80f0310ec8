// SPDX-License-Identifier: Apache-2.0
// Who waits for a reply that comes as bytes: a number stands for its address, which nobody else is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tactus::detail {

struct wired_wait;

class at_callers {
public:
  /// std::bad_alloc.
  [[nodiscard]] std::uint64_t add(wired_wait* caller) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      slots_.push_back({nullptr, 0});
      free_.reserve(slots_.size());  // so that take() needs no memory
      free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    slots_[number].caller = caller;
    return std::uint64_t{number} << 32U | slots_[number].generation;
  }

  /// Null if nobody has that number, or no more.
  [[nodiscard]] wired_wait* take(std::uint64_t name) noexcept {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::size_t>(name >> 32U);
    if (number >= slots_.size() || slots_[number].generation != static_cast<std::uint32_t>(name)) {
      return nullptr;
    }
    wired_wait* const caller = slots_[number].caller;
    if (caller != nullptr) {
      slots_[number].caller = nullptr;
      ++slots_[number].generation;
      free_.push_back(static_cast<std::uint32_t>(number));
    }
    return caller;
  }

  /// As take(), of one that goes on waiting.
  [[nodiscard]] const wired_wait* find(std::uint64_t name) noexcept {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::size_t>(name >> 32U);
    return number < slots_.size() && slots_[number].generation == static_cast<std::uint32_t>(name)
               ? slots_[number].caller
               : nullptr;
  }

  /// How many have a number. For tests.
  [[nodiscard]] std::size_t waiting() noexcept {
    const std::lock_guard lock(mutex_);
    return slots_.size() - free_.size();
  }

private:
  struct slot {
    wired_wait* caller;
    std::uint32_t generation;
  };

  std::mutex mutex_;  // protects what follows
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tactus::detail
