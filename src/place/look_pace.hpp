// SPDX-License-Identifier: Apache-2.0
// When a worker that runs task after task looks for what comes from other processes. docs/protocols/processes.md, "Who looks, and when".
#pragma once

#include <tactus/base/impl/cache_line.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace tactus::detail {

/// Of one worker, by itself: by the time that its tasks take, though only every so many of them reads the clock; and so that looks in vain
/// take less than a hundredth of its time, but where they are very dear.
class alignas(k_cache_line) look_pace {
public:
  using time = std::chrono::steady_clock::time_point;
  using span = std::chrono::nanoseconds;

  static constexpr span k_shortest{10'000};
  static constexpr span k_longest{64'000};

  /// After as many rounds of the loop this is to be asked again.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }

  /// Whether to look now; `looks`: how often workers of this process have looked. Not if one has since this was asked before, another one, or
  /// this one while it searched.
  [[nodiscard]] bool is_due(time now, std::uint32_t looks) noexcept {
    const auto passed = std::chrono::duration_cast<span>(now - asked_);
    asked_ = now;
    const std::int64_t fit = passed <= span::zero() ? k_rounds_to_look : rounds_ * between_ / passed;
    rounds_ = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(fit, 1, std::min<std::int64_t>(2 * std::int64_t{rounds_}, k_rounds_to_look)));
    if (now - looked_ < between_ / 2) {
      return false;
    }
    looked_ = now;
    return std::exchange(seen_, looks) == looks;
  }

  /// This worker has looked, since is_due() has said so; `looks`: with that one.
  void has_looked(std::uint32_t looks) noexcept { seen_ = looks; }

  /// What a look took that found nothing.
  void took_in_vain(span one) noexcept {
    constexpr span k_dearest{
        2'000};  // where MPI gives the processor up, or the kernel does, somebody else had that time
    constexpr int k_share = 128;
    cost_ += (std::min(one, k_dearest) - cost_) / 8;
    between_ = std::clamp(k_share * cost_, k_shortest, k_longest);
  }

  [[nodiscard]] span between() const noexcept { return between_; }

private:
  std::uint32_t rounds_ = k_rounds_to_look;
  std::uint32_t seen_ = 0;
  time asked_;
  time looked_;
  span cost_{300};  // of a look
  span between_ = 128 * span{300};
};

}  // namespace tactus::detail
