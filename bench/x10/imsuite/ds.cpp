// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/ds.hpp"

#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {
namespace {

std::vector<std::uint32_t> within_two_hops(const graph& g, std::size_t i) {
  std::vector<std::uint32_t> found = g.neighbours[i];
  for (const std::uint32_t j : g.neighbours[i])
    found.insert(found.end(), g.neighbours[j].begin(), g.neighbours[j].end());
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  std::erase(found, static_cast<std::uint32_t>(i));
  return found;
}

}  // namespace

ds_state::ds_state(ds_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  for (std::size_t i = 0; i < input.g.n; ++i) near.push_back(within_two_hops(input.g, i));
  reset();
}

void ds_state::reset() {
  nodes = std::vector<node>(input.g.n);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].white = input.g.neighbours[i];
    nodes[i].uncovered = nodes[i].white.size() + 1;
    nodes[i].random = draws(i);
  }
}

void verify_ds(const ds_state& state) {
  const auto member = [&state](std::size_t i) { return state.nodes[i].member; };
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    const bool next_to_one = std::ranges::any_of(state.input.g.neighbours[i], member);
    if (!member(i) && !next_to_one) throw wrong_answer("DS: node " + std::to_string(i) + " is not dominated");
    if (member(i) && next_to_one)
      throw wrong_answer("DS: node " + std::to_string(i) + " and a neighbour are in the set");
  }
}

}  // namespace bench::imsuite
