// SPDX-License-Identifier: Apache-2.0
// The kernels without tasks: each step is a loop over the nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"

namespace bench::imsuite {

class serial_engine {
public:
  template <class... Steps>
  void round(std::size_t n, hint /*h*/, const Steps&... steps) {
    (each(n, steps), ...);
  }

  template <std::size_t M, class... Steps>
  void round(std::size_t n, const std::array<hint, M>& /*hints*/, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    (each(n, steps), ...);
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  }

  template <class Alive, class... Steps>
  void persistent(std::size_t n, const Alive& alive, hint /*h*/, const Steps&... steps) {
    iterate(n, alive, steps...);
  }

  template <class Alive, std::size_t M, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const std::array<hint, M>& /*hints*/, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    iterate(n, alive, steps...);
  }

  template <class F>
  void atomic(const F& f) {
    f();
  }

private:
  template <class Alive, class... Steps>
  void iterate(std::size_t n, const Alive& alive, const Steps&... steps) {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < n; ++i) {
      if (alive(i)) here.push_back(i);
    }
    while (!here.empty()) {
      const auto all = [&here](const auto& step) {
        for (const std::size_t i : here) step(i);
      };
      (all(steps), ...);
      std::erase_if(here, [&alive](std::size_t i) { return !alive(i); });
    }
  }
};

static_assert(engine<serial_engine>);

}  // namespace bench::imsuite
