// SPDX-License-Identifier: Apache-2.0
// The kernels with a finish in the place of each barrier: every step forks a task for each node anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>
#include <vector>

#include "imsuite/engine.hpp"

namespace bench::imsuite {

class async_finish_engine {
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
    tactus::finish([&f, n] {
      for (std::size_t i = 0; i < n; ++i) tactus::async([&f, i] { f(i); });
    });
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
    const std::lock_guard hold(mutex_);
    f();
  }

private:
  template <class Alive, class First, class... Rest>
  void iterate(std::size_t n, const Alive& alive, const First& first, const Rest&... rest) {
    std::vector<std::uint8_t> here(n);
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

  std::mutex mutex_;
};

static_assert(engine<async_finish_engine>);

}  // namespace bench::imsuite
