// SPDX-License-Identifier: Apache-2.0
// VC: colouring a rooted tree with three colours, after Cole and Vishkin. Comparing its colour with its parent's, a
// node shortens it to the place and value of the lowest bit that differs, until six colours are left; then the
// colours 5, 4 and 3 are given up one by one. One advance in a round, no atomic block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random_numbers.hpp"
#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class vc_state {
public:
  static constexpr std::uint32_t k_few = 6;  ///< what the reduction ends with

  struct node {
    std::uint32_t colour = 0;         ///< in the end the answer: 0, 1 or 2
    std::uint32_t parent_colour = 0;  ///< written by the parent only
    bool again = false;               ///< has too large a colour still
  };

  explicit vc_state(vc_input in, std::uint64_t load_iterations = 0);
  void reset();

  [[nodiscard]] bool too_many_colours() const;

  /// The first step of every round.
  void tell_children(std::size_t i) {
    for (const std::uint32_t child : children[i]) nodes[child].parent_colour = nodes[i].colour;
  }
  /// The second: reduces the colour, or takes the parent's.
  void reduce(std::size_t i);
  void take_parents(std::size_t i) {
    if (i != input.root) nodes[i].colour = nodes[i].parent_colour;
  }
  /// After a shift: the root needs another colour than its children, who have its old one.
  void recolour_root();
  /// Gives up colour x for one of the first three. No neighbour of i changes its colour meanwhile: none has x.
  void give_up(std::size_t i, std::uint32_t x);

  const vc_input input;
  const std::uint64_t load;
  std::vector<std::vector<std::uint32_t>> children;
  std::vector<node> nodes;
  random_numbers random{1};
};

template <class Engine>
void run_vc(Engine& engine, vc_state& s) {
  const std::size_t n = s.nodes.size();
  const auto tell = [&s](std::size_t i) { s.tell_children(i); };
  const auto reduce = [&s](std::size_t i) {
    s.reduce(i);
    burn(s.load);
  };
  const auto shift = [&s](std::size_t i) {
    s.take_parents(i);
    burn(s.load);
  };
  while (s.too_many_colours()) engine.round(n, hint::eager, tell, reduce);
  for (const std::uint32_t x : {5u, 4u, 3u}) {
    engine.round(n, hint::eager, tell, shift);
    s.recolour_root();
    engine.each(n, [&s, x](std::size_t i) { s.give_up(i, x); });
  }
}

/// Three colours at most, and the two ends of every edge differ.
void verify_vc(const vc_state& s);

inline void vc_state::reduce(std::size_t i) {
  node& here = nodes[i];
  here.again = false;
  if (i == input.root) return;
  const auto k = static_cast<std::uint32_t>(std::countr_zero(here.colour ^ here.parent_colour));
  here.colour = 2 * k + ((here.colour >> k) & 1u);
  here.again = here.colour >= k_few;
}

inline void vc_state::give_up(std::size_t i, std::uint32_t x) {
  if (nodes[i].colour != x) return;
  // After a shift all children have one colour, so the first speaks for all.
  const bool has_child = !children[i].empty();
  std::uint32_t free = 0;
  while ((i != input.root && nodes[input.parent[i]].colour == free) ||
         (has_child && nodes[children[i].front()].colour == free))
    ++free;
  nodes[i].colour = free;
}

}  // namespace bench::imsuite
