// SPDX-License-Identifier: Apache-2.0
// Ends of channels: what is sent to one that is not there is dropped, and none goes while something is brought to it.
#include "place/channel_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using tactus::detail::channel_end;
using tactus::detail::channel_message;
using tactus::detail::channel_table;

struct counting_end final : channel_end {
  using channel_end::channel_end;
  void arrive(channel_message&& /*m*/) noexcept override { ++came; }
  int came = 0;
};

TEST(channel_table, brings_to_the_end_of_that_key_while_it_is_open) {
  channel_table table;
  counting_end one(1);
  counting_end other(2);
  table.bring(1, {});
  table.open(one);
  table.open(other);
  table.bring(1, {});
  table.bring(1, {});
  table.bring(2, {});
  EXPECT_EQ(table.find(1), &one);
  table.close(one);
  table.bring(1, {});
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(one.came, 2);
  EXPECT_EQ(other.came, 1);
  table.close(other);
}

// Gives whoever closes it time to do so while something comes.
struct slow_end final : channel_end {
  using channel_end::channel_end;
  void arrive(channel_message&& /*m*/) noexcept override {
    something_comes = true;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!is_closed && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    was_closed_meanwhile = is_closed;
  }
  std::atomic<bool> something_comes{false};
  std::atomic<bool> is_closed{false};
  bool was_closed_meanwhile = false;
};

TEST(channel_table, who_closes_an_end_waits_for_what_is_brought_to_it) {
  channel_table table;
  slow_end end(7);
  table.open(end);
  std::thread brings([&table] { table.bring(7, {}); });
  while (!end.something_comes) std::this_thread::yield();
  table.close(end);
  end.is_closed = true;
  brings.join();
  EXPECT_FALSE(end.was_closed_meanwhile);
}

}  // namespace
