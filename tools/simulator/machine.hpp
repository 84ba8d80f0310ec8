// SPDX-License-Identifier: Apache-2.0
// Places that run a workload in simulated time: the policies are those of the library, and what they decide is charged by a cost model.
#pragma once

#include <tactus/base/placement_policy.hpp>

#include "simulator/costs.hpp"
#include "simulator/workload.hpp"

#include <cstdint>

namespace simulator {

struct machine {
  int places = 16;
  int workers = 1;  ///< of each
  tactus::placement_policy policy = tactus::placement_policy::none;
  tactus::placement_tuning tuning = {};
  std::int64_t latency_ns = 2000;       ///< of a message, besides its bytes
  std::int64_t near_latency_ns = 2000;  ///< within a group
  int group = 1;                        ///< so many places that follow each other
  costs cost = {};
  std::uint64_t seed = 1;
};

struct outcome {
  std::int64_t makespan_ns = 0;
  std::int64_t busy_ns = 0;      ///< of all workers, in tasks
  double efficiency = 0;         ///< busy / (workers * makespan)
  double utilisation_sigma = 0;  ///< of what share of the time places were busy, in percent
  std::uint64_t tasks = 0;
  std::uint64_t moves = 0;
  std::uint64_t messages = 0;
};

/// Runs all of it; the same for the same arguments. Throws std::logic_error if a task was lost or run twice.
outcome simulate(const workload& work, const machine& on);

}  // namespace simulator
