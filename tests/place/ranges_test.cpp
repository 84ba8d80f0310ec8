// SPDX-License-Identifier: Apache-2.0
// Long ranges that come beside a frame: each is received once, to where a task wants it, or for nobody (docs/protocols/ranges.md).
#include <tactus/tactus.hpp>

#include "place/engine.hpp"
#include "place/place_node.hpp"
#include "place/ranges.hpp"
#include "scheduler/run_control.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

using lengths = std::vector<std::size_t>;

// Carries messages at once. A range has come as soon as somebody wants it.
class engine_with_ranges final : public td::engine {
public:
  explicit engine_with_ranges(td::run_control& run)
      : run_(run), places_(run.places().size()), numbered_(places_ * places_) {}

  void start() override {}
  void stop() noexcept override {}

  void send(int from, int to, td::queued_task* m) noexcept override {
    const std::lock_guard one_after_the_other(mutex_);
    if (td::is_control(td::header_of(m).kind)) {
      td::set_control_number(m, ++numbered_[static_cast<std::size_t>(from) * places_ + static_cast<std::size_t>(to)]);
    }
    td::place_node::of(*run_.places()[static_cast<std::size_t>(to)]).receive(m);
  }

  [[nodiscard]] bool carries_ranges() const noexcept override { return true; }

  void receive_range(td::range_wait& wait) noexcept override {
    received.push_back(wait.bytes);
    senders.push_back(wait.from);
    tags.push_back(wait.tag);
    std::memset(wait.into, static_cast<int>(received.size()), wait.bytes);
    td::place_node::of(*wait.home).bring_range(td::current_worker(), wait);
  }

  void drop_ranges(td::unwanted_ranges what) override { dropped.push_back(what); }

  lengths received;
  std::vector<int> senders;
  std::vector<int> tags;
  std::vector<td::unwanted_ranges> dropped;

private:
  td::run_control& run_;
  const std::size_t places_;
  std::mutex mutex_;
  std::vector<std::uint32_t> numbered_;
};

engine_with_ranges* g_engine = nullptr;  // of the run that is under way

class ranges_test : public testing::Test {
protected:
  ranges_test() { td::use_engine(make); }
  ~ranges_test() override { td::use_engine(nullptr); }

private:
  static std::unique_ptr<td::engine> make(td::run_control& run) {
    auto made = std::make_unique<engine_with_ranges>(run);
    g_engine = made.get();
    return made;
  }
};

// Whose places send each other bytes without assertions too: only these look at each other's kind of machine.
ts::config of_places(int places) {
  return {.threads = 1, .places = places, .env = false, .local_copy = ts::copying::serialize};
}

TEST_F(ranges_test, are_received_in_their_order_to_where_they_are_wanted) {
  ts::run(of_places(2), [] {
    td::coming_ranges ranges(*g_engine, 1, 7, {8, 16, 24});
    EXPECT_EQ(ranges.bytes(), 48U);
    for (const std::size_t n : {8U, 16U, 24U}) {
      ASSERT_EQ(ranges.next(), n);
      std::vector<std::byte> there(n);
      ranges.take(there.data());
      EXPECT_EQ(there, std::vector<std::byte>(n, static_cast<std::byte>(g_engine->received.size())));
    }
    EXPECT_EQ(ranges.next(), 0U);
    EXPECT_EQ(g_engine->received, (lengths{8, 16, 24}));
    EXPECT_EQ(g_engine->senders, (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(g_engine->tags, (std::vector<int>{7, 7, 7}));
  });
}

TEST_F(ranges_test, that_nobody_has_wanted_are_received_for_nobody) {
  ts::run(of_places(2), [] {
    {
      td::coming_ranges ranges(*g_engine, 1, 7, {8, 16, 24});
      std::byte there[8];
      ranges.take(there);
    }
    {
      const td::coming_ranges none_taken(*g_engine, 1, 9, {32, 40});
    }
    {
      td::coming_ranges all_taken(*g_engine, 1, 11, {8});
      std::byte there[8];
      all_taken.take(there);
    }
    ASSERT_EQ(g_engine->dropped.size(), 2U);
    EXPECT_EQ(g_engine->dropped[0].from, 1);
    EXPECT_EQ(g_engine->dropped[0].tag, 7);
    EXPECT_EQ(g_engine->dropped[0].lengths, (lengths{16, 24}));
    EXPECT_EQ(g_engine->dropped[1].tag, 9);
    EXPECT_EQ(g_engine->dropped[1].lengths, (lengths{32, 40}));
  });
}

// Of odd numbers, and nothing but questions is asked here.
TEST_F(ranges_test, go_beside_frames_to_places_that_are_alike) {
  td::let_odd_places_play_swapped(true);
  ts::run(of_places(3), [] {
    const td::place_node& here = td::place_node::of(td::current_worker());
    EXPECT_FALSE(here.sends_ranges_to(1));
    EXPECT_TRUE(here.sends_ranges_to(2));
  });
  td::let_odd_places_play_swapped(false);
  td::use_engine(nullptr);
  ts::run(of_places(2), [] { EXPECT_FALSE(td::place_node::of(td::current_worker()).sends_ranges_to(1)); });
}

}  // namespace
