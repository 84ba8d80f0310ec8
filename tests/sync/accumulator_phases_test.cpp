// SPDX-License-Identifier: Apache-2.0
// To which phase a send belongs, and whose result a task reads, where tasks join, leave, run ahead and lag behind.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/moved.hpp"
#include "support/scale.hpp"
#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

class accumulator_phases_test : public accumulators::each_strategy {};
TACTUS_EACH_STRATEGY(accumulator_phases_test);

// One that only signals is a phase ahead, sends there for the first time, and leaves, while whoever is the last to leave makes results.
TEST(accumulator_ends, a_first_send_ahead_counts_while_the_last_phase_is_made) {
  for (const auto make : {+[] { return ts::strategy::dynamic_lazy; }, +[] { return ts::strategy::fixed_lazy(4); },
                          +[] { return ts::strategy::per_worker; }}) {
    static std::atomic<int> state;  // 1: it is ahead; 2: the result is being made; 3: it has left
    state = 0;
    ts::run(ts::config{.threads = 2, .env = false}, [make] {
      ts::finish([make] {
        const ts::phaser ph;
        const auto add = [](int x, int y) {
          if (state == 1) {
            state = 2;
            while (state != 3) std::this_thread::yield();
          }
          return x + y;
        };
        const ts::accumulator<int, ts::monoid<int, decltype(add)>> a(ph, ts::monoid{0, add}, make());
        ts::async(ts::phased(ph.as(wait_only)), [=] {
          ph.wait();
          EXPECT_EQ(a.result(), 3);
          ph.wait();
          EXPECT_EQ(a.result(), 40);
        });
        ts::async_future(ts::phased(ph), [=] { a.send(2); }).get();
        ts::async(ts::phased(ph.as(signal_only)), [=] {
          ph.signal();
          state = 1;
          while (state != 2) std::this_thread::yield();
          a.send(40);
          ph.drop();
          state = 3;
        });
        a.send(1);
        while (state != 1) ts::yield();
        ph.drop();
      });
    });
  }
}

// What is sent so far ahead that no buffer takes it is moved into a list.
TEST(accumulator_ends, a_send_far_ahead_that_throws_does_not_count_and_keeps_nobody) {
  struct fragile {
    int value;
    int copies_left = 1000;
    explicit fragile(int v) : value(v) {}
    fragile(const fragile& other) : value(other.value), copies_left(other.copies_left - 1) {
      if (copies_left == 0) throw std::bad_alloc();
    }
    fragile& operator=(const fragile&) = default;
  };
  for (int copies = 1; copies <= 4; ++copies) {
    ts::run(ts::config{.threads = 1, .env = false}, [copies] {
      const ts::phaser ph;
      const auto add = [](const fragile& x, const fragile& y) { return fragile(x.value + y.value); };
      const ts::accumulator<fragile, ts::monoid<fragile, decltype(add)>> a(ph, ts::monoid{fragile(0), add},
                                                                           ts::strategy::per_worker);
      ts::async_future(ts::phased(ph.as(signal_only)), [=] {
        ph.signal();
        ph.signal();
        fragile x(1);
        x.copies_left = copies;
        try {
          a.send(x);
        } catch (const std::bad_alloc&) {
        }
      }).get();
      ph.drop();  // the last: what is ahead is to come to its phase
    });
  }
}

// The scan folds in the order of registration what the result has folded in the order of coming.
TEST(accumulator_ends, a_scan_that_throws_is_no_result_of_a_later_phase) {
  ts::run(ts::config{.threads = 1, .env = false}, [] {
    const ts::phaser ph;
    const auto add = [](int x, int y) {
      if (y > 0 && x > std::numeric_limits<int>::max() - y) throw std::overflow_error("too much");
      return x + y;
    };
    const ts::accumulator<int, ts::monoid<int, decltype(add)>> a(ph, ts::monoid{0, add}, ts::strategy::per_worker);
    std::array<ts::promise<void>, 4> turn;
    const auto send_in_turn = [&](std::size_t at, int x) {
      ts::async(ts::phased(ph), [a, x, first = turn[at].get_future(), then = turn[at + 1]] {
        first.get();
        a.send(x);
        then.set_value();
      });
    };
    send_in_turn(0, std::numeric_limits<int>::max());
    send_in_turn(2, 1);
    send_in_turn(1, -1);
    turn[0].set_value();
    ph.next();
    EXPECT_EQ(a.result(), std::numeric_limits<int>::max());
    ts::async(ts::phased(ph.as(wait_only)), [=] {
      ph.wait();
      EXPECT_EQ(a.result(), 0);
    });
    ph.next();
    EXPECT_EQ(a.result(), 0);
    ph.next();
    EXPECT_EQ(a.result(), 0);
  });
}

// ---- split phase ----

TEST_P(accumulator_phases_test, a_send_after_ones_own_signal_belongs_to_the_next_phase) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 5; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 10; ++k) {
          a.send(1);
          ph.signal();
          a.send(100 * k);
          ts::yield();
          ph.wait();
          EXPECT_EQ(a.result(), 5 + 500 * (k - 1));
        }
      });
    }
  });
}

TEST_P(accumulator_phases_test, a_signal_does_not_change_what_its_task_reads_before_it_waits) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    a.send(1);
    ph.signal();  // alone: the phase is complete
    EXPECT_EQ(a.result(), 0);
    ph.wait();
    EXPECT_EQ(a.result(), 1);
  });
}

TEST_P(accumulator_phases_test, a_task_that_has_not_waited_reads_the_old_value_while_others_are_a_phase_ahead) {
  run([] {
    const ts::promise<void> ahead;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    a.send(1);
    ph.next();
    ts::async(ts::phased(ph), [=] {
      a.send(2);
      ph.next();
      a.send(4);
      EXPECT_EQ(a.result(), 2);
      ahead.set_value();
      ph.next();
    });
    ph.signal();
    ahead.get_future().get();
    EXPECT_EQ(a.result(), 1);
    ph.wait();
    EXPECT_EQ(a.result(), 2);
    ph.next();
    EXPECT_EQ(a.result(), 4);
  });
}

// ---- leaving and joining ----

TEST_P(accumulator_phases_test, what_a_task_sent_before_it_left_counts) {
  run([] {
    EXPECT_TRUE(support::caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const ts::phaser ph;
        const ts::accumulator<int> a(ph, ts::op::sum, how());
        ts::async(ts::phased(ph), [=] {
          a.send(1);
          ph.drop();
        });
        ts::async(ts::phased(ph), [=] { a.send(10); });
        ts::async(ts::phased(ph), [=] {
          a.send(100);
          throw std::runtime_error("left");
        });
        ts::async(ts::phased(ph.as(signal_only)), [=] { a.send(1000); });
        ph.next();
        EXPECT_EQ(a.result(), 1111);
        ph.next();
        EXPECT_EQ(a.result(), 0);
      });
    }));
  });
}

TEST_P(accumulator_phases_test, what_a_task_sent_after_its_signal_before_it_left_counts_in_the_next_phase) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    ts::async(ts::phased(ph), [=] {
      a.send(1);
      ph.signal();
      a.send(10);
    });
    ph.next();
    EXPECT_EQ(a.result(), 1);
    ph.next();
    EXPECT_EQ(a.result(), 10);
    ph.next();
    EXPECT_EQ(a.result(), 0);
  });
}

TEST_P(accumulator_phases_test, tasks_may_join_and_leave_in_every_phase) {
  static constexpr int k_phases = 20;
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int k = 0; k < k_phases; ++k) {
      // Two join in phase k; one sends in five phases, the other in this one only.
      ts::async(ts::phased(ph), [=] {
        for (int at = 0; at < 5; ++at) {
          a.send(1);
          ph.next();
        }
      });
      ts::async(ts::phased(ph), [=] { a.send(1000); });
      ph.next();
      EXPECT_EQ(a.result(), 1000 + (k < 5 ? k + 1 : 5));
    }
  });
}

TEST_P(accumulator_phases_test, a_child_of_a_parent_that_has_signalled_sends_into_the_next_phase) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    a.send(1);
    ph.signal();
    ts::async(ts::phased(ph), [=] {
      a.send(10);
      ph.wait();
      EXPECT_EQ(a.result(), 1);
      ph.next();
      EXPECT_EQ(a.result(), 110);
    });
    a.send(100);
    ph.wait();
    EXPECT_EQ(a.result(), 1);
    ph.next();
    EXPECT_EQ(a.result(), 110);
  });
}

TEST_P(accumulator_phases_test, an_accumulator_may_be_made_in_a_later_phase) {
  run([] {
    const ts::phaser ph;
    ts::async(ts::phased(ph), [ph] {
      for (int k = 0; k < 10; ++k) ph.next();
    });
    for (int k = 0; k < 5; ++k) ph.next();
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    EXPECT_EQ(a.result(), 0);
    ts::async(ts::phased(ph), [=] {
      a.send(10);
      ph.next();
      EXPECT_EQ(a.result(), 11);
    });
    a.send(1);
    ph.next();
    EXPECT_EQ(a.result(), 11);
  });
}

TEST_P(accumulator_phases_test, an_accumulator_goes_on_without_its_maker) {
  std::atomic<int> read{0};
  run([&] {
    ts::async([&read] {
      const ts::phaser ph;
      const ts::accumulator<int> a(ph, ts::op::sum, how());
      for (int i = 0; i < 4; ++i) {
        ts::async(ts::phased(ph), [&read, ph, a] {
          for (int k = 0; k < 10; ++k) {
            a.send(k);
            ph.next();
            EXPECT_EQ(a.result(), 4 * k);
          }
          ++read;
        });
      }
    });
  });
  EXPECT_EQ(read.load(), 4);
}

TEST_P(accumulator_phases_test, handles_may_outlive_every_task_and_end_outside_the_run) {
  std::vector<ts::accumulator<int>> numbers;
  std::vector<decltype(accumulators::concatenated(std::declval<const ts::phaser&>(), how()))> texts;
  run([&] {
    const ts::phaser ph;
    numbers.emplace_back(ph, ts::op::sum, how());
    texts.push_back(accumulators::concatenated(ph, how()));
    numbers.front().send(1);
    texts.front().send(std::string(100, 'x'));
    ph.next();
    texts.front().send(std::string(100, 'y'));
  });
  numbers.clear();
  texts.clear();
}

// ---- running ahead and lagging behind ----

TEST_P(accumulator_phases_test, a_signal_only_task_sends_into_each_phase_that_it_signals) {
  run([] {
    const ts::promise<void> sent;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    ts::async(ts::phased(ph.as(signal_only)), [=] {
      for (int k = 0; k < 50; ++k) {
        a.send(k);
        a.send(1000);
        ph.signal();
      }
      sent.set_value();
    });
    sent.get_future().get();  // all of it before the first wait
    for (int k = 0; k < 50; ++k) {
      a.send(100'000);
      ph.next();
      EXPECT_EQ(a.result(), 101'000 + k);
    }
  });
}

TEST_P(accumulator_phases_test, a_phase_has_the_sends_of_the_fast_and_of_the_slow) {
  static constexpr int k_phases = 30;
  run([] {
    const ts::promise<void> fast_is_through;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    ts::async(ts::phased(ph.as(wait_only)), [=] {
      for (int k = 0; k < k_phases; ++k) {
        ph.wait();
        EXPECT_EQ(a.result(), 1000 * k + k);
      }
    });
    ts::async(ts::phased(ph.as(signal_only)), [=] {
      for (int k = 0; k < k_phases; ++k) {
        a.send(1000 * k);
        ph.signal();
      }
      fast_is_through.set_value();
    });
    ts::async(ts::phased(ph.as(signal_only)), [=, opened = fast_is_through.get_future()] {
      opened.get();
      for (int k = 0; k < k_phases; ++k) {
        a.send(k);
        ph.signal();
      }
    });
  });
}

TEST_P(accumulator_phases_test, a_result_is_kept_until_the_slowest_waiter_has_passed) {
  static constexpr int k_phases = 40;
  std::atomic<int> read{0};
  run([&] {
    const ts::promise<void> all_sent;
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    const auto text = accumulators::concatenated(ph, how());
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased(ph.as(wait_only)), [=, &read, opened = all_sent.get_future()] {
        if (i > 0) opened.get();  // the others are as fast as the senders
        for (int k = 0; k < k_phases; ++k) {
          EXPECT_EQ(a.result(), k == 0 ? 0 : 4 * (k - 1));
          ph.wait();
          EXPECT_EQ(a.result(), 4 * k);
          EXPECT_EQ(text.result(), std::string(4, static_cast<char>('0' + k)));
          ++read;
          if (i == 2) ts::yield();
        }
      });
    }
    std::vector<ts::future<void>> senders;
    for (int i = 0; i < 4; ++i) {
      senders.push_back(ts::async_future(ts::phased(ph), [=] {
        for (int k = 0; k < k_phases; ++k) {
          a.send(k);
          text.send(std::string(1, static_cast<char>('0' + k)));
          ph.next();
          EXPECT_EQ(a.result(), 4 * k);
        }
      }));
    }
    ph.drop();
    for (const ts::future<void>& f : senders) f.get();
    all_sent.set_value();
  });
  EXPECT_EQ(read.load(), 3 * k_phases);
}

TEST_P(accumulator_phases_test, a_result_that_finds_no_memory_to_be_kept_fails_for_the_slowest_waiter) {
  using accumulators::scarce;
  static constexpr int k_failing = 5;
  static constexpr int k_moved_then = 1;  // there are four buffers
  std::atomic<int> read{0};
  run([&] {
    const ts::promise<void> all_sent;
    const ts::phaser ph;
    const auto a = accumulators::sum_of_scarce(ph, how());
    ts::async(ts::phased(ph.as(wait_only)), [=, &read, opened = all_sent.get_future()] {
      opened.get();
      for (int k = 0; k < 10; ++k) {
        ph.wait();
        if (k == k_failing || k == k_moved_then) {
          EXPECT_THROW(static_cast<void>(a.result()), std::bad_alloc) << k;
        } else {
          EXPECT_EQ(a.result().value, k);
        }
        ++read;
      }
    });
    for (int k = 0; k < 10; ++k) {
      a.send(scarce(k));
      scarce::none_left = k == k_failing;
      ph.next();
      scarce::none_left = false;
    }
    all_sent.set_value();
  });
  EXPECT_EQ(read.load(), 10);
}

TEST_P(accumulator_phases_test, a_bounded_phaser_gives_the_same_results) {
  static constexpr int k_phases = 60;
  std::atomic<int> read{0};
  run([&] {
    const ts::phaser ph(signal_wait, ts::bound{2});
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased(ph.as(signal_only)), [=] {
        for (int k = 0; k < k_phases; ++k) {
          a.send(k + i);
          ph.signal();
        }
      });
    }
    for (int i = 0; i < 2; ++i) {
      ts::async(ts::phased(ph.as(wait_only)), [=, &read] {
        for (int k = 0; k < k_phases; ++k) {
          if (i == 1 && k % 7 == 0) ts::yield();
          ph.wait();
          EXPECT_EQ(a.result(), 3 * k + 3);
          ++read;
        }
      });
    }
  });
  EXPECT_EQ(read.load(), 2 * k_phases);
}

TEST_P(accumulator_phases_test, what_was_sent_far_ahead_in_few_phases_stays_in_them) {
  std::atomic<int> read{0};
  run([&] {
    ts::finish([&read] {
      const ts::promise<void> nobody_signals;
      const ts::phaser ph;
      const ts::accumulator<int> a(ph, ts::op::sum, how());
      const auto sent_in = [](int k) { return k == 1 || k == 5 || k == 6 || k == 30 ? k : 0; };
      const ts::future<void> sender = ts::async_future(ts::phased(ph.as(signal_only)), [=] {
        for (int k = 0; k <= 30; ++k) {
          if (sent_in(k) != 0) a.send(sent_in(k));
          ph.signal();
        }
      });
      ts::async(ts::phased(ph.as(wait_only)), [=, &read] {
        nobody_signals.get_future().get();
        for (int k = 0; k <= 32; ++k) {
          ph.wait();
          EXPECT_EQ(a.result(), sent_in(k)) << "phase " << k;
          ++read;
        }
      });
      sender.get();
      ph.drop();
      nobody_signals.set_value();
    });
  });
  EXPECT_EQ(read.load(), 33);
}

// ---- many on one phaser ----

TEST_P(accumulator_phases_test, that_come_and_go_on_one_phaser_leave_nothing_to_those_after_them) {
  static constexpr int k_rounds = 300;  // the phaser forgets them every 64 phases
  run([] {
    const ts::phaser ph;
    for (int k = 1; k <= k_rounds; ++k) {
      const ts::accumulator<std::int64_t> a(ph, ts::op::sum, how());
      const auto b = accumulators::concatenated(ph, how());
      if (k % 3 != 0) a.send(k);
      b.send(std::to_string(k));
      ph.next();
      EXPECT_EQ(a.result(), k % 3 != 0 ? k : 0);
      EXPECT_EQ(b.result(), std::to_string(k));
    }
  });
}

TEST_P(accumulator_phases_test, senders_that_run_ahead_come_to_one_accumulator_after_the_other) {
  static constexpr std::size_t k_accumulators = 40;
  static constexpr std::uint64_t k_rounds = support::scaled(64, 8);
  run([] {
    const ts::phaser ph;
    std::vector<ts::accumulator<std::uint64_t>> all;
    for (std::size_t i = 0; i < k_accumulators; ++i) all.emplace_back(ph, ts::op::sum, how());
    for (std::uint64_t s = 0; s < 3; ++s) {
      ts::async(ts::phased(ph.as(signal_only)), [=] {
        for (std::uint64_t k = 0; k < k_rounds * k_accumulators; ++k) {
          all[(k / k_rounds * (s + 1)) % k_accumulators].send(k);  // each in an order of its own
          ph.signal();
        }
      });
    }
    for (std::uint64_t k = 0; k < k_rounds * k_accumulators; ++k) {
      ph.next();
      std::uint64_t sum = 0;
      for (const auto& a : all) sum += a.result();
      ASSERT_EQ(sum, 3 * k) << k;
    }
  });
}

TEST_P(accumulator_phases_test, a_handle_that_was_moved_from_still_names_its_accumulator) {
  run([] {
    ts::phaser ph;
    const ts::phaser same_phaser = support::moved_out_of(ph);
    ts::accumulator<int> a(ph, ts::op::sum, how());
    const ts::accumulator<int> same = support::moved_out_of(a);
    a.send(1);
    same.send(2);
    same_phaser.next();
    EXPECT_EQ(ph.phase(), 1u);
    EXPECT_EQ(a.result(), 3);
    EXPECT_EQ(same.result(), 3);
  });
}

// ---- a storm against counters ----

TEST_P(accumulator_phases_test, senders_and_readers_at_random_speeds_agree_with_counters) {
  static constexpr std::size_t k_phases = 24;
  static constexpr std::uint64_t k_tasks = 8;
  for (std::uint64_t seed = 1; seed <= support::scaled(10, 2); ++seed) {
    std::array<std::atomic<std::uint64_t>, k_phases> expected{};
    std::atomic<int> read{0};
    run([&] {
      const ts::phaser ph;
      const ts::accumulator<std::uint64_t> a(ph, ts::op::sum, how());
      for (std::uint64_t i = 0; i < k_tasks; ++i) {
        const ts::phaser_mode mode = i < 2 ? wait_only : i < 4 ? signal_only : signal_wait;
        ts::async(ts::phased(ph.as(mode)), [&expected, &read, ph, a, mode, i, seed] {
          std::uint64_t state = seed * k_tasks + i;
          const auto draw = [&state](std::uint64_t n) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return (state >> 33) % n;
          };
          for (std::size_t k = 0; k < k_phases; ++k) {
            if (draw(3) == 0) ts::yield();
            if (mode != wait_only) {
              for (std::uint64_t sends = draw(4); sends > 0; --sends) {
                const std::uint64_t value = draw(1'000'000);
                expected[k].fetch_add(value, std::memory_order_relaxed);  // the phaser orders it
                a.send(value);
              }
            }
            ph.next();
            if (mode == signal_only) continue;
            EXPECT_EQ(a.result(), expected[k].load(std::memory_order_relaxed)) << "seed " << seed << ", phase " << k;
            ++read;
            if (mode == signal_wait && draw(40) == 0) return;
          }
        });
      }
    });
    EXPECT_GT(read.load(), 0);
    if (HasFailure()) return;
  }
}

}  // namespace
