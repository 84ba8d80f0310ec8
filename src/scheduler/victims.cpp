// SPDX-License-Identifier: Apache-2.0

#include "scheduler/victims.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tactus::detail {

victims::victims(std::size_t workers) : victims(std::vector<std::size_t>(workers, 0)) {}

victims::victims(const std::vector<std::size_t>& distances) : workers_(distances.size()) {
  std::iota(workers_.begin(), workers_.end(), 0U);
  // By number where distances are equal. Not std::stable_sort: libstdc++ 12 has it call what clang says is deprecated.
  std::sort(workers_.begin(), workers_.end(), [&distances](std::uint32_t a, std::uint32_t b) {
    return std::pair(distances[a], a) < std::pair(distances[b], b);
  });
  for (std::size_t i = 1; i <= workers_.size(); ++i) {
    if (i == workers_.size() || distances[workers_[i]] != distances[workers_[i - 1]]) {
      ends_.push_back(i);
    }
  }
}

}  // namespace tactus::detail
