// SPDX-License-Identifier: Apache-2.0
#include "tasks/uts/uts.hpp"

#include <nettle/sha1.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace bench {
namespace {

constexpr std::uint32_t k_most_children = 100;  // UTS's limit, the root of a binomial tree apart
constexpr int k_cycles = 5;                     // of a cyclic tree; below them nobody has children

std::array<std::uint8_t, 4> big_endian(std::uint32_t x) {
  const auto byte = [x](int shift) { return static_cast<std::uint8_t>(x >> shift); };
  return {byte(24), byte(16), byte(8), byte(0)};
}

}  // namespace

sha1_random sha1_random::seeded(std::uint32_t seed) {
  sha1_random zeros_and_seed;
  std::ranges::copy(big_endian(seed), zeros_and_seed.digest_.begin() + 16);
  sha1_random result;
  sha1_ctx hash;
  sha1_init(&hash);
  sha1_update(&hash, zeros_and_seed.digest_.size(), zeros_and_seed.digest_.data());
  sha1_digest(&hash, result.digest_.size(), result.digest_.data());
  return result;
}

sha1_random sha1_random::split(std::uint32_t child) const {
  sha1_random result;
  const std::array<std::uint8_t, 4> number = big_endian(child);
  sha1_ctx hash;
  sha1_init(&hash);
  sha1_update(&hash, digest_.size(), digest_.data());
  sha1_update(&hash, number.size(), number.data());
  sha1_digest(&hash, result.digest_.size(), result.digest_.data());
  return result;
}

std::uint32_t uts_shape::other_children(std::uint32_t random, std::uint32_t at_depth) const {
  if (law == kind::binomial) return static_cast<std::uint32_t>(branching);  // the root
  const bool is_binomial = law == kind::hybrid && at_depth >= static_cast<std::uint32_t>(depth) / 2;
  return std::min(is_binomial ? binomial(random) : geometric(random, at_depth), k_most_children);
}

std::uint32_t uts_shape::geometric(std::uint32_t random, std::uint32_t at_depth) const {
  double mean = branching;
  const double level = at_depth;
  if (at_depth > 0) {
    switch (law) {
      case kind::geometric_cyclic:
        mean = level > k_cycles * depth ? 0 : std::pow(branching, std::sin(2 * std::numbers::pi * level / depth));
        break;
      case kind::geometric_fixed: mean = level < depth ? branching : 0; break;
      default: mean = branching * (1 - level / depth); break;
    }
  }
  const double likelihood_of_end = 1 / (1 + mean);
  const double uniform = static_cast<double>(random) / k_uts_random_limit;
  return static_cast<std::uint32_t>(std::floor(std::log(1 - uniform) / std::log(1 - likelihood_of_end)));
}

const uts_shape& uts_problem::shape_named(const std::string& name) {
  using enum uts_shape::kind;
  static constexpr std::array<uts_shape, 9> k_shapes{{
      {"mixed", binomial, 2000, 0, 0.124875, 8, 42, {}},
      {"T1", geometric_fixed, 4, 10, 0, 0, 19, {4'130'071, 3'305'118, 10}},
      {"T2", geometric_cyclic, 6, 16, 0, 0, 502, {4'117'769, 2'342'762, 81}},
      {"T3", binomial, 2000, 0, 0.124875, 8, 42, {4'112'897, 3'599'034, 1572}},
      {"T4", hybrid, 6, 16, 0.234375, 4, 1, {4'132'453, 3'108'986, 134}},
      {"T5", geometric_linear, 4, 20, 0, 0, 34, {4'147'582, 2'181'318, 20}},
      {"T1L", geometric_fixed, 4, 13, 0, 0, 29, {102'181'082, 81'746'377, 13}},
      {"T2L", geometric_cyclic, 7, 23, 0, 0, 220, {96'793'510, 53'791'152, 104}},
      {"T3L", binomial, 2000, 0, 0.200014, 5, 7, {111'345'631, 89'076'904, 17'844}},
  }};
  std::string known;
  for (const uts_shape& shape : k_shapes) {
    if (name == shape.name) return shape;
    known += std::string(known.empty() ? "" : ", ") + shape.name;
  }
  throw std::invalid_argument("uts: --shape '" + name + "' is no tree that is known; known: " + known);
}

uts_problem::uts_problem(const options& o)
    : shape_(shape_named(o.shape.empty() ? "mixed" : o.shape)),
      mixed_(shape_.published == uts_size{}),
      expected_(shape_.published) {
  if (mixed_) count_sequentially();
}

void uts_problem::count_sequentially() {
  const uts_tree<mixed_random> tree(shape_);
  std::vector<uts_tree<mixed_random>::node> to_visit{tree.root()};
  while (!to_visit.empty()) {
    const auto n = to_visit.back();
    to_visit.pop_back();
    const std::uint32_t children = count(tree, n);
    for (std::uint32_t i = 0; i < children; ++i) to_visit.push_back(tree.child(n, i));
  }
  expected_ = total();
}

uts_size uts_problem::total() const {
  uts_size all;
  counted_.each([&all](const uts_size& of_thread) { all.add(of_thread); });
  return all;
}

void uts_problem::verify() const {
  const auto text = [](const uts_size& s) {
    return std::to_string(s.nodes) + " nodes, " + std::to_string(s.leaves) + " leaves, depth " +
           std::to_string(s.depth);
  };
  if (total() != expected_) {
    throw wrong_answer(std::string("tree ") + shape_.name + ": " + text(total()) + ", not " + text(expected_));
  }
}

}  // namespace bench
