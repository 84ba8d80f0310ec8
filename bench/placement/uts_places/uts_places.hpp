// SPDX-License-Identifier: Apache-2.0
// Problem uts_places: the trees of problem uts (tasks/uts), searched by whoever has nothing to do, at several places. The unit is one node.
//
// All competitors walk a part of the tree by the same loop, depth first, and give every second node that they know to others, when each
// says itself. --shape names the tree; nodes, leaves and depth have to be the published ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tasks/uts/uts.hpp"

namespace bench {

template <class Tree>
using uts_nodes = std::vector<typename Tree::node>;

/// Visits up to `most` nodes, the last one of `known` first, whose children take its place.
template <class Tree>
void visit_some(const Tree& tree, uts_nodes<Tree>& known, std::size_t most, uts_size& found) {
  for (std::size_t i = 0; i < most && !known.empty(); ++i) {
    const typename Tree::node n = known.back();
    known.pop_back();
    const std::uint32_t children = tree.children(n);
    found.count(children == 0, n.depth);
    for (std::uint32_t c = 0; c < children; ++c) known.push_back(tree.child(n, c));
  }
}

/// Takes every second node, so that who takes and who gives have large subtrees and small ones. Needs two at the least.
template <class Node>
std::vector<Node> take_half(std::vector<Node>& known) {
  std::vector<Node> taken;
  taken.reserve((known.size() + 1) / 2);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i % 2 == 0) {
      taken.push_back(known[i]);
    } else {
      known[kept++] = known[i];
    }
  }
  known.erase(known.begin() + static_cast<std::ptrdiff_t>(kept), known.end());
  return taken;
}

/// Walks what is below `known`, and gives half of what it knows to spawn(nodes) whenever it has visited `grain` nodes.
template <class Tree, class Spawn>
uts_size search_and_share(const Tree& tree, uts_nodes<Tree> known, std::size_t grain, Spawn&& spawn) {
  uts_size found;
  while (!known.empty()) {
    visit_some(tree, known, grain, found);
    if (known.size() > 1) spawn(take_half(known));
  }
  return found;
}

class uts_places_problem : public uts_problem {
public:
  explicit uts_places_problem(const options& o) : uts_problem(o), grain_(o.grain) {}

  [[nodiscard]] std::size_t grain() const { return grain_; }

  /// Of the last pass, between places or ranks.
  void sent(std::uint64_t messages) { messages_ = messages; }

  void report(nlohmann::json& line) const {
    uts_problem::report(line);
    if (messages_) line["messages"] = *messages_;
  }

private:
  std::size_t grain_;
  std::optional<std::uint64_t> messages_;
};

}  // namespace bench
