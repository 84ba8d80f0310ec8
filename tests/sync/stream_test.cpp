// SPDX-License-Identifier: Apache-2.0
// stream: items from several producers to several consumers, each to one of them, at most as many under way as the bound says.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/moved.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::complaint_of;
using support::caught;
using support::contains;

class stream_test : public support::each_setting {};
TACTUS_EACH_SETTING(stream_test);

TEST_P(stream_test, hands_on_items_in_their_order_and_then_nothing) {
  static constexpr int k_items = 200;
  for (const std::uint64_t n : {1u, 2u, 7u, 1000u}) {
    std::vector<int> got;
    run([&] {
      ts::finish([&] {
        ts::stream<int> s(ts::bound{n});
        ts::async([in = s.in()]() mutable {
          for (int i = 0; i < k_items; ++i) in.push(i);
          in.close();
        });
        ts::async([&got, out = s.out()]() mutable {
          while (const std::optional<int> y = out.pop()) got.push_back(*y);
        });
      });
    });
    std::vector<int> expected(k_items);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(got, expected) << "bound " << n;
  }
}

TEST_P(stream_test, a_push_that_throws_leaves_the_item_where_it_was) {
  run([] {
    const ts::stream<std::unique_ptr<int>> s(ts::bound{1});
    const auto in = s.in();
    const auto others = s.in();
    auto item = std::make_unique<int>(5);
    EXPECT_THROW(ts::atomic([&] { in.push(std::move(item)); }), ts::atomic_use_error);
    ASSERT_NE(item, nullptr);
    in.close();
    EXPECT_THROW(in.push(std::move(item)), ts::phaser_use_error);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(*item, 5);
  });
}

TEST(stream, has_no_new_ends_outside_of_tasks) {
  std::optional<ts::stream<int>> s;
  ts::run([&] {
    s.emplace(ts::bound{3});
    s->in().push(1);
  });
  const auto e = caught<ts::usage_error>([&] { static_cast<void>(s->in()); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "stream::in")) << e->what();
}

TEST_P(stream_test, has_a_number_in_texts) {
  const auto stuck = caught<ts::deadlock_error>([] {
    run([] {
      const ts::stream<int> s(ts::bound{1});
      const ts::stream<int> r(ts::bound{1});
      ts::async([in = s.in()] {
        for (;;) in.push(1);
      });
      ts::async([out = r.out(), in = r.in()] { static_cast<void>(out.pop()); });
      const auto closed = r.in();
      closed.close();
      const std::string text = complaint_of<ts::phaser_use_error>([&closed] { closed.push(1); });
      EXPECT_TRUE(contains(text, "push: stream ")) << text;
    });
  });
  ASSERT_TRUE(stuck);
  const std::string text = stuck->what();
  const auto number_after = [&text](const std::string& start) {
    const std::size_t at = text.find(start);
    return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + start.size());
  };
  const int full = number_after("waits for room in stream ");
  const int empty = number_after("waits for an item of stream ");
  EXPECT_GE(full, 1) << text;
  EXPECT_GE(empty, 1) << text;
  EXPECT_NE(full, empty) << text;
}

TEST_P(stream_test, gives_nothing_again_and_again_after_its_end) {
  run([] {
    ts::stream<int> s(ts::bound{4});
    auto in = s.in();
    auto out = s.out();
    in.close();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(out.pop());
  });
}

TEST_P(stream_test, gives_what_was_pushed_before_the_close) {
  run([] {
    ts::stream<int> s(ts::bound{4});
    auto in = s.in();
    auto out = s.out();
    in.push(1);
    in.push(2);
    in.close();
    EXPECT_EQ(out.pop(), 1);
    EXPECT_EQ(out.pop(), 2);
    EXPECT_FALSE(out.pop());
  });
}

TEST_P(stream_test, may_be_empty) {
  std::atomic<int> ended{0};
  run([&] {
    ts::finish([&ended] {
      ts::stream<int> s(ts::bound{4});
      auto in = s.in();
      for (int i = 0; i < 3; ++i) {
        ts::async([&ended, out = s.out()]() mutable {
          EXPECT_FALSE(out.pop());
          ++ended;
        });
      }
      EXPECT_EQ(ended.load(), 0);
      in.close();
    });
  });
  EXPECT_EQ(ended.load(), 3);
}

TEST_P(stream_test, ends_when_every_producer_has_closed) {
  std::vector<int> got;
  run([&] {
    ts::finish([&got] {
      const ts::promise<void> first_closed;
      ts::stream<int> s(ts::bound{2});
      auto first = s.in();
      auto second = s.in();
      ts::async([first, first_closed]() mutable {
        first.push(1);
        first.close();
        first_closed.set_value();
      });
      ts::async([second, opened = first_closed.get_future()]() mutable {
        opened.get();
        second.push(2);
        second.push(3);
        second.close();
      });
      ts::async([&got, out = s.out()]() mutable {
        while (const std::optional<int> y = out.pop()) got.push_back(*y);
      });
    });
  });
  EXPECT_EQ(got, (std::vector<int>{1, 2, 3}));
}

TEST_P(stream_test, gives_every_item_of_several_producers_to_one_of_several_consumers) {
  static constexpr std::size_t k_ends = 4;
  static constexpr std::size_t k_items = support::scaled(400, 40);
  std::vector<std::atomic<int>> taken(k_ends * k_items);
  std::atomic<std::size_t> total{0};
  run([&] {
    ts::finish([&] {
      ts::stream<std::size_t> s(ts::bound{3});
      std::vector<decltype(s.in())> ins;
      for (std::size_t i = 0; i < k_ends; ++i) ins.push_back(s.in());
      for (std::size_t i = 0; i < k_ends; ++i) {
        ts::async([i, in = ins[i]]() mutable {
          for (std::size_t k = 0; k < k_items; ++k) in.push(i * k_items + k);
          in.close();
        });
      }
      for (std::size_t i = 0; i < k_ends; ++i) {
        ts::async([&, out = s.out()]() mutable {
          // What comes from one producer comes in its order.
          std::array<std::size_t, k_ends> least{};
          while (const std::optional<std::size_t> y = out.pop()) {
            ++taken[*y];
            ++total;
            EXPECT_GE(*y % k_items, least[*y / k_items]);
            least[*y / k_items] = *y % k_items;
          }
        });
      }
    });
  });
  EXPECT_EQ(total.load(), k_ends * k_items);
  for (const auto& n : taken) EXPECT_EQ(n.load(), 1);
}

// ---- the bound ----

TEST_P(stream_test, takes_as_many_items_as_its_bound_before_any_is_taken_out) {
  for (const std::uint64_t n : {1u, 2u, 5u, 64u}) {
    run([n] {
      ts::stream<std::uint64_t> s(ts::bound{n});
      auto in = s.in();
      auto out = s.out();
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < n; ++i) in.push(i);
        for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(out.pop(), i);
      }
      in.close();
      EXPECT_FALSE(out.pop());
    });
  }
}

TEST_P(stream_test, holds_a_producer_that_is_ahead_by_the_bound) {
  static constexpr std::int64_t k_items = 100;
  for (const std::int64_t n : {1, 2, 5}) {
    std::atomic<std::int64_t> begun{0};  // pops, the one under way included
    run([&] {
      ts::finish([&] {
        ts::stream<int> s(ts::bound{static_cast<std::uint64_t>(n)});
        auto out = s.out();
        ts::async([&begun, n, in = s.in()]() mutable {
          for (std::int64_t pushed = 1; pushed <= k_items; ++pushed) {
            in.push(0);
            EXPECT_LE(pushed, begun.load() + n);
          }
          in.close();
        });
        ts::async([&begun, out]() mutable {
          for (std::int64_t i = 0; i < k_items; ++i) {
            if (i % 3 == 0) ts::yield();
            ++begun;
            EXPECT_TRUE(out.pop());
          }
        });
      });
    });
  }
}

TEST_P(stream_test, knows_an_end_that_was_moved_and_one_that_was_moved_from) {
  run([] {
    ts::stream<int> s(ts::bound{2});
    const ts::stream<int> same = support::moved_out_of(s);
    auto in = s.in();
    auto out = same.out();
    const auto same_out = support::moved_out_of(out);
    {
      const auto moved = support::moved_out_of(in);
      EXPECT_TRUE(contains(complaint_of<ts::phaser_use_error>([&] { in.push(1); }), "moved from"));
      in.close();  // closes nothing
      moved.push(2);
      moved.close();
    }
    EXPECT_EQ(out.pop(), 2);
    EXPECT_EQ(same_out.pop(), std::nullopt);
  });
}

TEST_P(stream_test, ends_when_the_last_task_is_gone_that_an_end_was_moved_into) {
  std::vector<int> got;
  run([&] {
    ts::finish([&got] {
      const ts::stream<int> s(ts::bound{2});
      auto in = s.in();
      s.in().close();
      ts::async([&in] {
        const auto mine = support::moved_out_of(in);
        mine.push(1);
      });
      const auto out = s.out();
      while (const std::optional<int> y = out.pop()) got.push_back(*y);
    });
  });
  EXPECT_EQ(got, std::vector<int>{1});
}

// ---- items ----

TEST_P(stream_test, moves_items_that_cannot_be_copied) {
  std::atomic<int> sum{0};
  run([&] {
    ts::finish([&sum] {
      ts::stream<std::unique_ptr<int>> s(ts::bound{2});
      ts::async([in = s.in()]() mutable {
        for (int i = 1; i <= 10; ++i) in.push(std::make_unique<int>(i));
        in.close();
      });
      ts::async([&sum, out = s.out()]() mutable {
        while (const std::optional<std::unique_ptr<int>> y = out.pop()) sum += **y;
      });
    });
  });
  EXPECT_EQ(sum.load(), 55);
}

TEST_P(stream_test, shows_with_an_item_what_its_producer_did_before_the_push) {
  static constexpr std::size_t k_items = 100;
  std::array<std::size_t, k_items> cells{};  // plain
  run([&] {
    ts::finish([&cells] {
      ts::stream<std::size_t> s(ts::bound{3});
      ts::async([&cells, in = s.in()]() mutable {
        for (std::size_t i = 0; i < k_items; ++i) {
          cells[i] = i + 1;
          in.push(i);
        }
        in.close();
      });
      for (int i = 0; i < 2; ++i) {
        ts::async([&cells, out = s.out()]() mutable {
          while (const std::optional<std::size_t> y = out.pop()) EXPECT_EQ(std::exchange(cells[*y], 0), *y + 1);
        });
      }
    });
  });
}

TEST_P(stream_test, destroys_the_items_that_nobody_took) {
  const auto token = std::make_shared<int>(1);
  run([&] {
    ts::finish([&token] {
      ts::stream<std::shared_ptr<int>> s(ts::bound{8});
      auto in = s.in();
      auto out = s.out();
      for (int i = 0; i < 5; ++i) in.push(token);
      EXPECT_EQ(out.pop(), token);
      in.close();
    });
  });
  EXPECT_EQ(token.use_count(), 1);
}

// ---- streams in a row, and streams that stop ----

TEST_P(stream_test, goes_through_a_pipeline) {
  static constexpr int k_stages = 5;
  std::int64_t sum = 0;
  run([&] {
    ts::finish([&sum] {
      std::deque<ts::stream<std::int64_t>> links;
      for (int i = 0; i <= k_stages; ++i) links.emplace_back(ts::bound{static_cast<std::uint64_t>(1 + i % 3)});
      ts::async([in = links.front().in()]() mutable {
        for (std::int64_t i = 1; i <= 100; ++i) in.push(i);
        in.close();
      });
      for (std::size_t i = 0; i < k_stages; ++i) {
        ts::async([out = links[i].out(), in = links[i + 1].in()]() mutable {
          while (const std::optional<std::int64_t> y = out.pop()) in.push(*y + 1);
          in.close();
        });
      }
      ts::async([&sum, out = links.back().out()]() mutable {
        while (const std::optional<std::int64_t> y = out.pop()) sum += *y;
      });
    });
  });
  EXPECT_EQ(sum, 5050 + 100 * k_stages);
}

TEST_P(stream_test, frees_the_worker_of_a_task_that_waits_for_items) {
  std::atomic<int> got{0};
  run([&] {
    ts::finish([&got] {
      ts::stream<int> s(ts::bound{4});
      auto in = s.in();
      for (int i = 0; i < 50; ++i) {
        ts::async([&got, out = s.out()]() mutable {
          if (out.pop()) ++got;
        });
      }
      ts::yield();
      EXPECT_EQ(got.load(), 0);
      for (int i = 0; i < 50; ++i) in.push(i);
      in.close();
    });
  });
  EXPECT_EQ(got.load(), 50);
}

TEST_P(stream_test, that_nobody_goes_on_with_ends_in_a_deadlock_error) {
  std::atomic<int> thrown{0};
  EXPECT_TRUE(caught<ts::deadlock_error>([&] {
    run([&] {
      const ts::promise<void> never;
      ts::finish([&] {
        ts::stream<int> s(ts::bound{2});
        ts::async([in = s.in(), f = never.get_future()]() mutable {
          in.push(1);
          f.get();
          in.close();
        });
        ts::async([&thrown, out = s.out()]() mutable {
          EXPECT_TRUE(out.pop());
          if (caught<ts::deadlock_error>([&] { static_cast<void>(out.pop()); })) ++thrown;
        });
      });
    });
  }));
  EXPECT_EQ(thrown.load(), 1);
}

// ---- misuse ----

// One worker, on which each task runs until it waits before the next one is spawned.
TEST(stream_order_test, who_has_waited_longest_for_an_item_gets_the_next_one) {
  std::vector<int> got(5, -1);
  ts::run(support::config_of(1, ts::spawn_policy::work_first), [&] {
    const ts::stream<int> s(ts::bound{4});
    for (std::size_t i = 0; i < got.size(); ++i) {
      ts::async([&got, i, out = s.out()] { got[i] = out.pop().value_or(-1); });
    }
    const auto in = s.in();
    for (int item = 0; item < 5; ++item) in.push(item);
  });
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(stream_order_test, who_has_waited_longest_for_room_is_let_in_next) {
  std::vector<int> got;
  ts::run(support::config_of(1, ts::spawn_policy::work_first), [&] {
    const ts::stream<int> s(ts::bound{1});
    const auto first = s.in();
    first.push(0);
    for (int item = 1; item <= 5; ++item) {
      ts::async([item, in = s.in()] { in.push(item); });
    }
    const auto out = s.out();
    for (int i = 0; i <= 5; ++i) got.push_back(out.pop().value_or(-1));
  });
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_P(stream_test, refuses_a_push_after_the_close_and_goes_on) {
  run([] {
    ts::stream<int> s(ts::bound{4});
    auto in = s.in();
    auto out = s.out();
    in.push(1);
    in.close();
    EXPECT_TRUE(contains(complaint_of<ts::error>([&] { in.push(2); }), "push"));
    EXPECT_EQ(out.pop(), 1);
    EXPECT_FALSE(out.pop());
  });
}

TEST_P(stream_test, throws_usage_error_on_a_foreign_thread_and_goes_on) {
  run([] {
    ts::stream<int> s(ts::bound{4});
    auto in = s.in();
    auto out = s.out();
    std::thread([&] {
      EXPECT_TRUE(contains(complaint_of<ts::usage_error>([&] { in.push(7); }), "push"));
      EXPECT_TRUE(contains(complaint_of<ts::usage_error>([&] { in.close(); }), "close"));
      EXPECT_TRUE(contains(complaint_of<ts::usage_error>([&] { static_cast<void>(out.pop()); }), "pop"));
      EXPECT_TRUE(contains(complaint_of<ts::usage_error>([] { const ts::stream<int> other(ts::bound{1}); }), "stream"));
    }).join();
    in.push(1);
    in.close();
    EXPECT_EQ(out.pop(), 1);
    EXPECT_FALSE(out.pop());
  });
}

}  // namespace
