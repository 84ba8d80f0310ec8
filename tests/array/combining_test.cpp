// SPDX-License-Identifier: Apache-2.0
// Cells that are combined with others, as contributions of ghosts or by accumulate: what combines, and what copies, may throw or suspend.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

namespace {
namespace ts = tactus;

void at_places(int n, ts::copying copies, const std::function<void()>& body) {
  ts::run(ts::config{.threads = 1, .places = n, .local_copy = copies}, body);
}
constexpr ts::copying k_both[] = {ts::copying::automatic, ts::copying::serialize};

std::atomic<int> g_left{-1};  // combinations until one throws

template <class T>
T sum_or_throw(const T& x, const T& y) {
  if (g_left-- == 0) {
    throw std::runtime_error("once");
  }
  return x + y;
}

template <class T>
auto sum_that_may_throw() {
  return ts::monoid{T(), [](const T& x, const T& y) { return sum_or_throw(x, y); }};
}

// Place 1 contributes two ghosts to place 0, where the second one throws at first.
template <class T>
void contribute(const T& one, const T& both) {
  for (const ts::copying copies : k_both) {
    at_places(2, copies, [&] {
      ts::dist_array<T, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 2, .name = "u"});
      a.fill(one);
      const auto h = a.ref();
      ts::at_each(ts::places(), [h] { h.send_contributions(sum_that_may_throw<T>()); });
      ts::at(ts::place(1), [h] { h.wait_for_contributions(); });
      g_left = 1;
      EXPECT_THROW(h.wait_for_contributions(), std::runtime_error);
      h.wait_for_contributions();
      for (const auto& [p, x] : a.sequence()) {
        EXPECT_EQ(x, both) << p[0];
      }
      a.accumulate_ghosts(sum_that_may_throw<T>());  // the next one begins at the first again
      EXPECT_EQ(a.get(ts::point<1>(0)), both);
    });
  }
}

TEST(combining_test, a_contribution_is_combined_once_though_a_later_one_throws) {
  contribute<long>(1, 2);
  contribute<std::string>("x", "xx");
}

bool g_is_armed = false;
struct cell {
  long n = 0;
  cell() = default;
  cell(const cell&) = default;
  cell& operator=(const cell& other) {
    if (g_is_armed && other.n == 0) {
      throw std::runtime_error("no room");
    }
    n = other.n;
    return *this;
  }
  ~cell() = default;
  template <class Archive>
  void serialize(Archive& ar) {
    ar & n;
  }
};

TEST(combining_test, a_send_whose_copies_throw_has_not_happened) {
  at_places(2, ts::copying::automatic, [] {
    ts::dist_array<cell, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
    a.for_each([](cell& c) { c.n = 3; });
    a.update_ghosts();
    const ts::monoid sum{cell(), [](const cell& x, const cell& y) {
                           cell both;
                           both.n = x.n + y.n;
                           return both;
                         }};
    const auto h = a.ref();
    g_is_armed = true;
    EXPECT_THROW(h.send_contributions(sum), std::runtime_error);
    g_is_armed = false;
    EXPECT_EQ(h(2).n, 3);
    a.accumulate_ghosts(sum);
    EXPECT_EQ(h(1).n, 6);
    EXPECT_EQ(h(2).n, 0);
  });
}

TEST(combining_test, what_accumulate_combines_by_may_suspend) {
  at_places(1, ts::copying::automatic, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.name = "u"});
    const ts::array<long, 1> one(ts::range(0, 4), 1);
    const ts::monoid sum{0L, [](long x, long y) {
                           ts::yield();
                           return x + y;
                         }};
    ts::finish([&] {
      for (int k = 0; k < 3; ++k) {
        ts::async([&] { a.accumulate(one, sum); });
      }
    });
    EXPECT_EQ(a.reduce(ts::op::sum), 12);
  });
}

TEST(combining_test, a_block_can_be_combined_with_after_what_combines_has_thrown) {
  at_places(1, ts::copying::automatic, [] {
    ts::dist_array<long, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.name = "u"});
    const ts::array<long, 1> one(ts::range(0, 4), 1);
    const auto sum = sum_that_may_throw<long>();
    g_left = 0;
    EXPECT_THROW(a.accumulate(one, sum), ts::multiple_exceptions);
    a.accumulate(one, sum);
    EXPECT_EQ(a.reduce(ts::op::sum), 4);
  });
}

// A closure with captures is not made from nothing, and an identity that owns memory is not sent as its bytes.
TEST(combining_test, a_monoid_may_have_captures_and_an_identity_that_owns_memory) {
  for (const ts::copying copies : k_both) {
    at_places(2, copies, [] {
      const std::string long_enough(40, 'x');
      ts::dist_array<std::string, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
      a.for_each([](const ts::point<1>& p, std::string& s) { s = std::to_string(p[0]); });
      const auto joined = [sep = '-', times = 2](const std::string& x, const std::string& y) {
        return x.empty() ? y : y.empty() ? x : x + std::string(static_cast<std::size_t>(times), sep) + y;
      };
      const ts::monoid m{std::string(), joined};
      EXPECT_EQ(a.reduce(m), "0--1--2--3");
      EXPECT_EQ(a.reduce(joined, std::string()), "0--1--2--3");
      EXPECT_EQ(a.reduce(ts::monoid{long_enough, joined}),
                long_enough + "--" + long_enough + "--0--1--" + long_enough + "--2--3");
      EXPECT_EQ(a.scan(m).get(ts::point<1>(3)), "0--1--2--3");
      EXPECT_EQ(a.scan_exclusive(m).get(ts::point<1>(3)), "0--1--2");
      EXPECT_EQ(a.ref().reduce_local(m), "0--1");
      a.accumulate(ts::array<std::string, 1>(ts::range(1, 3), "y"), m);
      EXPECT_EQ(a.reduce(m), "0--1--y--2--y--3");
      a.update_ghosts();
      a.accumulate_ghosts(m);
      EXPECT_EQ(a.get(ts::point<1>(1)), "1--y--1--y");
      EXPECT_EQ(a.get(ts::point<1>(2)), "2--y--2--y");
    });
  }
}

// At another place that would be the stack of nobody knows whom.
TEST(combining_test, a_monoid_whose_closure_names_the_callers_stack_is_refused_where_it_would_go_to_other_places) {
  at_places(2, ts::copying::serialize, [] {
    ts::dist_array<double, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
    a.fill(1);
    const double factor = 1;
    const auto scaled = [&factor](double x, double y) { return factor * (x + y); };
    const ts::monoid m{0.0, scaled};
    EXPECT_THROW(static_cast<void>(a.reduce(m)), ts::place_error);
    EXPECT_THROW(static_cast<void>(a.reduce(scaled, 0.0)), ts::place_error);
    EXPECT_THROW(static_cast<void>(a.scan(m)), ts::place_error);
    EXPECT_THROW(a.accumulate_ghosts(m), ts::place_error);
    EXPECT_THROW(a.accumulate(ts::array<double, 1>(ts::range(1, 3), 1.0), m), ts::place_error);
    EXPECT_EQ(a.ref().reduce_local(m), 2);  // which goes nowhere
    EXPECT_EQ(a.reduce(ts::op::sum), 4);
  });
}

}  // namespace
