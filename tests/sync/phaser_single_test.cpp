// SPDX-License-Identifier: Apache-2.0
// next_single: between the last signal of a phase and the first task that passes it, one function runs.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::phaser_complaint_of;
using support::caught;
using support::contains;
using enum ts::phaser_mode;

class phaser_single_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_single_test);

// ---- one function per phase ----

TEST_P(phaser_single_test, runs_one_function_in_every_phase_however_many_bring_one) {
  static constexpr int k_tasks = 8;
  int runs = 0;  // plain: next_single orders all that touch it
  run([&] {
    ts::finish([&runs] {
      const ts::phaser ph(signal_wait_next);
      for (int i = 0; i < k_tasks; ++i) {
        ts::async(ts::phased(ph), [&runs, ph] {
          for (int k = 1; k <= 20; ++k) {
            ph.next_single([&runs] { ++runs; });
            EXPECT_EQ(runs, k);
            ph.next();  // nobody runs ahead while others look
          }
        });
      }
    });
  });
  EXPECT_EQ(runs, 20);
}

TEST_P(phaser_single_test, of_a_task_alone_runs_at_once) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    int runs = 0;
    for (int k = 0; k < 5; ++k) ph.next_single([&runs] { ++runs; });
    ts::next_single([&runs] { ++runs; });
    EXPECT_EQ(runs, 6);
    EXPECT_EQ(ph.phase(), 6u);
  });
}

TEST_P(phaser_single_test, runs_after_every_signal_of_the_phase) {
  std::atomic<int> signals{0};
  run([&] {
    const ts::phaser ph(signal_wait_next);
    for (int i = 0; i < 9; ++i) {
      ts::async(ts::phased(ph.as(phasers::k_modes[static_cast<std::size_t>(i % 3)])), [&signals, ph] {
        ts::yield();
        ++signals;
        ph.signal();
      });
    }
    bool ran = false;
    ph.next_single([&] {
      EXPECT_EQ(signals.load(), 9);
      ran = true;
    });
    EXPECT_TRUE(ran);
  });
}

TEST_P(phaser_single_test, runs_before_any_task_passes_in_whatever_way_it_waits) {
  static constexpr std::size_t k_phases = 10;
  std::array<std::uint64_t, k_phases> made{};  // plain
  run([&] {
    const ts::phaser ph(signal_wait_next);
    const auto look = [&made](std::size_t k) { EXPECT_EQ(made[k], k + 1); };
    ts::async(ts::phased(ph), [ph, look] {
      for (std::size_t k = 0; k < k_phases; ++k) {
        ph.next();
        look(k);
      }
    });
    ts::async(ts::phased(ph.as(signal_wait)), [look] {
      for (std::size_t k = 0; k < k_phases; ++k) {
        ts::next();
        look(k);
      }
    });
    ts::async(ts::phased(ph.as(signal_wait)), [ph, look] {
      for (std::size_t k = 0; k < k_phases; ++k) {
        ph.signal();
        ts::yield();
        ph.wait();
        look(k);
      }
    });
    ts::async(ts::phased(ph.as(wait_only)), [ph, look] {
      for (std::size_t k = 0; k < k_phases; ++k) {
        ph.wait();
        look(k);
      }
    });
    for (std::size_t k = 0; k < k_phases; ++k) {
      ph.next_single([&made, k] {
        ts::yield();
        made[k] = k + 1;
      });
      look(k);
    }
  });
}

TEST_P(phaser_single_test, sees_what_every_task_did_before_its_signal) {
  static constexpr std::size_t k_tasks = 6;
  std::array<std::uint64_t, k_tasks> cells{};
  std::uint64_t sum = 0;
  run([&] {
    ts::finish([&] {
      const ts::phaser ph(signal_wait_next);
      for (std::size_t i = 0; i < k_tasks; ++i) {
        ts::async(ts::phased(ph), [&, ph, i] {
          for (std::uint64_t round = 1; round <= 10; ++round) {
            cells[i] = round;
            ph.next_single([&] {
              sum = 0;
              for (const std::uint64_t c : cells) sum += c;
            });
            EXPECT_EQ(sum, round * k_tasks);
            ph.next();
          }
        });
      }
    });
  });
}

TEST_P(phaser_single_test, runs_in_the_task_that_brought_it) {
  run([] {
    ts::finish([] {
      const ts::phaser ph(signal_wait_next);
      for (int i = 1; i <= 6; ++i) {
        ts::async(ts::phased(ph), [ph, i] {
          const ts::task_local<int> mine;
          *mine = i;
          for (int k = 0; k < 5; ++k) ph.next_single([&mine, i] { EXPECT_EQ(*mine, i); });
        });
      }
    });
  });
}

TEST_P(phaser_single_test, runs_only_in_phases_that_somebody_ends_with_it) {
  int runs = 0;
  run([&] {
    ts::finish([&runs] {
      const ts::phaser ph(signal_wait_next);
      ts::async(ts::phased(ph), [ph] {
        for (int k = 0; k < 10; ++k) ph.next();
      });
      ts::async(ts::phased(ph), [&runs, ph] {
        for (int k = 0; k < 10; ++k) {
          if (k % 3 == 0) {
            ph.next_single([&runs] { ++runs; });
          } else {
            ph.next();
          }
        }
      });
    });
  });
  EXPECT_EQ(runs, 4);
}

TEST_P(phaser_single_test, runs_when_the_last_that_was_missing_leaves) {
  for (const bool by_drop : {true, false}) {
    int runs = 0;
    run([&] {
      ts::finish([&] {
        const ts::phaser ph(signal_wait_next);
        for (int i = 0; i < 3; ++i) {
          ts::async(ts::phased(ph), [&runs, ph] {
            ph.next_single([&runs] { ++runs; });
            EXPECT_EQ(runs, 1);
          });
        }
        ts::async(ts::phased(ph), [ph, by_drop] {
          ts::yield();
          if (by_drop) ph.drop();
        });
      });
    });
    EXPECT_EQ(runs, 1);
  }
}

// ---- a function that throws, and one that suspends ----

TEST_P(phaser_single_test, that_throws_throws_in_its_own_task_and_the_phase_ends_for_all) {
  std::atomic<int> thrown{0};
  run([&] {
    ts::finish([&thrown] {
      const ts::phaser ph(signal_wait_next);
      ts::async(ts::phased(ph.as(signal_wait)), [ph] {
        ph.next();
        EXPECT_EQ(ph.phase(), 1u);
        ph.next();
      });
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::phased(ph), [&thrown, ph] {
          const auto e =
              caught<std::runtime_error>([&] { ph.next_single([] { throw std::runtime_error("single"); }); });
          if (e) {
            EXPECT_STREQ(e->what(), "single");
            ++thrown;
          }
          EXPECT_EQ(ph.phase(), 1u);
          ph.next();
          EXPECT_EQ(ph.phase(), 2u);
        });
      }
    });
  });
  EXPECT_EQ(thrown.load(), 1);
}

TEST_P(phaser_single_test, that_throws_out_of_its_task_reaches_the_finish_once) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const ts::phaser ph(signal_wait_next);
        for (int i = 0; i < 5; ++i) {
          ts::async(ts::phased(ph), [ph] {
            ph.next_single([] { throw std::runtime_error("single"); });
            ph.next();
            EXPECT_EQ(ph.phase(), 2u);
          });
        }
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"single"});
  });
}

TEST_P(phaser_single_test, may_suspend_and_spawn) {
  std::atomic<int> parts{0};
  run([&] {
    ts::finish([&parts] {
      const ts::phaser ph(signal_wait_next);
      const ts::promise<int> p;
      ts::async([p] {
        ts::yield();
        p.set_value(100);
      });
      for (int i = 0; i < 4; ++i) {
        ts::async(ts::phased(ph), [&parts, ph, answer = p.get_future()] {
          ph.next_single([&] {
            ts::yield();
            ts::finish([&] {
              for (int k = 0; k < 10; ++k) ts::async([&parts] { ++parts; });
            });
            parts += answer.get();
          });
          EXPECT_EQ(parts.load(), 110);
        });
      }
    });
  });
}

// ---- what it may not do, and who may not use it ----

TEST_P(phaser_single_test, may_not_operate_on_its_phaser) {
  int runs = 0;
  run([&] {
    ts::finish([&] {
      const ts::phaser ph(signal_wait_next);
      for (int i = 0; i < 3; ++i) {
        ts::async(ts::phased(ph), [&runs, ph] {
          ph.next_single([&] {
            ++runs;
            EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.signal(); }), "signal"));
            EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.wait(); }), "wait"));
            EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.next(); }), "next"));
            EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.drop(); }), "drop"));
            EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.next_single([] { ADD_FAILURE() << "has run"; }); }),
                                 "next_single"));
            EXPECT_TRUE(contains(
                phaser_complaint_of([&] { ts::async(ts::phased(ph), [] { FAIL() << "was spawned"; }); }), "async"));
          });
          EXPECT_EQ(ph.phase(), 1u);
          ph.next();
          EXPECT_EQ(ph.phase(), 2u);
        });
      }
    });
  });
  EXPECT_EQ(runs, 1);
}

TEST_P(phaser_single_test, may_operate_on_other_phasers) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    const ts::phaser other;
    ph.next_single([&] {
      ts::async(ts::phased(other), [other] { other.next(); });
      other.next();
    });
    EXPECT_EQ(ph.phase(), 1u);
    EXPECT_EQ(other.phase(), 1u);
  });
}

TEST_P(phaser_single_test, needs_signal_wait_next) {
  run([] {
    for (const ts::phaser_mode mode : {signal_wait, signal_only, wait_only}) {
      ts::finish([mode] {
        const ts::phaser ph(mode);
        EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.next_single([] { FAIL() << "has run"; }); }), "next_single"))
            << phasers::name_of(mode);
        EXPECT_TRUE(contains(phaser_complaint_of([&] { ts::next_single([] { FAIL() << "has run"; }); }), "next_single"))
            << phasers::name_of(mode);
        EXPECT_EQ(ph.phase(), 0u);
      });
    }
  });
}

TEST_P(phaser_single_test, that_is_refused_is_no_signal) {
  std::atomic<bool> arrived{false};
  run([&] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [&arrived, ph] {
      ph.next();
      EXPECT_TRUE(arrived);
    });
    EXPECT_TRUE(phasers::is_refused([&] { ph.next_single([] {}); }));
    ts::yield();
    arrived = true;
    ph.next();
  });
}

TEST_P(phaser_single_test, after_ones_own_signal_in_the_phase_is_refused) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    ph.signal();
    EXPECT_TRUE(contains(phaser_complaint_of([&] { ph.next_single([] { FAIL() << "has run"; }); }), "next_single"));
    EXPECT_TRUE(contains(phaser_complaint_of([] { ts::next_single([] { FAIL() << "has run"; }); }), "next_single"));
    EXPECT_EQ(ph.phase(), 0u);
    ph.wait();
    int runs = 0;
    ph.next_single([&runs] { ++runs; });
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(ph.phase(), 2u);
  });
}

// ---- the free form ----

TEST_P(phaser_single_test, without_a_phaser_runs_at_the_one_with_signal_wait_next) {
  static constexpr std::size_t k_phases = 10;
  std::array<std::uint64_t, k_phases> made{};
  run([&] {
    ts::finish([&made] {
      const ts::phaser single(signal_wait_next);
      const ts::phaser other;
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::phased(single, other), ts::clocked(c), [&made, single, other, c] {
          for (std::size_t k = 0; k < k_phases; ++k) {
            ts::next_single([&made, k] { ++made[k]; });
            EXPECT_EQ(made[k], 1u);
            EXPECT_EQ(single.phase(), k + 1);
            EXPECT_EQ(other.phase(), k + 1);
            EXPECT_EQ(c.phase(), k + 1);
          }
        });
      }
    });
  });
}

TEST_P(phaser_single_test, without_a_phaser_signals_all_of_them_first) {
  // The function waits for a task that passes on the other phaser and on the clock, and that needs the signals there.
  run([] {
    const ts::promise<void> passed;
    const ts::phaser single(signal_wait_next);
    const ts::phaser other;
    const ts::clock c = ts::clock::make();
    ts::async(ts::phased(other), ts::clocked(c), [passed] {
      ts::next();
      passed.set_value();
    });
    bool ran = false;
    ts::next_single([&] {
      passed.get_future().get();
      ran = true;
    });
    EXPECT_TRUE(ran);
    EXPECT_EQ(single.phase(), 1u);
    EXPECT_EQ(other.phase(), 1u);
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(phaser_single_test, without_a_phaser_keeps_its_task_in_step_with_all_of_them_also_when_it_throws) {
  static constexpr std::uint64_t k_phases = 10;
  std::atomic<std::uint64_t> thrown{0};
  run([&] {
    ts::finish([&thrown] {
      const ts::phaser single(signal_wait_next);
      const ts::phaser other;
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::phased(single, other), ts::clocked(c), [&thrown, single, other, c] {
          for (std::uint64_t k = 1; k <= k_phases; ++k) {
            if (caught<std::runtime_error>([] { ts::next_single([] { throw std::runtime_error("single"); }); })) {
              ++thrown;
            }
            EXPECT_EQ(single.phase(), k);
            EXPECT_EQ(other.phase(), k);
            EXPECT_EQ(c.phase(), k);
          }
        });
      }
    });
  });
  EXPECT_EQ(thrown.load(), k_phases);
}

TEST_P(phaser_single_test, without_a_phaser_needs_exactly_one_with_signal_wait_next) {
  run([] {
    const auto refused = [] {
      const std::string text = phaser_complaint_of([] { ts::next_single([] { FAIL() << "has run"; }); });
      EXPECT_TRUE(contains(text, "next_single")) << text;
    };
    refused();
    const ts::clock c = ts::clock::make();
    const ts::phaser plain;
    refused();
    const ts::phaser p(signal_wait_next);
    const ts::phaser q(signal_wait_next);
    refused();
    EXPECT_EQ(c.phase() + plain.phase() + p.phase() + q.phase(), 0u);
    ts::next();  // and nothing had been signalled before: all are in one phase
    EXPECT_EQ(c.phase() + plain.phase() + p.phase() + q.phase(), 4u);
    q.drop();
    int runs = 0;
    ts::next_single([&runs] { ++runs; });
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(c.phase() + plain.phase() + p.phase(), 6u);
  });
}

}  // namespace
