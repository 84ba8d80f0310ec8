// SPDX-License-Identifier: Apache-2.0
#include "tasks/spanning_tree/spanning_tree.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "support/random_numbers.hpp"

namespace bench {
namespace {

/// Calls f(u, v) for every edge, in an order fixed by the seed, so that it can be repeated instead of stored.
template <class F>
void for_each_edge(std::uint64_t seed, std::uint64_t vertices, F f) {
  random_numbers random(seed);
  for (std::uint64_t i = 0; i < vertices * spanning_problem::k_edges_per_vertex; ++i) {
    const vertex u = random.below(vertices);
    const vertex v = random.below(vertices);
    f(u, v);
  }
}

}  // namespace

spanning_problem::spanning_problem(const options& o)
    : vertices_(o.size == 0 ? k_default_size : o.size),
      first_(vertices_ + 1),
      parent_(vertices_),
      reachable_(vertices_) {
  if (vertices_ >= std::numeric_limits<vertex>::max())
    throw std::invalid_argument("spanning_tree: --size needs 32 bits");
  make_graph(o.seed);
  find_reachable();
}

void spanning_problem::make_graph(std::uint64_t seed) {
  for_each_edge(seed, vertices_, [this](vertex u, vertex v) {
    ++first_[u + 1];
    ++first_[v + 1];
  });
  for (std::uint64_t v = 0; v < vertices_; ++v) first_[v + 1] += first_[v];
  adjacent_.resize(first_[vertices_]);
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  for_each_edge(seed, vertices_, [this, &next](vertex u, vertex v) {
    adjacent_[next[u]++] = v;
    adjacent_[next[v]++] = u;
  });
}

void spanning_problem::find_reachable() {
  std::vector<vertex> to_visit{k_root};
  reachable_[k_root] = 1;
  while (!to_visit.empty()) {
    const vertex u = to_visit.back();
    to_visit.pop_back();
    ++reachable_count_;
    for (const vertex v : neighbours(u)) {
      if (reachable_[v] == 0) {
        reachable_[v] = 1;
        to_visit.push_back(v);
      }
    }
  }
}

void spanning_problem::reset() {
  for (auto& p : parent_) p.store(k_none, std::memory_order_relaxed);  // relaxed: nobody else runs
  parent_[k_root].store(k_root, std::memory_order_relaxed);            // relaxed: nobody else runs
}

/// Exactly the reachable vertices are labelled, every parent is a neighbour, and every path of parents ends at the root.
void spanning_problem::verify() const {
  std::vector<std::uint8_t> leads_to_root(vertices_);
  leads_to_root[k_root] = 1;
  std::vector<vertex> path;
  for (std::uint64_t i = 0; i < vertices_; ++i) {
    auto v = static_cast<vertex>(i);
    const vertex p = parent_[v].load(std::memory_order_relaxed);  // relaxed: the pass has been joined
    const auto wrong = [i](const std::string& what) { throw wrong_answer("vertex " + std::to_string(i) + " " + what); };
    if ((p != k_none) != (reachable_[v] != 0)) wrong(p == k_none ? "was not reached" : "cannot be reached");
    if (p == k_none) continue;
    if (v != k_root && (p >= vertices_ || std::ranges::find(neighbours(v), p) == neighbours(v).end())) {
      wrong("has a parent that is not its neighbour");
    }
    path.clear();
    while (leads_to_root[v] == 0) {
      if (path.size() > reachable_count_) wrong("is on or above a cycle of parents");
      path.push_back(v);
      v = parent_[v].load(std::memory_order_relaxed);  // relaxed: the pass has been joined
      if (v >= vertices_) wrong("has an ancestor without a parent");
    }
    for (const vertex on_path : path) leads_to_root[on_path] = 1;
  }
}

void spanning_problem::report(nlohmann::json& line) const {
  line["size"] = vertices_;
  line["edges"] = vertices_ * k_edges_per_vertex;
  line["reached"] = reachable_count_;
  line["edges_per_second"] = static_cast<double>(vertices_ * k_edges_per_vertex) / line["seconds"].get<double>();
  line["peak_bytes_per_vertex"] = line["peak_rss_delta"].get<double>() / static_cast<double>(vertices_);
}

}  // namespace bench
