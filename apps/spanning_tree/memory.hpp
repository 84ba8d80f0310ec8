// SPDX-License-Identifier: Apache-2.0
// How much memory there is to take and how much this process has taken, as the kernel counts it.
#pragma once

#include <cstdint>
#include <optional>

namespace spanning {

/// Bytes that can still be used without swapping: the machine's or, when smaller, what the cgroup leaves.
std::uint64_t available_memory();

/// The largest resident size since the construction of this object, beyond the size at construction.
/// One at a time per process: construction moves the kernel's mark for the whole process.
class peak_memory {
public:
  peak_memory();

  /// Nothing where the kernel does not let a process move its mark.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const;

private:
  std::optional<std::uint64_t> before_;
};

}  // namespace spanning
