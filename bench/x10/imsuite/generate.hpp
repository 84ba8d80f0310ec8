// SPDX-License-Identifier: Apache-2.0
// Inputs for the kernels, so that nothing outside of the repository is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "x10/imsuite/graph.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

/// What a generated graph looks like. All are connected.
enum class family {
  spmax,     ///< sparse with two hubs, n floor(log2 n) - 1 edges: the degrees of the published inputs
  random,    ///< every pair with probability 1/2
  complete,  ///< every pair
  spmin,     ///< a random tree and n / 16 edges more
  chain,     ///< node i beside i - 1
  star,      ///< all beside node 0
  ring,      ///< HS and LCR only: ids in ring order, no graph
};

/// By its name above; throws std::invalid_argument with the names that there are.
family family_named(const std::string& name);
std::string name_of(family shape);

/// What to generate: the same recipe gives the same input on every machine.
struct recipe {
  family shape = family::spmax;
  std::size_t n = 512;
  std::uint64_t seed = 1;
};

/// A graph of n >= 2 nodes; not for ring.
graph generate_graph(const recipe& r);

/// The input of a kernel, one of the structs of input.hpp. Ids are a random order of 1 to n, k is 3 (the published
/// value) or n if that is less, roots are random, and for spmax of the published eccentricity 3 where there is one.
/// VC takes the breadth-first tree of the graph below node 0.
template <class Input>
Input generate(const recipe& r);

/// The published family of a kernel: ring, chain or spmax.
template <class Input>
constexpr family default_family() {
  return family::spmax;
}
template <>
constexpr family default_family<hs_input>() {
  return family::ring;
}
template <>
constexpr family default_family<lcr_input>() {
  return family::ring;
}
template <>
constexpr family default_family<vc_input>() {
  return family::chain;
}

}  // namespace bench::imsuite
