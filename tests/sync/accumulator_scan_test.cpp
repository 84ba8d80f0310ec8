// SPDX-License-Identifier: Apache-2.0
// scan: what the tasks that were registered earlier sent in the last phase; scan_inclusive: and what this task sent itself.
#include <tactus/tactus.hpp>

#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

// The strategies whose order is registration order, and the default.
auto every_scanning_strategy() {
  return testing::Values(accumulators::k_automatic, accumulators::k_dynamic_lazy, accumulators::k_fixed_lazy_2,
                         accumulators::k_fixed_lazy_100, accumulators::k_tree);
}

class accumulator_scan_test : public accumulators::each_strategy {};
TACTUS_EACH_STRATEGY_OF(accumulator_scan_test, every_scanning_strategy());

constexpr int k_tasks = 15;

TEST_P(accumulator_scan_test, gives_each_task_the_fold_of_those_before_it) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 10; ++k) {
          if ((i + k) % 3 == 0) ts::yield();
          a.send(k * i);
          ph.next();
          EXPECT_EQ(a.scan(), k * (i * (i - 1) / 2));
          EXPECT_EQ(a.scan_inclusive(), k * (i * (i + 1) / 2));
          EXPECT_EQ(a.result(), k * (k_tasks * (k_tasks - 1) / 2));
        }
      });
    }
  });
}

TEST_P(accumulator_scan_test, folds_in_registration_order) {
  run([] {
    const ts::phaser ph;
    const auto a = accumulators::concatenated(ph, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        std::string before = "-";
        for (int other = 0; other < i; ++other) before += static_cast<char>('a' + other);
        for (int k = 0; k < 5; ++k) {
          a.send(std::string(1, static_cast<char>('a' + i)));
          ph.next();
          EXPECT_EQ(a.scan(), before);
          EXPECT_EQ(a.scan_inclusive(), before + static_cast<char>('a' + i));
        }
      });
    }
    for (int k = 0; k < 5; ++k) {
      a.send("-");
      ph.next();
      EXPECT_EQ(a.scan(), "");
      EXPECT_EQ(a.scan_inclusive(), "-");
    }
  });
}

TEST_P(accumulator_scan_test, is_the_identity_before_the_first_phase_and_where_nobody_sent) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::product, how());
    for (int i = 0; i < 4; ++i) {
      ts::async(ts::phased(ph), [=] {
        EXPECT_EQ(a.scan(), 1);
        EXPECT_EQ(a.scan_inclusive(), 1);
        ph.next();
        EXPECT_EQ(a.scan(), 1);
        EXPECT_EQ(a.scan_inclusive(), 1);
      });
    }
  });
}

TEST_P(accumulator_scan_test, is_of_the_last_phase_that_the_task_has_waited_for) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 5; ++k) {
          a.send(1);
          ph.signal();
          a.send(100);  // of the next phase
          EXPECT_EQ(a.scan(), k == 1 ? 0 : k == 2 ? i : 101 * i);
          ph.wait();
          EXPECT_EQ(a.scan(), k == 1 ? i : 101 * i);
        }
      });
    }
  });
}

TEST_P(accumulator_scan_test, leaves_out_who_does_not_send) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::max, how());
    for (int i = 0; i < 8; ++i) {
      ts::async(ts::phased(ph), [=] {
        if (i % 2 == 1) a.send(100 - i);
        ph.next();
        EXPECT_EQ(a.scan(), i < 2 ? std::numeric_limits<int>::min() : 99);
        EXPECT_EQ(a.scan_inclusive(), i < 1 ? std::numeric_limits<int>::min() : 99);
      });
    }
  });
}

TEST_P(accumulator_scan_test, gives_a_wait_only_task_the_fold_of_those_before_it) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 8; ++i) {
      const ts::phaser_mode mode = i % 2 == 0 ? signal_only : wait_only;
      ts::async(ts::phased(ph.as(mode)), [=] {
        for (int k = 1; k <= 5; ++k) {
          if (mode == signal_only) a.send(k);
          ph.next();
          if (mode == signal_only) continue;
          EXPECT_EQ(a.scan(), k * (i + 1) / 2);
        }
      });
    }
  });
}

TEST_P(accumulator_scan_test, gives_a_wait_only_task_that_lags_from_the_start_the_phase_before_it_came) {
  run([] {
    const ts::promise<void> all_sent;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (const int sent : {3, 7}) {
      a.send(sent);
      ph.next();
    }
    ts::async(ts::phased(ph.as(wait_only)), [=] {
      all_sent.get_future().get();
      for (int k = 0; k < 10; ++k) {
        EXPECT_EQ(a.result(), k == 0 ? 7 : k);
        EXPECT_EQ(a.scan(), k == 0 ? 7 : k);
        ph.wait();
      }
    });
    for (int k = 1; k <= 10; ++k) {
      a.send(k);
      ph.next();
    }
    all_sent.set_value();
  });
}

TEST_P(accumulator_scan_test, gives_a_wait_only_task_that_came_after_a_phase_had_turned_the_one_before_that) {
  // Its parent has signalled, and with that turned, a phase that it has not waited for: the task begins in that phase
  // and may ask for the one before. Nobody had need of scans when those two were made.
  run([] {
    const ts::promise<void> all_sent;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (const int sent : {3, 7}) {
      a.send(sent);
      ph.next();
    }
    a.send(9);
    ph.signal();
    ts::async(ts::phased(ph.as(wait_only)), [=] {
      all_sent.get_future().get();
      for (int k = -1; k < 10; ++k) {
        const int expected = k == -1 ? 7 : k == 0 ? 9 : k;
        EXPECT_EQ(a.result(), expected);
        EXPECT_EQ(a.scan(), expected);
        ph.wait();
      }
    });
    ph.wait();
    for (int k = 1; k <= 10; ++k) {
      a.send(k);
      ph.next();
    }
    all_sent.set_value();
  });
}

TEST_P(accumulator_scan_test, is_right_when_first_asked_for_after_others_have_sent_for_the_phase_after_the_next) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    ts::promise<void> sent;
    ts::async(ts::phased(ph), [=, others_have_sent = sent.get_future()] {
      a.send(10);
      ph.next();
      others_have_sent.get();
      EXPECT_EQ(a.scan_inclusive(), 11);
      EXPECT_EQ(a.scan(), 1);
      ph.next();
    });
    a.send(1);
    ph.next();
    ph.signal();
    a.send(100);
    sent.set_value();
    ph.wait();
  });
}

TEST_P(accumulator_scan_test, serves_a_clock_as_it_serves_a_phaser) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::accumulator<int> a(c, ts::op::sum, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::clocked(c), [=] {
        for (int k = 1; k <= 5; ++k) {
          a.send(k);
          c.advance();
          EXPECT_EQ(a.scan(), k * i);
          EXPECT_EQ(a.scan_inclusive(), k * (i + 1));
        }
      });
    }
  });
}

}  // namespace
