// SPDX-License-Identifier: Apache-2.0
// A list of processors as the kernel writes it.
#include "targets.hpp"

#include <algorithm>
#include <functional>

#include "base/topology.hpp"

namespace fuzz {

void processors(std::string_view text) {
  const auto list = tactus::detail::parse_processors(text);
  if (!list) return;
  require(!list->empty(), "a list that is understood names a processor");
  require(list->front() >= 0, "a processor has a number");
  require(std::ranges::adjacent_find(*list, std::greater_equal()) == list->end(), "each one once, ascending");
}

}  // namespace fuzz
