// SPDX-License-Identifier: Apache-2.0
// Who looks for what comes from other processes, and when (docs/protocols/processes.md): by a clock of the test's, and then the thread itself,
// with an engine that has nothing.
#include <tactus/tactus.hpp>

#include "place/engine.hpp"
#include "place/look_pace.hpp"
#include "place/progress.hpp"
#include "place/thread_pace.hpp"
#include "scheduler/run_control.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace {
namespace ts = tactus;
namespace td = ts::detail;
using namespace std::chrono_literals;
using td::look_pace;
using td::thread_pace;
using workers = td::thread_pace::workers;

// A worker whose tasks take so long, each, and whose looks find nothing.
struct busy_worker {
  look_pace pace;
  look_pace::time now{1s};
  std::chrono::nanoseconds cost = 300ns;  // of a look
  std::uint32_t looks = 0;                // of all workers
  int asked = 0;
  int own_looks = 0;
  std::chrono::nanoseconds longest{0};  // between two of its own
  look_pace::time last = now;

  void run(std::chrono::nanoseconds task, int tasks) {
    std::uint32_t left = pace.rounds();
    for (int i = 0; i < tasks; ++i) {
      now += task;
      if (--left != 0) continue;
      ++asked;
      if (pace.is_due(now, looks)) {
        ++own_looks;
        ++looks;
        longest = std::max<std::chrono::nanoseconds>(longest, now - last);
        last = now;
        now += cost;
        pace.took_in_vain(cost);
        pace.has_looked(looks);
      }
      left = pace.rounds();
    }
  }
  // When it has got used to them.
  void settle(std::chrono::nanoseconds task) {
    run(task, 2'000);
    asked = own_looks = 0;
    longest = 0ns;
    last = now;
  }
};

TEST(look_pace_test, who_runs_tiny_tasks_asks_for_the_time_every_61_of_them) {
  busy_worker w;
  w.settle(20ns);
  w.run(20ns, 61'000);
  EXPECT_EQ(w.asked, 1'000);
  EXPECT_GE(w.own_looks, 10);
  EXPECT_LE(w.own_looks, 80);
}

TEST(look_pace_test, tasks_of_10_us_lose_less_than_a_hundredth_to_looks) {
  busy_worker w;
  w.settle(10us);
  w.run(10us, 10'000);
  EXPECT_LE(w.own_looks * w.cost, 10'000 * 10us / 100);
  EXPECT_LE(w.longest, 2 * look_pace::k_longest);
}

TEST(look_pace_test, a_look_that_is_dear_comes_at_least_every_64_us) {
  busy_worker w;
  w.cost = 50us;
  w.settle(1us);
  w.run(1us, 10'000);
  EXPECT_LE(w.longest, look_pace::k_longest + 61us + w.cost);
}

TEST(look_pace_test, after_long_tasks_there_is_a_look_each_time) {
  busy_worker w;
  w.settle(500us);
  w.run(500us, 100);
  EXPECT_EQ(w.own_looks, 100);
}

TEST(look_pace_test, when_tasks_become_long_the_next_ones_are_asked_after_one_by_one) {
  busy_worker w;
  w.settle(20ns);
  w.run(500us, 61);
  EXPECT_EQ(w.pace.rounds(), 1U);
}

TEST(look_pace_test, who_sees_that_another_worker_has_looked_does_not) {
  busy_worker w;
  w.settle(10us);
  for (int i = 0; i < 100; ++i) {
    ++w.looks;  // by another, as often as this one would
    w.run(10us, 3);
  }
  EXPECT_LE(w.own_looks, 10);
  w.run(10us, 100);
  EXPECT_GE(w.own_looks, 10);  // the other one does not any more
}

// The thread, whose looks find nothing, and whose sleep ends as late as Linux has it.
struct idle_thread {
  thread_pace pace{thread_pace::time{1s}};
  thread_pace::time now{1s};
  std::uint32_t looks = 0;  // of workers
  int own_looks = 0;
  int wakes = 0;
  thread_pace::time last = now;
  std::chrono::nanoseconds longest{0};  // between looks of anybody

  void look_of_anybody(thread_pace::time at) {
    longest = std::max<std::chrono::nanoseconds>(longest, at - last);
    last = at;
  }
  // `between`: of workers' looks.
  void run(workers what, std::chrono::nanoseconds how_long, std::chrono::nanoseconds between) {
    constexpr auto k_late = 50us;
    const auto end = now + how_long;
    auto next_of_worker = now + between;
    while (now < end) {
      ++wakes;
      if (pace.is_to_look(now, looks, false)) {
        ++own_looks;
        look_of_anybody(now);
      }
      const auto until = now + pace.pause(now, false, what) + k_late;
      for (; next_of_worker <= until; next_of_worker += between) {
        ++looks;
        look_of_anybody(next_of_worker);
      }
      now = until;
    }
  }
  void settle(workers what, std::chrono::nanoseconds between) {
    run(what, 100ms, between);
    own_looks = wakes = 0;
    longest = 0ns;
    last = now;
  }
};

TEST(thread_pace_test, beside_long_tasks_somebody_looks_every_200_us) {
  idle_thread t;
  t.settle(workers::compute, 500us);
  t.run(workers::compute, 100ms, 500us);
  EXPECT_LE(t.longest, 200us);
  t.run(workers::some_sleep, 100ms, 10s);
  EXPECT_LE(t.longest, 200us);
}

TEST(thread_pace_test, where_workers_look_often_the_thread_does_not_and_wakes_every_2_ms) {
  idle_thread t;
  t.settle(workers::compute, 64us);
  t.run(workers::compute, 100ms, 64us);
  EXPECT_EQ(t.own_looks, 0);
  EXPECT_LE(t.wakes, 50);
  EXPECT_LE(t.longest, 64us);
}

TEST(thread_pace_test, while_all_sleep_and_nothing_comes_there_is_a_look_every_ms) {
  idle_thread t;
  t.settle(workers::rest, 10s);
  t.run(workers::rest, 100ms, 10s);
  EXPECT_LE(t.own_looks, 100);
  EXPECT_GE(t.own_looks, 90);
}

TEST(thread_pace_test, who_goes_to_sleep_is_followed_by_looks_soon_one_after_another) {
  idle_thread t;
  t.settle(workers::compute, 64us);
  t.now += 10us;
  t.looks += 10;
  EXPECT_TRUE(t.pace.is_to_look(t.now, t.looks, true));
  EXPECT_EQ(t.pace.pause(t.now, false, workers::rest), thread_pace::k_soon);
}

TEST(thread_pace_test, something_that_comes_is_followed_by_looks_soon_one_after_another) {
  idle_thread t;
  t.settle(workers::rest, 10s);
  EXPECT_TRUE(t.pace.is_to_look(t.now, t.looks, false));
  EXPECT_EQ(t.pace.pause(t.now, true, workers::rest), thread_pace::k_soon);
}

// Has nothing, ever. As many looks of workers as it is told to count each time that it is asked.
class empty_engine final : public td::engine {
public:
  explicit empty_engine(std::uint32_t counted) : counted_(counted) {}
  void start() override {}
  void send(int /*from*/, int /*to*/, td::queued_task* /*m*/) noexcept override {}
  bool poll(td::worker* /*w*/) noexcept override { return ++polls, false; }
  [[nodiscard]] std::uint32_t looks() const noexcept override { return counted_ * ++asked; }
  void stop() noexcept override {}

  std::atomic<int> polls{0};
  mutable std::atomic<std::uint32_t> asked{0};

private:
  const std::uint32_t counted_;
};

// While a task of a run computes: until `has_seen` says so.
void serve_beside_a_task(ts::message_progress how, empty_engine& engine, const std::function<bool()>& has_seen) {
  ts::run({.threads = 1, .places = 2, .env = false, .progress = how}, [&] {
    td::progress_thread thread(td::current_worker()->owner->run(), 50us);
    thread.looks_far(engine);
    thread.start();
    while (!has_seen()) std::this_thread::yield();
    thread.stop();
  });
}

constexpr std::uint32_t k_many = 1'000'000;  // of looks in any pause

TEST(progress_thread_test, hybrid_looks_while_workers_do_not) {
  empty_engine engine(0);
  serve_beside_a_task(ts::message_progress::hybrid, engine, [&] { return engine.polls >= 20; });
  EXPECT_GE(engine.polls, 20);
}

TEST(progress_thread_test, hybrid_leaves_the_looks_to_workers_that_look_all_the_time) {
  empty_engine engine(k_many);
  serve_beside_a_task(ts::message_progress::hybrid, engine, [&] { return engine.asked >= 20; });
  EXPECT_EQ(engine.polls, 0);
}

TEST(progress_thread_test, thread_looks_all_the_time_whoever_else_does) {
  empty_engine engine(k_many);
  serve_beside_a_task(ts::message_progress::thread, engine, [&] { return engine.polls >= 1'000; });
  EXPECT_EQ(engine.asked, 0U);
}

}  // namespace
