// SPDX-License-Identifier: Apache-2.0
// Where the code of a task may not wait: what tests of misuse try there.
#pragma once

#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <utility>

namespace support {

/// Has `once` called once, there.
struct restricted_spot {
  const char* name;
  void (*carry_out)(const std::function<void()>& once);
};

inline std::ostream& operator<<(std::ostream& out, const restricted_spot& s) { return out << s.name; }

inline void in_an_atomic_block(const std::function<void()>& once) { tactus::atomic(once); }

inline void in_the_body_of_when(const std::function<void()>& once) {
  tactus::when([] { return true; }, once);
}

inline void in_the_condition_of_when(const std::function<void()>& once) {
  bool is_done = false;
  tactus::when(
      [&] {
        if (!std::exchange(is_done, true)) once();
        return true;
      },
      [] {});
}

/// Of the three elements, in the step of the middle one.
inline void in_a_step_of_lockstep(const std::function<void()>& once) {
  int rounds = 0;
  tactus::lockstep(
      0, 3, [&rounds] { return rounds++ < 1; },
      [&once](int i) {
        if (i == 1) once();
      });
}

/// Where the two values of a phase are combined.
inline void in_a_combine_function(const std::function<void()>& once) {
  namespace ts = tactus;
  ts::finish([&once] {
    const ts::phaser ph;
    bool is_done = false;
    const auto combine = [&once, &is_done](int a, int b) {
      if (!std::exchange(is_done, true)) once();
      return a + b;
    };
    const ts::accumulator<int, ts::monoid<int, decltype(combine)>> sum(ph, ts::monoid{0, combine},
                                                                       ts::strategy::dynamic_lazy);
    ts::async(ts::phased(ph), [ph, sum] {
      sum.send(1);
      ph.next();
    });
    sum.send(2);
    ph.next();
    EXPECT_EQ(sum.result(), 3);
    EXPECT_TRUE(is_done);
  });
}

inline constexpr restricted_spot k_blocks[] = {
    {"atomic block", in_an_atomic_block},
    {"body of when", in_the_body_of_when},
    {"condition of when", in_the_condition_of_when},
};
inline constexpr restricted_spot k_step{"step of lockstep", in_a_step_of_lockstep};
inline constexpr restricted_spot k_combine{"combine function", in_a_combine_function};

}  // namespace support
