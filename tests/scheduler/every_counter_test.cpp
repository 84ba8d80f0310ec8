// SPDX-License-Identifier: Apache-2.0
// No counter is only printed: each of them moves in some program. A counter that is added finds itself here, and needs one.
#include <tactus/tactus.hpp>

#include <tactus/base/impl/cpus.hpp>

#include "support/parallel.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace ts = tactus;

namespace {

using ts::worker_counters;

worker_counters now() { return ts::stats().totals; }

// What the programs below have counted.
class counted {
public:
  void in(const ts::config& how, const std::function<void()>& program) {
    ts::runtime r(how);
    r.run(program);
    accumulate(all_, now());
  }
  [[nodiscard]] std::set<std::string> that_stood_still() const {
    std::set<std::string> names;
    worker_counters::visit([&](const char* name, const char*, ts::counter_kind, auto member) {
      if (all_.*member == 0) names.insert(name);
    });
    return names;
  }

private:
  worker_counters all_;
};

void spawns_and_ends() {
  ts::finish([] { ts::async(ts::spawn_policy::work_first, [] {}); });
  ts::finish([] { ts::async(ts::spawn_policy::help_first, [] {}); });
}

void goes_through_phases() {
  ts::finish(ts::clocked, [](ts::clock c) {
    for (int i = 0; i < 3; ++i) ts::async(ts::clocked(c), [c] { c.advance(); });
    const ts::accumulator<int> sum(c, ts::op::sum, ts::strategy::automatic);
    c.advance();
  });
}

void leaves_an_exception_unseen() {
  static_cast<void>(ts::async_future([]() -> int { throw std::runtime_error("unseen"); }));
}

// More tasks than the adaptive policy lets wait, by a spawner that has filled its deque before.
void is_set_back() {
  constexpr int k_queued = 5'000;
  constexpr int k_most = 20'000;
  ts::promise<void> gate;
  ts::finish([&] {
    for (int i = 0; i < k_most && (i % 64 != 0 || now().spawned_throttled == 0); ++i) {
      ts::async([i, f = gate.get_future()] {
        if (i >= k_queued) f.get();
      });
    }
    gate.set_value();
  });
}

void loses_tasks_and_continuations_to_a_thief() {
  support::event started;
  ts::finish([&] {
    ts::async(ts::spawn_policy::help_first, [&] { started.set(); });
    started.await();
  });
  support::event gone_on;
  ts::finish([&] {
    ts::async(ts::spawn_policy::work_first, [&] { gone_on.await(); });
    gone_on.set();
  });
}

// The other worker is busy; what is meant for it is taken by this one, which has nothing else.
void invites_a_worker_that_is_busy() {
  support::event started;
  support::event taken;
  ts::finish([&] {
    const auto here = static_cast<std::size_t>(ts::worker_id());
    ts::async(ts::spawn_policy::help_first, [&] {
      started.set();
      taken.await();
    });
    started.await();
    ts::async(ts::affinity(here + 1), [&] { taken.set(); });
  });
}

void wakes_a_worker() {
  while (now().parks == 0) std::this_thread::yield();
  for (int i = 0; i < 1'000 && now().wake_ups == 0; ++i) {
    support::event ran;
    ts::async(ts::spawn_policy::help_first, [&] { ran.set(); });
    ran.await();
  }
}

// Until `counter` has moved: bodies that end while their child runs elsewhere, for a moment or until they are suspended.
void waits_for_a_child_elsewhere(std::uint64_t worker_counters::* counter) {
  while (now().*counter == 0) {
    support::event runs;
    support::event alone;
    const auto parked = now().finishes_parked;
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] {
        runs.set();
        alone.await();
        while (counter == &worker_counters::finishes_parked && now().finishes_parked == parked)
          std::this_thread::yield();
      });
      runs.await();
      alone.set();
    });
  }
}

TEST(every_counter_test, moves_in_some_program) {
  using enum ts::spawn_policy;
  const ts::config one = support::config_of(1);
  const ts::config two = support::config_of(2, help_first);
  const bool may_wait_in_place = ts::detail::affinity_processors().size() >= 2;
  counted all;
  all.in(one, spawns_and_ends);
  all.in(support::config_of(1, work_sharing), [] { ts::async([] {}); });
  all.in(two, goes_through_phases);
  testing::internal::CaptureStderr();
  all.in(one, leaves_an_exception_unseen);
  static_cast<void>(testing::internal::GetCapturedStderr());
  all.in(two, loses_tasks_and_continuations_to_a_thief);
  all.in(two, invites_a_worker_that_is_busy);
  all.in(two, wakes_a_worker);
  all.in(ts::config{.threads = 1, .places = 2, .env = false}, [] {
    ts::async_at(ts::here().next(), [] {});
    ts::at(ts::here().next(), [] {});
  });
  all.in(two, [] { waits_for_a_child_elsewhere(&worker_counters::finishes_parked); });
  std::set<std::string> cannot_move_here;
  if (may_wait_in_place) {
    all.in(two, [] { waits_for_a_child_elsewhere(&worker_counters::finishes_in_place); });
  } else {
    cannot_move_here.insert("finishes_in_place");
  }
  if (!support::k_tsan) {
    all.in(one, is_set_back);
  } else {
    cannot_move_here.insert("spawned_throttled");  // ThreadSanitizer has no room for so many stacks
  }
  EXPECT_EQ(all.that_stood_still(), cannot_move_here);
}

}  // namespace
