// SPDX-License-Identifier: Apache-2.0
#include "placement/lifeline_graph.hpp"

#include <algorithm>
#include <cstdint>

namespace tactus::detail {

std::vector<int> lifelines_of(int here, int places, int base) {
  std::vector<int> found;
  const std::int64_t radix = std::max(base, 2);
  for (std::int64_t unit = 1; unit < places; unit *= radix) {
    const std::int64_t digit = here / unit % radix;
    for (std::int64_t down = 1; down < radix; ++down) {
      const std::int64_t other = here + ((digit + radix - down) % radix - digit) * unit;
      if (other >= places) continue;  // the last cube is not full
      if (std::ranges::find(found, static_cast<int>(other)) == found.end()) found.push_back(static_cast<int>(other));
      break;
    }
  }
  return found;
}

}  // namespace tactus::detail
