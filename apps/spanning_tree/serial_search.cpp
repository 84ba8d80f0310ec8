// SPDX-License-Identifier: Apache-2.0
#include "serial_search.hpp"

#include "label.hpp"

#include <vector>

namespace spanning {

void search_serial(const graph& g, std::span<vertex> parent) {
  std::vector<vertex> stack;
  for (std::uint64_t i = 0; i < g.num_vertices(); ++i) {
    const auto root = static_cast<vertex>(i);
    if (label(parent[root]).is_set()) {
      continue;
    }
    label(parent[root]).set(root);
    stack.push_back(root);
    while (!stack.empty()) {
      const vertex v = stack.back();
      stack.pop_back();
      for (const vertex e : g.neighbours(v)) {
        if (!label(parent[e]).is_set()) {
          label(parent[e]).set(v);
          stack.push_back(e);
        }
      }
    }
  }
}

}  // namespace spanning
