// SPDX-License-Identifier: Apache-2.0
// team: places that wait for each other and combine values.
#include <tactus/tactus.hpp>

#include "place_settings.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using team_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, team_test, support::every_place_setting(), support::place_setting_name);

static_assert(std::is_trivially_copyable_v<ts::team>);
static_assert(ts::travels<ts::team>);

// Calls f(team of all places) at each of them.
template <class F>
void at_all(F f) {
  ts::at_each(ts::places(), [f] { f(ts::team::world()); });
}

std::string digits(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += static_cast<char>('a' + i);
  return all;
}

// Associative, does not commute: all but the ends is lost.
struct ends {
  int first, last;
  friend bool operator==(ends, ends) = default;
};
constexpr auto k_join = [](ends a, ends b) noexcept { return ends{a.first, b.last}; };
constexpr auto k_append = [](const std::string& a, const std::string& b) { return a + b; };

TEST_P(team_test, of_all_places_has_them_by_number) {
  run([] {
    at_all([](ts::team t) {
      EXPECT_EQ(t.size(), ts::num_places());
      EXPECT_EQ(t.rank(), ts::here().id());
      EXPECT_EQ(t.places(), ts::places());
      EXPECT_EQ(t.place(t.size() - 1).id(), ts::num_places() - 1);
      EXPECT_EQ(t, ts::team::world());
    });
  });
}

std::atomic<int> g_came;

TEST_P(team_test, nobody_leaves_a_barrier_before_all_have_come) {
  g_came = 0;
  run([] {
    at_all([](ts::team t) {
      for (int round = 1; round <= 50; ++round) {
        ++g_came;
        t.barrier();
        EXPECT_GE(g_came.load(), round * t.size());
        t.barrier();
      }
    });
  });
}

TEST_P(team_test, hands_each_roots_value_to_all) {
  run([] {
    at_all([](ts::team t) {
      for (int root = 0; root < t.size(); ++root) {
        EXPECT_EQ(t.broadcast(t.rank() == root ? "of " + std::to_string(root) : std::string("nothing"), root),
                  "of " + std::to_string(root));
        EXPECT_EQ(t.broadcast(t.rank() + 100, root), root + 100);
      }
    });
  });
}

TEST_P(team_test, combines_in_the_order_of_ranks) {
  run([] {
    at_all([](ts::team t) {
      const ends own{t.rank(), t.rank()};
      const ends all{0, t.size() - 1};
      const std::string letter(1, static_cast<char>('a' + t.rank()));
      EXPECT_EQ(t.allreduce(own, k_join), all);
      EXPECT_EQ(t.allreduce(letter, k_append), digits(t.size()));
      for (int root = 0; root < t.size(); ++root) {
        EXPECT_EQ(t.reduce(own, k_join, root), t.rank() == root ? all : ends{});
        EXPECT_EQ(t.reduce(letter, k_append, root), t.rank() == root ? digits(t.size()) : "");
      }
    });
  });
}

TEST_P(team_test, combines_arrays_vectors_and_spans_element_by_element) {
  run([] {
    at_all([](ts::team t) {
      const int n = t.size();
      const int sum = n * (n - 1) / 2;
      EXPECT_EQ(t.allreduce(std::array{t.rank(), -t.rank()}, ts::op::sum), (std::array{sum, -sum}));
      EXPECT_EQ(t.allreduce(std::vector{1.5, t.rank() * 1.0}, ts::op::max), (std::vector{1.5, n - 1.0}));
      EXPECT_EQ(t.allreduce(std::vector<int>{}, ts::op::sum), std::vector<int>{});
      std::vector<ends> own(3, ends{t.rank(), t.rank()});
      t.allreduce(std::span(own), k_join);
      EXPECT_EQ(own, std::vector<ends>(3, ends{0, n - 1}));
      std::vector<long> some(1000, t.rank());
      t.reduce(std::span(some), ts::op::sum, n - 1);
      EXPECT_EQ(some, std::vector<long>(1000, t.rank() == n - 1 ? sum : t.rank()));
    });
  });
}

TEST_P(team_test, takes_every_operator_and_monoids) {
  run([] {
    at_all([](ts::team t) {
      const int n = t.size();
      EXPECT_EQ(t.allreduce(t.rank() + 1, ts::op::product), [n] {
        int p = 1;
        for (int i = 1; i <= n; ++i) p *= i;
        return p;
      }());
      EXPECT_EQ(t.allreduce(t.rank(), ts::op::min), 0);
      EXPECT_EQ(t.allreduce(t.rank(), ts::op::max), n - 1);
      EXPECT_EQ(t.allreduce(1U << t.rank(), ts::op::bit_or), (1U << n) - 1);
      EXPECT_EQ(t.allreduce(~(1U << t.rank()), ts::op::bit_and), ~((1U << n) - 1));
      EXPECT_EQ(t.allreduce(std::pair(-t.rank() * 1.0, t.rank()), ts::op::minloc), std::pair(1.0 - n, n - 1));
      EXPECT_EQ(t.allreduce(t.rank() == 0, ts::op::logical_or), true);
      EXPECT_EQ(t.allreduce(2, ts::monoid{0, [](int a, int b) { return a + b; }}), 2 * n);
    });
  });
}

TEST_P(team_test, passes_over_nans_whoever_gives_them) {
  run([] {
    at_all([](ts::team t) {
      const double nan = std::nan("");
      const int n = t.size();
      for (int who = 0; who < n; ++who) {
        const double x = t.rank() == who ? nan : t.rank();
        const int least = who == 0 ? 1 : 0;
        const int largest = who == n - 1 ? n - 2 : n - 1;
        if (n > 1) {
          EXPECT_EQ(t.allreduce(x, ts::op::min), least) << who;
          EXPECT_EQ(t.allreduce(x, ts::op::max), largest) << who;
          EXPECT_EQ(t.allreduce(std::vector<double>(5, x), ts::op::min), std::vector<double>(5, least)) << who;
          EXPECT_EQ(t.allreduce(std::pair(x, t.rank()), ts::op::minloc), std::pair(least * 1.0, least)) << who;
          EXPECT_EQ(t.allreduce(std::pair(x, t.rank()), ts::op::maxloc), std::pair(largest * 1.0, largest)) << who;
        }
      }
      EXPECT_TRUE(std::isnan(t.allreduce(nan, ts::op::min)));
      EXPECT_EQ(t.allreduce(std::pair(nan, -t.rank()), ts::op::maxloc).second, 1 - n);  // NaNs: the smaller place
    });
  });
}

TEST_P(team_test, takes_a_monoid_whose_identity_owns_memory) {
  run([] {
    at_all([](ts::team t) {
      const std::string letter(1, static_cast<char>('a' + t.rank()));
      const ts::monoid append{std::string("an identity that is too long to lie in the object"), k_append};
      EXPECT_EQ(t.allreduce(letter, append), digits(t.size()));
      EXPECT_EQ(t.reduce_async(letter, append, 0).get(), t.rank() == 0 ? digits(t.size()) : "");
    });
  });
}

TEST_P(team_test, combines_spans_of_fixed_length) {
  run([] {
    at_all([](ts::team t) {
      const int n = t.size();
      const int sum = n * (n - 1) / 2;
      std::array own{t.rank(), 2 * t.rank()};
      const std::span<int, 2> there = t.reduce(std::span(own), ts::op::sum, n - 1);
      EXPECT_EQ(there.data(), own.data());
      EXPECT_EQ(own, t.rank() == n - 1 ? (std::array{sum, 2 * sum}) : (std::array{t.rank(), 2 * t.rank()}));
      own = {1, 2};
      t.allreduce(std::span(own), ts::op::sum);
      EXPECT_EQ(own, (std::array{n, 2 * n}));
    });
  });
}

using number_ptr = std::unique_ptr<int>;
struct holds_pointers {
  std::vector<number_ptr> all;
};

TEST_P(team_test, hands_round_what_can_only_be_moved) {
  run([] {
    at_all([](ts::team t) {
      const int n = t.size();
      const auto one_each = [n](int first) {
        std::vector<number_ptr> all;
        for (int r = 0; r < n; ++r) all.push_back(std::make_unique<int>(first + r));
        return all;
      };
      EXPECT_EQ(*t.broadcast(std::make_unique<int>(t.rank()), n - 1), n - 1);
      EXPECT_EQ(*t.broadcast(holds_pointers{one_each(10 * t.rank())}, n - 1).all.back(), 11 * (n - 1));
      const std::vector<number_ptr> gathered = t.gather(std::make_unique<int>(t.rank()), 0);
      ASSERT_EQ(gathered.size(), t.rank() == 0 ? static_cast<std::size_t>(n) : 0U);
      for (std::size_t r = 0; r < gathered.size(); ++r) EXPECT_EQ(*gathered[r], static_cast<int>(r));
      EXPECT_EQ(*t.scatter(one_each(100), 0), 100 + t.rank());
      EXPECT_EQ(*t.alltoall(one_each(100 * t.rank())).back(), 100 * (n - 1) + t.rank());
      const auto sum = [](const number_ptr& a, const number_ptr& b) { return std::make_unique<int>(*a + *b); };
      EXPECT_EQ(*t.allreduce(std::make_unique<int>(1), sum), n);
    });
  });
}

TEST_P(team_test, gathers_scatters_and_exchanges_by_rank) {
  run([] {
    at_all([](ts::team t) {
      const int n = t.size();
      std::vector<std::string> names;
      std::vector<int> to_all;
      for (int r = 0; r < n; ++r) {
        names.push_back("from " + std::to_string(r));
        to_all.push_back(100 * t.rank() + r);
      }
      for (int root = 0; root < n; ++root) {
        EXPECT_EQ(t.gather("from " + std::to_string(t.rank()), root),
                  t.rank() == root ? names : std::vector<std::string>{});
        EXPECT_EQ(t.scatter(t.rank() == root ? names : std::vector<std::string>{}, root),
                  "from " + std::to_string(t.rank()));
      }
      const std::vector<int> from_all = t.alltoall(to_all);
      for (int r = 0; r < n; ++r) {
        EXPECT_EQ(from_all.at(static_cast<std::size_t>(r)), 100 * r + t.rank());
      }
    });
  });
}

TEST_P(team_test, splits_by_colour_in_the_order_of_keys_and_equal_splits_are_one) {
  run([] {
    at_all([](ts::team t) {
      const ts::team half = t.split(t.rank() % 2, -t.rank());
      const int members = (t.size() + 1 - t.rank() % 2) / 2;
      EXPECT_EQ(half.size(), members);
      EXPECT_EQ(half.rank(), members - 1 - t.rank() / 2);
      EXPECT_EQ(half.place(half.rank()), ts::here());
      EXPECT_EQ(half.allreduce(t.rank() % 2, ts::op::max), t.rank() % 2);
      EXPECT_EQ(t.split(t.rank() % 2, -t.rank()), half);
      EXPECT_NE(t.split(t.rank() % 2, t.rank()), t.size() > 2 && members > 1 ? half : ts::team());
      const ts::team again = half.split(0, half.rank());
      EXPECT_EQ(again.places(), half.places());
      again.barrier();
      t.barrier();
    });
  });
}

TEST_P(team_test, lets_its_caller_go_on_while_a_split_operation_is_under_way) {
  run([] {
    at_all([](ts::team t) {
      std::vector<ts::future<int>> sums;
      for (int i = 0; i < 40; ++i) {
        sums.push_back(t.allreduce_async(i, ts::op::sum));
      }
      auto came = t.barrier_async();
      auto word = t.broadcast_async(std::string(t.rank() == 0 ? "word" : ""), 0);
      auto names = t.gather_async(t.rank(), 0);
      auto mine = t.scatter_async(std::vector<int>(t.rank() == 0 ? static_cast<std::size_t>(t.size()) : 0, 5), 0);
      auto each = t.alltoall_async(std::vector<int>(static_cast<std::size_t>(t.size()), t.rank()));
      auto first = t.reduce_async(std::string("x"), k_append, 0);
      EXPECT_EQ(t.allreduce(1, ts::op::sum), t.size());
      for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(sums[static_cast<std::size_t>(i)].get(), i * t.size());
      }
      came.get();
      EXPECT_EQ(word.get(), "word");
      EXPECT_EQ(names.get().size(), t.rank() == 0 ? static_cast<std::size_t>(t.size()) : 0U);
      EXPECT_EQ(mine.get(), 5);
      EXPECT_EQ(each.get().back(), t.size() - 1);
      EXPECT_EQ(first.get().size(), t.rank() == 0 ? static_cast<std::size_t>(t.size()) : 0U);
    });
  });
}

std::atomic<int> g_ahead;

TEST_P(team_test, a_root_that_only_sends_does_not_run_ahead_for_ever) {
  g_ahead = 0;
  run([] {
    at_all([](ts::team t) {
      for (int i = 0; i < 5'000; ++i) {  // more than there are numbers
        if (t.rank() == 0) {
          g_ahead = i;
        }
        ASSERT_EQ(t.broadcast(t.rank() == 0 ? i : -1, 0), i);
        ASSERT_LT(g_ahead.load() - i, 64);
      }
    });
  });
}

// Numbers come again after 4096 operations: what is for the first of them would go to the last.
TEST(team_runs_test, an_operation_that_lasts_is_not_overtaken_by_4096_others) {
  static constexpr int k_slow = 1'000'000;
  static constexpr int k_others = 4'200;
  static std::atomic<int> ended;
  static std::atomic<int> ended_meanwhile;
  ended = ended_meanwhile = 0;
  ts::run({.threads = 2, .places = 2, .env = false}, [] {
    at_all([](ts::team t) {
      const auto sum = [](int a, int b) {  // may throw: so it comes from rank 0
        if (a >= k_slow || b >= k_slow) {
          const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
          while (ended < k_others && std::chrono::steady_clock::now() < until) {
          }
          ended_meanwhile = ended.load();
        }
        return a + b;
      };
      auto slow = t.allreduce_async(k_slow, sum);
      for (int i = 0; i < k_others; ++i) {
        ASSERT_EQ(t.allreduce(1, sum), 2);
        if (t.rank() == 0) ++ended;
      }
      EXPECT_EQ(slow.get(), 2 * k_slow);
    });
  });
  EXPECT_LT(ended_meanwhile, 64);
}

TEST_P(team_test, teams_that_overlap_work_side_by_side) {
  run([] {
    at_all([](ts::team t) {
      const ts::team pair = t.split(t.rank() / 2, t.rank());
      const ts::team rest = t.split(t.rank() == 0 ? 0 : 1, t.rank());
      for (int i = 0; i < 100; ++i) {
        auto a = t.allreduce_async(1, ts::op::sum);
        auto b = pair.allreduce_async(t.rank(), ts::op::min);
        EXPECT_EQ(rest.allreduce(1, ts::op::sum), t.rank() == 0 ? 1 : t.size() - 1);
        EXPECT_EQ(a.get(), t.size());
        EXPECT_EQ(b.get(), t.rank() / 2 * 2);
      }
    });
  });
}

// ---- against the same done by one ----

struct step {
  int call, root, extra;
};

std::vector<step> random_steps(std::uint64_t seed, int n) {
  std::mt19937_64 random(seed);
  std::vector<step> all;
  for (int i = 0; i < 60; ++i) {
    all.push_back({static_cast<int>(random() % 8), static_cast<int>(random() % static_cast<unsigned>(n)),
                   static_cast<int>(random() % 1000)});
  }
  return all;
}

// What a member has after it, from what all had before.
std::vector<std::string> expected_after(const step& s, const std::vector<std::string>& before) {
  const auto n = before.size();
  const auto root = static_cast<std::size_t>(s.root);
  std::vector<std::string> after = before;
  std::string all;
  for (const std::string& x : before) all += x;
  for (std::size_t r = 0; r < n; ++r) {
    switch (s.call) {
      case 1: after[r] = before[root]; break;
      case 2: after[r] = r == root ? all : ""; break;
      case 3: after[r] = all; break;
      case 4: after[r] = r == root ? all : "none"; break;
      case 5: after[r] = before[root] + std::to_string(r); break;
      case 6: after[r] = all + std::to_string(r); break;
      default: break;
    }
    after[r] = std::to_string(std::hash<std::string>()(after[r]) % 1000 + static_cast<unsigned>(s.extra));
  }
  return after;
}

std::string perform(ts::team t, const step& s, std::string x) {
  const auto n = static_cast<std::size_t>(t.size());
  const auto joined = [](const std::vector<std::string>& v) {
    return std::accumulate(v.begin(), v.end(), std::string());
  };
  const bool split = s.extra % 2 == 0;
  switch (s.call) {
    case 0: split ? t.barrier_async().get() : t.barrier(); break;
    case 1: x = split ? t.broadcast_async(x, s.root).get() : t.broadcast(x, s.root); break;
    case 2: x = split ? t.reduce_async(x, k_append, s.root).get() : t.reduce(x, k_append, s.root); break;
    case 3: x = split ? t.allreduce_async(x, k_append).get() : t.allreduce(x, k_append); break;
    case 4:
      x = joined(split ? t.gather_async(x, s.root).get() : t.gather(x, s.root)) + (t.rank() == s.root ? "" : "none");
      break;
    case 5: {
      std::vector<std::string> v(n);
      for (std::size_t r = 0; r < n; ++r) v[r] = x + std::to_string(r);
      x = split ? t.scatter_async(v, s.root).get() : t.scatter(v, s.root);
      break;
    }
    case 6: {
      std::vector<std::string> v(n, x);
      x = joined(split ? t.alltoall_async(v).get() : t.alltoall(v)) + std::to_string(t.rank());
      break;
    }
    default: EXPECT_EQ(t.split(s.extra, t.rank()).size(), t.size()); break;
  }
  return std::to_string(std::hash<std::string>()(x) % 1000 + static_cast<unsigned>(s.extra));
}

TEST_P(team_test, random_operations_give_what_one_would_compute) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    run([seed] {
      const int n = ts::num_places();
      std::vector<std::string> values;
      for (int r = 0; r < n; ++r) values.push_back(std::to_string(r));
      for (const step& s : random_steps(seed, n)) values = expected_after(s, values);
      ts::at_each(
          ts::places(),
          [](std::uint64_t of, const std::vector<std::string>& at_end) {
            const ts::team t = ts::team::world();
            std::string x = std::to_string(t.rank());
            for (const step& s : random_steps(of, t.size())) {
              x = perform(t, s, x);
            }
            EXPECT_EQ(x, at_end[static_cast<std::size_t>(t.rank())]);
          },
          seed, values);
    });
  }
}

// ---- what goes wrong ----

template <class E, class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST_P(team_test, an_operation_that_throws_throws_at_every_member) {
  run([] {
    at_all([](ts::team t) {
      const auto throws = [](int a, int b) {
        if (a + b >= 0) throw std::out_of_range("combined");
        return a;
      };
      if (t.size() == 1) return;
      EXPECT_EQ(text_of<std::out_of_range>([&] { t.allreduce(1, throws); }), "combined");
      EXPECT_EQ(text_of<std::out_of_range>([&] { t.reduce(1, throws, t.size() - 1); }), "combined");
      EXPECT_EQ(text_of<std::out_of_range>([&] { t.allreduce_async(std::vector{1, 2}, throws).get(); }), "combined");
      t.barrier();  // they still agree on what comes next
    });
  });
}

struct bad_to_save {
  int number = 0;
  bad_to_save() = default;
  explicit bad_to_save(int n) : number(n) {}
  bad_to_save(const bad_to_save& o) : number(o.number) {
    if (number < 0) throw std::domain_error("copied");
  }
  bad_to_save(bad_to_save&&) = default;
  bad_to_save& operator=(const bad_to_save&) = default;
  bad_to_save& operator=(bad_to_save&&) = default;
  template <class Ar>
  void serialize(Ar& ar) {
    if (number < 0) throw std::domain_error("copied");
    ar & number;
  }
};

TEST_P(team_test, a_value_that_cannot_be_sent_throws_at_all_who_wait_for_it) {
  run([] {
    at_all([](ts::team t) {
      if (t.size() == 1) return;
      bad_to_save x(t.rank() == 0 ? -1 : 1);
      EXPECT_EQ(text_of<std::domain_error>([&] { static_cast<void>(t.broadcast(std::move(x), 0)); }), "copied");
      t.barrier();
    });
  });
}

TEST_P(team_test, a_value_that_cannot_be_sent_throws_at_all_members_of_a_reduction) {
  run([] {
    at_all([](ts::team t) {
      if (t.size() == 1) return;
      const auto sum = [](const bad_to_save& a, const bad_to_save& b) noexcept {
        return bad_to_save(a.number + b.number);
      };
      const int own = t.rank() == t.size() - 1 ? -1 : 1;
      EXPECT_EQ(text_of<std::domain_error>([&] { t.reduce(bad_to_save(own), sum, 0); }), "copied");
      EXPECT_EQ(text_of<std::domain_error>([&] { t.allreduce(bad_to_save(own), sum); }), "copied");
      t.barrier();
    });
  });
}

struct bad_to_load {
  int number = 0;
  template <class Ar>
  void serialize(Ar& ar) {
    ar & number;
    if (Ar::loading && number == ts::num_places()) throw std::domain_error("loaded");
  }
};

// Only the root reads what all have given.
TEST_P(team_test, what_a_root_cannot_read_throws_at_all_members_of_a_reduction) {
  ts::config by_bytes = support::config_of(GetParam());
  by_bytes.local_copy = ts::copying::serialize;
  ts::run(by_bytes, [] {
    at_all([](ts::team t) {
      if (t.size() == 1) return;
      const auto sum = [](bad_to_load a, bad_to_load b) noexcept { return bad_to_load{a.number + b.number}; };
      EXPECT_EQ(text_of<std::domain_error>([&] { t.reduce(bad_to_load{1}, sum, t.size() - 1); }), "loaded");
      t.barrier();
    });
  });
}

TEST_P(team_test, unequal_lengths_and_wrong_counts_are_named) {
  run([] {
    at_all([](ts::team t) {
      if (t.size() == 1) return;
      const auto n = static_cast<std::size_t>(t.size());
      EXPECT_NE(text_of<ts::place_error>([&] {
                  t.allreduce(std::vector<int>(t.rank() == 1 ? 2 : 3), ts::op::sum);
                }).find("elements to combine"),
                std::string::npos);
      EXPECT_NE(text_of<ts::place_error>([&] {
                  static_cast<void>(t.scatter(std::vector<int>(n + 1), 0));
                }).find("it takes " + std::to_string(n)),
                std::string::npos);
      EXPECT_NE(text_of<ts::place_error>([&] {
                  static_cast<void>(t.alltoall(std::vector<int>(t.rank() == 0 ? 0 : n)));
                }).find("0 elements were given"),
                std::string::npos);
      t.barrier();
    });
  });
}

TEST_P(team_test, a_rank_that_there_is_not_is_refused_before_it_takes_part) {
  run([] {
    at_all([](ts::team t) {
      for (const int rank : {-1, t.size()}) {
        EXPECT_THROW(static_cast<void>(t.broadcast(1, rank)), ts::place_error);
        EXPECT_THROW(t.reduce(1, ts::op::sum, rank), ts::place_error);
        EXPECT_THROW(static_cast<void>(t.gather_async(1, rank)), ts::place_error);
        EXPECT_THROW(static_cast<void>(t.scatter(std::vector<int>(), rank)), ts::place_error);
        EXPECT_THROW(static_cast<void>(t.place(rank)), ts::place_error);
      }
      t.barrier();
    });
  });
}

TEST_P(team_test, different_operations_under_one_number_are_named) {
  run([] {
    at_all([](ts::team t) {
      if (t.rank() == 0) {
        EXPECT_EQ(t.scatter(std::vector<int>(static_cast<std::size_t>(t.size()), 7), 0), 7);
        EXPECT_EQ(t.broadcast(2, 0), 2);
      } else {
        EXPECT_NE(text_of<ts::place_error>([&] {
                    static_cast<void>(t.broadcast(1, 0));
                  }).find("has called scatter, and place "),
                  std::string::npos);
        EXPECT_THROW(static_cast<void>(t.broadcast(1.5, 0)), ts::place_error);
      }
    });
  });
}

// Calls operation(team) at all places, whose values are bytes where the setting says so, without assertions too.
template <class F>
void at_all_as_set(const support::place_setting& how, F operation) {
  ts::config settings = support::config_of(how);
  if (how.how == support::passing::as_bytes) {
    settings.local_copy = ts::copying::serialize;
  }
  ts::run(settings, [&] { at_all(operation); });
}

// Mine is what all but rank 0 give.
template <class Mine, class Root>
void expect_told_apart(ts::team t, const Mine& mine, const Root& of_root) {
  if (t.rank() == 0) {
    static_cast<void>(t.broadcast(of_root, 0));
    return;
  }
  const std::string text = text_of<ts::place_error>([&] { static_cast<void>(t.broadcast(mine, 0)); });
  EXPECT_TRUE(text.find("has called broadcast (operation ") != std::string::npos &&
              text.find("with a value of another type than place ") != std::string::npos)
      << text;
}

TEST_P(team_test, values_of_different_types_are_told_apart_whatever_their_sizes) {
  at_all_as_set(GetParam(), [](ts::team t) {
    expect_told_apart(t, 0.0F, 1);
    expect_told_apart(t, 0L, 1);
    expect_told_apart(t, 0U, 1);
    expect_told_apart(t, std::string("text"), std::vector<char>(4));
    expect_told_apart(t, std::vector<float>(100'000), std::vector<int>(100'000));
    expect_told_apart(t, std::pair(1, 1.0F), std::pair(1, 1));
    EXPECT_EQ(t.allreduce(1, ts::op::sum), t.size());
  });
}

TEST_P(team_test, values_of_different_types_are_told_apart_where_they_are_combined) {
  if (GetParam().places == 1) return;
  at_all_as_set(GetParam(), [](ts::team t) {
    const auto give = [t] {
      if (t.rank() == t.size() - 1) {
        static_cast<void>(t.gather(1.0F, 0));
      } else {
        static_cast<void>(t.gather(1, 0));
      }
    };
    if (t.rank() == 0) {  // who has it from a member before it is told what that has seen
      const std::string text = text_of<ts::place_error>(give);
      EXPECT_NE(text.find("place " + std::to_string(t.size() - 1) + " has called gather (operation 0)"),
                std::string::npos)
          << text;
    } else {
      try {
        give();
      } catch (const ts::place_error&) {  // those between the two
      }
    }
  });
}

// What closures of one function make of a template are types that compilers may spell alike.
template <class Closure>
struct marked {
  marked() = default;
  explicit marked(Closure /*by*/) {}
  int value = 0;
};

TEST_P(team_test, values_of_types_that_are_spelled_alike_are_told_apart) {
  ts::config settings = support::config_of(GetParam());
  if (GetParam().how == support::passing::as_bytes) {
    settings.local_copy = ts::copying::serialize;  // without assertions too
  }
  ts::run(settings, [] {
    at_all([](ts::team t) {
      const auto one = [](int x) { return x; };
      const auto other = [](int x) { return -x; };
      if (t.rank() == 0) {
        static_cast<void>(t.broadcast(marked(one), 0));
      } else if (GetParam().how == support::passing::as_objects) {
        EXPECT_THROW(static_cast<void>(t.broadcast(marked(other), 0)), ts::place_error);
      } else {
        static_cast<void>(t.broadcast(marked(other), 0));  // as bytes they are alike
      }
    });
  });
}

TEST_P(team_test, different_operations_that_wait_for_each_other_are_a_deadlock_that_names_them) {
  if (GetParam().places == 1) return;
  const std::string text = text_of<std::exception>([] {
    run([] {
      at_all([](ts::team t) {
        if (t.rank() == 0) {
          static_cast<void>(t.gather(1, 0));
        }
        t.barrier();
      });
    });
  });
  if (GetParam().places > 2) {  // of two, place 0 sees that what has come is of a barrier
    EXPECT_NE(text.find("gather (operation 0)"), std::string::npos) << text;
  }
  EXPECT_NE(text.find("barrier (operation 0)"), std::string::npos) << text;
}

// ---- one member lacks memory for a long vector ----

struct of_own_type : std::bad_alloc {};  // which other places do not know

enum class want { bad_alloc, resource_error, own_type };

std::atomic<int> g_allocates_more;  // long ones, until one fails, of place 1
std::atomic<want> g_wants;

constexpr std::size_t k_long = ts::detail::k_long_range / sizeof(double);

template <class T>
struct wanting {
  using value_type = T;
  wanting() = default;
  template <class U>
  wanting(const wanting<U>& /*other*/) {}
  T* allocate(std::size_t n) {
    if (n >= k_long && ts::here().id() == 1 && g_allocates_more-- == 0) {
      switch (g_wants) {
        case want::bad_alloc: throw std::bad_alloc();
        case want::resource_error: throw ts::resource_error("no memory for that");
        case want::own_type: throw of_own_type();
      }
    }
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(wanting, wanting) { return true; }
};

TEST_P(team_test, all_members_throw_where_one_lacks_memory_for_a_long_vector) {
  const int places = GetParam().places;
  if ((places & (places - 1)) != 0) return;
  for (const want kind : {want::bad_alloc, want::resource_error, want::own_type}) {
    g_wants = kind;
    for (int before = 0; before < 5; ++before) {
      g_allocates_more = 1'000;
      g_came = 0;
      run([before] {
        at_all([before](ts::team t) {
          std::vector<double, wanting<double>> own(k_long, 1.0);
          t.barrier();
          if (t.rank() == 1) g_allocates_more = before;
          t.barrier();
          try {
            EXPECT_EQ(t.allreduce(std::move(own), ts::op::sum).back(), t.size());
          } catch (const std::exception&) {
            ++g_came;
          }
          if (t.rank() == 1) g_allocates_more = 1'000;
          t.barrier();
        });
      });
      EXPECT_EQ(g_came, g_came == 0 ? 0 : places) << static_cast<int>(kind) << ", " << before;
      EXPECT_TRUE(before != 0 || places == 1 || g_came == places);
    }
  }
}

// ---- misuse ----

// One or none of them is told so, or the call is stuck: of seven, blocks of other lengths come from where some are expected.
TEST(team_runs_test, members_that_disagree_about_the_root_take_no_block_for_another) {
  static constexpr int k_places = 7;
  int told = 0;
  const auto call = [&told](int odd, int root, auto operation) {
    try {
      ts::run({.threads = 1, .places = k_places, .env = false}, [&] {
        ts::at_each(
            ts::places(),
            [operation](int odd_there, int root_there) {
              const ts::team t = ts::team::world();
              operation(t, t.rank() == odd_there ? root_there : 0);
            },
            odd, root);
      });
    } catch (const ts::deadlock_error& e) {
      told += std::string(e.what()).find("the same root") != std::string::npos ? 1 : 0;
    } catch (const ts::multiple_exceptions& e) {
      told += std::string(e.what()).find("the same root") != std::string::npos ? 1 : 0;
    }
  };
  const auto name_of = [](int rank) { return "a text that does not lie in the object, " + std::to_string(rank); };
  for (const int odd : {2, 6}) {
    for (int root = 1; root < k_places; ++root) {
      call(odd, root, [name_of](ts::team t, int at) {
        const std::vector<std::string> all = t.gather(name_of(t.rank()), at);
        for (std::size_t i = 0; i < all.size(); ++i) {
          EXPECT_EQ(all[i], name_of(static_cast<int>(i)));
        }
      });
      call(odd, root, [name_of](ts::team t, int at) {
        std::vector<std::string> all;
        for (int i = 0; i < t.size(); ++i) all.push_back(name_of(i));
        EXPECT_EQ(t.scatter(std::move(all), at), name_of(t.rank()));
      });
    }
  }
  EXPECT_GE(told, 2);
}

TEST_P(team_test, roots_that_differ_are_named_by_who_receives_from_a_member_of_another_one) {
  if (GetParam().places == 1) return;
  const auto reduce = [](ts::team t) {
    const auto call = [t] { t.reduce(1, ts::op::sum, t.rank() == 1 ? 1 : 0); };
    if (t.rank() != 0) {
      call();
      return;
    }
    const std::string text = text_of<ts::place_error>(call);
    EXPECT_NE(text.find("place 1 has called reduce (operation 0) of a team of " + std::to_string(t.size()) +
                        " with root 1, and place 0 with root 0; all members give the same root"),
              std::string::npos)
        << text;
  };
  const std::string text = text_of<ts::deadlock_error>([&] { at_all_as_set(GetParam(), reduce); });
  EXPECT_NE(text.find("place 0, in reduce (operation 0)"), std::string::npos) << text;  // whom place 1 waits for
  EXPECT_NE(text.find("with root 1"), std::string::npos) << text;
}

// Each waits for the other, and has received nothing yet.
TEST_P(team_test, members_that_wait_for_each_other_as_roots_are_a_deadlock_that_names_the_roots) {
  if (GetParam().places != 2) return;
  std::string text;
  try {
    at_all_as_set(GetParam(), [](ts::team t) { static_cast<void>(t.gather(1, t.rank())); });
  } catch (const ts::deadlock_error& e) {
    text = e.what();
  }
  EXPECT_NE(text.find("with root 0"), std::string::npos) << text;
  EXPECT_NE(text.find("with root 1"), std::string::npos) << text;
}

std::atomic<int> g_refused;

TEST_P(team_test, a_second_task_of_a_place_is_refused) {
  g_refused = 0;
  run([] {
    if (ts::num_places() == 1) return;
    at_all([](ts::team t) {
      if (t.rank() != 0) {
        while (g_refused == 0) ts::yield();  // so that the first task of place 0 waits meanwhile
        t.barrier();
        return;
      }
      for (int i = 0; i < 2; ++i) {
        ts::async([t] {
          try {
            t.barrier();
          } catch (const ts::place_error&) {
            ++g_refused;
          }
        });
      }
    });
  });
  EXPECT_EQ(g_refused, GetParam().places == 1 ? 0 : 1);
}

TEST_P(team_test, is_refused_where_it_is_of_no_use) {
  std::optional<ts::team> kept;
  run([&] {
    kept = ts::team::world();
    EXPECT_THROW(ts::team().barrier(), ts::place_error);
    EXPECT_THROW(ts::atomic([&] { kept->barrier(); }), ts::atomic_use_error);
    if (ts::num_places() == 1) return;
    ts::at_each(
        ts::places(),
        [](ts::team t) {
          const ts::team own = t.split(t.rank(), 0);
          EXPECT_EQ(own.size(), 1);
          ts::at(ts::here().next(), [own] { EXPECT_THROW(own.barrier(), ts::place_error); });
          t.barrier();
        },
        *kept);
  });
  EXPECT_THROW(kept->barrier(), ts::usage_error);
}

// Runs have the same number in keys after so many.
TEST(team_runs_test, what_a_run_has_left_is_not_there_256_runs_later) {
  ts::runtime r({.threads = 1, .places = 2, .env = false});
  r.run([] { static_cast<void>(ts::team::world().broadcast(1, 0)); });  // of which place 1 knows nothing
  for (int i = 0; i < 255; ++i) {
    r.run([] { ts::at(ts::place(1), [] {}); });
  }
  r.run([] {
    ts::at(ts::place(1), [] { ts::async([] { EXPECT_EQ(ts::team::world().broadcast(0, 0), 2); }); });
    for (int i = 0; i < 1000; ++i) ts::yield();  // so that place 1 looks for it first
    EXPECT_EQ(ts::team::world().broadcast(2, 0), 2);
  });
}

TEST_P(team_test, a_member_that_does_not_come_is_a_deadlock_that_names_the_operation) {
  ts::runtime r(support::config_of(GetParam()));
  for (int i = 0; i < 3; ++i) {
    if (GetParam().places == 1) return;
    const std::string text = text_of<std::exception>([&] {
      r.run([] {
        at_all([](ts::team t) {
          t.barrier();
          if (t.rank() != 1) {
            static_cast<void>(t.allreduce(t.rank(), ts::op::sum));
          }
        });
      });
    });
    EXPECT_NE(text.find("allreduce (operation 1) of a team of"), std::string::npos) << text;
    // What it has left does not reach the next run.
    std::optional<ts::team> old;
    r.run([&] { old = ts::team::world(); });
    r.run([&] {
      EXPECT_THROW(old->barrier(), ts::place_error);
      at_all([](ts::team t) {
        t.barrier();
        EXPECT_EQ(t.allreduce(2, ts::op::sum), 2 * t.size());
      });
    });
  }
}

// They neither wait nor send.
TEST_P(team_test, questions_may_be_asked_where_nothing_may_wait) {
  run([] {
    ts::at_each(ts::places(), [] {
      const ts::team t = ts::team::world().split(0, ts::here().id());
      const auto ask = [&t] {
        EXPECT_EQ(t.size(), ts::num_places());
        EXPECT_EQ(t.rank(), ts::here().id());
        EXPECT_EQ(t.place(t.rank()), ts::here());
        EXPECT_EQ(ts::team::world().size(), ts::num_places());
      };
      ts::atomic(ask);
      bool once = true;
      ts::lockstep(0, 2, [&once] { return std::exchange(once, false); }, [&ask](int) { ask(); });
    });
  });
}

}  // namespace
