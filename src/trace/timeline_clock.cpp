// SPDX-License-Identifier: Apache-2.0
#include "trace/timeline_clock.hpp"

#include <tactus/base/impl/atomic.hpp>

#include <chrono>

namespace tactus::detail {
namespace {

constexpr std::int64_t k_second = 1'000'000'000;

// Of a test. All three are written before `is_disturbed`, while nobody looks at the clock.
constinit atomic<bool> g_is_disturbed{false};
constinit atomic<std::int64_t> g_ahead{0};
constinit atomic<std::int64_t> g_gains{0};
constinit atomic<std::int64_t> g_since{0};

std::int64_t steady_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::int64_t timeline_now() noexcept {
  const std::int64_t now = steady_now();
  if (!g_is_disturbed.load(memory_order_acquire)) [[likely]] {  // acquire: pairs with disturb_timeline_clock()
    return now;
  }
  const std::int64_t since = now - g_since.load(memory_order_relaxed);  // relaxed: as the next ones, written before
  return now + g_ahead.load(memory_order_relaxed) +
         since / 1000 * g_gains.load(memory_order_relaxed) / (k_second / 1000);
}

void disturb_timeline_clock(std::int64_t ahead, std::int64_t gains) noexcept {
  g_since.store(steady_now(), memory_order_relaxed);  // relaxed: before the flag, as the next ones
  g_ahead.store(ahead, memory_order_relaxed);
  g_gains.store(gains, memory_order_relaxed);
  g_is_disturbed.store(true, memory_order_release);  // release: pairs with timeline_now()
}

void clock_comparison::add(std::int64_t asked, std::int64_t answered, std::int64_t heard) noexcept {
  if (!any_ || heard - asked < heard_ - asked_) {
    any_ = true;
    asked_ = asked;
    answered_ = answered;
    heard_ = heard;
  }
}

clock_point clock_comparison::best() const noexcept {
  const std::int64_t middle = asked_ + (heard_ - asked_) / 2;
  return {middle, answered_ - middle};
}

clock_map::clock_map(const clock_point& first, const clock_point& last) noexcept
    : since_(first.at + first.ahead), ahead_(first.ahead) {
  const std::int64_t between = last.at + last.ahead - since_;
  if (between > 0) {
    gains_ = static_cast<double>(last.ahead - first.ahead) / static_cast<double>(between);
  }
}

std::int64_t clock_map::here(std::int64_t there) const noexcept {
  return there - ahead_ - static_cast<std::int64_t>(static_cast<double>(there - since_) * gains_);
}

}  // namespace tactus::detail
