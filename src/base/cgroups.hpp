// SPDX-License-Identifier: Apache-2.0
// What the control groups allow this process: processors and memory.
//
// proc/self/mountinfo tells where hierarchies are mounted and proc/self/cgroup in which group of each the process is; both
// versions are understood, also side by side. A limit holds for everything below the group that sets it, so the path from
// the process's own group up to the root of the mount is walked and the smallest limit wins. Sets of processors (cpuset)
// need no look: the kernel keeps them in the affinity mask. A file that is missing, short or not understood sets no limit.
//
// Files are read below `root`, normally "": tests give a directory of their own.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::detail {

enum class cgroup_version : std::uint8_t { v1, v2 };

/// A mounted hierarchy in which the process is: its own group is the directory mount + path, and those above it up to the
/// mount are seen too.
struct cgroup_hierarchy {
  cgroup_version version;
  std::string mount;
  std::string path;  ///< "" or "/outer/inner"

  bool operator==(const cgroup_hierarchy&) const = default;
};

/// The hierarchies that may limit `controller`, from the texts of the two files. Left out is a mount that shows another
/// part of the tree: a group whose limits are not the process's. Where a name space hides what the groups between a mount
/// and the process are called, the path is "", for the root of the mount holds all the same.
[[nodiscard]] std::vector<cgroup_hierarchy> cgroup_hierarchies(std::string_view mountinfo, std::string_view membership,
                                                               std::string_view controller);

/// The processor quota of the control groups in whole cores, rounded up (half a core is one); none: no quota.
[[nodiscard]] std::optional<int> cgroup_cores(const std::string& root);

/// Bytes that the control groups still allow, page cache that can be dropped counted as free; none: no limit.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory(const std::string& root);

/// Whole cores of the text of cpu.max, "quota period" in microseconds.
[[nodiscard]] std::optional<int> cores_of_cpu_max(std::string_view text);

}  // namespace tactus::detail
