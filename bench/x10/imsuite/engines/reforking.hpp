// SPDX-License-Identifier: Apache-2.0
// A barrier by way of joining: every step forks a task for each node anew. What forks is the parameter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"

namespace bench::imsuite {

/// Fork has each(n, f), which runs f(i) for all i in tasks and joins them, and atomic(f).
template <class Fork>
class reforking_engine {
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
    fork_.each(n, f);
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
    fork_.atomic(f);
  }

private:
  template <class Alive, class First, class... Rest>
  void iterate(std::size_t n, const Alive& alive, const First& first, const Rest&... rest) {
    std::vector<std::uint8_t> here(n);  // takes part in this iteration
    const auto anybody = [&] {
      for (std::size_t i = 0; i < n; ++i) {
        if (alive(i)) return true;
      }
      return false;
    };
    while (anybody()) {
      each(n, [&](std::size_t i) {
        here[i] = alive(i) ? 1 : 0;
        if (here[i] != 0) first(i);
      });
      const auto all = [&](const auto& step) {
        each(n, [&](std::size_t i) {
          if (here[i] != 0) step(i);
        });
      };
      (all(rest), ...);
    }
  }

  Fork fork_;
};

}  // namespace bench::imsuite
