// SPDX-License-Identifier: Apache-2.0
// for_each and reduce over boxes and regions.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;

template <class Points>
void each_once(const Points& points, const ts::box<2>& within) {
  for (const int grain : {0, 1, 7, 1000, 1'000'000}) {
    ts::array<std::atomic<int>*, 2> counts(within, nullptr);
    std::vector<std::atomic<int>> cells(within.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      counts.data()[i] = &cells[i];
    }
    const auto count = [u = counts.all()](auto i, auto j) { ++*u(i, j); };
    if (grain == 0) {
      ts::for_each(points, count);
    } else {
      ts::for_each(points, grain, count);
    }
    within.each([&](const ts::point<2>& p) { EXPECT_EQ(*counts[p], points.contains(p) ? 1 : 0) << to_string(p); });
  }
}

TEST(region_loops_test, each_point_is_met_once) {
  ts::run([] {
    const ts::box<2> within = ts::range(-3, 40) * ts::range(5, 90);
    each_once(within, within);
    each_once(within.face(1, 0), within);
    each_once(ts::region<2>::where(within, [](auto i, auto j) { return (i * i + j) % 3 != 0; }), within);
    each_once(ts::region<2>(), within);
    each_once(ts::range(0, 1) * ts::range(5, 90), within);  // one row, which is cut
  });
}

TEST(region_loops_test, a_grain_beyond_all_indices_is_one_share) {
  ts::run([] {
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    const ts::region<1> two = ts::region<1>(ts::range(0, 10)) | ts::region<1>(ts::range(20, 30));
    std::atomic<long> n{0};
    ts::for_each(ts::range(0, 10), all, [&n](const ts::point<1>& p) { n += p[0]; });
    ts::for_each(two, all / 2 + 1, [&n](const ts::point<1>& p) { n += p[0]; });
    EXPECT_EQ(n, 45 + 45 + 245);
    EXPECT_EQ(ts::reduce(two, all, std::plus<>(), [](auto i) { return static_cast<long>(i); }), 45 + 245);
  });
}

TEST(region_loops_test, one_axis_is_a_loop_over_indices) {
  ts::run([] {
    std::atomic<long> sum{0};
    ts::for_each(ts::range(0, 1000), [&sum](ts::index_t i) { sum += i; });
    ts::for_each(ts::range(0, 1000), 10, [&sum](const ts::point<1>& p) { sum += p[0]; });
    EXPECT_EQ(sum, 999'000);
  });
}

TEST(region_loops_test, a_sum_repeats_bit_for_bit) {
  const auto sum = [](int threads) {
    return ts::run(ts::config{.threads = threads}, [] {
      const auto r = ts::region<3>::where(ts::range(0, 20) * ts::range(0, 20) * ts::range(0, 20),
                                          [](auto i, auto j, auto k) { return (i + j + k) % 5 != 0; });
      return ts::reduce(r, std::plus<>(),
                        [](auto i, auto j, auto k) { return 1 / (1.0 + static_cast<double>(i * j + k)); });
    });
  };
  const double one = sum(1);
  for (const int threads : {1, 2, 3, 4}) {
    EXPECT_EQ(sum(threads), one);
  }
}

TEST(region_loops_test, nothing_to_combine_is_the_identity) {
  ts::run([] {
    EXPECT_EQ(ts::reduce(ts::region<2>(), std::plus<>(), [](auto, auto) { return 5; }), 0);
    const ts::monoid product{1L, [](long a, long b) { return a * b; }};
    EXPECT_EQ(ts::reduce(ts::range(3, 3), product, [](auto) { return 5L; }), 1);
    EXPECT_EQ(ts::reduce(ts::range(1, 6), 2, product, [](auto i) { return static_cast<long>(i); }), 120);
  });
}

TEST(region_loops_test, what_escapes_is_told) {
  ts::run([] {
    EXPECT_THROW(ts::for_each(ts::range(0, 4) * ts::range(0, 4),
                              [](auto i, auto j) {
                                if (i == 2 && j == 2) {
                                  throw std::runtime_error("here");
                                }
                              }),
                 ts::multiple_exceptions);
    EXPECT_THROW(ts::for_each(ts::range(0, 4), 0, [](auto) {}), ts::usage_error);
  });
  EXPECT_THROW(ts::for_each(ts::range(0, 4), [](auto) {}), ts::usage_error);
}

template <class Loop>
std::size_t failures_of(Loop&& loop) {
  try {
    loop();
  } catch (const ts::multiple_exceptions& e) {
    return e.exceptions().size();
  }
  return 0;
}

TEST(region_loops_test, each_point_may_throw_and_none_keeps_another_from_being_called) {
  ts::run([] {
    const ts::box<2> square = ts::range(0, 10) * ts::range(0, 10);
    const ts::region<2> triangle = ts::region<2>::where(square, [](auto i, auto j) { return j <= i; });
    for (const int grain : {0, 1, 3, 10, 1000}) {
      std::atomic<int> called{0};
      const auto f = [&called](const ts::point<2>&) {
        ++called;
        throw std::runtime_error("each");
      };
      const auto over = [&](const auto& points) {
        grain == 0 ? ts::for_each(points, f) : ts::for_each(points, grain, f);
      };
      EXPECT_EQ(failures_of([&] { over(square); }), 100) << grain;
      EXPECT_EQ(called, 100) << grain;
      EXPECT_EQ(failures_of([&] { over(triangle); }), 55) << grain;
      EXPECT_EQ(called, 155) << grain;
    }
  });
}

TEST(region_loops_test, each_cell_of_an_array_may_throw) {
  ts::run(ts::config{.places = 2, .env = false}, [] {
    ts::dist_array<int, 2> a(ts::dist<2>::block(ts::range(0, 10) * ts::range(0, 10)), {.name = "a"});
    const auto f = [](int& x) {
      ++x;
      throw std::runtime_error("each");
    };
    try {
      a.for_each(f);
      ADD_FAILURE();
    } catch (const ts::multiple_exceptions& e) {
      EXPECT_EQ(e.flattened().size(), 100);
    }
    EXPECT_EQ(a.reduce(ts::op::sum), 100);
  });
}

TEST(region_loops_test, a_point_may_wait_for_later_ones_of_its_row) {
  for (const int threads : {1, 2}) {
    ts::run(ts::config{.threads = threads, .env = false}, [] {
      // Each waits for the next one of its row, so that every rest of a row is handed on again; and so are the rows.
      const ts::box<2> all = ts::range(0, 5) * ts::range(0, 7);
      std::vector<ts::promise<int>> told(all.size());
      std::atomic<int> sum{0};
      ts::for_each(all, 1000, [&](auto i, auto j) {
        const auto number = static_cast<std::size_t>(i * 7 + j);
        const int behind = number + 1 < told.size() ? told[number + 1].get_future().get() : 0;
        sum += behind;
        told[number].set_value(behind + 1);
      });
      EXPECT_EQ(sum, 34 * 35 / 2);
      EXPECT_EQ(told[0].get_future().get(), 35);
    });
  }
}

TEST(region_loops_test, a_point_may_yield_until_a_later_one_of_its_row_has_run) {
  ts::run(ts::config{.threads = 1, .env = false}, [] {
    bool has_run = false;
    ts::for_each(ts::range(0, 10), 10, [&](auto i) {
      while (i == 0 && !has_run) {
        ts::yield();
      }
      if (i == 9) {
        has_run = true;
      }
    });
    EXPECT_TRUE(has_run);
  });
}

TEST(region_loops_test, each_point_has_task_locals_of_its_own_and_may_spawn) {
  ts::task_local<int> number;
  ts::run([&] {
    std::atomic<int> spawned{0};
    *number = 7;
    ts::for_each(ts::range(0, 10) * ts::range(0, 10), 25, [&](auto, auto j) {
      EXPECT_EQ((*number)++, 0);
      ts::async([&] { ++spawned; });
      if (j % 4 == 2) {
        ts::yield();
      }
      EXPECT_EQ(*number, 1);
    });
    EXPECT_EQ(*number, 7);
    EXPECT_EQ(spawned, 100);
  });
}

}  // namespace
