// SPDX-License-Identifier: Apache-2.0
// Clocks, continued: a phase in two halves, leaving a clock, joining it later, and what a finish forbids.
#include <tactus/tactus.hpp>

#include <array>
#include <atomic>
#include <cstdio>

namespace ts = tactus;

struct track {
  std::array<int, 4> runners{};  // in each lap; a lap is a phase
  std::atomic<int> drinks{0}, home{0};

  //! [split_phase]
  void run_laps(ts::clock c, int laps) {
    for (int lap = 0; lap < laps; ++lap) {
      ts::atomic([&] { ++runners[c.phase()]; });
      c.resume();  // has run this lap: nobody waits for this task any more
      ++drinks;
      c.advance();  // all have run it
    }
    c.drop();  // the others run on
    ++home;
  }
  //! [split_phase]
};

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    track t;
    ts::finish(ts::clocked, [&t](ts::clock c) {
      for (int laps = 1; laps <= 3; ++laps) {
        ts::async(ts::clocked(c), [&t, c, laps] { t.run_laps(c, laps); });
      }
      c.advance();  // this task takes part, too: the first lap cannot end without it

      ts::async(ts::clocked(c), [&t, c] { t.run_laps(c, 3); });  // joins in the second lap

      //! [clock_use_error]
      ts::finish([&t, c] {
        try {
          ts::async(ts::clocked(c), [&t, c] { t.run_laps(c, 1); });
        } catch (const ts::clock_use_error&) {
          std::printf("this finish could wait for ever\n");
        }
      });
      //! [clock_use_error]
    });  // the end of the body drops the clock: nobody waits for this task
    for (const int n : t.runners) std::printf("%d ", n);
    std::printf("runners, %d drinks, %d at home\n", t.drinks.load(), t.home.load());
  });
}

// Prints: this finish could wait for ever
// Prints: 3 3 2 1 runners, 9 drinks, 4 at home
