// SPDX-License-Identifier: Apache-2.0
// For tests of what the library leaves alone: the program's default memory resource.
#pragma once

#include <memory_resource>

namespace support {

/// While there is one, the default memory resource has no memory.
class no_default_memory {
public:
  no_default_memory() = default;
  ~no_default_memory() { std::pmr::set_default_resource(before_); }
  no_default_memory(const no_default_memory&) = delete;
  no_default_memory& operator=(const no_default_memory&) = delete;

private:
  std::pmr::memory_resource* before_ = std::pmr::set_default_resource(std::pmr::null_memory_resource());
};

}  // namespace support
