// SPDX-License-Identifier: Apache-2.0
// What operations of distributed arrays send, as stats() tells it; sorting, and all cells in order.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

const ts::box<2> k_box = ts::range(0, 12) * ts::range(0, 8);

struct sent {
  bool is_there = false;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

sent sent_by(int place, const std::string& array, const std::string& operation) {
  const ts::runtime_stats now = ts::stats();
  for (const ts::operation_stats& o : now.places.at(static_cast<std::size_t>(place)).operations) {
    if (o.array == array && o.operation == operation) {
      return {true, o.messages, o.bytes};
    }
  }
  return {};
}
std::uint64_t sent_in_all(const std::string& array, const std::string& operation) {
  std::uint64_t messages = 0;
  for (int p = 0; p < ts::num_places(); ++p) {
    messages += sent_by(p, array, operation).messages;
  }
  return messages;
}

void at_places(int n, const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = n}, body); }

TEST(operations_test, what_stays_at_its_place_sends_nothing) {
  at_places(3, [] {
    const auto before = ts::stats().places[0].messages;
    const ts::dist<2> d = ts::dist<2>::block(k_box);
    for (ts::index_t i = 0; i < 12; ++i) {
      static_cast<void>(d.owner({i, 0}));
      static_cast<void>(d.block_of({i, 7}));
    }
    EXPECT_EQ(ts::stats().places[0].messages, before);  // owners are asked without anybody hearing of it

    ts::dist_array<double, 2> a(d, {.ghost = 1, .name = "a"});
    a.fill(1);
    a.for_each([](ts::point<2> p, double& x) { x = static_cast<double>(p[0]); });
    const auto b = a.map([](double x) { return 2 * x; });
    for (int p = 0; p < 3; ++p) {
      for (const auto& [array, operation] :
           {std::pair("a", "fill"), std::pair("a", "for_each"), std::pair("a", "map")}) {
        const sent s = sent_by(p, array, operation);
        EXPECT_TRUE(s.is_there) << operation;
        EXPECT_EQ(s.messages, 0U) << operation;
        EXPECT_EQ(s.bytes, 0U) << operation;
      }
    }
    EXPECT_FALSE(sent_by(0, "a", "get").is_there);
  });
}

TEST(operations_test, a_box_is_one_message_of_each_owner) {
  at_places(3, [] {
    ts::dist_array<double, 2> a(ts::dist<2>::block_cyclic(k_box, 0, 2), {.name = "a"});
    static_cast<void>(a.get(k_box));  // six blocks, two of each place
    EXPECT_EQ(sent_by(0, "a", "get").messages, 0U);
    for (int p = 1; p < 3; ++p) {
      EXPECT_EQ(sent_by(p, "a", "get").messages, 1U);
      EXPECT_EQ(sent_by(p, "a", "get").bytes, 4 * 8 * sizeof(double));
    }
    a.set(ts::array<double, 2>(k_box, 3));
    EXPECT_EQ(sent_by(0, "a", "set").messages, 2U);
    EXPECT_EQ(sent_by(0, "a", "set").bytes, 2 * 4 * 8 * sizeof(double));
    a.accumulate(ts::array<double, 2>(ts::range(0, 4) * ts::range(0, 8), 1), ts::op::sum);
    EXPECT_EQ(sent_by(0, "a", "accumulate").messages, 1U);
    EXPECT_EQ(a.get({2, 0}), 4);
    EXPECT_EQ(a.get({0, 0}), 4);
    EXPECT_EQ(sent_by(1, "a", "get").messages, 2U);
    EXPECT_EQ(sent_by(1, "a", "get").bytes, 4 * 8 * sizeof(double) + sizeof(double));
    static_cast<void>(a.reduce(ts::op::sum));
    EXPECT_EQ(sent_in_all("a", "reduce"), 2U);
    ts::at(
        ts::place(2),
        [](const ts::dist_array_ref<double, 2>& h) {
          h.set(ts::array<double, 2>(k_box, 7));
          h.accumulate(ts::array<double, 2>(ts::range(0, 2) * ts::range(0, 8), 1), ts::op::sum);
          EXPECT_EQ(h.get(k_box)[ts::point<2>(0, 0)], 8);
        },
        a.ref());
    EXPECT_EQ(sent_by(2, "a", "set").messages, 2U) << "through a ref too";
    EXPECT_EQ(sent_by(2, "a", "set").bytes, 2 * 4 * 8 * sizeof(double));
    EXPECT_EQ(sent_by(2, "a", "accumulate").messages, 1U);
    EXPECT_EQ(sent_by(0, "a", "get").messages, 1U);
    EXPECT_EQ(sent_by(0, "a", "get").bytes, 4 * 8 * sizeof(double));
    EXPECT_EQ(sent_by(1, "a", "get").messages, 3U);
    auto b = redistributed(a, ts::dist<2>::constant(k_box, ts::place(1)));
    EXPECT_EQ(sent_in_all("a", "copy"), 2U);  // to place 1, of the two others
  });
}

TEST(operations_test, a_ghost_exchange_is_one_message_to_each_neighbour) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::run(ts::config{.threads = 1, .places = 9, .local_copy = copies}, [] {
      const ts::box<2> room = ts::range(0, 9) * ts::range(0, 9);
      ts::dist_array<double, 2> a(ts::dist<2>::block(room, ts::grid<2>{3, 3}), {.ghost = 1, .name = "a"});
      ts::dist_array<std::string, 2> b(a.dist(), {.ghost = 1, .corners = false, .name = "b"});
      for (int e = 1; e <= 3; ++e) {
        a.update_ghosts();
        EXPECT_EQ(sent_by(4, "a", "send_ghosts").messages, 8U * static_cast<unsigned>(e));  // 3^D - 1 inside
        EXPECT_EQ(sent_by(0, "a", "send_ghosts").messages, 3U * static_cast<unsigned>(e));
        EXPECT_EQ(sent_by(1, "a", "send_ghosts").messages, 5U * static_cast<unsigned>(e));
      }
      EXPECT_EQ(sent_by(4, "a", "send_ghosts").bytes, 3U * (4 * 3 + 4) * sizeof(double));
      b.update_ghosts();
      EXPECT_EQ(sent_by(4, "b", "send_ghosts").messages, 4U);
      EXPECT_EQ(sent_by(4, "b", "send_ghosts").bytes, 4U * (8 + 3 * 8));  // three empty strings, and how many
      b.accumulate_ghosts(ts::monoid(std::string(), [](const std::string& x, const std::string& y) { return x + y; }));
      EXPECT_EQ(sent_by(4, "b", "send_contributions").messages, 4U);
      ts::ghost_group both(a, b);
      both.update_ghosts();
      EXPECT_EQ(sent_by(4, "'a', 'b'", "send_ghosts").messages, 8U);
      EXPECT_EQ(sent_by(4, "a", "send_ghosts").messages, 24U);
    });
  }
}

TEST(operations_test, are_told_of_grids_that_are_not_square) {
  at_places(8, [] {
    ts::dist_array<float, 2> a(ts::dist<2>::block(k_box, ts::grid<2>{4, 2}), {.ghost = 1, .name = "a"});
    a.update_ghosts();
    EXPECT_EQ(sent_by(0, "a", "send_ghosts").messages, 3U);
    EXPECT_EQ(sent_by(2, "a", "send_ghosts").messages, 5U);
    ts::dist_array<float, 2> c(ts::dist<2>::block(k_box, ts::axes(1)), {.name = "c"});
    ts::transfer<float, 2> t(a, c);
    ts::at_each(ts::places(), [m = t.ref()] { m(); });
    EXPECT_GT(sent_in_all("a", "transfer"), 8U);
  });
}

TEST(operations_test, are_kept_when_their_array_has_gone) {
  ts::runtime rt(ts::config{.threads = 1, .places = 2});
  rt.run([] {
    for (int i = 0; i < 3; ++i) {
      const ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.name = "of that \"name\""});
      static_cast<void>(a.get(ts::point<1>(3)));
    }
  });
  const std::vector<ts::operation_stats> of_place = rt.stats().places[1].operations;
  ASSERT_EQ(of_place.size(), 1U);
  EXPECT_EQ(of_place[0].array, "of that \"name\"");
  EXPECT_EQ(of_place[0].operation, "get");
  EXPECT_EQ(of_place[0].messages, 3U);
  EXPECT_EQ(of_place[0].bytes, 3 * sizeof(int));
  EXPECT_NE(to_json(rt.stats())
                .find(R"("operations":[{"array":"of that \"name\"","operation":"get","messages":3,"bytes":12}])"),
            std::string::npos);
  EXPECT_NE(to_table(rt.stats()).find("'of that \"name\"': get sent 3 messages, 12 B"), std::string::npos);
}

TEST(operations_test, one_place_sends_nothing) {
  at_places(1, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 10)), {.ghost = 1, .periodic = true, .name = "a"});
    a.update_ghosts();
    a.sort();
    static_cast<void>(a.reduce(ts::op::sum));
    static_cast<void>(a.get(ts::range(0, 3)));
    const ts::runtime_stats now = ts::stats();
    for (const ts::operation_stats& o : now.places[0].operations) {
      EXPECT_EQ(o.messages, 0U) << o.operation;
    }
  });
}

// ---- sort ----

std::vector<ts::dist<1>> dists(const ts::box<1>& r) {
  const int places = ts::num_places();
  return {ts::dist<1>::block(r),
          ts::dist<1>::cyclic(r),
          ts::dist<1>::block_cyclic(r, 0, 3),
          ts::dist<1>::constant(r, ts::place(places - 1)),
          ts::dist<1>::block(r, ts::place_group{ts::place(places - 1), ts::place(0)}),
          ts::dist<1>::from(
              r, [places](const ts::point<1>& p) { return ts::place(static_cast<int>(p[0] * p[0] % 7 % places)); })};
}

using keyed = std::pair<int, int>;  // the second one says where it was

TEST(sort_test, is_that_of_a_stable_sort) {
  for (const int places : {2, 3, 5}) {
    const std::uint64_t seed = places == 2 ? 0 : 1;  // on one thread: there are many sorts
    ts::run(ts::config{.threads = 1, .places = places, .seed = seed}, [places] {
      std::mt19937 random(static_cast<unsigned>(places));
      for (const int n : {2, 7, 100, 1000}) {
        for (const int keys : {1, 3, 1000000}) {
          const ts::box<1> r = ts::range(-3, n - 3);
          for (const ts::dist<1>& d : dists(r)) {
            ts::dist_array<keyed, 1> a(d, {.name = "a"});
            ts::array<keyed, 1> given(r);
            std::vector<keyed> expected;
            r.each([&](const ts::point<1>& p) {
              given[p] = {static_cast<int>(random() % static_cast<unsigned>(keys)), static_cast<int>(p[0])};
              expected.push_back(given[p]);
            });
            a.set(given);
            a.sort([](const keyed& x, const keyed& y) { return x.first > y.first; });
            // Not std::stable_sort: libstdc++ 12 has it call what clang says is deprecated.
            std::sort(expected.begin(), expected.end(), [](const keyed& x, const keyed& y) {
              return x.first != y.first ? x.first > y.first : x.second < y.second;
            });
            const ts::array<keyed, 1> came = a.get(r);
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), came.data())) << n << " of " << keys;
          }
        }
      }
    });
  }
}

TEST(sort_test, spreads_equal_elements_too) {
  at_places(4, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 4000)), {.name = "a"});
    a.fill(7);
    a.sort();
    for (int p = 0; p < 4; ++p) {  // in their order already: nothing has to go to another place but at the cuts
      EXPECT_LE(sent_by(p, "a", "sort").bytes, 4000 / 10 * sizeof(keyed) * 2) << p;
    }
    EXPECT_EQ(a.reduce(ts::op::sum), 28000);
  });
}

TEST(sort_test, of_elements_of_any_length) {
  at_places(3, [] {
    ts::dist_array<std::string, 1> a(ts::dist<1>::cyclic(ts::range(0, 50)), {.name = "a"});
    a.for_each([](ts::point<1> p, std::string& s) { s = std::string(static_cast<std::size_t>(p[0] * 7 % 50), 'x'); });
    a.sort();
    int i = 0;
    for (const auto& [p, s] : a.sequence()) {
      EXPECT_EQ(p[0], i);
      EXPECT_EQ(s.size(), static_cast<std::size_t>(i++));
    }
    ts::dist_array<int, 1> none(ts::dist<1>::block(ts::range(0, 0)), {.name = "none"});
    none.sort();
  });
}

TEST(sort_test, nans_come_behind_all_numbers) {
  for (const int places : {1, 2, 3, 5}) {
    at_places(places, [] {
      constexpr int n = 400;
      ts::dist_array<double, 1> a(ts::dist<1>::cyclic(ts::range(0, n)), {.name = "a"});
      std::vector<double> numbers;
      for (int i = 0; i < n; ++i) {
        if (i % 3 != 0) numbers.push_back(i * 37 % 101);
      }
      std::sort(numbers.begin(), numbers.end());
      a.for_each(
          [](ts::point<1> p, double& x) { x = p[0] % 3 == 0 ? std::nan("") : static_cast<double>(p[0] * 37 % 101); });
      a.sort();
      std::size_t i = 0;
      for (const auto& [p, x] : a.sequence()) {
        EXPECT_EQ(static_cast<std::size_t>(p[0]), i);
        EXPECT_TRUE(i < numbers.size() ? x == numbers[i] : std::isnan(x)) << x << " at " << i;
        ++i;
      }
    });
  }
}

TEST(sort_test, what_less_throws_leaves_the_array_as_it_was) {
  at_places(3, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 30)), {.name = "a"});
    a.for_each([](ts::point<1> p, int& x) { x = static_cast<int>(30 - p[0]); });
    EXPECT_THROW(a.sort([](int x, int y) {
      if (x == 13 || y == 13) throw std::runtime_error("thirteen");
      return x < y;
    }),
                 ts::multiple_exceptions);
    for (const auto& [p, x] : a.sequence()) {
      EXPECT_EQ(x, 30 - p[0]);
    }
  });
}

// ---- sequence ----

TEST(sequence_test, asks_two_blocks_ahead_and_gets_each_once) {
  at_places(4, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block_cyclic(ts::range(0, 40), 0, 2), {.name = "a"});
    a.for_each([](ts::point<1> p, int& x) { x = static_cast<int>(p[0]); });
    {
      auto cells = a.sequence();
      auto at = cells.begin();
      EXPECT_EQ((*at).second, 0);
      // Left early: what was asked for has come when the sequence ends.
    }
    const std::uint64_t early = sent_in_all("a", "sequence");
    EXPECT_EQ(early, 2U);  // of places 1 and 2; the first block was here
    int i = 0;
    for (const auto& [p, x] : a.sequence()) {
      EXPECT_EQ(x, i++);
    }
    EXPECT_EQ(i, 40);
    EXPECT_EQ(sent_in_all("a", "sequence"), early + 15);  // twenty blocks, five of them here
  });
}

TEST(sequence_test, says_what_went_wrong_at_a_place) {
  at_places(2, [] {
    ts::dist_array<int, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "a"});
    ts::at_each(ts::places(), [h = a.ref()] { h.send_ghosts(); });
    const auto all = [&a] {
      for (const auto& [p, x] : a.sequence()) {
        static_cast<void>(p);
        static_cast<void>(x);
      }
    };
    EXPECT_THROW(all(), ts::usage_error);
    ts::at_each(ts::places(), [h = a.ref()] { h.wait_for_ghosts(); });
    all();
  });
}

}  // namespace
