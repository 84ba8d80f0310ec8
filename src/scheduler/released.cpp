// SPDX-License-Identifier: Apache-2.0
#include <tactus/scheduler/impl/released.hpp>

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_longest_block = 64;  // continuations that a worker takes for itself at once
constexpr std::uint64_t k_soon = 5'000;      // ticks: about 2 us

// Of few continuations the stacks lie in a cache not far away. Of many each costs walks through page tables, too.
constexpr std::size_t k_many_strands = 16'000;
constexpr std::uint32_t k_ahead_of_few = 4;
constexpr std::uint32_t k_ahead_of_many = 8;
static_assert(k_ahead_of_many <
              waiter_list::k_spare_entries);  // behind the last of a block, which may be the last of the list

constexpr std::uint32_t look_ahead_in(std::size_t continuations) noexcept {
  return continuations < k_many_strands ? k_ahead_of_few : k_ahead_of_many;
}

// Something like a clock, for what need not be exact.
std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) * 2;
#endif
}

}  // namespace

void block_length::adapt() noexcept {
  const std::uint64_t now = ticks();
  length_ = now - since_ < k_soon ? std::min(2 * length_, k_longest_block) : 1;
  since_ = now;
}

continuation* worker::adopt(released_work::block stolen) noexcept {
  released_range range{stolen.first, static_cast<std::size_t>(stolen.last - stolen.first), stolen.of, nullptr, nullptr};
  deferred.run_ahead = look_ahead_in(range.count);
  static_cast<void>(released.put(range));  // half of what another had: it fits
  return next_released();
}

void worker::adopt(released_range* ranges) noexcept {
  while (ranges != nullptr) {
    released_range* const range = std::exchange(ranges, ranges->next);
    deferred.run_ahead = look_ahead_in(range->count);
    if (released.left() != 0 || released.put(*range)) {
      released.more.send(range);
    }
  }
  idle->notify();
}

bool worker::claim_released() noexcept {
  const bool alone = owner->size() == 1;
  if (!alone && !seeded) {
    block_.adapt();
  }
  for (;;) {
    const released_work::block b = released.take(block_.length(), alone);
    if (b.first != b.last) {
      deferred.run_next = b.first;
      deferred.run_end = b.last;
      deferred.run_of = timeline == nullptr ? b.of : nullptr;  // null: each goes on by the loop
      return true;
    }
    released_range* const ranges = released.more.take_all();
    if (ranges == nullptr) {
      return false;
    }
    adopt(ranges);
  }
}

}  // namespace tactus::detail
