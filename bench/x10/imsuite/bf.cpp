// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/bf.hpp"

#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

bf_state::bf_state(bf_input in, std::uint64_t load_iterations)
    : input(std::move(in)), load(load_iterations), rounds(eccentricity(input.g, input.root)) {
  reset();
}

void bf_state::reset() {
  nodes.resize(input.g.n);
  for (node& each : nodes) {
    each.distance = k_unreached;
    each.arriving.clear();  // the mailboxes keep their memory, as those of a program that runs on
    each.current.clear();
  }
  nodes[input.root].distance = 0;
}

void verify_bf(const bf_state& s) {
  const auto expected = distances(s.input.g, s.input.root);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (s.nodes.at(i).distance != expected[i]) {
      throw wrong_answer("BF: node " + std::to_string(i) + " is " + std::to_string(expected[i]) +
                         " hops from the root, not " + std::to_string(s.nodes[i].distance));
    }
  }
}

}  // namespace bench::imsuite
