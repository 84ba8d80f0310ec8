// SPDX-License-Identifier: Apache-2.0
// Who takes the messages of a place (docs/protocols/messages.md).
#include <tactus/place/impl/channel.hpp>
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

constexpr std::uint64_t k_key = std::uint64_t{1} << 62U;  // no place object has that name

std::atomic<bool> g_is_busy, g_all_sent, g_is_handled, g_goes_on, g_has_come, g_had_come;

// Holds up who handles what is sent to it.
struct slow_end final : td::channel_end {
  using channel_end::channel_end;
  void arrive(td::channel_message&& /*m*/) noexcept override {
    g_is_handled = true;
    while (!g_goes_on) std::this_thread::yield();
  }
};

struct other_end final : td::channel_end {
  using channel_end::channel_end;
  void arrive(td::channel_message&& /*m*/) noexcept override { g_has_come = true; }
};

slow_end g_slow(k_key);
other_end g_other(k_key + 1);

void send_to(const td::channel_end& end) {
  td::reply_bytes nothing;
  static_cast<void>(nothing.make(8));
  td::send_on_channel(end.key, 1, std::move(nothing));
}

// Only the worker of place 1 takes its messages: the other place computes.
TEST(taking_test, what_comes_while_messages_are_handled_is_handled_before_a_task_runs) {
  ts::run({.threads = 1, .places = 2, .env = false, .progress = ts::message_progress::worker}, [] {
    ts::at(ts::place(1), [] {
      g_slow.open();
      g_other.open();
    });
    ts::finish([] {
      ts::async_at(ts::place(1), [] {
        g_is_busy = true;
        while (!g_all_sent) std::this_thread::yield();
      });
      while (!g_is_busy) std::this_thread::yield();
      send_to(g_slow);
      ts::async_at(ts::place(1), [] { g_had_come = g_has_come.load(); });
      g_all_sent = true;
      while (!g_is_handled) std::this_thread::yield();
      send_to(g_other);
      g_goes_on = true;
    });
    EXPECT_TRUE(g_had_come);
    g_slow.close();
    g_other.close();
  });
}

}  // namespace
