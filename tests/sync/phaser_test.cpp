// SPDX-License-Identifier: Apache-2.0
// phaser: what the four modes mean in a phase. Joining and leaving, next over several, bounds, next_single and misuse have
// files of their own.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

// A test whose phaser moves too late does not hang: the run ends with deadlock_error, which the test does not expect.
class phaser_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_test);

// ---- a phaser and the task that makes it ----

TEST_P(phaser_test, is_made_in_phase_0_with_its_maker_registered) {
  run([] {
    const ts::phaser ph;
    EXPECT_EQ(ph.phase(), 0u);
    for (const ts::phaser_mode mode : phasers::k_modes) {
      const ts::phaser made(mode);
      EXPECT_EQ(made.phase(), 0u) << phasers::name_of(mode);
    }
  });
}

TEST_P(phaser_test, registers_its_maker_in_the_mode_that_it_is_given) {
  run([] {
    for (const ts::phaser_mode mode : phasers::k_modes) {
      const ts::phaser plain(mode);
      EXPECT_EQ(phasers::mode_by_trying(plain), mode) << phasers::name_of(mode);
      const ts::phaser bounded(mode, ts::bound{1000});
      EXPECT_EQ(phasers::mode_by_trying(bounded), mode) << phasers::name_of(mode);
    }
  });
}

TEST_P(phaser_test, without_a_mode_registers_its_maker_as_signal_wait) {
  run([] {
    const ts::phaser ph;
    EXPECT_EQ(phasers::mode_by_trying(ph), signal_wait);
  });
}

TEST_P(phaser_test, counts_phases_in_64_bits) {
  static_assert(sizeof(decltype(std::declval<const ts::phaser&>().phase())) == sizeof(std::uint64_t));
  run([] {
    const ts::phaser ph;
    for (std::uint64_t k = 0; k < 100; ++k) {
      EXPECT_EQ(ph.phase(), k);
      ph.next();
    }
  });
}

TEST_P(phaser_test, holds_nobody_who_is_alone_on_it) {
  run([] {
    for (const ts::phaser_mode mode : phasers::k_modes) {
      const ts::phaser ph(mode);
      for (int k = 0; k < 10; ++k) ph.next();
      EXPECT_EQ(ph.phase(), 10u) << phasers::name_of(mode);
    }
  });
}

TEST_P(phaser_test, of_another_making_is_another_phaser) {
  run([] {
    const ts::phaser ph;
    const ts::phaser other;
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
    EXPECT_EQ(other.phase(), 0u);
  });
}

TEST_P(phaser_test, is_one_phaser_in_all_its_handles) {
  run([] {
    const ts::phaser ph;
    const std::vector<ts::phaser> copies(3, ph);
    copies[0].next();
    copies[1].signal();
    copies[2].wait();
    EXPECT_EQ(ph.phase(), 2u);
    copies[2].drop();
    EXPECT_FALSE(phasers::is_registered(ph));
  });
}

TEST_P(phaser_test, handles_can_be_assigned) {
  run([] {
    ts::phaser ph;
    const ts::phaser other;
    other.next();
    ph = other;
    EXPECT_EQ(ph.phase(), 1u);
  });
}

TEST_P(phaser_test, handles_may_outlive_every_task_and_end_outside_the_run) {
  std::vector<ts::phaser> kept;
  run([&] {
    kept.push_back(ts::phaser());
    kept.front().next();
  });
  run([&] {
    const ts::phaser own;
    EXPECT_TRUE(phasers::is_registered(own));
    EXPECT_FALSE(phasers::is_registered(kept.front()));
  });
  kept.clear();
}

TEST_P(phaser_test, works_in_a_task_as_in_the_root) {
  std::atomic<int> passed{0};
  run([&] {
    for (int i = 0; i < 20; ++i) {
      ts::async([&passed] {
        const ts::phaser ph;
        ts::async(ts::phased(ph), [&passed, ph] {
          ph.next();
          ++passed;
        });
        ph.next();
        ++passed;
      });
    }
  });
  EXPECT_EQ(passed.load(), 40);
}

// ---- a barrier: everybody is signal_wait ----

TEST_P(phaser_test, lets_nobody_pass_before_all_have_signalled) {
  static constexpr std::size_t k_tasks = 10;
  static constexpr std::size_t k_phases = 20;
  std::array<std::atomic<std::size_t>, k_phases> arrived{};
  run([&] {
    const ts::phaser ph;
    for (std::size_t i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [&arrived, ph] {
        for (std::size_t k = 0; k < k_phases; ++k) {
          EXPECT_EQ(ph.phase(), k);
          ++arrived[k];
          ph.next();
          EXPECT_EQ(arrived[k].load(), k_tasks);
        }
      });
    }
  });
  for (const auto& n : arrived) EXPECT_EQ(n.load(), k_tasks);
}

TEST_P(phaser_test, shows_after_a_wait_what_every_task_did_before_its_signal) {
  // Plain variables: each is written by its own task in even phases and read by all in odd ones.
  static constexpr std::size_t k_tasks = 8;
  std::array<std::uint64_t, k_tasks> cells{};
  run([&] {
    const ts::phaser ph;
    for (std::size_t i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [&cells, ph, i] {
        for (std::uint64_t round = 1; round <= 10; ++round) {
          cells[i] = round * 100 + i;
          ph.signal();
          ph.wait();
          for (std::size_t other = 0; other < k_tasks; ++other) EXPECT_EQ(cells[other], round * 100 + other);
          ph.next();
        }
      });
    }
  });
}

TEST_P(phaser_test, frees_the_worker_of_a_task_that_waits) {
  // Every task but the last waits, and none of them keeps the last from being run.
  std::atomic<int> passed{0};
  run([&] {
    const ts::phaser ph;
    for (int i = 0; i < 100; ++i) {
      ts::async(ts::phased(ph), [&passed, ph] {
        ph.next();
        ++passed;
      });
    }
    ts::yield();
    EXPECT_EQ(passed.load(), 0);
    ph.next();
  });
  EXPECT_EQ(passed.load(), 100);
}

// ---- split phase ----

TEST_P(phaser_test, signal_returns_while_others_are_missing_and_lets_them_go_on) {
  run([] {
    const ts::promise<void> passed;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph, passed] {
      ph.next();
      passed.set_value();
    });
    ph.signal();
    passed.get_future().get();
    EXPECT_EQ(ph.phase(), 0u);
    ph.wait();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

TEST_P(phaser_test, signal_twice_in_a_phase_by_a_task_that_also_waits_counts_once) {
  for (const ts::phaser_mode mode : {signal_wait, signal_wait_next}) {
    std::atomic<bool> arrived{false};
    run([&] {
      const ts::phaser ph(mode);
      ts::async(ts::phased(ph), [&arrived, ph] {
        ph.next();
        ts::yield();
        arrived = true;
        ph.next();
      });
      ph.signal();
      ph.signal();
      ph.signal();
      ph.wait();
      EXPECT_EQ(ph.phase(), 1u);
      ph.next();
      EXPECT_TRUE(arrived);
    });
  }
}

TEST_P(phaser_test, signal_after_the_phaser_has_moved_on_does_not_count_for_the_next_phase) {
  std::atomic<bool> arrived{false};
  run([&] {
    const ts::promise<void> passed;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [&arrived, ph, passed] {
      ph.next();
      passed.set_value();
      ph.next();
      EXPECT_TRUE(arrived);
    });
    ph.signal();
    passed.get_future().get();  // the other is in phase 1 now
    ph.signal();                // of phase 0 still
    EXPECT_EQ(ph.phase(), 0u);
    ts::yield();
    ph.wait();
    arrived = true;
  });
}

TEST_P(phaser_test, wait_after_the_phaser_has_moved_on_returns_at_once) {
  run([] {
    const ts::promise<void> moved;
    const ts::promise<void> returned;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph, moved, opened = returned.get_future()] {
      ph.next();
      moved.set_value();
      opened.get();  // does not signal phase 1 before the other's wait has returned
      ph.next();
    });
    ph.signal();
    moved.get_future().get();
    ph.wait();
    EXPECT_EQ(ph.phase(), 1u);
    returned.set_value();
    ph.next();
    EXPECT_EQ(ph.phase(), 2u);
  });
}

TEST_P(phaser_test, next_after_a_signal_only_waits) {
  run([] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph] { ph.next(); });
    ph.signal();
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

// ---- phase(), signal_only and wait_only ----

TEST_P(phaser_test, phase_moves_at_the_wait_of_a_task_that_waits) {
  run([] {
    for (const ts::phaser_mode mode : {signal_wait, signal_wait_next}) {
      const ts::phaser ph(mode);
      ph.signal();
      EXPECT_EQ(ph.phase(), 0u);
      ph.wait();
      EXPECT_EQ(ph.phase(), 1u);
    }
    const ts::phaser watched(wait_only);
    watched.wait();
    EXPECT_EQ(watched.phase(), 1u);
  });
}

TEST_P(phaser_test, phase_of_a_signal_only_task_counts_its_signals) {
  run([] {
    const ts::phaser ph(signal_only);
    ph.signal();
    EXPECT_EQ(ph.phase(), 1u);
    ph.next();
    EXPECT_EQ(ph.phase(), 2u);
  });
}

TEST_P(phaser_test, waits_for_a_signal_only_task) {
  std::atomic<bool> signalled{false};
  run([&] {
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(signal_only)), [&signalled, ph] {
      ts::yield();
      signalled = true;
      ph.signal();
    });
    ph.next();
    EXPECT_TRUE(signalled);
  });
}

TEST_P(phaser_test, next_of_a_signal_only_task_does_not_wait) {
  run([] {
    const ts::promise<void> done;
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(signal_only)), [ph, done] {
      ph.next();
      ts::next();
      EXPECT_EQ(ph.phase(), 2u);
      done.set_value();
    });
    done.get_future().get();  // has not signalled meanwhile
    EXPECT_EQ(ph.phase(), 0u);
    ph.next();
  });
}

TEST_P(phaser_test, waits_for_no_wait_only_task) {
  run([] {
    const ts::promise<void> passed;
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(wait_only)), [ph, opened = passed.get_future()] {
      opened.get();
      for (std::uint64_t k = 0; k < 10; ++k) {
        EXPECT_EQ(ph.phase(), k);
        ph.wait();
      }
    });
    for (int k = 0; k < 10; ++k) ph.next();
    EXPECT_EQ(ph.phase(), 10u);
    passed.set_value();
  });
}

TEST_P(phaser_test, holds_a_wait_only_task_until_all_have_signalled) {
  static constexpr std::size_t k_phases = 10;
  std::array<std::atomic<int>, k_phases> signals{};
  run([&] {
    const ts::phaser ph;
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased(ph.as(wait_only)), [&signals, ph] {
        for (std::size_t k = 0; k < k_phases; ++k) {
          if (k % 2 == 0) {
            ph.wait();
          } else {
            ph.next();
          }
          EXPECT_EQ(signals[k].load(), 8);
        }
      });
    }
    for (int i = 0; i < 8; ++i) {
      ts::async(ts::phased(ph.as(i % 2 == 0 ? signal_only : signal_wait)), [&signals, ph] {
        for (auto& n : signals) {
          ++n;
          ph.next();
        }
      });
    }
  });
}

TEST_P(phaser_test, lets_every_wait_pass_where_nobody_signals) {
  std::atomic<int> passed{0};
  run([&] {
    ts::finish([&] {
      const ts::phaser ph;
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::phased(ph.as(wait_only)), [&passed, ph] {
          for (int k = 0; k < 20; ++k) ph.wait();
          EXPECT_EQ(ph.phase(), 20u);
          ++passed;
        });
      }
      EXPECT_EQ(passed.load(), 0);
    });
  });
  EXPECT_EQ(passed.load(), 5);
}

}  // namespace
