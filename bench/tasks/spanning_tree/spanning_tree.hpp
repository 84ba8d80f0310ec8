// SPDX-License-Identifier: Apache-2.0
// Problem spanning_tree: work-stealing.txt, figure 3, on a random graph of n vertices and 4n edges (figure 13).
// The unit is one vertex. Each newly labelled vertex is one escaping task under the single join.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "support/program.hpp"

namespace bench {

using vertex = std::uint32_t;

class spanning_problem {
public:
  static constexpr std::uint64_t k_default_size = 1'000'000;
  static constexpr std::uint64_t k_edges_per_vertex = 4;
  static constexpr vertex k_none = ~vertex{0};
  static constexpr vertex k_root = 0;

  explicit spanning_problem(const options& o);

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return vertices_; }
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::uint64_t size() const { return vertices_; }

  [[nodiscard]] std::span<const vertex> neighbours(vertex v) const {
    return {adjacent_.data() + first_[v], adjacent_.data() + first_[v + 1]};
  }

  /// Makes `by` the parent of v unless it has one; true for the one caller that did.
  bool label(vertex v, vertex by) {
    vertex expected = parent_[v].load(std::memory_order_relaxed);  // relaxed: a stale "none" is caught by the exchange
    return expected == k_none &&
           parent_[v].compare_exchange_strong(expected, by, std::memory_order_relaxed);  // relaxed: the join publishes
  }

  /// label() for one thread alone.
  bool label_alone(vertex v, vertex by) {
    if (parent_[v].load(std::memory_order_relaxed) != k_none) return false;  // relaxed: one thread
    parent_[v].store(by, std::memory_order_relaxed);                         // relaxed: one thread
    return true;
  }

private:
  void make_graph(std::uint64_t seed);
  void find_reachable();

  std::uint64_t vertices_;
  std::vector<std::uint64_t> first_;  ///< neighbours of v stand at [first_[v], first_[v+1])
  std::vector<vertex> adjacent_;
  std::vector<std::atomic<vertex>> parent_;
  std::vector<std::uint8_t> reachable_;  ///< from the root, by a sequential search
  std::uint64_t reachable_count_ = 0;
};

}  // namespace bench
