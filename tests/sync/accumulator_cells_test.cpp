// SPDX-License-Identifier: Apache-2.0
// The cells of the strategies that combine in the order of registration: they are used again when their task has ended and nobody can
// ask for what it sent, and what is made of the others depends on what was sent in the phase, not on who was early or has ended.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

class accumulator_cells_test : public accumulators::each_strategy {};
TACTUS_EACH_STRATEGY_OF(accumulator_cells_test, accumulators::every_ordered_strategy());

// Each cell holds some of them.
struct counted {
  static inline std::atomic<long> living{0};
  explicit counted(int v) : value(v) { ++living; }
  counted(const counted& other) : value(other.value) { ++living; }
  counted& operator=(const counted&) = default;
  ~counted() { --living; }
  int value;
};

constexpr auto k_add_counted = [](const counted& x, const counted& y) { return counted(x.value + y.value); };

// Lets each of `per_phase` tasks send in each phase, and end. How many values there were at most.
template <class On, class Attribute, class Next>
long most_living(const On& on, const Attribute& registered, const Next& next, ts::strategy how, int phases,
                 int per_phase) {
  const auto a = accumulators::combined_by(on, ts::monoid{counted(0), k_add_counted}, how);
  long most = 0;
  for (int k = 0; k < phases; ++k) {
    for (int i = 0; i < per_phase; ++i) {
      ts::async(registered(on), [a, k, i] { a.send(counted(k + i)); });
    }
    next(on);
    EXPECT_EQ(a.result().value, per_phase * k + per_phase * (per_phase - 1) / 2);
    most = std::max(most, counted::living.load());
  }
  return most;
}

TEST_P(accumulator_cells_test, of_tasks_that_have_ended_serve_others_on_a_phaser) {
  run([] {
    const ts::phaser ph;
    const auto registered = [](const ts::phaser& on) { return ts::phased(on); };
    const auto next = [](const ts::phaser& on) { on.next(); };
    const long few = most_living(ph, registered, next, how(), 100, 3);
    EXPECT_LE(most_living(ph, registered, next, how(), support::scaled(2000, 400), 3), 2 * few);
  });
}

TEST_P(accumulator_cells_test, of_tasks_that_have_ended_serve_others_on_a_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    const auto registered = [](const ts::clock& on) { return ts::clocked(on); };
    const auto next = [](const ts::clock& on) { on.advance(); };
    const long few = most_living(c, registered, next, how(), 100, 3);
    EXPECT_LE(most_living(c, registered, next, how(), support::scaled(2000, 400), 3), 2 * few);
  });
}

TEST_P(accumulator_cells_test, of_tasks_that_ran_ahead_and_ended_serve_others) {
  run([] {
    const auto most_of = [](int phases) {
      const ts::phaser ph;
      const auto a = accumulators::combined_by(ph, ts::monoid{counted(0), k_add_counted}, how());
      long most = 0;
      for (int k = 0; k < phases; ++k) {
        ts::async(ts::phased(ph.as(signal_only)), [ph, a] {
          for (const int x : {1, 10, 100}) {
            a.send(counted(x));
            ph.signal();
          }
        });
        ph.next();
        EXPECT_EQ(a.result().value, k == 0 ? 1 : k == 1 ? 11 : 111);
        most = std::max(most, counted::living.load());
      }
      ph.drop();
      return most;
    };
    const long few = most_of(100);
    EXPECT_LE(most_of(support::scaled(2000, 400)), 2 * few);
  });
}

// ---- what was sent stays what it is ----

// Phase by phase one task registers some that end soon: one sends in its phase; one signals first, and sends in the next; one that only
// signals sends in its phase, the next, and far ahead. Each says in which phase it came.
void come_and_go(const ts::phaser& ph, const auto& a, int phase) {
  const std::string text = std::to_string(phase) + ' ';
  const int dawdling = (phase * 7) % 5;
  ts::async(ts::phased(ph.as(signal_wait)), [a, text, dawdling] {
    for (int i = 0; i < dawdling; ++i) ts::yield();
    a.send("now" + text);
  });
  ts::async(ts::phased(ph.as(signal_wait)), [ph, a, text, dawdling] {
    ph.signal();
    for (int i = dawdling; i < 4; ++i) ts::yield();
    a.send("late" + text);
  });
  ts::async(ts::phased(ph.as(signal_only)), [ph, a, text, dawdling] {
    a.send("ahead" + text);
    ph.signal();
    if (dawdling % 2 == 0) ts::yield();
    a.send("ahead" + text);
    for (int i = 0; i < 6; ++i) ph.signal();
    a.send("far" + text);
  });
}

// In order of registration: older tasks stand first, and of one phase now, late, ahead.
std::string expected_of(int phase) {
  std::string all;
  const auto add = [&](int ago, const char* sent) {
    if (ago <= phase) all += sent + std::to_string(phase - ago) + ' ';
  };
  add(7, "far");
  add(1, "late");
  add(1, "ahead");
  add(0, "now");
  add(0, "ahead");
  return all;
}

TEST_P(accumulator_cells_test, that_are_used_again_do_not_change_what_others_sent) {
  static constexpr int k_phases = support::scaled(300, 100);
  run([] {
    const ts::phaser ph;
    const auto a = accumulators::concatenated(ph, how());
    for (int k = 0; k < k_phases; ++k) {
      if (k % 20 == 10) {  // lags, and reads what has long been made
        ts::async(ts::phased(ph.as(wait_only)), [ph, a, k] {
          for (int at = k; at < k + 30 && at < k_phases; ++at) {
            for (int i = (at * 3) % 7; i > 0; --i) ts::yield();
            ph.wait();
            EXPECT_EQ(a.result(), expected_of(at)) << "phase " << at;
            const std::string all = expected_of(at);
            const std::string scan = a.scan();  // those who came before this task
            EXPECT_EQ(all.substr(0, scan.size()), scan) << "phase " << at;
            EXPECT_EQ(scan.empty(), at > k + 6) << "phase " << at;
          }
        });
      }
      come_and_go(ph, a, k);
      ph.next();
      EXPECT_EQ(a.result(), expected_of(k)) << "phase " << k;
    }
  });
}

// The reader has signalled in the phase after the one that it asks for, which has turned, and nobody has asked before.
TEST_P(accumulator_cells_test, are_kept_for_who_asks_for_the_scan_when_the_next_phase_has_turned) {
  for (int phases_before = 0; phases_before < 20; ++phases_before) {  // they are looked at every few phases
    run([phases_before] {
      const ts::promise<void> turned;
      const ts::phaser ph;
      const auto a = accumulators::concatenated(ph, how());
      for (int k = 0; k < phases_before; ++k) ph.next();
      ts::async(ts::phased(ph), [a] { a.send("x"); });
      ts::async(ts::phased(ph), [ph, a, next_has_turned = turned.get_future()] {
        ph.next();
        ph.signal();
        next_has_turned.get();
        EXPECT_EQ(a.scan(), "x");
        ph.wait();
      });
      ph.next();
      ph.next();
      turned.set_value();
    });
  }
}

// ---- the shape of a tree ----

// The bits of a sum of one phase, in which one task has already sent for the next, or will.
std::uint64_t bits_of_sum(bool sends_early) {
  std::uint64_t bits = 0;
  ts::finish([&] {
    const ts::phaser ph;
    const ts::accumulator<double> a(ph, ts::op::sum, ts::strategy::tree);
    const ts::promise<void> go;
    const ts::promise<void> early_is_through;
    ts::async(ts::phased(ph.as(signal_only)), [=, may_send = go.get_future()] {
      ph.signal();
      if (!sends_early) {
        early_is_through.set_value();
        may_send.get();
      }
      a.send(1.0);
      if (sends_early) early_is_through.set_value();
    });
    early_is_through.get_future().get();
    for (int i = 0; i < 17; ++i) {
      const double value = (i % 5 == 3 ? -1e5 : 1.0) / (3.0 + i);
      ts::async_future(ts::phased(ph), [a, value] { a.send(value); }).get();
    }
    ph.next();
    bits = std::bit_cast<std::uint64_t>(a.result());
    go.set_value();
    ph.next();
    EXPECT_EQ(a.result(), 1.0);
  });
  return bits;
}

TEST(accumulator_tree_test, a_sum_does_not_depend_on_when_others_send_for_the_next_phase) {
  for (const int workers : {1, 2}) {
    ts::run(support::config_of(workers), [] { EXPECT_EQ(bits_of_sum(true), bits_of_sum(false)); });
  }
}

}  // namespace
