// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/lcr.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

lcr_state::lcr_state(lcr_input in, std::uint64_t load_iterations) : input(std::move(in)), load(load_iterations) {
  reset();
}

void lcr_state::reset() {
  nodes.assign(input.id.size(), {});
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].id = nodes[i].send = nodes[i].leader_id = input.id[i];
  leader = 0;
}

void verify_lcr(const lcr_state& s) {
  const auto largest = std::ranges::max_element(s.input.id);
  const auto leader = static_cast<std::size_t>(largest - s.input.id.begin());
  for (std::size_t i = 0; i < s.input.id.size(); ++i) {
    const auto& node = s.nodes.at(i);
    if (node.leader != leader || node.leader_id != *largest || node.leads != (i == leader)) {
      throw wrong_answer("LCR: node " + std::to_string(i) + " does not take node " + std::to_string(leader) +
                         ", which has the largest id, for the only leader");
    }
  }
}

}  // namespace bench::imsuite
