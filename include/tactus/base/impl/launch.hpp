// SPDX-License-Identifier: Apache-2.0
// Which of the processes that a launcher has started together this one is.
#pragma once

#include <tactus/base/impl/standard.hpp>

namespace tactus::detail {

struct launch {
  int rank = 0;
  int ranks = 1;
  int ranks_here = 1;  ///< on this machine

  [[nodiscard]] bool has_others() const noexcept { return ranks > 1; }
};

}  // namespace tactus::detail
