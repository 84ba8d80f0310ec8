// SPDX-License-Identifier: Apache-2.0
// What the tests of clocks share: tasks that are registered on a clock and do one simple thing there.
// A test whose clock moves too late does not hang: the run ends with deadlock_error, which the test does not expect.
#pragma once

#include <tactus/tactus.hpp>

#include <atomic>

namespace members {

/// A task that goes through `phases` phases of `c`, counts itself in `passed` and leaves.
template <class Count>
void spawn_advancing(const tactus::clock& c, std::atomic<Count>& passed, int phases = 1,
                     tactus::wait way = tactus::wait::automatic) {
  tactus::async(tactus::clocked(c), [&passed, c, phases, way] {
    for (int k = 0; k < phases; ++k) c.advance(way);
    ++passed;
  });
}

/// A task that counts itself in `at_clock` and then waits at `c` for the end of the phase.
template <class Count>
void spawn_waiting(const tactus::clock& c, std::atomic<Count>& at_clock) {
  tactus::async(tactus::clocked(c), [&at_clock, c] {
    ++at_clock;
    c.advance();
  });
}

/// A task that goes through one phase of `c`, of which the future tells, and leaves.
inline tactus::future<void> spawn_telling(const tactus::clock& c) {
  const tactus::promise<void> passed;
  tactus::async(tactus::clocked(c), [c, passed] {
    c.advance();
    passed.set_value();
  });
  return passed.get_future();
}

/// A task for which everybody on `c` has to wait: it never advances, and leaves when `opened` is ready.
template <class... Attributes>
void spawn_late(const tactus::clock& c, const tactus::future<void>& opened, const Attributes&... attributes) {
  tactus::async(tactus::clocked(c), attributes..., [opened] { opened.get(); });
}

/// The same, counted when it begins: who waits at `c` may start it, and that counts as a resumption.
inline void spawn_late_counted(const tactus::clock& c, const tactus::future<void>& opened, std::atomic<int>& at_clock) {
  tactus::async(tactus::clocked(c), [opened, &at_clock] {
    ++at_clock;
    opened.get();
  });
}

}  // namespace members
