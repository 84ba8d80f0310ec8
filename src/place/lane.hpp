// SPDX-License-Identifier: Apache-2.0
// Room for tasks that go from one place to another: who finds none waits. docs/protocols/messages.md.
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>

#include <cstdint>
#include <mutex>

namespace tactus::detail {

/// From one place to one other.
class lane {
public:
  struct waiter : wait_point {
    lane* from = nullptr;
    int to = 0;
    std::int64_t bytes = 0;
    waiter* behind = nullptr;
  };

  /// Before anything is sent.
  void open(std::int64_t window) noexcept {
    window_ = window;
    free_ = window;
  }

  /// Takes room if there is some and nobody waits. What is larger than three quarters of the window needs no more than these.
  [[nodiscard]] bool try_take(std::int64_t bytes) noexcept;

  /// The same for several messages of so many bytes each; returns for how many there is some, at most as many as are wanted.
  [[nodiscard]] std::int64_t try_take_for(std::int64_t wanted, std::int64_t bytes) noexcept;

  /// By the commit of a wait point: takes room, or lists it. False: it has room.
  bool take_or_wait(waiter& w) noexcept;

  /// So much is free again. Returns those that have room now, in a list through `behind`: to be made ready.
  [[nodiscard]] waiter* give(std::int64_t bytes) noexcept;

  [[nodiscard]] std::int64_t window() const noexcept { return window_; }

private:
  [[nodiscard]] bool has_room_for(std::int64_t bytes) const noexcept {
    const std::int64_t most = window_ - window_ / 4;
    return free_ >= (bytes < most ? bytes : most);
  }

  std::mutex mutex_;  // protects what follows
  std::int64_t window_ = 0;
  std::int64_t free_ = 0;  // negative after a message larger than the window
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

}  // namespace tactus::detail
