// SPDX-License-Identifier: Apache-2.0
// Problem uts: the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006). A tree is known by its root only; each node
// is a task that finds out how many children it has and spawns them; one join at the root. The unit is one node.
//
// --shape names a tree of the benchmark's own list, made by SHA-1 (T1, T2, T3, T4, T5, and T1L, T2L, T3L of 100 million
// nodes), or "mixed": the shape of T3 by cheap random numbers. A run is right when nodes, leaves and depth are the published
// ones; of the mixed tree, those of a sequential pass.
#pragma once

#include <cstdint>
#include <string>

#include "support/per_thread.hpp"
#include "support/program.hpp"
#include "tasks/uts/random.hpp"

namespace bench {

struct uts_size {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t depth = 0;

  /// One node more.
  void count(bool is_leaf, std::uint64_t at_depth) {
    ++nodes;
    leaves += is_leaf ? 1 : 0;
    if (at_depth > depth) depth = at_depth;
  }
  /// Another part of the same tree.
  void add(const uts_size& part) {
    nodes += part.nodes;
    leaves += part.leaves;
    if (part.depth > depth) depth = part.depth;
  }

  friend bool operator==(const uts_size&, const uts_size&) = default;
};

/// How many children a node has.
struct uts_shape {
  enum class kind {
    binomial,          ///< `children` with probability `likelihood`, else none; the root has `branching`
    geometric_linear,  ///< geometric distribution whose mean falls linearly with depth, from `branching` to 0
    geometric_cyclic,  ///< its mean swings with depth
    geometric_fixed,   ///< its mean is the same until `depth`, then 0
    hybrid,            ///< geometric_linear in the upper half of `depth`, binomial below
  };

  const char* name;
  kind law;
  double branching;
  int depth;
  double likelihood;
  std::uint32_t children;
  std::uint32_t seed;
  uts_size published;  ///< all zero where the tree is ours

  /// Of a node with this random number in this depth.
  [[nodiscard]] std::uint32_t children_of(std::uint32_t random, std::uint32_t at_depth) const {
    if (law == kind::binomial && at_depth > 0) return binomial(random);
    return other_children(random, at_depth);
  }

private:
  [[nodiscard]] std::uint32_t binomial(std::uint32_t random) const {
    return random < likelihood * k_uts_random_limit ? children : 0;
  }
  [[nodiscard]] std::uint32_t other_children(std::uint32_t random, std::uint32_t at_depth) const;
  [[nodiscard]] std::uint32_t geometric(std::uint32_t random, std::uint32_t at_depth) const;
};

template <class Random>
class uts_tree {
public:
  struct node {
    Random random;
    std::uint32_t depth;
  };

  explicit uts_tree(const uts_shape& shape) : shape_(shape) {}

  [[nodiscard]] node root() const { return {Random::seeded(shape_.seed), 0}; }
  [[nodiscard]] std::uint32_t children(const node& n) const { return shape_.children_of(n.random.value(), n.depth); }
  [[nodiscard]] node child(const node& n, std::uint32_t i) const { return {n.random.split(i), n.depth + 1}; }

private:
  const uts_shape& shape_;
};

class uts_problem {
public:
  explicit uts_problem(const options& o);

  /// visit(tree) with the tree that was asked for.
  template <class Visit>
  void with_tree(Visit&& visit) const {
    if (mixed_) {
      visit(uts_tree<mixed_random>(shape_));
    } else {
      visit(uts_tree<sha1_random>(shape_));
    }
  }

  /// The same, where one knows which: as in a task that has come from another process.
  template <class Tree>
  [[nodiscard]] Tree tree() const {
    return Tree(shape_);
  }

  /// Every node is counted once, by whichever thread comes to it.
  template <class Tree>
  std::uint32_t count(const Tree& tree, const typename Tree::node& n) {
    const std::uint32_t children = tree.children(n);
    counted_.mine().count(children == 0, n.depth);
    return children;
  }

  /// A part that was counted without that.
  void add(const uts_size& part) { counted_.mine().add(part); }

  void reset() { counted_.reset(); }
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return expected_.nodes; }
  void report(nlohmann::json& line) const { line["tree"] = shape_.name; }

private:
  static const uts_shape& shape_named(const std::string& name);

  [[nodiscard]] uts_size total() const;
  void count_sequentially();

  const uts_shape& shape_;
  bool mixed_;
  uts_size expected_;
  per_thread<uts_size> counted_;
};

}  // namespace bench
