// SPDX-License-Identifier: Apache-2.0
// The kernels with a finish in the place of each barrier.
#pragma once

#include <cstddef>
#include <tactus/sync/atomic.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>

#include "x10/imsuite/engines/reforking.hpp"

namespace bench::imsuite {

class async_finish_fork {
public:
  template <class F>
  void each(std::size_t n, const F& f) {
    tactus::finish([&f, n] {
      for (std::size_t i = 0; i < n; ++i) tactus::async([&f, i] { f(i); });
    });
  }

  template <class F>
  void atomic(const F& f) {
    tactus::atomic(f);
  }
};

using async_finish_engine = reforking_engine<async_finish_fork>;

static_assert(engine<async_finish_engine>);

}  // namespace bench::imsuite
