// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/vc.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

vc_state::vc_state(vc_input in, std::uint64_t load_iterations)
    : input(std::move(in)), load(load_iterations), children(input.g.n) {
  for (std::uint32_t i = 0; i < input.g.n; ++i) {
    if (i != input.root) children[input.parent[i]].push_back(i);
  }
  reset();
}

void vc_state::reset() {
  nodes.assign(input.g.n, {});
  // The index; only that the root has 0, on which the reduction relies, and node 0 the root's index instead.
  for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i].colour = i;
  std::swap(nodes[0].colour, nodes[input.root].colour);
  for (node& each : nodes) each.again = each.colour >= k_few;
  random = random_numbers(1);
}

bool vc_state::too_many_colours() const {
  return std::ranges::any_of(nodes, [](const node& each) { return each.again; });
}

void vc_state::recolour_root() {
  std::uint32_t& colour = nodes[input.root].colour;
  // Of the three colours those that are not the old one: two, or three if that is none of them.
  const std::uint32_t skipped = std::min(colour, 3u);
  const std::uint32_t drawn = random.below(skipped < 3 ? 2 : 3);
  colour = drawn < skipped ? drawn : drawn + 1;
}

void verify_vc(const vc_state& s) {
  for (std::size_t i = 0; i < s.input.g.n; ++i) {
    const std::uint32_t colour = s.nodes.at(i).colour;
    if (colour > 2) throw wrong_answer("VC: node " + std::to_string(i) + " has colour " + std::to_string(colour));
    for (const std::uint32_t j : s.input.g.neighbours[i]) {
      if (s.nodes.at(j).colour == colour) {
        throw wrong_answer("VC: nodes " + std::to_string(i) + " and " + std::to_string(j) +
                           ", an edge, both have colour " + std::to_string(colour));
      }
    }
  }
}

}  // namespace bench::imsuite
