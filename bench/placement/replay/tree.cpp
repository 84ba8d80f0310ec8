// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random_numbers.hpp"

namespace bench {
namespace {

constexpr std::uint64_t k_tasks = 1000;
constexpr std::uint64_t k_shortest_ns = 1000;
constexpr std::uint64_t k_bytes = 32;

}  // namespace

task_table made_tree(const options& o) {
  const std::uint64_t tasks = o.size == 0 ? k_tasks : o.size;
  random_numbers from(o.seed);
  std::vector<std::vector<std::size_t>> children(tasks);
  for (std::size_t i = 1; i < tasks; ++i) children[from.below(i)].push_back(i);

  task_table made;
  made.sites = {{"node", table_site::kind::flexible}};
  made.roots = 1;
  made.spawns_at_end = true;
  std::vector<std::size_t> order{0};  // generation after generation
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<std::size_t>& those = children[order[i]];
    made.tasks.push_back({k_shortest_ns + from.below(2 * k_shortest_ns), k_bytes, 0, 0,
                          static_cast<std::uint32_t>(order.size()), static_cast<std::uint32_t>(those.size())});
    order.insert(order.end(), those.begin(), those.end());
  }
  return made;
}

}  // namespace bench
