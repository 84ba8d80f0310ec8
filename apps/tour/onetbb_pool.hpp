// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>

namespace tour {

namespace tbb = oneapi::tbb;

/// An arena of oneTBB with so many threads, the calling one among them.
struct onetbb_pool {
  explicit onetbb_pool(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), arena(threads) {}

  tbb::global_control limit;
  tbb::task_arena arena;
};

}  // namespace tour
