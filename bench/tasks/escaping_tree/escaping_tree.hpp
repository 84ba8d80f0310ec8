// SPDX-License-Identifier: Apache-2.0
// Problem escaping_tree: a full binary tree whose inner nodes spawn both children and end; one join at the root.
// Nodes are numbered as in a heap; each stores one byte. The unit is one node.
#pragma once

#include "support/marks.hpp"

namespace bench {

class tree_problem : public marks {
public:
  static constexpr std::uint64_t k_default_size = (std::uint64_t{1} << 22) - 1;

  explicit tree_problem(const options& o) : marks(o.size == 0 ? k_default_size : o.size) {}
  [[nodiscard]] std::uint64_t operations() const { return size(); }
  void report(nlohmann::json& line) const { line["size"] = size(); }

  /// Whether node i has its left (2i+1) or right (2i+2) child.
  [[nodiscard]] bool has(std::uint64_t node) const { return node < size(); }
};

}  // namespace bench
