// SPDX-License-Identifier: Apache-2.0
// The kernels with a task_group in the place of each barrier.
#pragma once

#include <oneapi/tbb/task_group.h>

#include <cstddef>
#include <mutex>

#include "x10/imsuite/engines/reforking.hpp"

namespace bench::imsuite {

class onetbb_fork {
public:
  template <class F>
  void each(std::size_t n, const F& f) {
    oneapi::tbb::task_group group;
    for (std::size_t i = 0; i < n; ++i) group.run([&f, i] { f(i); });
    group.wait();
  }

  /// A user of oneTBB takes the mutex of the standard library for blocks that are this short.
  template <class F>
  void atomic(const F& f) {
    const std::lock_guard hold(mutex_);
    f();
  }

private:
  std::mutex mutex_;
};

using onetbb_engine = reforking_engine<onetbb_fork>;

static_assert(engine<onetbb_engine>);

}  // namespace bench::imsuite
