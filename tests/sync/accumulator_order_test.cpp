// SPDX-License-Identifier: Apache-2.0
// Where one task registers the others, fixed_lazy, dynamic_lazy and tree combine in registration order. Strings in a row show it.
#include <tactus/tactus.hpp>

#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using accumulators::concatenated;
using enum ts::phaser_mode;

class accumulator_order_test : public accumulators::each_strategy {};
TACTUS_EACH_STRATEGY_OF(accumulator_order_test, accumulators::every_ordered_strategy());

constexpr int k_tasks = 20;

std::string letter(int i) { return std::string(1, static_cast<char>('a' + i)); }

std::string letters(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += letter(i);
  return all;
}

// Lets the tasks of a phase come in different orders from phase to phase.
void dawdle(int i, int phase) {
  for (int k = (i * 7 + phase * 5) % 4; k > 0; --k) ts::yield();
}

TEST_P(accumulator_order_test, is_the_order_of_the_spawns_in_every_phase) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int phase = 0; phase < 10; ++phase) {
          dawdle(i, phase);
          a.send(letter(i));
          ph.next();
          EXPECT_EQ(a.result(), letters(k_tasks));
        }
      });
    }
  });
}

TEST_P(accumulator_order_test, begins_with_the_task_that_registers_the_others) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::spawn_policy::help_first, ts::phased(ph), [=] {
        a.send(letter(i));
        ph.next();
      });
    }
    a.send("-");
    ph.next();
    EXPECT_EQ(a.result(), "-" + letters(k_tasks));
  });
}

TEST_P(accumulator_order_test, is_the_same_on_a_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    const auto a = concatenated(c, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::clocked(c), [=] {
        for (int phase = 0; phase < 5; ++phase) {
          dawdle(i, phase);
          a.send(letter(i));
          c.advance();
          EXPECT_EQ(a.result(), letters(k_tasks));
        }
      });
    }
  });
}

TEST_P(accumulator_order_test, leaves_out_who_does_not_send) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        if (i % 3 == 0) a.send(letter(i));
        ph.next();
        EXPECT_EQ(a.result(), "adgjmps");
      });
    }
  });
}

TEST_P(accumulator_order_test, keeps_what_one_task_sends_together_and_in_its_order) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < 4; ++i) {
      ts::async(ts::phased(ph), [=] {
        a.send(letter(i));
        ts::yield();
        a.send("1");
        a.send("2");
        ph.next();
        EXPECT_EQ(a.result(), "a12b12c12d12");
      });
    }
  });
}

TEST_P(accumulator_order_test, mixes_modes_by_registration) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    const auto a = concatenated(ph, how());
    for (int i = 0; i < k_tasks; ++i) {
      const ts::phaser_mode mode = i % 3 == 0 ? signal_only : i % 3 == 1 ? signal_wait : signal_wait_next;
      ts::async(ts::phased(ph.as(mode)), [=] {
        for (int phase = 0; phase < 5; ++phase) {
          dawdle(i, phase);
          a.send(letter(i));
          ph.next();
        }
      });
    }
    for (int phase = 0; phase < 5; ++phase) {
      ph.next();
      EXPECT_EQ(a.result(), letters(k_tasks));
    }
  });
}

TEST_P(accumulator_order_test, closes_up_when_tasks_leave) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::phased(ph), [=] {
        a.send(letter(i));
        ph.next();
        if (i % 2 == 0) return;
        a.send(letter(i));
        ph.next();
        EXPECT_EQ(a.result(), "bdfhj");
      });
    }
    ph.next();
    EXPECT_EQ(a.result(), letters(10));
    ph.next();
    EXPECT_EQ(a.result(), "bdfhj");
  });
}

TEST_P(accumulator_order_test, keeps_the_place_of_a_task_that_leaves_after_it_has_sent) {
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::phased(ph), [=] {
        dawdle(i, 0);
        a.send(letter(i));
        if (i % 2 == 0) return;
        ph.next();
        EXPECT_EQ(a.result(), letters(10));
      });
    }
  });
}

TEST_P(accumulator_order_test, puts_those_who_join_later_behind) {
  // Also beyond the number that fixed_lazy was made for, while the others have sent already.
  run([] {
    const ts::phaser ph;
    const auto a = concatenated(ph, how());
    for (int phase = 0; phase < k_tasks; ++phase) {
      ts::async(ts::phased(ph), [=] {
        for (int at = phase; at < k_tasks; ++at) {
          a.send(letter(phase));
          ph.next();
          EXPECT_EQ(a.result(), letters(at + 1));
        }
      });
      ts::yield();
      ph.next();
      EXPECT_EQ(a.result(), letters(phase + 1));
    }
  });
}

// ---- floating point ----

// Sums whose rounding depends on the order: the bits of each phase's result, one run.
std::vector<std::uint64_t> bits_of_sums(ts::strategy how, int shift) {
  std::vector<std::uint64_t> bits;
  ts::finish([&] {
    const ts::phaser ph;
    const ts::accumulator<double> a(ph, ts::op::sum, how);
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        double value = 1.0 / (3.0 + i);
        for (int phase = 0; phase < 10; ++phase) {
          dawdle(i, phase + shift);
          value *= (i + phase) % 5 == 0 ? -1e7 : 0.37;
          a.send(value);
          ph.next();
        }
      });
    }
    for (int phase = 0; phase < 10; ++phase) {
      ph.next();
      bits.push_back(std::bit_cast<std::uint64_t>(a.result()));
    }
  });
  return bits;
}

TEST_P(accumulator_order_test, makes_sums_of_floating_point_numbers_repeat_to_the_last_bit) {
  const std::vector<std::uint64_t> first = run([] { return bits_of_sums(how(), 0); });
  for (int shift = 1; shift < 8; ++shift) {
    EXPECT_EQ(run([shift] { return bits_of_sums(how(), shift); }), first) << "shift " << shift;
  }
}

TEST_P(accumulator_order_test, makes_them_the_same_with_any_number_of_workers) {
  const std::vector<std::uint64_t> here = run([] { return bits_of_sums(how(), 0); });
  EXPECT_EQ(ts::run(support::config_of(1), [] { return bits_of_sums(how(), 3); }), here);
}

}  // namespace
