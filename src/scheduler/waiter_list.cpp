// SPDX-License-Identifier: Apache-2.0
#include <tactus/scheduler/impl/waiter_list.hpp>

#include <tactus/scheduler/impl/deferred_arrivals.hpp>
#include <tactus/scheduler/impl/parking.hpp>

#include "scheduler/report_gate.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::uint32_t k_first = 16;         // waiters that there is room for
constexpr std::uint32_t k_most_kept = 4'096;  // the same, when the barrier is used again

}  // namespace

waiter_list::~waiter_list() { std::free(entries_); }

bool waiter_list::grow(continuation**& next, continuation**& end) noexcept {
  const std::uint32_t capacity = std::max(k_first, 2 * capacity_);
  auto* const entries = static_cast<continuation**>(std::malloc((capacity + k_spare_entries) * sizeof(continuation*)));
  if (entries == nullptr) {
    return false;
  }
  std::copy_n(entries_, capacity_, entries);
  std::fill(entries + capacity_, entries + capacity + k_spare_entries, nullptr);
  next = entries + capacity_;
  end = entries + capacity;
  continuation** const before = std::exchange(entries_, entries);
  capacity_ = capacity;
  report_gate::pass();  // a report may read the old ones (H1)
  std::free(before);
  return true;
}

void waiter_list::shrink() noexcept {
  if (capacity_ > k_most_kept) {
    std::free(std::exchange(entries_, nullptr));
    capacity_ = 0;
  }
}

TACTUS_NO_SANITIZE std::uint32_t waiter_list::count_seen(const deferred_arrivals& of_worker) const noexcept {
  const std::uint32_t capacity = capacity_;
  if (of_worker.list == this) {
    const auto begin = reinterpret_cast<std::uintptr_t>(entries_);
    const auto end = reinterpret_cast<std::uintptr_t>(of_worker.wait_next);
    // While the list grows, its end may be in another array than its begin.
    if (end >= begin && end - begin <= capacity * sizeof(continuation*) && fence_all_processors()) {
      return static_cast<std::uint32_t>((end - begin) / sizeof(continuation*));
    }
  }
  return count_;
}

}  // namespace tactus::detail
