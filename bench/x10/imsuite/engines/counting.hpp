// SPDX-License-Identifier: Apache-2.0
// The serial engine, counting what the parallel forms would do: figure 14's columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/engines/serial.hpp"

namespace bench::imsuite {

struct counts {
  std::uint64_t advances = 0;       ///< barriers times the tasks that pass them
  std::uint64_t atomics = 0;        ///< atomic blocks
  std::uint64_t clocked_tasks = 0;  ///< tasks of the clocked form: one for each node and round
  std::uint64_t forked_tasks = 0;   ///< tasks of the re-forking form: one for each node and step
};

class counting_engine {
public:
  template <class Hints, class... Steps>
  void round(std::size_t n, const Hints& hints, const Steps&... steps) {
    counts_.advances += n * (sizeof...(Steps) - 1);
    counts_.clocked_tasks += n;
    counts_.forked_tasks += n * sizeof...(Steps);
    serial_.round(n, hints, steps...);
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    counts_.clocked_tasks += n;
    counts_.forked_tasks += n;
    serial_.each(n, f);
  }

  /// A task advances where it goes through the steps; re-forking, all n are forked for each step.
  template <class Alive, class Hints, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const Hints& hints, const Steps&... steps) {
    counts_.clocked_tasks += n;
    std::size_t last_alive = n;
    const auto counted = [&](std::size_t i) {
      const bool goes_on = alive(i);
      if (!goes_on) return false;
      counts_.advances += sizeof...(Steps) - 1;
      // The serial engine asks in ascending order, once in each iteration: here another one begins.
      if (i <= last_alive) counts_.forked_tasks += n * sizeof...(Steps);
      last_alive = i;
      return true;
    };
    serial_.persistent(n, counted, hints, steps...);
  }

  template <class F>
  void atomic(const F& f) {
    ++counts_.atomics;
    serial_.atomic(f);
  }

  [[nodiscard]] const counts& seen() const { return counts_; }

private:
  serial_engine serial_;
  counts counts_;
};

static_assert(engine<counting_engine>);

}  // namespace bench::imsuite
