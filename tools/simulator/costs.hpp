// SPDX-License-Identifier: Apache-2.0
// What things cost on the simulated machine.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace simulator {

/// The defaults are a guess at a cluster. Nanoseconds, but for what is per byte.
struct costs {
  std::optional<std::int64_t> latency;  ///< of a message, if it was measured
  std::int64_t send = 100;              ///< the sender's time for a message, besides its bytes
  std::int64_t receive = 200;           ///< the receiver's
  std::int64_t failed_steal = 500;      ///< a look at another worker of the place that finds nothing
  std::int64_t poll = 20'000;           ///< from one look at messages to the next while all workers compute
  std::int64_t result = 500;            ///< to take a result in, besides its bytes
  std::int64_t pack = 0;                ///< the spawner's time for each flexible task, besides that in the workload
  double per_byte = 0.2;                ///< on its way; half of it is the sender's time
  double result_per_byte = 0.1;
};

/// Lines NAME VALUE: send_ns and so on (docs/simulator.md); what is not there keeps its default. `name` is how errors call the file.
costs costs_in(std::istream& in, const std::string& name);

}  // namespace simulator
