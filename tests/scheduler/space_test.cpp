// SPDX-License-Identifier: Apache-2.0
// Memory and idle time: storms of tasks stay under a ceiling, steady work does not grow, an idle pool costs nothing.
// Under sanitizers the same programs run smaller and only their counts are checked.
#include <tactus/tactus.hpp>

#include "support/process.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ts = tactus;

namespace {

constexpr std::size_t k_mebibyte = std::size_t{1} << 20;

/// How many tasks a storm has: a million every day, a hundred million in full.
std::size_t storm() { return support::scaled_or_full(1'000'000, 100'000'000); }

using counter = std::atomic<std::size_t>;

// Each shape spawns about `n` tasks, every one of which counts itself, and returns how many that were.

std::size_t flat_loop(std::size_t n, counter& ran) {
  for (std::size_t i = 0; i < n; ++i) ts::async([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
  return n;
}

void chain_link(std::size_t left, counter& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (left > 1) ts::async([left, &ran] { chain_link(left - 1, ran); });
}

std::size_t chain(std::size_t n, counter& ran) {
  ts::async([n, &ran] { chain_link(n, ran); });
  return n;
}

void tree_node(std::size_t levels, counter& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (levels == 1) return;
  ts::async([levels, &ran] { tree_node(levels - 1, ran); });
  ts::async([levels, &ran] { tree_node(levels - 1, ran); });
}

std::size_t binary_tree(std::size_t n, counter& ran) {
  std::size_t levels = 1;
  while ((std::size_t{2} << levels) - 1 <= n) ++levels;
  ts::async([levels, &ran] { tree_node(levels, ran); });
  return (std::size_t{1} << levels) - 1;
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Counts itself and hands what is left of its share to one to four children of random shares; now and then the
// children have a finish of their own, and now and then one of them is called instead of spawned.
void random_node(std::size_t share, std::uint64_t seed, counter& ran) {
  ran.fetch_add(1, std::memory_order_relaxed);
  const auto spread = [share, seed, &ran] {
    std::size_t left = share - 1;
    for (std::uint64_t k = 0; left > 0; ++k) {
      const std::uint64_t r = mixed(seed * 7 + k);
      const std::size_t part = k == 3 ? left : 1 + static_cast<std::size_t>(r >> 8) % left;
      left -= part;
      if (part < 50 && r % 16 == 0) {
        random_node(part, r, ran);
      } else {
        ts::async([part, r, &ran] { random_node(part, r, ran); });
      }
    }
  };
  if (seed % 32 == 0) {
    ts::finish(spread);
  } else {
    spread();
  }
}

std::size_t random_recursion(std::size_t n, counter& ran) {
  ts::async([n, &ran] { random_node(n, 12'345, ran); });
  return n;
}

std::size_t loop_of_trees(std::size_t n, counter& ran) {
  constexpr std::size_t k_levels = 10;
  constexpr std::size_t k_nodes = (std::size_t{1} << k_levels) - 1;
  const std::size_t trees = n / k_nodes + 1;
  for (std::size_t i = 0; i < trees; ++i) ts::async([&ran] { tree_node(k_levels, ran); });
  return trees * k_nodes;
}

struct shape {
  const char* name;
  std::size_t (*spawn)(std::size_t, counter&);
};

struct storm_setting {
  shape what;
  int workers;
};

class storm_test : public testing::TestWithParam<storm_setting> {};

TEST_P(storm_test, stays_within_64_mebibytes_of_the_start) {
  ts::runtime rt(support::config_of(GetParam().workers));
  rt.run([] {});
  support::reset_peak();
  const std::size_t start = support::resident_bytes();
  counter ran{0};
  const std::size_t expected = rt.run([&] { return ts::finish([&] { return GetParam().what.spawn(storm(), ran); }); });
  const std::size_t peak = support::peak_resident_bytes();
  EXPECT_EQ(ran.load(), expected);
  if constexpr (!support::k_sanitized) {
    EXPECT_LT(peak, start + 64 * k_mebibyte) << (peak - start) / k_mebibyte << " MiB above the start";
  }
}

INSTANTIATE_TEST_SUITE_P(each, storm_test,
                         testing::Values(storm_setting{{"flat_loop", flat_loop}, 1},                //
                                         storm_setting{{"flat_loop", flat_loop}, 2},                //
                                         storm_setting{{"chain", chain}, 1},                        //
                                         storm_setting{{"chain", chain}, 2},                        //
                                         storm_setting{{"binary_tree", binary_tree}, 1},            //
                                         storm_setting{{"binary_tree", binary_tree}, 2},            //
                                         storm_setting{{"random_recursion", random_recursion}, 1},  //
                                         storm_setting{{"random_recursion", random_recursion}, 2},  //
                                         storm_setting{{"loop_of_trees", loop_of_trees}, 1},        //
                                         storm_setting{{"loop_of_trees", loop_of_trees}, 2}),
                         [](const auto& chosen) {
                           return std::string(chosen.param.what.name) + "_" + std::to_string(chosen.param.workers);
                         });

class steady_state_test : public support::each_setting {};
TACTUS_EACH_SETTING(steady_state_test);

TEST_P(steady_state_test, ten_equal_finishes_take_no_more_than_the_first) {
  const std::size_t n = support::scaled(20'000);
  run([&] {
    const auto work = [&] {
      counter ran{0};
      ts::finish([&] { binary_tree(n, ran); });
      ts::finish([&] { flat_loop(n / 4, ran); });
    };
    work();
    const std::size_t first = support::resident_bytes();
    for (int i = 0; i < 9; ++i) work();
    if constexpr (!support::k_sanitized) {
      EXPECT_LE(static_cast<double>(support::resident_bytes()), 1.05 * static_cast<double>(first) + 1.0 * k_mebibyte);
    }
  });
}

TEST_P(steady_state_test, suspended_tasks_give_their_memory_to_the_next_ones) {
  const std::size_t n = support::scaled(5'000);
  run([&] {
    const auto work = [&] {
      ts::promise<void> gate;
      std::atomic<std::size_t> started{0};
      ts::finish([&] {
        for (std::size_t i = 0; i < n; ++i) {
          ts::async([&, f = gate.get_future()] {
            ++started;
            f.get();
          });
        }
        while (started != n) ts::yield();
        gate.set_value();
      });
    };
    for (int i = 0; i < 16; ++i) work();  // until each stack has been as deep as it gets
    const std::size_t first = support::resident_bytes();
    for (int i = 0; i < 8; ++i) work();
    if constexpr (!support::k_sanitized) {
      // Each worker keeps some hundred stacks for itself: how many of them lie idle while another one needs new ones is chance.
      const double kept = ts::num_workers() * static_cast<double>(k_mebibyte);
      EXPECT_LE(static_cast<double>(support::resident_bytes()), 1.05 * static_cast<double>(first) + kept);
    }
  });
}

// Writes to `bytes` of the stack below its caller.
[[gnu::noinline]] std::size_t go_deep(std::size_t bytes) {
  volatile std::byte frame[1'024];
  for (volatile std::byte& b : frame) b = std::byte{0x5a};
  return bytes <= sizeof frame ? sizeof frame : go_deep(bytes - sizeof frame) + static_cast<std::size_t>(frame[0]);
}

TEST(deep_calls_test, what_they_have_touched_is_given_back_when_their_tasks_end) {
  if (support::k_sanitized) GTEST_SKIP() << "stacks weigh something else there";
  static constexpr std::size_t k_tasks =
      2'000;  // each worker keeps some hundred stacks for itself, and those as they are
  static constexpr std::size_t k_depth = 32 * 1'024;
  ts::run(support::config_of(2), [] {
    const auto work = [](std::size_t depth) {
      const ts::promise<void> gate;
      ts::finish([&] {
        std::atomic<std::size_t> waiting{0};
        for (std::size_t i = 0; i < k_tasks; ++i) {
          ts::async([depth, &waiting, open = gate.get_future()] {
            go_deep(depth);
            ++waiting;
            open.get();  // so that each has a stack of its own
          });
        }
        while (waiting != k_tasks) ts::yield();
        gate.set_value();
      });
    };
    work(1);
    const std::size_t before = support::anonymous_bytes();
    ASSERT_GT(before, 0u);
    work(k_depth);
    work(1);  // what the workers keep for themselves has been through the pool
    EXPECT_LT(support::anonymous_bytes(), before + k_tasks * k_depth / 2);
  });
}

// A chain of tasks, each of which is live while the next one runs.
void live_chain(std::size_t left) {
  if (left > 0) ts::async(ts::spawn_policy::work_first, [left] { live_chain(left - 1); });
}

TEST(warm_stacks_test, keep_no_more_than_a_quarter_of_memory_bytes) {
  if (support::k_sanitized) GTEST_SKIP() << "sanitizers need memory of their own";
  constexpr std::size_t k_chain = 30'000;
  for (const std::size_t more : {256 * k_mebibyte, 4'096 * k_mebibyte}) {
    ts::config c = support::config_of(1);
    c.memory_bytes = support::resident_bytes() + more;
    const std::size_t quarter = c.memory_bytes / 4;
    ts::run(c, [&] {
      const std::size_t start = support::resident_bytes();
      for (int i = 0; i < 3; ++i) {
        ts::finish([] { live_chain(k_chain); });
        EXPECT_LE(support::resident_bytes(), start + quarter + 8 * k_mebibyte);
      }
      const std::size_t kept = support::resident_bytes() - start;
      if (quarter > 2 * k_chain * 8'192) {
        EXPECT_GE(kept, k_chain * 4'096);  // all stay warm
      }
    });
  }
}

TEST(warm_stacks_test, are_as_many_as_memory_bytes_allows_and_serve_later_passes) {
  ts::config c = support::config_of(1);
  c.memory_bytes = 8'192 * k_mebibyte;
  ts::run(c, [] {
    const std::size_t chain = support::scaled(80'000);  // more than any fixed number that would do for small machines
    const std::size_t start = support::resident_bytes();
    ts::finish([&] { live_chain(chain); });
    const std::uint64_t created = ts::stats().totals.stacks_created;
    const std::size_t first = support::resident_bytes();
    if constexpr (!support::k_sanitized) {
      EXPECT_GE(first, start + chain * 4'096);
    }
    for (int i = 0; i < 4; ++i) ts::finish([&] { live_chain(chain); });
    EXPECT_EQ(ts::stats().totals.stacks_created, created);
    if constexpr (!support::k_sanitized) {
      EXPECT_LE(support::resident_bytes(), first + 2 * k_mebibyte);
    }
  });
}

class idle_test : public testing::TestWithParam<int> {};

TEST_P(idle_test, a_pool_with_nothing_to_do_uses_no_processor_time) {
  // The time that passes is what is measured; nothing is synchronised by it.
  const ts::promise<void> p(ts::external);
  double used = 0;
  std::thread outside;
  ts::run(support::config_of(GetParam()), [&] {
    // Every worker has been awake before the pool goes idle.
    ts::for_each(0, 100, [](int) { ts::yield(); });
    outside = std::thread([&] {
      std::mutex m;
      std::condition_variable nobody_notifies;
      std::unique_lock lock(m);
      const double before = support::cpu_seconds();
      nobody_notifies.wait_for(lock, std::chrono::seconds(2));
      used = support::cpu_seconds() - before;
      p.set_value();
    });
    p.get_future().get();
  });
  outside.join();
  if constexpr (!support::k_sanitized) {
    EXPECT_LT(used, 0.01);
  }
}

TEST_P(idle_test, parked_workers_between_runs_use_no_processor_time) {
  ts::runtime rt(support::config_of(GetParam()));
  rt.run([] { ts::for_each(0, 100, [](int) { ts::yield(); }); });
  std::mutex m;
  std::condition_variable nobody_notifies;
  std::unique_lock lock(m);
  const double before = support::cpu_seconds();
  nobody_notifies.wait_for(lock, std::chrono::seconds(1));
  const double used = support::cpu_seconds() - before;
  if constexpr (!support::k_sanitized) {
    EXPECT_LT(used, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(each, idle_test, testing::Values(1, 2, 8),
                         [](const auto& chosen) { return std::to_string(chosen.param) + "_workers"; });

}  // namespace
