// SPDX-License-Identifier: Apache-2.0
// next and advance_all: one operation over all phasers and clocks of a task, all signals first, then all waits.
#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

class phaser_next_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_next_test);

TEST_P(phaser_next_test, signals_all_before_it_waits_for_any) {
  // The two others take the phasers one by one, in either order; a wait for the first before the signal of the second
  // would be for ever.
  run([] {
    const ts::phaser p;
    const ts::phaser q;
    for (int round = 0; round < 10; ++round) {
      ts::async(ts::phased(p, q), [p, q] {
        p.signal();
        q.next();
        p.wait();
      });
      ts::async(ts::phased(p, q), [p, q] {
        q.signal();
        p.next();
        q.wait();
      });
      ts::next();
    }
    EXPECT_EQ(p.phase(), 10u);
    EXPECT_EQ(q.phase(), 10u);
  });
}

TEST_P(phaser_next_test, does_in_each_phaser_what_the_mode_there_allows) {
  run([] {
    const ts::phaser to(signal_wait);
    const ts::phaser from(signal_wait);
    const ts::phaser both(signal_wait);
    ts::async(ts::phased(to.as(signal_only), from.as(wait_only), both), [to, from, both] {
      for (std::uint64_t k = 1; k <= 5; ++k) {
        ts::next();
        EXPECT_EQ(to.phase(), k);
        EXPECT_EQ(from.phase(), k);
        EXPECT_EQ(both.phase(), k);
      }
    });
    for (int k = 0; k < 5; ++k) ts::next();
    EXPECT_EQ(to.phase(), 5u);
    EXPECT_EQ(from.phase(), 5u);
    EXPECT_EQ(both.phase(), 5u);
  });
}

TEST_P(phaser_next_test, and_advance_all_are_one_operation_over_phasers_and_clocks) {
  std::array<std::atomic<int>, 20> arrived{};
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::phaser ph;
    for (std::size_t i = 0; i < 6; ++i) {
      ts::async(ts::clocked(c), ts::phased(ph), [&arrived, c, ph, i] {
        for (std::size_t k = 0; k < arrived.size(); ++k) {
          ++arrived[k];
          if ((i + k) % 2 == 0) {
            ts::next();
          } else {
            ts::advance_all();
          }
          EXPECT_EQ(arrived[k].load(), 6);
          EXPECT_EQ(c.phase(), k + 1);
          EXPECT_EQ(ph.phase(), k + 1);
        }
      });
    }
  });
}

TEST_P(phaser_next_test, resumes_clocks_and_signals_phasers_before_it_waits_for_either) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::phaser ph;
    for (int round = 0; round < 10; ++round) {
      ts::async(ts::clocked(c), ts::phased(ph), [c, ph] {
        c.resume();
        ph.next();
        c.advance();
      });
      ts::async(ts::clocked(c), ts::phased(ph), [c, ph] {
        ph.signal();
        c.advance();
        ph.wait();
      });
      ts::next();
    }
    EXPECT_EQ(c.phase(), 10u);
    EXPECT_EQ(ph.phase(), 10u);
  });
}

TEST_P(phaser_next_test, after_a_signal_of_one_signals_there_once) {
  run([] {
    const ts::phaser p;
    const ts::phaser q;
    ts::async(ts::phased(p, q), [] {
      ts::yield();
      ts::next();
    });
    p.signal();
    ts::next();
    EXPECT_EQ(p.phase(), 1u);
    EXPECT_EQ(q.phase(), 1u);
  });
}

TEST_P(phaser_next_test, without_any_registration_does_nothing) {
  int after = 0;
  run([&] {
    ts::next();
    const ts::phaser ph;
    ts::finish([&after] {
      ts::async([&after] {
        ts::next();
        after = 1;
      });
    });
    EXPECT_EQ(ph.phase(), 0u);
    ph.drop();
    ts::next();
  });
  EXPECT_EQ(after, 1);
}

}  // namespace
