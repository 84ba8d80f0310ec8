// SPDX-License-Identifier: Apache-2.0
// for_each and reduce: every index once, empty and extreme ranges, grains, exceptions, and sums that repeat bit for bit.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "support/stack_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

class for_each_test : public support::each_setting {};
TACTUS_EACH_SETTING(for_each_test);

TEST_P(for_each_test, visits_every_index_once) {
  const std::size_t n = support::scaled(30'000);
  std::vector<int> visits(n, 0);
  run([&] { ts::for_each(std::size_t{0}, n, [&](std::size_t i) { ++visits[i]; }); });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(n));
}

TEST_P(for_each_test, visits_every_index_once_with_any_grain) {
  for (const int grain : {1, 2, 7, 64, 999, 1'000, 1'001, 1'000'000}) {
    std::vector<int> visits(1'000, 0);
    run([&] { ts::for_each(0, 1'000, grain, [&](int i) { ++visits[static_cast<std::size_t>(i)]; }); });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1'000) << "grain " << grain;
  }
}

template <class Range>
concept loops_over = requires(Range first, Range last) { ts::for_each(first, last, [](Range) {}); };

TEST_P(for_each_test, runs_over_characters_and_mixed_types_but_not_over_bool) {
  static_assert(loops_over<char> && loops_over<wchar_t> && loops_over<char8_t> && loops_over<char16_t> &&
                loops_over<char32_t> && loops_over<signed char>);
  static_assert(!loops_over<bool> && !loops_over<double>);
#ifdef __SIZEOF_INT128__
  __extension__ using wide = __int128;  // an integer where GNU's extensions are on
  static_assert(!loops_over<wide>);
#endif
  run([] {
    const auto letters = [](auto first, auto last) {
      std::atomic<int> n{0};
      ts::for_each(first, last, [&n](auto) { ++n; });
      return n.load();
    };
    EXPECT_EQ(letters('a', 'z'), 25);
    EXPECT_EQ(letters(u8'a', u8'z'), 25);
    EXPECT_EQ(letters(u'a', U'z'), 25);
    EXPECT_EQ(letters(L'a', 'z'), 25);
    EXPECT_EQ(letters('z', 'a'), 0);
    EXPECT_EQ(letters(static_cast<signed char>(-3), 4u), 7);
    EXPECT_EQ(letters(-3, std::uint64_t{4}), 7);
    EXPECT_EQ(letters(5u, -1), 0);
    EXPECT_EQ(ts::reduce('a', 'f', '\2', std::plus<>(), [](char c) { return std::string(1, c); }), "abcde");
  });
}

TEST_P(for_each_test, has_ended_when_it_returns) {
  run([] {
    std::atomic<int> done{0};
    ts::for_each(0, 200, [&](int) {
      ts::yield();
      ++done;
    });
    EXPECT_EQ(done.load(), 200);
  });
}

TEST_P(for_each_test, of_an_empty_range_does_nothing) {
  int calls = 0;
  run([&] {
    ts::for_each(0, 0, [&](int) { ++calls; });
    ts::for_each(-3, -3, 10, [&](int) { ++calls; });
    ts::for_each(5u, 5u, [&](unsigned) { ++calls; });
  });
  EXPECT_EQ(calls, 0);
}

TEST_P(for_each_test, of_a_range_that_ends_before_it_begins_does_nothing) {
  int calls = 0;
  run([&] {
    ts::for_each(3, -3, [&](int) { ++calls; });
    ts::for_each(std::size_t{3}, std::size_t{2}, [&](std::size_t) { ++calls; });
    ts::for_each(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
                 [&](std::int64_t) { ++calls; });
  });
  EXPECT_EQ(calls, 0);
}

TEST_P(for_each_test, takes_negative_bounds) {
  std::atomic<int> sum{0};
  std::atomic<int> calls{0};
  run([&] {
    ts::for_each(-50, 26, [&](int i) {
      sum += i;
      ++calls;
    });
  });
  EXPECT_EQ(calls.load(), 76);
  EXPECT_EQ(sum.load(), -50 * 51 / 2 + 25 * 26 / 2);
}

TEST_P(for_each_test, of_one_index_calls_once) {
  int seen = 0;
  run([&] { ts::for_each(41, 42, [&](int i) { seen += i; }); });
  EXPECT_EQ(seen, 41);
}

template <class Int>
void expect_visits(Int first, Int last) {
  const auto n = static_cast<std::size_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  std::vector<int> visits(n, 0);
  ts::for_each(first, last, [&](Int i) {
    ++visits.at(static_cast<std::size_t>(static_cast<std::uint64_t>(i) - static_cast<std::uint64_t>(first)));
  });
  EXPECT_EQ(static_cast<std::size_t>(std::count(visits.begin(), visits.end(), 1)), n);
}

TEST_P(for_each_test, takes_bounds_at_the_limits_of_64_bits) {
  run([] {
    constexpr auto low = std::numeric_limits<std::int64_t>::min();
    constexpr auto high = std::numeric_limits<std::int64_t>::max();
    constexpr auto top = std::numeric_limits<std::uint64_t>::max();
    expect_visits<std::int64_t>(low, low + 100);
    expect_visits<std::int64_t>(high - 100, high);
    expect_visits<std::int64_t>(-50, 50);
    expect_visits<std::uint64_t>(top - 100, top);
  });
}

TEST_P(for_each_test, takes_a_range_wider_than_half_of_its_type) {
  std::atomic<int> calls{0};
  std::atomic<int> sum{0};
  run([&] {
    ts::for_each(std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max(), [&](std::int8_t i) {
      ++calls;
      sum += i;
    });
    ts::for_each(std::int16_t{-32'768}, std::int16_t{32'767}, std::int16_t{32'767}, [&](std::int16_t) { ++calls; });
  });
  EXPECT_EQ(calls.load(), 255 + 65'535);
  EXPECT_EQ(sum.load(), -128 - 127);
}

TEST_P(for_each_test, collects_every_exception_and_keeps_no_index_from_running) {
  const int n = 500;
  run([&] {
    std::atomic<int> others{0};
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::for_each(0, n, 50, [&](int i) {
        if (i % 10 == 0) throw std::runtime_error(std::to_string(i));
        ++others;
      });
    });
    EXPECT_EQ(others.load(), n - n / 10);
    ASSERT_TRUE(e);
    std::vector<std::string> expected;
    for (int i = 0; i < n; i += 10) expected.push_back(std::to_string(i));
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(support::messages(e->flattened()), expected);
  });
}

TEST_P(for_each_test, joins_the_tasks_that_an_index_spawns) {
  run([] {
    std::atomic<int> spawned{0};
    ts::for_each(0, 100, [&](int) {
      ts::async([&] {
        ts::yield();
        ts::async([&] { ++spawned; });
      });
    });
    EXPECT_EQ(spawned.load(), 100);
  });
}

TEST_P(for_each_test, an_index_may_wait_for_a_later_one_of_its_share) {
  // Each index behaves as a task of its own, so the grain joins their costs but not their fates.
  run([] {
    ts::promise<int> p;
    int got = 0;
    ts::for_each(0, 10, 10, [&, f = p.get_future()](int i) {
      if (i == 0) got = f.get();
      if (i == 9) p.set_value(9);
    });
    EXPECT_EQ(got, 9);
  });
}

TEST_P(for_each_test, an_index_may_yield_until_a_later_one_of_its_share_has_run) {
  run([] {
    std::atomic<bool> has_run{false};  // the rest of the share may run on another worker
    ts::for_each(0, 10, 10, [&](int i) {
      while (i == 0 && !has_run) ts::yield();
      if (i == 9) has_run = true;
    });
    EXPECT_TRUE(has_run);
  });
}

TEST_P(for_each_test, gives_each_index_task_locals_of_its_own) {
  ts::task_local<int> number;
  run([&] {
    *number = 7;
    ts::for_each(0, 100, 25, [&](int) { EXPECT_EQ((*number)++, 0); });
    EXPECT_EQ(*number, 7);
  });
}

TEST_P(for_each_test, nests) {
  run([] {
    std::vector<std::atomic<int>> cells(400);
    ts::for_each(0, 20,
                 [&](int i) { ts::for_each(0, 20, [&, i](int k) { ++cells[static_cast<std::size_t>(20 * i + k)]; }); });
    for (const auto& c : cells) EXPECT_EQ(c.load(), 1);
  });
}

class reduce_test : public support::each_setting {};
TACTUS_EACH_SETTING(reduce_test);

// A value of which the tree's levels hold many on one stack.
struct large {
  std::array<char, 8192> room{};
  int value = 0;
};

TEST_P(reduce_test, of_large_values_leaves_f_its_stack) {
  ts::config settings = support::config_of(GetParam().workers, GetParam().policy);
  settings.stack_bytes = 256 * 1024;
  ts::run(settings, [] {
    ts::finish([] {
      ts::async([] {
        const auto add = [](const large& a, const large& b) { return large{{}, a.value + b.value}; };
        const large sum = ts::reduce(0, 1024, 1, add, [](int i) {
          support::with_stack_used(96 * 1024, [] {});
          return large{{}, i};
        });
        EXPECT_EQ(sum.value, 1024 * 1023 / 2);
      });
    });
  });
}

TEST_P(reduce_test, takes_no_leaf_for_its_caller) {
  run([] {
    const ts::task_local<int> mine;
    *mine = 7;
    ts::finish(ts::clocked, [&](ts::clock c) {
      try {
        throw std::runtime_error("caller");
      } catch (const std::runtime_error&) {
        const int n = ts::reduce(0, 64, 1, std::plus<>{}, [&](int) {
          const bool is_of_the_caller = *mine == 7 || c.registered() || std::current_exception() != nullptr;
          return is_of_the_caller ? 1 : 0;
        });
        EXPECT_EQ(n, 0);
        EXPECT_NE(std::current_exception(), nullptr);
      }
      EXPECT_EQ(*mine, 7);
      EXPECT_TRUE(c.registered());
    });
  });
}

TEST_P(reduce_test, takes_an_operation_that_returns_one_of_its_arguments) {
  run([] {
    const auto longer = [](const std::string& a, const std::string& b) -> const std::string& {
      return a.size() < b.size() ? b : a;
    };
    const std::string s =
        ts::reduce(0, 100, 1, longer, [](int i) { return std::string(static_cast<std::size_t>(i), 'x'); });
    EXPECT_EQ(s, std::string(99, 'x'));
  });
}

TEST_P(reduce_test, adds_up) {
  run([] {
    EXPECT_EQ(ts::reduce(0, 1'001, std::plus<>{}, [](int i) { return i; }), 500'500);
    EXPECT_EQ(ts::reduce(0, 1'001, 13, std::plus<>{}, [](int i) { return i; }), 500'500);
  });
}

TEST_P(reduce_test, asks_for_every_index_once) {
  std::vector<int> visits(2'000, 0);
  run([&] {
    static_cast<void>(
        ts::reduce(std::size_t{0}, visits.size(), std::plus<>{}, [&](std::size_t i) { return ++visits[i]; }));
  });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 2'000);
}

TEST_P(reduce_test, combines_in_index_order) {
  std::string expected;
  for (int i = 0; i < 300; ++i) expected += std::to_string(i) + ",";
  run([&] {
    for (const int grain : {1, 2, 3, 50, 299, 300, 1'000}) {
      const auto text = ts::reduce(0, 300, grain, std::plus<>{}, [](int i) { return std::to_string(i) + ","; });
      EXPECT_EQ(text, expected) << "grain " << grain;
    }
    EXPECT_EQ(ts::reduce(0, 300, std::plus<>{}, [](int i) { return std::to_string(i) + ","; }), expected);
  });
}

TEST_P(reduce_test, of_an_empty_range_is_a_default_value) {
  run([] {
    EXPECT_EQ(ts::reduce(0, 0, std::plus<>{}, [](int) { return 5; }), 0);
    EXPECT_EQ(ts::reduce(7, 3, std::plus<>{}, [](int) { return std::string("x"); }), "");
    EXPECT_EQ(ts::reduce(0, 0, 4, std::plus<>{}, [](int) { return 1.5; }), 0.0);
  });
}

TEST_P(reduce_test, of_one_index_is_its_value) {
  run([] { EXPECT_EQ(ts::reduce(5, 6, std::multiplies<>{}, [](int i) { return i; }), 5); });
}

TEST_P(reduce_test, takes_negative_bounds_and_any_associative_operation) {
  run([] {
    const auto greater = [](int a, int b) { return std::max(a, b); };
    EXPECT_EQ(ts::reduce(-100, 50, greater, [](int i) { return -i; }), 100);
    EXPECT_EQ(ts::reduce(-100, -50, 7, greater, [](int i) { return i; }), -51);
  });
}

TEST_P(reduce_test, takes_bounds_at_the_limits_of_64_bits) {
  run([] {
    constexpr auto low = std::numeric_limits<std::int64_t>::min();
    constexpr auto high = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(ts::reduce(low, low + 100, std::plus<>{}, [](std::int64_t i) { return i - low; }), 4'950);
    EXPECT_EQ(ts::reduce(high - 100, high, std::plus<>{}, [](std::int64_t i) { return high - i; }), 5'050);
  });
}

TEST_P(reduce_test, throws_what_the_calls_threw) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      static_cast<void>(ts::reduce(0, 100, 1, std::plus<>{}, [](int i) {
        if (i == 50) throw std::runtime_error("fifty");
        return i;
      }));
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->flattened()), std::vector<std::string>{"fifty"});
  });
}

TEST_P(reduce_test, throws_what_the_operation_threw) {
  run([] {
    EXPECT_TRUE(caught<std::runtime_error>([] {
      const auto refuse = [](int, int) -> int { throw std::runtime_error("refused"); };
      static_cast<void>(ts::reduce(0, 2, 1, refuse, [](int i) { return i; }));
    }));
  });
}

// As classes from before C++11 are: moving copies, and copying may find no memory.
struct copied_only {
  static inline std::atomic<int> copies_left = 0;  // the last of them fails; 0: none does
  copied_only() = default;
  explicit copied_only(int x) : value(x) {}
  copied_only(const copied_only& other) : value(other.value) {
    if (copies_left > 0 && --copies_left == 0) throw std::bad_alloc();
  }
  copied_only& operator=(const copied_only&) = default;
  ~copied_only() = default;
  int value = 0;
};

// Whichever copy fails, the finish of the loop has ended: what is spawned next is joined by the finish around it.
TEST_P(reduce_test, throws_what_moving_a_value_threw_and_leaves_nothing_open) {
  run([] {
    const auto add = [](const copied_only& a, const copied_only& b) { return copied_only(a.value + b.value); };
    for (int failing = 1; failing <= 8; ++failing) {
      std::atomic<int> ended{0};
      int sum = 0;
      ts::finish([&] {
        copied_only::copies_left = failing;
        try {
          sum = ts::reduce(0, 2, 2, add, [](int i) { return copied_only(i); }).value;
        } catch (const ts::multiple_exceptions& e) {
          EXPECT_EQ(support::messages(e.flattened()), std::vector<std::string>{std::bad_alloc().what()});
        } catch (const std::bad_alloc&) {  // when the result was handed on
        }
        copied_only::copies_left = 0;
        for (int i = 0; i < 3; ++i) {
          ts::async([&ended] {
            ts::yield();
            ++ended;
          });
        }
      });
      EXPECT_EQ(ended.load(), 3) << "copy " << failing;
      EXPECT_TRUE(sum == 0 || sum == 1) << sum;
    }
  });
}

TEST_P(reduce_test, calls_may_suspend_and_spawn) {
  run([] {
    const long sum = ts::reduce(0, 64, 4, std::plus<>{}, [](int i) {
      ts::yield();
      return ts::async_future([i] { return static_cast<long>(i); }).get();
    });
    EXPECT_EQ(sum, 2'016);
  });
}

double term(std::size_t i) { return std::sin(static_cast<double>(i)) / (1.0 + static_cast<double>(i % 97)); }

// What one worker finds is what every other setting must find; each setting also has to repeat it.
TEST_P(reduce_test, floating_point_sums_repeat_bit_for_bit) {
  const std::size_t n = support::scaled(50'000, 2'000);
  const auto sums = [&] {
    std::vector<std::uint64_t> bits;
    bits.push_back(std::bit_cast<std::uint64_t>(ts::reduce(std::size_t{0}, n, std::plus<>{}, term)));
    for (const std::size_t grain : {std::size_t{1}, std::size_t{10}, std::size_t{1'000}}) {
      bits.push_back(std::bit_cast<std::uint64_t>(ts::reduce(std::size_t{0}, n, grain, std::plus<>{}, term)));
    }
    return bits;
  };
  static const auto expected = ts::run(support::config_of(1), sums);
  EXPECT_EQ(run(sums), expected);
  EXPECT_EQ(run(sums), expected);
}

TEST(reduce_test, takes_the_operators_that_have_names) {
  ts::run({.threads = 2, .env = false}, [] {
    EXPECT_EQ(ts::reduce(1, 101, ts::op::sum, [](int i) { return i; }), 5050);
    EXPECT_EQ(ts::reduce(1, 6, 2, ts::op::product, [](int i) { return std::int64_t{i}; }), 120);
    EXPECT_EQ(ts::reduce(-3, 4, ts::op::max, [](int i) { return i * i * i; }), 27);
    EXPECT_EQ(ts::reduce(0, 0, ts::op::min, [](int i) { return i; }), std::numeric_limits<int>::max());
    EXPECT_EQ(
        ts::reduce(ts::range(0, 3) * ts::range(0, 4), ts::op::sum, [](const ts::point<2>& p) { return p[0] * p[1]; }),
        18);
    EXPECT_THROW(ts::reduce(0, 2, ts::op::bit_and, [](int i) { return std::to_string(i); }), ts::usage_error);
  });
}

}  // namespace
