// SPDX-License-Identifier: Apache-2.0
// How tasks join a phaser and how they leave it: modes handed to children, drop, the end of a task, and of the finish.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/parallel.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::is_registered;
using phasers::k_modes;
using phasers::mode_by_trying;
using phasers::name_of;
using support::caught;
using enum ts::phaser_mode;

class phaser_membership_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_membership_test);

// ---- modes of children ----

TEST_P(phaser_membership_test, gives_a_child_the_mode_that_as_names) {
  run([] {
    for (const ts::phaser_mode of_parent : k_modes) {
      for (const ts::phaser_mode of_child : k_modes) {
        if (!phasers::may_hand_on(of_parent, of_child)) continue;
        ts::finish([=] {
          const ts::phaser ph(of_parent);
          ts::async(ts::phased(ph.as(of_child)), [=] {
            EXPECT_EQ(mode_by_trying(ph), of_child) << name_of(of_parent) << " to " << name_of(of_child);
          });
        });
      }
    }
  });
}

TEST_P(phaser_membership_test, gives_a_child_its_parents_mode_where_none_is_named) {
  run([] {
    for (const ts::phaser_mode mode : k_modes) {
      ts::finish([=] {
        const ts::phaser ph(mode);
        ts::async(ts::phased(ph), [=] { EXPECT_EQ(mode_by_trying(ph), mode) << name_of(mode); });
      });
    }
  });
}

TEST_P(phaser_membership_test, gives_a_grandchild_no_more_than_its_own_parent_has) {
  run([] {
    ts::finish([] {
      const ts::phaser ph(signal_wait_next);
      ts::async(ts::phased(ph.as(signal_wait)), [ph] {
        EXPECT_TRUE(phasers::is_refused(
            [&] { ts::async(ts::phased(ph.as(signal_wait_next)), [] { FAIL() << "was spawned"; }); }));
        ts::async(ts::phased(ph), [ph] { EXPECT_EQ(mode_by_trying(ph), signal_wait); });
      });
    });
  });
}

TEST_P(phaser_membership_test, gives_a_child_all_that_one_list_names) {
  run([] {
    ts::finish([] {
      const ts::phaser p;
      const ts::phaser q(signal_wait_next);
      const ts::phaser r;
      ts::async(ts::phased(p, q.as(wait_only), r.as(signal_only)), [p, q, r] {
        EXPECT_EQ(mode_by_trying(r), signal_only);
        EXPECT_EQ(mode_by_trying(p), signal_wait);
        EXPECT_EQ(mode_by_trying(q), wait_only);
      });
    });
  });
}

TEST_P(phaser_membership_test, of_a_phaser_named_twice_counts_once) {
  run([] {
    const ts::phaser ph;
    for (int way = 0; way < 3; ++way) {
      const auto body = [ph] {
        ph.next();
        ph.drop();
        EXPECT_FALSE(is_registered(ph));
      };
      if (way == 0) ts::async(ts::phased(ph, ph), body);
      if (way == 1) ts::async(ts::phased(ph), ts::phased(ph), body);
      if (way == 2) ts::async(ts::phased(ph, ph.as(signal_wait)), body);
      ph.next();
      ph.next();
    }
    EXPECT_EQ(ph.phase(), 6u);
  });
}

TEST_P(phaser_membership_test, goes_with_every_other_attribute_in_any_order) {
  using enum ts::spawn_policy;
  std::atomic<int> passed{0};
  run([&] {
    const ts::phaser ph;
    const ts::clock c = ts::clock::make();
    const auto body = [&passed, ph] {
      ph.next();
      ++passed;
    };
    ts::async(ts::phased(ph), ts::named("a"), work_first, body);
    ts::async(work_first, ts::phased(ph), ts::named("b"), body);
    ts::async(ts::named("c"), help_first, ts::phased(ph), body);
    ts::async(ts::clocked(c), ts::phased(ph.as(signal_wait)), body);
    ts::async(ts::phased(ph), ts::clocked(c), help_first, body);
    EXPECT_EQ(passed.load(), 0);
    ts::next();
    EXPECT_EQ(c.phase(), 1u);
  });
  EXPECT_EQ(passed.load(), 5);
}

TEST_P(phaser_membership_test, can_be_given_to_the_task_of_a_future) {
  run([] {
    const ts::phaser ph;
    const ts::future<std::uint64_t> f = ts::async_future(ts::phased(ph), [ph] {
      ph.next();
      return ph.phase();
    });
    EXPECT_FALSE(f.ready());
    ph.next();
    EXPECT_EQ(f.get(), 1u);
  });
}

TEST_P(phaser_membership_test, is_not_inherited_by_a_child_that_does_not_name_it) {
  run([] {
    const ts::phaser ph;
    ts::finish([&] { ts::async([ph] { EXPECT_FALSE(is_registered(ph)); }); });
    ts::finish([&] { ts::for_each(0, 4, [ph](int) { EXPECT_FALSE(is_registered(ph)); }); });
    ph.next();
    EXPECT_EQ(ph.phase(), 1u);
  });
}

// ---- phased_all ----

TEST_P(phaser_membership_test, by_phased_all_gives_every_phaser_in_the_parents_mode_and_every_clock) {
  run([] {
    ts::finish([] {
      const std::array<ts::phaser, 4> all = {ts::phaser(signal_wait_next), ts::phaser(signal_wait),
                                             ts::phaser(signal_only), ts::phaser(wait_only)};
      const ts::clock c = ts::clock::make();
      ts::async(ts::phased_all, [all, c] {
        EXPECT_TRUE(c.registered());
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(mode_by_trying(all[i]), k_modes[i]);
      });
    });
  });
}

TEST_P(phaser_membership_test, by_phased_all_leaves_out_what_this_child_may_not_get) {
  run([] {
    const ts::phaser outer;
    const ts::clock outer_clock = ts::clock::make();
    ts::finish([&] {
      const ts::phaser inner;
      ts::async(ts::phased_all, [=] {
        EXPECT_TRUE(is_registered(inner));
        EXPECT_FALSE(is_registered(outer));
        EXPECT_FALSE(outer_clock.registered());
      });
    });
    ts::next();
    EXPECT_EQ(outer.phase(), 1u);
    EXPECT_EQ(outer_clock.phase(), 1u);
  });
}

TEST_P(phaser_membership_test, by_phased_all_leaves_modes_to_what_is_named_before_it_or_behind_it) {
  run([] {
    const ts::phaser mine(signal_wait_next);
    const ts::phaser other(signal_wait);
    std::atomic<int> right{0};
    const auto child = [&right, mine, other] {
      mine.signal();  // as often as it likes, if it only signals
      mine.signal();
      if (mine.phase() == 2 && other.registered()) ++right;
    };
    ts::async(ts::phased(mine.as(signal_only)), ts::phased_all, child);
    ts::async(ts::phased_all, ts::phased(mine.as(signal_only)), child);
    ts::async_future(ts::phased_all, ts::named("third"), ts::phased(mine.as(signal_only)), child).get();
    mine.next();
    mine.next();
    other.next();
    ts::finish([] {});
    while (right < 3) ts::yield();
  });
}

TEST_P(phaser_membership_test, by_phased_all_without_any_is_a_plain_spawn) {
  std::atomic<int> ran{0};
  run([&] { ts::async(ts::phased_all, ts::named("plain"), [&ran] { ++ran; }); });
  EXPECT_EQ(ran.load(), 1);
}

// ---- where a child begins ----

TEST_P(phaser_membership_test, begins_in_the_parents_phase) {
  run([] {
    const ts::phaser ph;
    for (std::uint64_t k = 0; k < 5; ++k) {
      for (const ts::phaser_mode mode : {signal_wait, signal_only, wait_only}) {
        ts::async(ts::phased(ph.as(mode)), [=] { EXPECT_EQ(ph.phase(), k) << name_of(mode); });
      }
      ph.next();
    }
  });
}

TEST_P(phaser_membership_test, begins_with_the_signals_of_a_signal_only_parent) {
  run([] {
    const ts::phaser ph(signal_only);
    for (int k = 0; k < 7; ++k) ph.signal();
    ts::async(ts::phased(ph), [ph] {
      EXPECT_EQ(ph.phase(), 7u);
      ph.signal();
      EXPECT_EQ(ph.phase(), 8u);
    });
  });
}

TEST_P(phaser_membership_test, begins_with_the_signal_that_the_parent_has_given) {
  // The children do not signal before the root has passed: if one were missing, nobody would ever pass.
  run([] {
    const ts::promise<void> root_passed;
    const ts::promise<void> last_may_end;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [opened = last_may_end.get_future()] { opened.get(); });
    ph.signal();
    ts::async(ts::phased(ph), [ph, opened = root_passed.get_future()] {
      EXPECT_EQ(ph.phase(), 0u);
      opened.get();
      ph.wait();  // no signal of its own is needed in this phase
      EXPECT_EQ(ph.phase(), 1u);
    });
    ts::async(ts::phased(ph.as(signal_only)), [ph, opened = root_passed.get_future()] {
      EXPECT_EQ(ph.phase(), 1u);
      opened.get();
    });
    last_may_end.set_value();
    ph.wait();
    EXPECT_EQ(ph.phase(), 1u);
    root_passed.set_value();
  });
}

TEST_P(phaser_membership_test, is_waited_for_in_the_next_phase_after_the_signal_of_the_parent) {
  for (const ts::phaser_mode mode : {signal_wait, signal_only}) {
    std::atomic<bool> arrived{false};
    run([&] {
      const ts::phaser ph;
      ph.signal();
      ts::async(ts::phased(ph.as(mode)), [&arrived, ph, mode] {
        if (mode == signal_wait) ph.wait();
        ts::yield();
        arrived = true;
        ph.signal();
      });
      ph.wait();
      ph.next();
      EXPECT_TRUE(arrived);
    });
  }
}

TEST_P(phaser_membership_test, counts_from_the_spawn_on_not_from_the_start) {
  for (int round = 0; round < 20; ++round) {
    bool child_ran = false;
    run([&] {
      const ts::phaser ph;
      ts::async(ts::phased(ph.as(wait_only)), [&child_ran, ph] {
        ph.wait();
        EXPECT_TRUE(child_ran);
      });
      ts::async(ts::spawn_policy::help_first, ts::phased(ph.as(signal_only)), [&child_ran] { child_ran = true; });
    });
  }
}

TEST_P(phaser_membership_test, may_begin_in_every_phase) {
  static constexpr std::size_t k_phases = 30;
  std::array<std::atomic<std::size_t>, k_phases> arrived{};
  run([&] {
    const ts::phaser ph;
    for (std::size_t k = 0; k < k_phases; ++k) {
      ts::async(ts::phased(ph), [&arrived, ph, k] {
        for (std::size_t at = k; at < k_phases; ++at) {
          ++arrived[at];
          ph.next();
          EXPECT_EQ(arrived[at].load(), at + 1);
        }
      });
      ph.next();
    }
  });
}

// ---- leaving ----

TEST_P(phaser_membership_test, ends_with_drop_in_every_mode) {
  run([] {
    for (const ts::phaser_mode mode : k_modes) {
      const ts::phaser ph(mode);
      ph.drop();
      EXPECT_FALSE(is_registered(ph)) << name_of(mode);
    }
  });
}

TEST_P(phaser_membership_test, that_ends_by_drop_releases_those_who_waited) {
  for (const ts::phaser_mode mode : {signal_wait_next, signal_wait, signal_only}) {
    run([mode] {
      const ts::promise<void> passed;
      const ts::phaser ph(signal_wait_next);
      ts::async(ts::phased(ph.as(wait_only)), [ph, passed] {
        ph.wait();
        passed.set_value();
      });
      ts::async(ts::phased(ph.as(mode)), [ph, opened = passed.get_future()] {
        ph.drop();
        opened.get();
      });
      ph.drop();
      passed.get_future().get();
    });
  }
}

TEST_P(phaser_membership_test, that_ends_after_its_signal_counts_that_signal_once) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> arrived{false};
    run([&] {
      const ts::phaser ph;
      ts::async(ts::phased(ph.as(signal_only)), [&arrived] {
        ts::yield();
        arrived = true;
      });
      ts::async(ts::phased(ph.as(wait_only)), [&arrived, ph] {
        ph.wait();
        EXPECT_TRUE(arrived);
      });
      ph.signal();
      ph.drop();
    });
  }
}

TEST_P(phaser_membership_test, ends_with_the_task) {
  int passed = 0;
  run([&] {
    const ts::phaser p;
    const ts::phaser q;
    ts::async(ts::phased(p, q.as(signal_only)), [] {});
    ts::async(ts::phased(p, q), [p] { p.next(); });
    for (int k = 0; k < 5; ++k) {
      p.next();
      q.next();
      ++passed;
    }
  });
  EXPECT_EQ(passed, 5);
}

TEST_P(phaser_membership_test, ends_with_the_task_that_throws_and_the_others_go_on) {
  std::atomic<int> passed{0};
  run([&] {
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::phaser ph;
        for (int i = 0; i < 9; ++i) {
          ts::async(ts::phased(ph), [&passed, ph, i] {
            for (int k = 0; k < 5; ++k) {
              if (i == k * 2) throw std::runtime_error("left in phase " + std::to_string(ph.phase()));
              ph.next();
            }
            ++passed;
          });
        }
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()),
              (std::vector<std::string>{"left in phase 0", "left in phase 1", "left in phase 2", "left in phase 3",
                                        "left in phase 4"}));
  });
  EXPECT_EQ(passed.load(), 4);
}

TEST_P(phaser_membership_test, ends_after_the_captures_of_the_task_are_destroyed) {
  struct last_word {
    last_word(bool* said_to, const ts::phaser& on) : said(said_to), ph(on) {}
    last_word(last_word&& other) noexcept : said(std::exchange(other.said, nullptr)), ph(other.ph) {}
    last_word& operator=(last_word&&) = delete;
    ~last_word() {
      if (said == nullptr) return;
      EXPECT_TRUE(is_registered(ph));
      *said = true;  // plain: it happens before what follows the wait of whoever waits
    }
    bool* said;
    ts::phaser ph;
  };
  using enum ts::spawn_policy;
  for (const ts::spawn_policy policy : {work_first, help_first}) {
    bool said = false;
    run([&] {
      const ts::phaser ph;
      ts::async(policy, ts::phased(ph), [capture = last_word(&said, ph)] { EXPECT_NE(capture.said, nullptr); });
      ph.next();
      EXPECT_TRUE(said);
    });
  }
}

TEST_P(phaser_membership_test, may_end_inside_an_inner_finish) {
  int after = 0;
  run([&] {
    const ts::promise<void> passed;
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph, passed] {
      ph.next();
      passed.set_value();
    });
    ts::finish([&] {
      ph.drop();
      ts::async([&after, opened = passed.get_future()] {
        opened.get();
        after = 1;
      });
    });
    EXPECT_EQ(after, 1);
    EXPECT_FALSE(is_registered(ph));
  });
}

// ---- the maker, and the end of its finish ----

TEST_P(phaser_membership_test, of_the_maker_ends_with_the_body_of_its_finish) {
  std::atomic<int> passed{0};
  run([&] {
    std::vector<ts::phaser> kept;
    ts::finish([&] {
      const ts::phaser ph;
      kept.push_back(ph);
      for (int i = 0; i < 10; ++i) {
        ts::async(ts::phased(ph), [&passed, ph] {
          ph.next();
          ++passed;
        });
      }
    });
    EXPECT_EQ(passed.load(), 10);
    EXPECT_FALSE(is_registered(kept.front()));
  });
}

TEST_P(phaser_membership_test, of_the_maker_ends_with_a_body_that_throws) {
  std::atomic<int> passed{0};
  run([&] {
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::phaser ph;
        ts::async(ts::phased(ph), [&passed, ph] {
          ph.next();
          ++passed;
        });
        throw std::runtime_error("body");
      });
    }));
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(phaser_membership_test, of_the_maker_ends_with_the_body_of_the_run) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [&passed, ph] {
      ph.next();
      ++passed;
    });
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(phaser_membership_test, of_the_maker_ends_with_the_innermost_finish_and_leaves_the_outer_ones) {
  run([] {
    const ts::phaser outer;
    std::vector<ts::phaser> kept;
    ts::finish([&] { kept.push_back(ts::phaser(signal_wait_next)); });
    EXPECT_FALSE(is_registered(kept.front()));
    EXPECT_TRUE(is_registered(outer));
    outer.next();
    EXPECT_EQ(outer.phase(), 1u);
  });
}

TEST_P(phaser_membership_test, outlives_that_of_the_maker_in_the_tasks_that_joined) {
  std::atomic<int> passed{0};
  run([&] {
    ts::async([&passed] {
      const ts::phaser ph;
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::phased(ph), [&passed, ph] {
          for (int k = 0; k < 5; ++k) ph.next();
          ts::async(ts::phased(ph), [&passed, ph] {
            EXPECT_EQ(ph.phase(), 5u);
            ph.next();
            ++passed;
          });
        });
      }
    });
  });
  EXPECT_EQ(passed.load(), 5);
}

// ---- while a phase is being turned ----

class phaser_turning_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(phaser_turning_test);

TEST_P(phaser_turning_test, a_child_that_comes_meanwhile_and_only_signals_is_waited_for_in_the_next_phase) {
  // A user's function keeps the task that turns the phase until another one, which has signalled it, has brought in a
  // child.
  static constexpr int k_phases = 3;
  support::event has_signalled;
  support::event turning;
  support::event has_child;
  std::atomic<bool> first_fold{true};
  std::atomic<int> signals{0};
  run([&] {
    ts::finish([&] {
      const ts::phaser ph;
      const ts::monoid slowly{0, [&](int x, int y) {
                                if (first_fold.exchange(false)) {
                                  turning.set();
                                  has_child.await();
                                }
                                return x + y;
                              }};
      const ts::accumulator a(ph, slowly, ts::strategy::dynamic_lazy);
      const ts::promise<void> has_turned;
      ts::async(ts::spawn_policy::help_first, ts::phased(ph), [&, ph, a] {
        a.send(2);
        ph.signal();
        has_signalled.set();
        turning.await();
        ts::async(ts::spawn_policy::help_first, ts::phased(ph.as(signal_only)),
                  [&signals, ph, turned = has_turned.get_future()] {
                    turned.get();
                    for (int k = 0; k < k_phases; ++k) {
                      ++signals;
                      ph.signal();
                    }
                  });
        has_child.set();
        ph.wait();
        for (int k = 1; k <= k_phases; ++k) {
          ph.next();
          EXPECT_GE(signals.load(), k);
        }
      });
      has_signalled.await();
      a.send(1);
      ph.next();
      has_turned.set_value();
      EXPECT_EQ(a.result(), 3);
      for (int k = 1; k <= k_phases; ++k) {
        ph.next();
        EXPECT_GE(signals.load(), k);
      }
    });
  });
  EXPECT_EQ(signals.load(), k_phases);
}

}  // namespace
