// SPDX-License-Identifier: Apache-2.0
// The trees of UTS (Olivier et al., LCPC 2006).
#include "simulator/trees.hpp"

#include "simulator/sha1.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace simulator {
namespace {

constexpr double k_random_limit = 2147483648.0;  // 2^31
constexpr std::uint32_t k_most_children = 100;   // UTS's limit, the root of a binomial tree apart
constexpr int k_cycles = 5;                      // of a cyclic tree; below them nobody has children
constexpr std::uint32_t k_bytes_of_node = 32;

digest seeded(std::uint32_t seed) {
  std::array<std::uint8_t, 20> zeros_and_seed{};
  for (std::size_t i = 0; i < 4; ++i) zeros_and_seed[16 + i] = static_cast<std::uint8_t>(seed >> (24 - 8 * i));
  return sha1(zeros_and_seed);
}

digest child_of(const digest& parent, std::uint32_t number) {
  std::array<std::uint8_t, 24> both{};
  std::ranges::copy(parent, both.begin());
  for (std::size_t i = 0; i < 4; ++i) both[20 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return sha1(both);
}

std::uint32_t value_of(const digest& d) {
  return (std::uint32_t{d[16]} << 24 | std::uint32_t{d[17]} << 16 | std::uint32_t{d[18]} << 8 | d[19]) & 0x7FFFFFFF;
}

std::uint32_t geometric(std::uint32_t random, double mean) {
  const double likelihood_of_end = 1 / (1 + mean);
  const double uniform = random / k_random_limit;
  const double drawn = std::floor(std::log(1 - uniform) / std::log(1 - likelihood_of_end));
  return std::min(static_cast<std::uint32_t>(drawn), k_most_children);
}

std::uint32_t children_of(const tree_shape& shape, std::uint32_t random, int depth) {
  switch (shape.law) {
    case tree_shape::geometric_fixed: return depth < shape.depth ? geometric(random, shape.branching) : 0;
    case tree_shape::geometric_cyclic: {
      if (depth > k_cycles * shape.depth) return 0;
      const double swing = std::sin(2 * std::numbers::pi * depth / shape.depth);
      return geometric(random, depth == 0 ? shape.branching : std::pow(shape.branching, swing));
    }
    case tree_shape::binomial: break;
  }
  if (depth == 0) return static_cast<std::uint32_t>(shape.branching);
  return random < shape.likelihood * k_random_limit ? shape.children : 0;
}

std::string binomial_form(const std::string& name) {
  return "--workload '" + name +
         "' is not allowed; allowed: binomial:B0,M,Q,SEED, such as binomial:2000,8,0.124875,42, with M * Q < 1";
}

// The numbers between commas; fails where there is anything else.
std::vector<double> numbers_in(std::string_view text, const std::string& name) {
  std::vector<double> found;
  while (true) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) throw bad_input(binomial_form(name));
    found.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return found;
    if (text.front() != ',') throw bad_input(binomial_form(name));
    text.remove_prefix(1);
  }
}

bool is_whole(double x, double most) { return x >= 0 && x <= most && x == std::floor(x); }

}  // namespace

tree_shape binomial_shape(const std::string& name) {
  constexpr std::string_view prefix = "binomial:";
  const std::vector<double> n = numbers_in(std::string_view(name).substr(prefix.size()), name);
  if (n.size() != 4 || !is_whole(n[0], 1e8) || !is_whole(n[1], 1e6) || n[2] < 0 || n[2] > 1 || n[1] * n[2] >= 1 ||
      !is_whole(n[3], 4294967295.0)) {
    throw bad_input(binomial_form(name));
  }
  return {tree_shape::binomial, n[0], 0, n[2], static_cast<std::uint32_t>(n[1]), static_cast<std::uint32_t>(n[3])};
}

workload tree(const tree_shape& shape, std::int64_t grain_ns) {
  struct node {
    digest state;
    int depth;
  };
  workload made;
  std::vector<node> level{
      {seeded(shape.seed), 0}};  // the nodes whose children are not known yet; level by level, as tasks are numbered
  std::vector<node> next;
  std::uint32_t known = 1;
  while (!level.empty()) {
    next.clear();
    for (const node& n : level) {
      const std::uint32_t children = children_of(shape, value_of(n.state), n.depth);
      if (made.tasks.size() + children > k_most_tasks)
        throw bad_input("--workload: the tree has more than 200 million nodes");
      made.tasks.push_back({grain_ns, known, children, k_bytes_of_node, 0, k_where_parent_runs, true});
      known += children;
      for (std::uint32_t i = 0; i < children; ++i) next.push_back({child_of(n.state, i), n.depth + 1});
    }
    std::swap(level, next);
  }
  made.tasks.front().place = 0;
  made.roots.push_back(0);
  return made;
}

}  // namespace simulator
