// SPDX-License-Identifier: Apache-2.0
// When the thread of progress looks for what comes from other processes, and how long it sleeps. docs/protocols/processes.md, "Who looks, and
// when".
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace tactus::detail {

/// By that thread, in hybrid.
class thread_pace {
public:
  using time = std::chrono::steady_clock::time_point;
  using span = std::chrono::nanoseconds;

  /// What the workers of this process do.
  enum class workers : std::uint8_t { compute, some_sleep, rest };

  explicit thread_pace(time now) noexcept : woke_(now), last_(now) {}

  /// It has woken: whether it looks; `looks`: how often workers have looked. Not where they do so twice in 200 us, unless one has gone to
  /// sleep, for there may be nobody then.
  [[nodiscard]] bool is_to_look(time now, std::uint32_t looks, bool one_went_to_sleep) noexcept {
    const span slept = std::chrono::duration_cast<span>(now - std::exchange(woke_, now));
    const std::uint32_t n = looks - std::exchange(looks_, looks);
    is_looked_after_ = !one_went_to_sleep && n != 0 && n >= slept / k_between_looks_of_workers;
    if (one_went_to_sleep) {
      last_ = now;
    }
    return !is_looked_after_;
  }

  /// For so long it sleeps then, or until a worker goes to sleep; `came`: something that it has taken.
  [[nodiscard]] span pause(time now, bool came, workers what) noexcept {
    if (came) {
      last_ = now;
    }
    const span until_rest = what == workers::compute ? k_until_rest_beside_work : k_until_rest;
    if (is_looked_after_) {
      pause_ = std::min<span>(2 * pause_, k_longest);
    } else if (now - last_ < until_rest) {
      pause_ = k_soon;
    } else {
      pause_ = what == workers::rest ? k_rest : k_beside_work;
    }
    return pause_;
  }

  static constexpr span k_soon{50'000};
  static constexpr span k_beside_work{150'000};  // of which Linux makes some 200 us
  static constexpr span k_rest{1'000'000};
  static constexpr span k_longest{2'000'000};

private:
  static constexpr span k_until_rest{10'000'000};
  static constexpr span k_until_rest_beside_work{2'000'000};
  static constexpr span k_between_looks_of_workers{100'000};

  time woke_;
  time last_;  // that something came, or a worker went to sleep
  span pause_ = k_soon;
  std::uint32_t looks_ = 0;
  bool is_looked_after_ = false;
};

}  // namespace tactus::detail
