// SPDX-License-Identifier: Apache-2.0
// What the simulator (docs/simulator.md) makes of a run that has just been: the same tasks, each as long as it took, at as many places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/passing_file.hpp"
#include "placement/replay/table.hpp"

namespace bench {

class simulation {
public:
  /// Of so many places and workers of each; a task without a parent is of place `root_place`. Measures what things cost between two places of
  /// this machine whose tasks sleep.
  simulation(int places, int workers, int root_place);

  /// The makespan under this policy; the median of some seeds.
  [[nodiscard]] double seconds(const task_table& table, const std::vector<std::uint64_t>& took_ns,
                               const std::string& policy) const;

private:
  int places_;
  int workers_;
  int root_place_;
  passing_file costs_{".costs"};
};

}  // namespace bench
