// SPDX-License-Identifier: Apache-2.0
// accumulator: what is sent in a phase is one value after it, with every strategy. Phases at different speeds, the order of
// combination, scans and misuse have files of their own.
#include <tactus/tactus.hpp>

#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using accumulators::combined_by;
using enum ts::phaser_mode;

class accumulator_test : public accumulators::each_strategy {
protected:
  /// What the values give when a task each sends them in one phase.
  template <class T>
  static T folded(auto by, std::initializer_list<T> values) {
    return run([&] {
      const ts::phaser ph;
      const ts::accumulator<T> a(ph, by, how());
      for (const T& value : values) {
        ts::async(ts::phased(ph), [=] {
          a.send(value);
          ph.next();
        });
      }
      ph.next();
      return T(a.result());
    });
  }
};
TACTUS_EACH_STRATEGY(accumulator_test);

// ---- one value per phase ----

TEST_P(accumulator_test, gives_everybody_the_sum_of_what_all_sent) {
  static constexpr int k_tasks = 10;
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 0; k < 20; ++k) {
          a.send(1000 * k + i);
          ph.next();
          EXPECT_EQ(a.result(), 1000 * k * k_tasks + 45);
        }
      });
    }
  });
}

TEST_P(accumulator_test, counts_every_send_of_a_task) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 5; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 0; k <= i; ++k) a.send(10);
        ph.next();
        EXPECT_EQ(a.result(), 150);
      });
    }
  });
}

TEST_P(accumulator_test, gives_the_identity_before_the_first_phase_and_where_nobody_sent) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> sum(ph, ts::op::sum, how());
    const ts::accumulator<int> product(ph, ts::op::product, how());
    const auto text = accumulators::concatenated(ph, how());
    const auto expect_identities = [&] {
      EXPECT_EQ(sum.result(), 0);
      EXPECT_EQ(product.result(), 1);
      EXPECT_EQ(text.result(), "");
    };
    expect_identities();
    ph.next();
    expect_identities();
    sum.send(5);
    product.send(5);
    text.send("5");
    expect_identities();
    ph.next();
    EXPECT_EQ(sum.result(), 5);
    ph.next();
    expect_identities();
  });
}

TEST_P(accumulator_test, keeps_the_value_of_a_phase_while_the_next_is_sent) {
  static constexpr int k_tasks = 6;
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 20; ++k) {
          a.send(k);
          EXPECT_EQ(a.result(), (k - 1) * k_tasks);
          ts::yield();
          EXPECT_EQ(a.result(), (k - 1) * k_tasks);
          ph.next();
        }
      });
    }
  });
}

TEST_P(accumulator_test, of_which_there_are_several_on_a_phaser_is_each_on_its_own) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> sum(ph, ts::op::sum, how());
    const ts::accumulator<std::uint64_t> bits(ph, ts::op::bit_or, how());
    const ts::accumulator<double> highest(ph, ts::op::max, how());
    for (int i = 0; i < 8; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 0; k < 10; ++k) {
          sum.send(i);
          if (i % 2 == 0) bits.send(std::uint64_t{1} << i);
          highest.send(0.5 * i + k);
          ph.next();
          EXPECT_EQ(sum.result(), 28);
          EXPECT_EQ(bits.result(), 0b0101'0101u);
          EXPECT_EQ(highest.result(), 3.5 + k);
        }
      });
    }
  });
}

TEST_P(accumulator_test, is_one_accumulator_in_all_its_handles) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    const std::vector<ts::accumulator<int>> copies(3, a);
    copies[0].send(1);
    copies[1].send(2);
    a.send(4);
    ph.next();
    EXPECT_EQ(copies[2].result(), 7);
  });
}

TEST_P(accumulator_test, serves_a_clock_as_it_serves_a_phaser) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::accumulator<int> a(c, ts::op::sum, how());
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::clocked(c), [=] {
        EXPECT_EQ(a.result(), 0);
        for (int k = 1; k <= 10; ++k) {
          a.send(k);
          c.resume();
          a.send(100);  // of the next phase
          c.advance();
          EXPECT_EQ(a.result(), 6 * k + (k > 1 ? 600 : 0));
        }
      });
    }
  });
}

TEST_P(accumulator_test, counts_what_was_sent_into_the_phase_of_next_and_advance_all) {
  run([] {
    const ts::phaser ph;
    const ts::clock c = ts::clock::make();
    const ts::accumulator<int> on_phaser(ph, ts::op::sum, how());
    const ts::accumulator<int> on_clock(c, ts::op::sum, how());
    for (int i = 0; i < 5; ++i) {
      ts::async(ts::phased(ph), ts::clocked(c), [=] {
        for (int k = 1; k <= 10; ++k) {
          on_phaser.send(k);
          on_clock.send(-k);
          if (k % 2 == 0) {
            ts::next();
          } else {
            ts::advance_all();
          }
          EXPECT_EQ(on_phaser.result(), 5 * k);
          EXPECT_EQ(on_clock.result(), -5 * k);
        }
      });
    }
  });
}

TEST_P(accumulator_test, shows_to_next_single_the_phase_that_it_ends) {
  run([] {
    const ts::phaser ph(signal_wait_next);
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 10; ++k) {
          a.send(k);
          ph.next_single([=] { EXPECT_EQ(a.result(), 6 * k); });
          EXPECT_EQ(a.result(), 6 * k);
        }
      });
    }
  });
}

// ---- operators ----

TEST_P(accumulator_test, has_sum_and_product) {
  EXPECT_EQ((folded<int>(ts::op::sum, {3, -5, 7})), 5);
  EXPECT_EQ((folded<int>(ts::op::product, {3, -5, 7})), -105);
  EXPECT_EQ((folded<double>(ts::op::sum, {0.5, 0.25, 4.0})), 4.75);
  EXPECT_EQ((folded<double>(ts::op::product, {0.5, 0.25, 4.0})), 0.5);
}

TEST_P(accumulator_test, has_min_and_max) {
  EXPECT_EQ((folded<int>(ts::op::min, {3, -5, 7})), -5);
  EXPECT_EQ((folded<int>(ts::op::max, {3, -5, 7})), 7);
  EXPECT_EQ((folded<int>(ts::op::max, {-3, -5, -7})), -3);
  EXPECT_EQ((folded<std::uint8_t>(ts::op::min, {30, 50, 70})), 30);
  EXPECT_EQ((folded<double>(ts::op::min, {3.5, 5.5})), 3.5);
  EXPECT_EQ((folded<double>(ts::op::max, {-3.5, -5.5})), -3.5);
}

TEST_P(accumulator_test, has_bit_and_bit_or_and_bit_xor) {
  EXPECT_EQ((folded<unsigned>(ts::op::bit_and, {0b1110u, 0b0111u, 0b1111u})), 0b0110u);
  EXPECT_EQ((folded<unsigned>(ts::op::bit_or, {0b1000u, 0b0010u, 0b1010u})), 0b1010u);
  EXPECT_EQ((folded<unsigned>(ts::op::bit_xor, {0b1100u, 0b0110u, 0b0001u})), 0b1011u);
}

TEST_P(accumulator_test, has_logical_and_and_logical_or) {
  for (const bool other : {false, true}) {
    EXPECT_EQ((folded<bool>(ts::op::logical_and, {true, other, true})), other);
    EXPECT_EQ((folded<bool>(ts::op::logical_or, {false, other, false})), other);
  }
  EXPECT_TRUE((folded<int>(ts::op::logical_and, {1, 2, 4})) != 0);  // and no bit is common to them
  EXPECT_TRUE((folded<int>(ts::op::logical_and, {1, 0, 4})) == 0);
  EXPECT_TRUE((folded<int>(ts::op::logical_or, {0, 2, 0})) != 0);
}

TEST_P(accumulator_test, has_minloc_and_maxloc_of_pairs) {
  using found = std::pair<double, int>;
  EXPECT_EQ((folded<found>(ts::op::minloc, {found(3.5, 1), found(-5.5, 2), found(7.5, 3)})), found(-5.5, 2));
  EXPECT_EQ((folded<found>(ts::op::maxloc, {found(3.5, 1), found(-5.5, 2), found(7.5, 3)})), found(7.5, 3));
  EXPECT_EQ((folded<found>(ts::op::maxloc, {found(-3.5, 1), found(-5.5, 2)})), found(-3.5, 1));
}

TEST_P(accumulator_test, gives_the_neutral_value_of_every_operator_where_nobody_sent) {
  EXPECT_EQ((folded<int>(ts::op::sum, {})), 0);
  EXPECT_EQ((folded<int>(ts::op::product, {})), 1);
  EXPECT_EQ((folded<int>(ts::op::min, {})), std::numeric_limits<int>::max());
  EXPECT_EQ((folded<int>(ts::op::max, {})), std::numeric_limits<int>::min());
  EXPECT_EQ((folded<unsigned>(ts::op::bit_and, {})), ~0u);
  EXPECT_EQ((folded<unsigned>(ts::op::bit_or, {})), 0u);
  EXPECT_EQ((folded<unsigned>(ts::op::bit_xor, {})), 0u);
  EXPECT_TRUE((folded<bool>(ts::op::logical_and, {})));
  EXPECT_FALSE((folded<bool>(ts::op::logical_or, {})));
}

TEST_P(accumulator_test, passes_over_nans_wherever_they_are_sent) {
  using found = std::pair<double, int>;
  const double nan = std::nan("");
  for (int where = 0; where < 3; ++where) {
    const auto x = [&](int i) { return i == where ? nan : i + 1.5; };
    const double least = where == 0 ? 2.5 : 1.5;
    const double largest = where == 2 ? 2.5 : 3.5;
    EXPECT_EQ((folded<double>(ts::op::min, {x(0), x(1), x(2)})), least);
    EXPECT_EQ((folded<double>(ts::op::max, {x(0), x(1), x(2)})), largest);
    EXPECT_EQ((folded<found>(ts::op::minloc, {found(x(0), 0), found(x(1), 1), found(x(2), 2)})),
              found(least, where == 0 ? 1 : 0));
    EXPECT_EQ((folded<found>(ts::op::maxloc, {found(x(0), 0), found(x(1), 1), found(x(2), 2)})),
              found(largest, where == 2 ? 1 : 2));
  }
  const double of_nans = folded<double>(ts::op::max, {nan, nan});
  EXPECT_TRUE(std::isnan(of_nans) || of_nans == -std::numeric_limits<double>::infinity()) << of_nans;
}

TEST_P(accumulator_test, loses_no_infinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((folded<double>(ts::op::min, {infinity})), infinity);
  EXPECT_EQ((folded<double>(ts::op::max, {-infinity})), -infinity);
}

// ---- monoids and types of the user ----

TEST_P(accumulator_test, combines_by_the_monoid_that_it_is_given) {
  run([] {
    const ts::phaser ph;
    const auto a = combined_by(ph, ts::monoid{7, [](int x, int y) { return std::max(x, y); }}, how());
    for (int i = 0; i < 4; ++i) {
      ts::async(ts::phased(ph), [=] {
        EXPECT_EQ(a.result(), 7);
        a.send(10 + i);
        ph.next();
        EXPECT_EQ(a.result(), 13);
        ph.next();
        EXPECT_EQ(a.result(), 7);
      });
    }
  });
}

TEST_P(accumulator_test, holds_values_that_own_memory) {
  const std::string most(40, 'x');  // too long to lie in the string itself
  run([&] {
    const ts::phaser ph;
    const auto a = accumulators::concatenated(ph, how());
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (char k = 'a'; k < 'f'; ++k) {
          a.send(most + k);
          a.send(most);
          ph.next();
          const std::string got = a.result();
          EXPECT_EQ(got.size(), 6 * (2 * most.size() + 1));
          EXPECT_EQ(std::count(got.begin(), got.end(), k), 6);
        }
      });
    }
  });
}

TEST_P(accumulator_test, holds_sets) {
  const auto unite = [](std::set<int> a, const std::set<int>& b) {
    a.insert(b.begin(), b.end());
    return a;
  };
  run([&] {
    const ts::phaser ph;
    const auto a = combined_by(ph, ts::monoid{std::set<int>(), unite}, how());
    for (int i = 0; i < 8; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 0; k < 5; ++k) {
          a.send(std::set<int>{i, 100 + k});
          ph.next();
          EXPECT_EQ(a.result(), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 100 + k}));
        }
      });
    }
  });
}

TEST_P(accumulator_test, leaves_no_value_behind) {
  static std::atomic<int> alive;
  struct counted {
    explicit counted(int v) : value(v) { ++alive; }
    counted(const counted& other) : value(other.value) { ++alive; }
    counted& operator=(const counted&) = default;
    ~counted() { --alive; }
    int value;
  };
  alive = 0;
  run([] {
    const ts::phaser ph;
    const auto add = [](const counted& a, const counted& b) { return counted(a.value + b.value); };
    const auto a = combined_by(ph, ts::monoid{counted(0), add}, how());
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::phased(ph), [=] {
        for (int k = 1; k <= 5; ++k) {
          a.send(counted(k));
          ph.next();
          EXPECT_EQ(counted(a.result()).value, 6 * k);
        }
        a.send(counted(1));  // and nobody reads it
      });
    }
  });
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(accumulator_test, a_phase_that_finds_no_memory_for_its_value_fails_alone) {
  using accumulators::scarce;
  const auto expect_one_failure = [](const auto& home, const auto& next) {
    const auto a = accumulators::sum_of_scarce(home, how());
    for (int k = 0; k < 10; ++k) {
      a.send(scarce(k));
      a.send(scarce(1));
      scarce::none_left = k == 3;
      next();
      scarce::none_left = false;
      if (k == 3) {
        EXPECT_THROW(static_cast<void>(a.result()), std::bad_alloc);
        EXPECT_THROW(static_cast<void>(a.scan_inclusive()), std::bad_alloc);
      } else {
        EXPECT_EQ(a.result().value, k + 1);
        EXPECT_EQ(a.scan_inclusive().value, k + 1);
      }
    }
  };
  run([&] {
    const ts::phaser ph;
    expect_one_failure(ph, [&ph] { ph.next(); });
  });
  run([&] { ts::finish(ts::clocked, [&](ts::clock c) { expect_one_failure(c, [c] { c.advance(); }); }); });
}

// ---- figure 4 of phaser-accumulators.txt, with whole numbers ----

struct averaging {
  std::vector<std::int64_t> values;
  int iterations;
};

averaging average_one_by_one(std::vector<std::int64_t> a, std::int64_t epsilon) {
  std::vector<std::int64_t> b = a;
  int iterations = 0;
  for (std::int64_t delta = epsilon + 1; delta > epsilon; ++iterations) {
    delta = 0;
    for (std::size_t j = 1; j + 1 < a.size(); ++j) {
      b[j] = (a[j - 1] + a[j + 1]) / 2;
      delta += std::abs(b[j] - a[j]);
    }
    std::swap(a, b);
  }
  return {a, iterations};
}

averaging average_in_phases(const std::vector<std::int64_t>& start, std::int64_t epsilon, ts::strategy how) {
  std::array<std::vector<std::int64_t>, 2> lines{start, start};
  std::int64_t delta = epsilon + 1;
  int iterations = 0;
  ts::finish([&] {
    const ts::phaser ph(signal_wait_next);
    const ts::accumulator<std::int64_t> difference(ph, ts::op::sum, how);
    for (std::size_t j = 1; j + 1 < start.size(); ++j) {
      ts::async(ts::phased(ph), [&, ph, difference, j] {
        for (std::size_t mine = 0; delta > epsilon; ++mine) {
          const std::vector<std::int64_t>& from = lines[mine % 2];
          std::vector<std::int64_t>& to = lines[(mine + 1) % 2];
          to[j] = (from[j - 1] + from[j + 1]) / 2;
          difference.send(std::abs(to[j] - from[j]));
          ph.next_single([&] {
            delta = difference.result();
            ++iterations;
          });
        }
      });
    }
  });
  return {lines[static_cast<std::size_t>(iterations) % 2], iterations};
}

TEST_P(accumulator_test, runs_figure_4_of_the_paper) {
  std::vector<std::int64_t> start(12, 0);
  start.front() = 1'000'000;
  start.back() = 64'000'000;
  const std::int64_t epsilon = 2'000'000;
  const averaging expected = average_one_by_one(start, epsilon);
  const averaging got = run([&] { return average_in_phases(start, epsilon, how()); });
  EXPECT_GT(expected.iterations, 5);
  EXPECT_EQ(got.iterations, expected.iterations);
  EXPECT_EQ(got.values, expected.values);
}

TEST_P(accumulator_test, tells_what_automatic_has_chosen_and_counts_it) {
  run([] {
    const ts::phaser ph;
    const auto before = ts::stats().totals.made_per_worker;
    const ts::accumulator<int> a(ph, ts::op::sum, how());
    const bool automatic = how() == ts::strategy::automatic;
    EXPECT_EQ(a.chosen(), automatic ? ts::strategy::per_worker : how());
    EXPECT_EQ(ts::stats().totals.made_per_worker - before, automatic ? 1U : 0U);
  });
}

}  // namespace
