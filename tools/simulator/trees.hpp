// SPDX-License-Identifier: Apache-2.0
// Trees whose nodes are tasks.
#pragma once

#include "simulator/workload.hpp"

#include <cstdint>
#include <string>

namespace simulator {

struct tree_shape {
  enum kind {
    binomial,          ///< `children` with probability `likelihood`, else none; the root has `branching`
    geometric_cyclic,  ///< geometric distribution whose mean swings with depth
    geometric_fixed,   ///< its mean is `branching` until `depth`, then 0
  };
  kind law;
  double branching;
  int depth;
  double likelihood;
  std::uint32_t children;
  std::uint32_t seed;
};

inline constexpr tree_shape k_t1{tree_shape::geometric_fixed, 4, 10, 0, 0, 19};
inline constexpr tree_shape k_t2{tree_shape::geometric_cyclic, 6, 16, 0, 0, 502};
inline constexpr tree_shape k_t3{tree_shape::binomial, 2000, 0, 0.124875, 8, 42};

/// Of binomial:B0,M,Q,SEED; bad_input for anything else.
tree_shape binomial_shape(const std::string& name);

workload tree(const tree_shape& shape, std::int64_t grain_ns);

}  // namespace simulator
