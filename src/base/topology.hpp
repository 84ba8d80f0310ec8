// SPDX-License-Identifier: Apache-2.0
// Which processors share a cache or a package, as Linux says below /sys/devices/system/cpu; no library is needed for it.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::detail {

/// A list of processors as the kernel writes it ("0-3,8"), ascending; none if it is not understood.
[[nodiscard]] std::optional<std::vector<int>> parse_processors(std::string_view list);

/// The sets of processors that share something with `processor`, the smallest first, each larger than the one before: caches,
/// package. Empty where the kernel does not say. `root` is normally "", tests give a directory of their own.
[[nodiscard]] std::vector<std::vector<int>> neighbourhoods(int processor, const std::string& root = "");

/// The processors of the node of memory (NUMA) that `processor` belongs to, ascending; itself alone where the kernel does not say.
[[nodiscard]] std::vector<int> numa_node_of(int processor, const std::string& root = "");

/// How many of the neighbourhoods end before `other`: 0 is nearest.
[[nodiscard]] std::size_t distance_to(int other, const std::vector<std::vector<int>>& of_one);

}  // namespace tactus::detail
