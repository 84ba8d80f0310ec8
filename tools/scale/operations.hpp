// SPDX-License-Identifier: Apache-2.0
// What the protocols of the library send, at so many places: each operation is carried out by a runtime of this process.
#pragma once

#include "scale/virtual_network.hpp"

#include <cstdint>

namespace scale {

enum class operation : std::uint8_t {
  finish,   ///< place 0 waits for a task at each other place
  round,    ///< place 0 waits for a task that goes to each place, one after the other
  at_each,  ///< place 0 calls a function at each
  barrier,  ///< of all
  verdict,  ///< a task of each place waits for what no task will do
};

struct outcome {
  std::uint64_t messages = 0;
  std::uint64_t at_busiest = 0;  ///< messages that one place sends and takes
  std::int64_t time = 0;         ///< of the longest path: messages that wait for each other, and the places' own
};

/// \param places 2 and more, each with one worker
/// Errors: tactus::resource_error where there are not so many threads.
[[nodiscard]] outcome cost_of(operation what, int places, const costs& c);

}  // namespace scale
