// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/mis.hpp"

#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

mis_state::mis_state(mis_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  reset();
}

void mis_state::reset() {
  nodes.assign(input.g.n, node{});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].neighbours = input.g.neighbours[i];
    nodes[i].random = draws(i);
  }
}

void verify_mis(const mis_state& state) {
  const auto in_set = [&state](std::size_t i) { return state.nodes[i].in_set; };
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    const bool next_to_one = std::ranges::any_of(state.input.g.neighbours[i], in_set);
    if (in_set(i) && next_to_one)
      throw wrong_answer("MIS: node " + std::to_string(i) + " and a neighbour are in the set");
    if (!in_set(i) && !next_to_one) throw wrong_answer("MIS: node " + std::to_string(i) + " could be in the set, too");
  }
}

}  // namespace bench::imsuite
