// SPDX-License-Identifier: Apache-2.0
// A streambuf on memory that is there already, for libraries that write to streams: nothing is allocated for a message, and nothing
// copied besides.
#pragma once

#include <cstddef>
#include <streambuf>
#include <vector>

namespace bench {

class memory_stream : public std::streambuf {
public:
  explicit memory_stream(std::vector<char>& memory) : memory_(memory) {
    setp(memory_.data(), memory_.data() + memory_.size());
  }

  /// What has been written may be read.
  void turn_round() { setg(memory_.data(), memory_.data(), pptr()); }

private:
  std::vector<char>& memory_;
};

/// Enough for every shape.
inline constexpr std::size_t k_memory_bytes = std::size_t{2} << 20U;

}  // namespace bench
