// SPDX-License-Identifier: Apache-2.0
// What this process may use of the machine: processors and memory, as the affinity mask and the control groups say.
// Files of the kernel are read below `root`, normally "": tests give a directory of their own.
#pragma once

#include <tactus/base/impl/api.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::detail {

/// The processors in the affinity mask of the calling thread, ascending; never empty.
[[nodiscard]] std::vector<int> affinity_processors();

/// min(processors in the affinity mask, quota), at least 1.
[[nodiscard]] int usable_cores(const std::string& root = "");

/// Bytes that can be had without swapping: min(MemAvailable, what the control groups allow).
[[nodiscard]] TACTUS_API std::uint64_t available_memory(const std::string& root = "");

/// Bytes of this process that are in memory now; 0 where the system does not tell. Allocates nothing; about 2 us.
[[nodiscard]] std::uint64_t resident_memory() noexcept;

/// What a configuration is resolved against.
struct machine_limits {
  int cores = 1;                     ///< that this process may use
  int processors = 0;                ///< of the machine, as far as it is known; 0: it is not
  std::uint64_t memory_bytes = 0;    ///< available now
  std::uint64_t resident_bytes = 0;  ///< what the process has of it already
  std::size_t page_bytes = 4096;
};

/// The limits of this process as they are now; reads a handful of small files.
[[nodiscard]] machine_limits this_machine();

}  // namespace tactus::detail
