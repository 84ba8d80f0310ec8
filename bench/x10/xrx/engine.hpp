// SPDX-License-Identifier: Apache-2.0
// The IMSuite kernels in their original clocked form, on the X10 model: one clocked finish for a round, one clocked
// activity for a node. Used in an activity of the pool. Steps are separated by advance with the kernel's hint, which
// only scheme uclocks heeds.
//
// Where the kernels of X10 send a message they write at (D(i)) atomic { ... }, and `at` copies what it carries, also
// inside one place. By figures 14 and 15 (one core, uClocks, where little else is left) a message costs X10 93 us in KC and
// 360 us in BY; here it costs tens of nanoseconds. How much an improvement of the barrier gains depends on what goes on
// between two barriers, so this cost can be put back.
#pragma once

#include <ctime>

#include <array>
#include <chrono>
#include <cstddef>

#include "x10/imsuite/engine.hpp"
#include "x10/xrx/xrx.hpp"

namespace bench::xrx {

class engine {
public:
  /// Every atomic block is preceded by so much work of its activity.
  explicit engine(std::chrono::nanoseconds send_cost = {}) : send_cost_(send_cost) {}

  template <class... Steps>
  void round(std::size_t n, imsuite::hint h, const Steps&... steps) {
    round(n, imsuite::same_hint<sizeof...(Steps) - 1>(h), steps...);
  }

  template <std::size_t M, class... Steps>
  void round(std::size_t n, const std::array<imsuite::hint, M>& hints, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    if constexpr (M == 0) {
      each(n, steps...);
    } else {
      clocked_finish([&](const clock& c) {
        for (std::size_t i = 0; i < n; ++i) async(clocked(c), [&, c, i] { go_through(c, i, hints, steps...); });
      });
    }
  }

  template <class F>
  void each(std::size_t n, const F& f) {
    finish([&f, n] {
      for (std::size_t i = 0; i < n; ++i) async([&f, i] { f(i); });
    });
  }

  template <class Alive, class... Steps>
  void persistent(std::size_t n, const Alive& alive, imsuite::hint h, const Steps&... steps) {
    persistent(n, alive, imsuite::same_hint<sizeof...(Steps) - 1>(h), steps...);
  }

  template <class Alive, std::size_t M, class... Steps>
  void persistent(std::size_t n, const Alive& alive, const std::array<imsuite::hint, M>& hints, const Steps&... steps) {
    static_assert(sizeof...(Steps) == M + 1, "one hint for each barrier");
    clocked_finish([&](const clock& c) {
      for (std::size_t i = 0; i < n; ++i) {
        async(clocked(c), [&, c, i] {
          while (alive(i)) go_through(c, i, hints, steps...);
        });
      }
    });
  }

  template <class F>
  void atomic(const F& f) {
    if (send_cost_.count() > 0) work_for(send_cost_);
    xrx::atomic(f);
  }

private:
  /// In processor time of the thread, for another one may run meanwhile.
  static void work_for(std::chrono::nanoseconds time) {
    const auto spent = [] {
      timespec now{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
    };
    for (const auto end = spent() + time; spent() < end;) imsuite::burn(100);
  }

  template <std::size_t M, class... Steps>
  static void go_through(const clock& c, std::size_t i, const std::array<imsuite::hint, M>& hints,
                         const Steps&... steps) {
    imsuite::for_each_step(
        [&]<class K>(K /*position*/, const auto& step) {
          if constexpr (K::value > 0) {
            c.advance(std::get<K::value - 1>(hints) == imsuite::hint::eager ? wake::eager : wake::lazy);
          }
          step(i);
        },
        steps...);
  }

  std::chrono::nanoseconds send_cost_;
};

static_assert(imsuite::engine<engine>);

}  // namespace bench::xrx
