// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/hs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

hs_state::hs_state(hs_input in, std::uint64_t load_iterations) : input(std::move(in)), load(load_iterations) {
  reset();
}

void hs_state::reset() {
  nodes.assign(input.id.size(), {});
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].id = input.id[i];
}

void hs_state::announce(std::size_t i) {
  if (!nodes[i].in_race) return;
  const auto leader = static_cast<std::uint32_t>(i);
  nodes[i].leader = leader;
  std::size_t up = i;
  std::size_t down = i;
  for (std::size_t hop = 0; hop < nodes.size() / 2; ++hop) {
    up = plus(up);
    down = minus(down);
    nodes[up].leader = nodes[down].leader = leader;
  }
}

void verify_hs(const hs_state& s) {
  const auto leader = static_cast<std::size_t>(std::ranges::max_element(s.input.id) - s.input.id.begin());
  for (std::size_t i = 0; i < s.input.id.size(); ++i) {
    const auto& node = s.nodes.at(i);
    if (node.leader != leader || node.in_race != (i == leader)) {
      throw wrong_answer("HS: node " + std::to_string(i) + " does not take node " + std::to_string(leader) +
                         ", which has the largest id, for the only leader");
    }
  }
}

}  // namespace bench::imsuite
