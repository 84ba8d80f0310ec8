// SPDX-License-Identifier: Apache-2.0
// The kernels as X10 programs have them: a clocked finish for each round, a clocked task for each node.
#pragma once

#include <array>
#include <cstddef>
#include <tactus/sync/atomic.hpp>
#include <tactus/sync/clock.hpp>
#include <tactus/task/async.hpp>
#include <tactus/task/finish.hpp>

#include "x10/imsuite/engine.hpp"

namespace bench::imsuite {

/// How tasks wait at a barrier: as the kernel says, or all in one way.
enum class waiting { own, eager, lazy, automatic };

class clocked_engine {
public:
  explicit clocked_engine(waiting w = waiting::own) : waiting_(w) {}

  template <class... Steps>
  void round(std::size_t n, hint h, const Steps&... steps) {
    round(n, same_hint<sizeof...(Steps) - 1>(h), steps...);
  }

  template <std::size_t M, class... Steps>
  void round(std::size_t n, const std::array<hint, M>& hints, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    if constexpr (M == 0) {
      each(n, steps...);
    } else {
      const std::array<tactus::wait, M> waits = ways(hints);
      const auto walk = [&](std::size_t i, const tactus::clock& c) { pass(i, c, waits, steps...); };
      fork(n, walk);
    }
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    tactus::finish([&f, n] {
      for (std::size_t i = 0; i < n; ++i) tactus::async([&f, i] { f(i); });
    });
  }

  template <class Alive, class... Steps>
  void persistent(std::size_t n, const Alive& alive, hint h, const Steps&... steps) {
    persistent(n, alive, same_hint<sizeof...(Steps) - 1>(h), steps...);
  }

  template <class Alive, std::size_t M, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const std::array<hint, M>& hints, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    const std::array<tactus::wait, M> waits = ways(hints);
    const auto walk = [&](std::size_t i, const tactus::clock& c) {
      while (alive(i)) pass(i, c, waits, steps...);
    };
    fork(n, walk);
  }

  template <class F>
  void atomic(const F& f) {
    tactus::atomic(f);
  }

private:
  /// walk(i, c) in a task for each i, registered on clock c.
  template <class Walk>
  static void fork(std::size_t n, const Walk& walk) {
    tactus::finish(tactus::clocked, [&walk, n](tactus::clock c) {
      for (std::size_t i = 0; i < n; ++i) tactus::async(tactus::clocked(c), [&walk, i, c] { walk(i, c); });
    });
  }

  /// All the steps of one node with an advance between each two.
  template <std::size_t M, class... Steps>
  static void pass(std::size_t i, const tactus::clock& c, const std::array<tactus::wait, M>& waits,
                   const Steps&... steps) {
    for_each_step(
        [&](auto k, const auto& step) {
          if constexpr (k > 0) c.advance(waits[k - 1]);
          step(i);
        },
        steps...);
  }

  template <std::size_t M>
  [[nodiscard]] std::array<tactus::wait, M> ways(const std::array<hint, M>& hints) const {
    std::array<tactus::wait, M> all{};
    for (std::size_t k = 0; k < M; ++k) all[k] = way(hints[k]);
    return all;
  }

  [[nodiscard]] tactus::wait way(hint h) const {
    switch (waiting_) {
      case waiting::eager: return tactus::wait::eager;
      case waiting::lazy: return tactus::wait::lazy;
      case waiting::automatic: return tactus::wait::automatic;
      case waiting::own: break;
    }
    return h == hint::eager ? tactus::wait::eager : tactus::wait::lazy;
  }

  waiting waiting_;
};

static_assert(engine<clocked_engine>);

}  // namespace bench::imsuite
