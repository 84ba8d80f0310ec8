// SPDX-License-Identifier: Apache-2.0
// Signallers that run ahead of those who wait: as far as they like, or as far as the bound of the phaser allows.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

class phaser_bound_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_bound_test);

// ---- without a bound ----

TEST_P(phaser_bound_test, none_lets_a_signaller_run_ahead_as_far_as_it_likes) {
  run([] {
    const ts::promise<void> signalled;
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(signal_only)), [ph, signalled] {
      for (int i = 0; i < 1000; ++i) ph.signal();
      EXPECT_EQ(ph.phase(), 1000u);
      signalled.set_value();
    });
    signalled.get_future().get();
    EXPECT_EQ(ph.phase(), 0u);
    for (int i = 0; i < 1000; ++i) ph.next();
    EXPECT_EQ(ph.phase(), 1000u);
  });
}

TEST_P(phaser_bound_test, none_counts_every_signal_of_a_signal_only_task) {
  // Three waits need no more than the three signals; the fourth needs the fourth.
  std::atomic<bool> fourth{false};
  run([&] {
    const ts::promise<void> three_passed;
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(signal_only)), [&fourth, ph, opened = three_passed.get_future()] {
      ph.signal();
      ph.signal();
      ph.signal();
      opened.get();
      ts::yield();
      fourth = true;
      ph.signal();
    });
    ts::async(ts::phased(ph.as(wait_only)), [&fourth, ph, three_passed] {
      for (int k = 0; k < 3; ++k) ph.wait();
      three_passed.set_value();
      ph.wait();
      EXPECT_TRUE(fourth);
    });
  });
  EXPECT_TRUE(fourth);
}

TEST_P(phaser_bound_test, none_gives_each_wait_the_slowest_of_several_signallers) {
  std::atomic<int> slow_signals{0};
  run([&] {
    const ts::promise<void> fast_is_through;
    const ts::phaser ph;
    ts::async(ts::phased(ph.as(signal_only)), [ph, fast_is_through] {
      for (int i = 0; i < 50; ++i) ph.signal();
      fast_is_through.set_value();
    });
    ts::async(ts::phased(ph.as(signal_only)), [&slow_signals, ph, opened = fast_is_through.get_future()] {
      opened.get();
      for (int i = 0; i < 50; ++i) {
        ++slow_signals;
        ph.signal();
      }
    });
    ts::async(ts::phased(ph.as(wait_only)), [&slow_signals, ph] {
      for (int k = 1; k <= 50; ++k) {
        ph.wait();
        EXPECT_GE(slow_signals.load(), k);
      }
    });
  });
}

TEST_P(phaser_bound_test, none_shows_after_a_wait_what_the_signaller_did_before_that_signal) {
  static constexpr std::size_t k_items = 200;
  std::array<std::size_t, k_items> cells{};
  run([&] {
    const ts::phaser ph;
    for (int i = 0; i < 2; ++i) {
      ts::async(ts::phased(ph.as(wait_only)), [&cells, ph] {
        for (std::size_t k = 0; k < k_items; ++k) {
          ph.wait();
          EXPECT_EQ(cells[k], k + 1);
        }
      });
    }
    ts::async(ts::phased(ph.as(signal_only)), [&cells, ph] {
      for (std::size_t k = 0; k < k_items; ++k) {
        cells[k] = k + 1;
        ph.signal();
      }
    });
  });
}

// ---- with one ----

TEST_P(phaser_bound_test, of_k_lets_k_signals_pass_without_a_wait) {
  for (const std::uint64_t k : {1u, 2u, 3u, 8u}) {
    run([k] {
      const ts::promise<void> signalled;
      const ts::phaser ph(signal_wait, ts::bound{k});
      ts::async(ts::phased(ph.as(signal_only)), [ph, k, signalled] {
        for (std::uint64_t i = 0; i < k; ++i) ph.signal();
        EXPECT_EQ(ph.phase(), k);
        signalled.set_value();
      });
      signalled.get_future().get();  // and has not waited
      EXPECT_EQ(ph.phase(), 0u);
    });
  }
}

TEST_P(phaser_bound_test, of_k_holds_the_signal_after_that_until_a_wait) {
  for (const std::uint64_t k : {1u, 2u, 3u, 8u}) {
    std::atomic<bool> one_more{false};
    run([&] {
      const ts::promise<void> signalled;
      const ts::promise<void> held_no_longer;
      const ts::phaser ph(signal_wait, ts::bound{k});
      ts::async(ts::phased(ph.as(signal_only)), [&one_more, ph, k, signalled, held_no_longer] {
        for (std::uint64_t i = 0; i < k; ++i) ph.signal();
        signalled.set_value();
        ph.signal();
        one_more = true;
        held_no_longer.set_value();
      });
      signalled.get_future().get();
      for (int i = 0; i < 20; ++i) ts::yield();
      EXPECT_FALSE(one_more);
      ph.next();
      held_no_longer.get_future().get();
      EXPECT_TRUE(one_more);
    });
  }
}

TEST_P(phaser_bound_test, holds_next_of_a_signal_only_task_as_it_holds_signal) {
  for (const bool free_form : {false, true}) {
    std::atomic<bool> second{false};
    run([&] {
      const ts::promise<void> signalled;
      const ts::phaser ph(signal_wait, ts::bound{1});
      ts::async(ts::phased(ph.as(signal_only)), [&second, ph, signalled, free_form] {
        ph.next();
        signalled.set_value();
        if (free_form) {
          ts::next();
        } else {
          ph.next();
        }
        second = true;
      });
      signalled.get_future().get();
      for (int i = 0; i < 20; ++i) ts::yield();
      EXPECT_FALSE(second);
      ph.next();
    });
    EXPECT_TRUE(second);
  }
}

TEST_P(phaser_bound_test, keeps_every_signaller_within_k_of_the_slowest_waiter) {
  static constexpr std::int64_t k_phases = 200;
  static constexpr std::size_t k_waiters = 3;
  for (const std::int64_t k : {1, 2, 5}) {
    std::array<std::atomic<std::int64_t>, k_waiters> begun{};  // waits, the one under way included
    run([&] {
      const ts::phaser ph(signal_wait, ts::bound{static_cast<std::uint64_t>(k)});
      for (std::size_t i = 0; i < k_waiters; ++i) {
        ts::async(ts::phased(ph.as(wait_only)), [&begun, ph, i] {
          for (std::int64_t at = 0; at < k_phases; ++at) {
            if (at % static_cast<std::int64_t>(5 * i + 3) == 0) ts::yield();
            ++begun[i];
            ph.wait();
          }
        });
      }
      for (int i = 0; i < 3; ++i) {
        ts::async(ts::phased(ph.as(signal_only)), [&begun, ph, k] {
          for (std::int64_t given = 1; given <= k_phases; ++given) {
            ph.signal();
            const std::int64_t slowest = std::min({begun[0].load(), begun[1].load(), begun[2].load()});
            EXPECT_LE(given, slowest + k);
          }
        });
      }
    });
  }
}

// Counted, not timed: once per phase at each waiter, and once at each signaller that had to wait.
TEST_P(phaser_bound_test, looks_at_each_member_a_few_times_per_phase) {
  static constexpr std::uint64_t k_phases = 20;
  for (const std::uint64_t members : {support::scaled(150, 30), support::scaled(1'200, 60)}) {
    std::uint64_t looks = 0;
    run([&] {
      std::shared_ptr<tactus::detail::phaser_core> core;
      ts::finish([&] {
        const ts::phaser ph(signal_wait, ts::bound{5});
        core = ph.as(signal_wait).core;
        for (std::uint64_t i = 0; i < members; ++i) {
          const ts::phaser_mode mode = i % 3 == 0 ? signal_only : i % 3 == 1 ? wait_only : signal_wait;
          ts::async(ts::phased(ph.as(mode)), [ph] {
            for (std::uint64_t k = 0; k < k_phases; ++k) ph.next();
          });
        }
      });
      looks = core->looks();
    });
    EXPECT_LE(looks, 6 * members * k_phases) << members << " members";
  }
}

TEST_P(phaser_bound_test, holds_tasks_that_also_wait_behind_a_wait_only_task) {
  static constexpr std::int64_t k_phases = 50;
  static constexpr std::int64_t k_bound = 4;
  std::atomic<std::int64_t> begun{0};
  run([&] {
    const ts::phaser ph(signal_wait, ts::bound{k_bound});
    ts::async(ts::phased(ph.as(wait_only)), [&begun, ph] {
      for (std::int64_t k = 0; k < k_phases; ++k) {
        ts::yield();
        ++begun;
        ph.wait();
      }
    });
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased(ph), [&begun, ph] {
        for (std::int64_t given = 1; given <= k_phases; ++given) {
          ph.next();
          EXPECT_LE(given, begun.load() + k_bound);
        }
      });
    }
  });
}

TEST_P(phaser_bound_test, does_not_hold_where_no_waiter_is_registered) {
  run([] {
    const ts::phaser ph(signal_only, ts::bound{1});
    for (int i = 0; i < 500; ++i) ph.signal();
    EXPECT_EQ(ph.phase(), 500u);
    ts::finish([] {
      const ts::phaser inner(signal_wait, ts::bound{2});
      for (int i = 0; i < 3; ++i) {
        ts::async(ts::phased(inner.as(signal_only)), [inner] {
          for (int k = 0; k < 100; ++k) inner.signal();
          EXPECT_EQ(inner.phase(), 100u);
        });
      }
    });
  });
}

TEST_P(phaser_bound_test, holds_no_longer_when_the_slowest_waiter_leaves) {
  for (const bool by_drop : {true, false}) {
    std::atomic<int> given{0};
    run([&] {
      const ts::promise<void> last_may_leave;
      const ts::phaser ph(signal_wait, ts::bound{2});
      ts::async(ts::phased(ph.as(wait_only)), [ph] {
        for (int k = 0; k < 10; ++k) ph.wait();
      });
      ts::async(ts::phased(ph.as(wait_only)), [ph, by_drop, opened = last_may_leave.get_future()] {
        opened.get();
        if (by_drop) ph.drop();
      });
      ts::async(ts::phased(ph.as(signal_only)), [&given, ph, last_may_leave] {
        for (int i = 0; i < 10; ++i) {
          if (i == 2) last_may_leave.set_value();
          ph.signal();
          ++given;
        }
      });
    });
    EXPECT_EQ(given.load(), 10);
  }
}

TEST_P(phaser_bound_test, counts_a_waiter_that_joins_later) {
  std::atomic<bool> beyond{false};
  run([&] {
    const ts::promise<void> signalled;
    const ts::phaser ph(signal_wait, ts::bound{1});
    ph.next();
    ph.next();
    ts::async(ts::phased(ph.as(wait_only)), [&beyond, ph, opened = signalled.get_future()] {
      EXPECT_EQ(ph.phase(), 2u);
      opened.get();
      for (int i = 0; i < 20; ++i) ts::yield();
      EXPECT_FALSE(beyond);
      ph.wait();
    });
    ts::async(ts::phased(ph.as(signal_only)), [&beyond, ph, signalled] {
      ph.signal();
      EXPECT_EQ(ph.phase(), 3u);
      signalled.set_value();
      ph.signal();
      beyond = true;
    });
  });
  EXPECT_TRUE(beyond);
}

// ---- producer and consumer ----

// The signal that returns as number j needs a wait with number j - k, so the item that is made after it may take the cell of item
// j - k - 2: that one has been read before the wait after its own.
TEST_P(phaser_bound_test, shows_after_a_signal_what_the_waiter_did_before_the_wait_that_freed_it) {
  static constexpr std::size_t k_items = 500;
  for (const std::size_t k : {1u, 2u, 7u}) {
    std::vector<std::size_t> ring(k + 2);  // plain
    run([&] {
      const ts::phaser ph(signal_wait, ts::bound{k});
      ts::async(ts::phased(ph.as(signal_only)), [&ring, ph] {
        for (std::size_t i = 0; i < k_items; ++i) {
          ring[i % ring.size()] = i + 1;
          ph.signal();
        }
      });
      ts::async(ts::phased(ph.as(wait_only)), [&ring, ph] {
        for (std::size_t i = 0; i < k_items; ++i) {
          ph.wait();
          EXPECT_EQ(ring[i % ring.size()], i + 1);
          ring[i % ring.size()] = 0;
        }
      });
    });
  }
}

TEST_P(phaser_bound_test, lets_a_chain_of_producers_and_consumers_end) {
  static constexpr std::size_t k_items = 100;
  static constexpr std::size_t k_stages = 6;
  std::array<std::array<std::size_t, k_items>, k_stages> made{};
  run([&] {
    ts::finish([&] {
      std::vector<ts::phaser> links;
      for (std::size_t i = 0; i + 1 < k_stages; ++i) links.emplace_back(signal_wait, ts::bound{1 + i % 3});
      ts::async(ts::phased(links.front().as(signal_only)), [&made, to = links.front()] {
        for (std::size_t k = 0; k < k_items; ++k) {
          made[0][k] = k;
          to.signal();
        }
      });
      for (std::size_t i = 1; i + 1 < k_stages; ++i) {
        ts::async(ts::phased(links[i - 1].as(wait_only), links[i].as(signal_only)),
                  [&made, from = links[i - 1], to = links[i], i] {
                    for (std::size_t k = 0; k < k_items; ++k) {
                      from.wait();
                      made[i][k] = made[i - 1][k] + 1;
                      to.signal();
                    }
                  });
      }
      ts::async(ts::phased(links.back().as(wait_only)), [&made, from = links.back()] {
        for (std::size_t k = 0; k < k_items; ++k) {
          from.wait();
          made[k_stages - 1][k] = made[k_stages - 2][k] + 1;
        }
      });
    });
  });
  for (std::size_t k = 0; k < k_items; ++k) EXPECT_EQ(made.back()[k], k + k_stages - 1);
}

}  // namespace
