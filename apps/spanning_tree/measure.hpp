// SPDX-License-Identifier: Apache-2.0
// Runs one version of the search several times and checks every forest it makes.
#pragma once

#include "graph.hpp"
#include "progress.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spanning {

enum class version : std::uint8_t { serial, work_first, help_first, adaptive, batched };

/// As the command line spells it.
std::string_view name_of(version v) noexcept;

enum class outcome : std::uint8_t {
  ok,     ///< every repetition made a spanning forest
  limit,  ///< a limit on stacks or memory ended the search; the message states it
  wrong,  ///< a repetition made something else
};

struct measure_settings {
  int threads = 0;               ///< as in tactus::config
  int reps = 3;                  ///< at least 1
  std::size_t memory_bytes = 0;  ///< as in tactus::config
  bool stats = false;
  apps::progress_style progress = apps::progress_style::silent;
};

struct measurement {
  version what = version::serial;
  outcome result = outcome::ok;
  std::string message;  ///< why the result is not ok
  int workers = 1;
  std::vector<double> seconds;  ///< of the repetitions that ended, in the order they ran
  std::uint64_t num_trees = 0;
  std::optional<std::uint64_t>
      peak_bytes;  ///< resident memory beyond graph and forest; with the runtime, where there is one

  [[nodiscard]] double median_seconds() const;  ///< 0 when no repetition ended
};

/// Measures only the search; neither clearing `parent` before it nor checking the forest after it. Leaves the forest of
/// the last repetition in `parent`. A version with tasks keeps its runtime, and so its warm stacks, between repetitions.
/// Throws what the search throws, except that a limit becomes outcome::limit. Not callable inside a task.
measurement measure(version what, const graph& g, std::uint64_t num_components, const measure_settings& settings,
                    std::vector<vertex>& parent);

}  // namespace spanning
