// SPDX-License-Identifier: Apache-2.0
// DR, routing tables of all nodes by Dijkstra's algorithm, one task for each source. It has no barrier and no atomic
// block: the control among the kernels, with an async-finish form only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class dr_state {
public:
  static constexpr std::uint32_t k_nobody = UINT32_MAX;
  static constexpr std::int64_t k_unreachable = std::numeric_limits<std::int64_t>::max();

  struct route {
    std::int64_t cost = k_unreachable;
    std::uint32_t parent = k_nobody;  ///< the last node before the target
    std::uint32_t next = k_nobody;    ///< the first node after the source
  };

  /// The weights of edges are positive, else std::invalid_argument.
  explicit dr_state(dr_input given, std::uint64_t load_of_task = 0);
  void reset();

  /// The routes from this node to all nodes.
  void route_from(std::size_t source);

  const dr_input input;
  const std::uint64_t load;
  std::vector<std::vector<route>> table;  ///< [source][target]
};

template <class Engine>
void run_dr(Engine& engine, dr_state& state) {
  engine.each(state.table.size(), [&state](std::size_t source) {
    state.route_from(source);
    burn(state.load);
  });
}

/// No edge shortens a route, each route is as long as the one to its parent and the edge from there, and its first hop
/// is that of the parent's route: together these say that every cost is the least.
void verify_dr(const dr_state& state);

}  // namespace bench::imsuite
