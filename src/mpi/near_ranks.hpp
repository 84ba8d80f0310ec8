// SPDX-License-Identifier: Apache-2.0
// Which ranks are nearer to each other than to the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::detail {

/// `machines`: of each rank, a number that those of its machine have in common. Where each machine has as many ranks, which follow each other, so
/// many; the last one may have fewer. 1: the ranks are spread otherwise, or all of them are on one machine, or each on its own.
[[nodiscard]] inline int near_group_of(std::span<const std::uint64_t> machines) {
  const auto first_elsewhere =
      std::find_if(machines.begin(), machines.end(), [&](std::uint64_t m) { return m != machines.front(); });
  const auto n = static_cast<std::size_t>(first_elsewhere - machines.begin());
  if (first_elsewhere == machines.end()) {
    return 1;
  }
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const bool begins_group = rank % n == 0;
    const bool is_on_machine_of_the_one_before = rank != 0 && machines[rank] == machines[rank - 1];
    if (begins_group == is_on_machine_of_the_one_before) {
      return 1;
    }
  }
  return static_cast<int>(n);
}

}  // namespace tactus::detail
