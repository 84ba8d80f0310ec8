// SPDX-License-Identifier: Apache-2.0
// What the runtime has counted of one pass.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace bench {

struct placement_figures {
  std::uint64_t spawned = 0;  ///< tasks of all kinds
  std::uint64_t moves = 0;
  std::uint64_t migrations = 0;  ///< tasks that moved at least once
  std::uint64_t messages = 0;
  std::uint64_t migrated_bytes = 0;
  double utilisation_mean = 0;  ///< over places, in percent
  double utilisation_sigma = 0;

  void add_to(nlohmann::json& line) const {
    line["spawned"] = spawned;
    line["moves"] = moves;
    line["migrations"] = migrations;
    line["migration_ratio"] = spawned == 0 ? 0 : static_cast<double>(migrations) / static_cast<double>(spawned);
    line["messages"] = messages;
    line["migrated_bytes"] = migrated_bytes;
    line["utilisation_mean"] = utilisation_mean;
    line["utilisation_sigma"] = utilisation_sigma;
  }
};

}  // namespace bench
