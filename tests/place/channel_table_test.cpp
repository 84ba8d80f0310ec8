// SPDX-License-Identifier: Apache-2.0
// Ends of channels: what is sent to one that is not there is dropped, and none goes while something is brought to it.
#include <tactus/tactus.hpp>

#include "place/channel_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

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

// ---- between places ----

namespace ts = tactus;
namespace td = tactus::detail;

struct noting_end final : channel_end {
  using channel_end::channel_end;
  void arrive(channel_message&& m) noexcept override {
    from = m.from;
    text.assign(reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size());
    ++came;
  }
  int from = -1;
  std::string text;
  std::atomic<int> came{0};
};

noting_end g_end(1001);  // places of one process share memory

TEST(channels, bring_bytes_to_the_end_that_has_their_key) {
  ts::run({.threads = 1, .places = 2, .env = false}, [] {
    ts::at(ts::place(1), [] { g_end.open(); });
    td::reply_bytes bytes;
    std::memcpy(bytes.make(5), "bytes", 5);
    td::send_on_channel(g_end.key, 1, std::move(bytes));
    while (g_end.came == 0) ts::yield();
    ts::at(ts::place(1), [] { g_end.close(); });
    EXPECT_EQ(g_end.from, 0);
    EXPECT_EQ(g_end.text, "bytes");
  });
}

std::atomic<td::wait_point*> g_sleeps;

constinit const td::wait_kind k_sleep{
    [](const td::wait_point&, std::string& text) { text += "somebody at another place"; }, "somebody at another place"};

void sleep_until_woken() {
  td::wait_point p;
  p.commit = [](td::wait_point& self) {
    g_sleeps = &self;
    return true;
  };
  p.cancel = [](td::wait_point&) {};
  p.kind = &k_sleep;
  td::suspend(p);
}

TEST(channels, wake_tasks_of_other_places) {
  ts::run({.threads = 1, .places = 2, .env = false}, [] {
    g_sleeps = nullptr;
    static std::atomic<int> goes_on_at;
    goes_on_at = -1;
    ts::finish([] {
      ts::async_at(ts::place(1), [] {
        sleep_until_woken();
        goes_on_at = ts::here().id();
      });
      while (g_sleeps == nullptr) ts::yield();
      td::wake_in_reach(1, *g_sleeps);
    });
    EXPECT_EQ(goes_on_at, 1);
  });
}

}  // namespace
