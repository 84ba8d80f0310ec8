// SPDX-License-Identifier: Apache-2.0
// Who takes the messages of a place (docs/protocols/messages.md).
#include <tactus/place/impl/channel.hpp>
#include <tactus/place/impl/received_call.hpp>
#include <tactus/tactus.hpp>

#include "place/call_table.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "support/starts_anew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
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

// Whether a task for place 1, whose worker computes, is in sight there until that worker goes on. `progress`: who takes messages then.
bool is_in_sight_all_the_time(ts::message_progress progress) {
  static td::place_node* s_node;
  static bool s_seen;
  g_is_busy = g_goes_on = false;
  s_seen = true;
  ts::run({.threads = 1, .places = 2, .env = false, .progress = progress}, [progress] {
    ts::finish([progress] {
      ts::async_at(ts::place(1), [] {
        s_node = &td::place_node::of(td::current_worker());
        g_is_busy = true;
        while (!g_goes_on) std::this_thread::yield();
      });
      while (!g_is_busy) std::this_thread::yield();
      const std::uint64_t before = s_node->taken();
      ts::async_at(ts::place(1), [] {});
      while (progress == ts::message_progress::thread && s_node->taken() == before) std::this_thread::yield();
      for (int i = 0; i < 1000; ++i) {
        s_seen = s_seen && s_node->in_sight();
        std::this_thread::yield();
      }
      g_goes_on = true;
    });
  });
  return s_seen;
}

TEST(taking_test, a_message_in_the_mailbox_is_in_sight) {
  EXPECT_TRUE(is_in_sight_all_the_time(ts::message_progress::worker));
}

TEST(taking_test, a_task_that_the_thread_of_progress_has_taken_out_is_in_sight) {
  EXPECT_TRUE(is_in_sight_all_the_time(ts::message_progress::thread));
}

void points_without_a_look(int n) {
  for (int i = 0; i < n; ++i) ts::finish([] {});
}

// Place 1 reports to place 0 twice of one finish; if the second report was applied first, that would end before its task at place 2. Place 0
// always has messages that have been taken out and not delivered.
TEST(taking_test, a_seed_does_not_change_the_order_of_control_messages) {
  static std::atomic<int> s_ended;
  static std::atomic<bool> s_over;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    s_ended = 0;
    s_over = false;
    ts::run({.threads = 1, .places = 4, .seed = seed, .env = false}, [seed] {
      ts::async_at(ts::place(3), [] {
        for (int i = 0; i < 3000 && !s_over; ++i) {
          ts::async_at(ts::place(0), [] { points_without_a_look(10); });
          points_without_a_look(2);
        }
      });
      for (int round = 1; round <= 20; ++round) {
        ts::finish([] {
          ts::async_at(ts::place(1), [] {
            ts::async_at(ts::place(2), [] {
              ts::async_at(ts::place(1), [] {});
              points_without_a_look(300);
              ++s_ended;
            });
          });
        });
        EXPECT_EQ(s_ended, round) << "seed " << seed;
      }
      s_over = true;
    });
  }
}

// Of a finish of a place that there is not.
void send_task_without_home() {
  ts::run({.threads = 1, .places = 2, .env = false}, [] {
    const auto f = [] {};
    td::wired_call call = td::packed_call<std::remove_const_t<decltype(f)>>(std::in_place, f).wired<false>(1);
    td::place_node& here = td::place_node::of(td::current_worker());
    const td::call_frame what{.head = {.kind = td::message_kind::task,
                                       .flags = td::k_takes_no_room,
                                       .from = 0,
                                       .to = 1,
                                       .object = std::uint64_t{2} << td::k_serial_bits | 1U},
                              .token = td::token_of(call.entry(), td::token_kind::of_build)};
    td::finish_call(call.block(), call.size(), what, here.traces(), here.order());
    td::queued_task* const m = td::current_worker()->tasks.take();
    td::put_frame(m, td::message_kind::task, 0, std::move(call.block()));
    here.send(1, m);
    for (int i = 0; i < 100; ++i) ts::yield();
    ts::at(ts::place(1), [] {});
  });
}

TEST(taking_death_test, a_task_of_a_finish_of_no_place_ends_the_process_with_the_reason) {
  SUPPORT_START_ANEW();
  EXPECT_DEATH(send_task_without_home(), "from place 0 to place 1 is damaged: it speaks of a place that there is not");
}

}  // namespace
