// SPDX-License-Identifier: Apache-2.0
// What this process may use of the machine: processors and memory, as the affinity mask and the control groups say.
//
// Control groups are read from `root`, normally "", below which proc/self/cgroup and sys/fs/cgroup are looked for: tests
// give a directory of their own. Both versions are understood, also side by side. A limit holds for everything below the
// group that sets it, so the path from the process's own group up to the top is walked and the smallest limit wins.
// A file that is missing, short or not understood sets no limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::detail {

/// The processors in the affinity mask of the calling thread, ascending; never empty.
[[nodiscard]] std::vector<int> affinity_processors();

/// The processor quota of the control groups in whole cores, rounded up (half a core is one); none: no quota.
[[nodiscard]] std::optional<int> cgroup_cores(const std::string& root);

/// min(processors in the affinity mask, quota), at least 1.
[[nodiscard]] int usable_cores(const std::string& root = "");

/// Bytes that the control groups still allow, page cache that can be dropped counted as free; none: no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory(const std::string& root);

/// Bytes that can be had without swapping: min(MemAvailable, what the control groups allow).
[[nodiscard]] std::uint64_t available_memory(const std::string& root = "");

/// What a configuration is resolved against.
struct machine_limits {
  int cores = 1;
  std::uint64_t memory_bytes = 0;  ///< available now
  std::size_t page_bytes = 4096;
};

/// The limits of this process as they are now; reads a handful of small files.
[[nodiscard]] machine_limits this_machine();

}  // namespace tactus::detail
