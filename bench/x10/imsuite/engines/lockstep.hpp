// SPDX-License-Identifier: Apache-2.0
// The kernels as loops in lock step, without a stack for each node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tactus/sync/lockstep.hpp>
#include <vector>

#include "x10/imsuite/engine.hpp"

namespace bench::imsuite {

class lockstep_engine {
public:
  template <class Hints, class... Steps>
  void round(std::size_t n, const Hints& /*hints*/, const Steps&... steps) {
    bool done = false;
    const auto once = [&done] {
      const bool go_on = !done;
      done = true;
      return go_on;
    };
    tactus::lockstep(std::size_t{0}, n, once, steps...);
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    round(n, hint::lazy, f);
  }

  /// A node that has left is passed over; the loop ends when all have.
  template <class Alive, class Hints, class First, class... Rest>
  void persistent(std::size_t n, const Alive& alive, const Hints& /*hints*/, const First& first, const Rest&... rest) {
    std::vector<std::uint8_t> here(n);
    const auto anybody = [&alive, n] {
      for (std::size_t i = 0; i < n; ++i) {
        if (alive(i)) return true;
      }
      return false;
    };
    const auto begin = [&](std::size_t i) {
      here[i] = alive(i) ? 1 : 0;
      if (here[i] != 0) first(i);
    };
    const auto if_here = [&here](const auto& step) {
      return [&here, &step](std::size_t i) {
        if (here[i] != 0) step(i);
      };
    };
    tactus::lockstep(std::size_t{0}, n, anybody, begin, if_here(rest)...);
  }

  /// Not tactus::atomic, which is allowed here but would stop a whole chunk when it has to wait. Whoever holds this mutex is
  /// running, for a few instructions.
  template <class F>
  void atomic(const F& f) {
    const std::lock_guard hold(mutex_);
    f();
  }

private:
  std::mutex mutex_;
};

static_assert(engine<lockstep_engine>);

}  // namespace bench::imsuite
