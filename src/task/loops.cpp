// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/loops.hpp>

namespace tactus::detail {
namespace {

constexpr std::uint64_t k_shares_per_worker = 16;
constexpr std::uint64_t k_reduce_leaves = 1024;

}  // namespace

bool has_room_to_begin() noexcept {
  const worker* const w = current_worker();
  return stack_below(w) > w->room_to_begin;
}

std::uint64_t default_loop_grain(std::uint64_t elements, int workers) noexcept {
  return std::max<std::uint64_t>(1, elements / (k_shares_per_worker * static_cast<std::uint64_t>(workers)));
}

std::uint64_t default_reduce_grain(std::uint64_t elements) noexcept {
  return std::max<std::uint64_t>(1, elements / k_reduce_leaves);
}

}  // namespace tactus::detail
