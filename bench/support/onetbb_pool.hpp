// SPDX-License-Identifier: Apache-2.0
// A oneTBB arena with a fixed number of workers, the calling thread among them.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>

#include "support/onetbb_version.hpp"

namespace bench {

class onetbb_pool {
public:
  explicit onetbb_pool(int threads)
      : limit_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena_(threads) {
    expect_own_onetbb();
    arena_.initialize();
  }

  template <class Body>
  void run(Body&& body) {
    arena_.execute(static_cast<Body&&>(body));
  }

private:
  oneapi::tbb::global_control limit_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace bench
