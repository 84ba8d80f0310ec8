// SPDX-License-Identifier: Apache-2.0
// Where stacks come from and where they go.

#include <tactus/base/error.hpp>
#include <tactus/fiber/impl/stack_cache.hpp>
#include <tactus/fiber/impl/stack_pool.hpp>

#include "fiber/guarded_ranges.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/process.hpp"
#include "support/scale.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace tactus::detail;

constexpr std::size_t k_kib = 1024;
constexpr std::size_t k_bytes = 64 * k_kib;

std::vector<fiber_stack*> take(stack_pool& pool, std::size_t n, live_worker_counters& counters) {
  std::vector<stack_top> tops(n);
  for (std::size_t got = 0; got < n;) {
    got += pool.take(&tops[got], n - got, stack_pool::at_limit::refuse, counters);
  }
  std::vector<fiber_stack*> all;
  for (const stack_top s : tops) {
    all.push_back(reinterpret_cast<fiber_stack*>(s));
  }
  return all;
}

void give_back(stack_pool& pool, const std::vector<fiber_stack*>& all) {
  for (fiber_stack* s : all) {
    const stack_top top = s->top();
    pool.put(&top, 1);
  }
}

// Of those that hold some of these stacks.
std::size_t mappings(const std::vector<fiber_stack*>& stacks) {
  std::set<std::uintptr_t> bases;
  for (const fiber_stack* s : stacks) {
    bases.insert(reinterpret_cast<std::uintptr_t>(s->low));
  }
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    char* end = nullptr;
    const std::uintptr_t from = std::strtoull(line.c_str(), &end, 16);
    const std::uintptr_t to = std::strtoull(end + 1, nullptr, 16);
    const auto first = bases.lower_bound(from);
    count += first != bases.end() && *first < to ? 1U : 0U;
  }
  return count;
}

TEST(stack_pool, stacks_are_aligned_to_their_size_and_writable_to_their_low_end) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  const auto all = take(pool, 20, counters);
  for (fiber_stack* s : all) {
    const auto end = reinterpret_cast<std::uintptr_t>(s) + sizeof(fiber_stack);
    EXPECT_EQ((end - 1) / pool.stride(), reinterpret_cast<std::uintptr_t>(s->low) / pool.stride());
    EXPECT_GT((end - 1) % pool.stride(), pool.stride() - k_bytes / 8);  // what stays free above is a small part
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->top()) % 16, 0U);
    std::memset(s->low, 0x5a, static_cast<std::size_t>(s->top() - s->low));
    EXPECT_EQ(pool.control_block_around(reinterpret_cast<std::uintptr_t>(s->low)), s);
  }
  give_back(pool, all);
}

TEST(stack_pool, of_any_size_there_is_room_for_a_task_on_top_of_one_that_waits) {
  for (const std::size_t bytes :
       {k_kib * 16, k_kib * 20, k_kib * 64, k_kib * 100, k_kib * 128, k_kib * 256, k_kib * 2048}) {
    live_worker_counters counters;
    stack_pool pool(bytes, 0);
    const auto all = take(pool, 5, counters);
    for (fiber_stack* s : all) {
      const auto usable = static_cast<std::size_t>(s->top() - s->low);
      EXPECT_GE(usable, bytes + bytes / 4) << bytes;
      const std::size_t offset = reinterpret_cast<std::uintptr_t>(s->low) % pool.stride();
      EXPECT_GE(pool.room_to_begin() - offset, bytes) << bytes;
      EXPECT_GE(reinterpret_cast<std::uintptr_t>(s->top()) % pool.stride(), pool.room_to_begin() + bytes / 4) << bytes;
    }
    give_back(pool, all);
  }
}

TEST(stack_pool, sixty_four_kibibytes_below_the_low_end_are_guard) {
  for (const std::size_t bytes : {k_kib * 16, k_kib * 256}) {
    live_worker_counters counters;
    stack_pool pool(bytes, 0);
    const auto all = take(pool, 3, counters);
    for (fiber_stack* s : all) {
      EXPECT_TRUE(guarded_ranges::is_guard(s->low - 1));
      EXPECT_TRUE(guarded_ranges::is_guard(s->low - 64 * k_kib));
      EXPECT_FALSE(guarded_ranges::is_guard(s->low));
      EXPECT_FALSE(guarded_ranges::is_guard(s->top() - 1));
    }
    give_back(pool, all);
  }
}

// Whether the kernel lets one byte be written.
bool can_be_written(std::byte* at) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  const bool written = ::read(ends[0], at, 1) == 1;  // EFAULT, and no signal
  ::close(ends[0]);
  ::close(ends[1]);
  return written;
}

TEST(stack_pool, no_byte_of_a_guard_can_be_written) {
  for (const std::size_t bytes : {k_kib * 16, k_kib * 256}) {
    live_worker_counters counters;
    stack_pool pool(bytes, 0);
    ASSERT_NE(pool.guard(), guard_kind::canary);
    for (int round = 0; round < 2; ++round) {  // also of one that was used before
      const auto all = take(pool, 40, counters);
      for (fiber_stack* s : all) {
        for (std::byte* at = s->low - 64 * k_kib; at < s->low; at += 4 * k_kib) EXPECT_FALSE(can_be_written(at));
        EXPECT_FALSE(can_be_written(s->low - 1));
        EXPECT_TRUE(can_be_written(s->low));
      }
      give_back(pool, all);
    }
  }
}

// Address space for stacks of one page each, with their guards.
class room_for_guards {
public:
  explicit room_for_guards(std::size_t n) : bytes_(n * k_stride) {
    void* const p = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(p, MAP_FAILED);
    base_ = static_cast<std::byte*>(p);
  }
  ~room_for_guards() { ::munmap(base_, bytes_); }
  room_for_guards(const room_for_guards&) = delete;
  room_for_guards& operator=(const room_for_guards&) = delete;

  void install(stack_guards& guards, std::size_t n) {
    for (; n != 0; --n, ++installed_) guards.install(base_ + installed_ * k_stride);
  }

private:
  static constexpr std::size_t k_stride = stack_guards::k_bytes + 4096;
  const std::size_t bytes_;
  std::byte* base_ = nullptr;
  std::size_t installed_ = 0;
};

TEST(stack_guards, all_of_a_process_leave_mappings_to_others) {
  room_for_guards room(12'002);
  {
    stack_guards first(guard_kind::protected_);
    stack_guards second(guard_kind::protected_);
    room.install(first, 10'000);
    room.install(second, 2'000);
    EXPECT_EQ(second.kind(), guard_kind::protected_);
    room.install(second, 1);
    EXPECT_EQ(second.kind(), guard_kind::canary);
  }
  stack_guards third(guard_kind::protected_);
  room.install(third, 1);
  EXPECT_EQ(third.kind(), guard_kind::protected_);
}

TEST(guarded_ranges, of_one_pool_stay_whoever_ends_meanwhile) {
  constexpr std::size_t k_stack = 128 * k_kib;
  static std::byte nobody_touches[8 * k_stack];
  const auto at = [](std::size_t n) { return nobody_touches + n * k_stack; };
  const auto add = [](std::byte* base) { guarded_ranges::add(base, k_stack, k_stack, stack_guards::k_bytes); };
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) {
      add(at(0));
      guarded_ranges::remove(at(0));
    }
  });
  std::size_t missed = 0;
  for (int round = 0; round < (support::k_tsan ? 20'000 : 500'000); ++round) {
    for (std::size_t n = 1; n <= 2; ++n) add(at(n));
    for (std::size_t n = 1; n <= 2; ++n) {
      missed += guarded_ranges::is_stack(reinterpret_cast<std::uintptr_t>(at(n))) ? 0U : 1U;
    }
    for (std::size_t n = 2; n >= 1; --n) guarded_ranges::remove(at(n));
  }
  ends = true;
  other.join();
  EXPECT_EQ(missed, 0U);
}

TEST(stack_pool, nothing_is_guard_once_the_pool_is_gone) {
  const std::byte* below = nullptr;
  {
    live_worker_counters counters;
    stack_pool pool(k_bytes, 0);
    const auto all = take(pool, 1, counters);
    below = all.front()->low - 1;
    give_back(pool, all);
  }
  EXPECT_FALSE(guarded_ranges::is_guard(below));
}

TEST(stack_pool, a_stack_given_back_is_given_out_again) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  const auto first = take(pool, 10, counters);
  give_back(pool, first);
  const auto second = take(pool, 10, counters);
  EXPECT_EQ(std::set<fiber_stack*>(first.begin(), first.end()), std::set<fiber_stack*>(second.begin(), second.end()));
  EXPECT_EQ(counters.stacks_created.value(), 10U);
  give_back(pool, second);
}

TEST(stack_pool, equal_frames_of_neighbouring_stacks_lie_in_different_cache_sets) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  const auto all = take(pool, 8, counters);
  std::set<std::uintptr_t> sets;
  for (fiber_stack* s : all) {
    sets.insert(reinterpret_cast<std::uintptr_t>(s->top()) / 64 % 64);
  }
  EXPECT_EQ(sets.size(), all.size());
  give_back(pool, all);
}

TEST(stack_pool, thousands_of_guarded_stacks_split_no_mapping_where_the_kernel_can_mark_guards) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  const std::size_t n = support::k_tsan ? 500 : 5'000;
  const auto all = take(pool, n, counters);
  if (pool.guard() == guard_kind::marked) {
    EXPECT_GE(mappings(all), 1U);
    EXPECT_LT(mappings(all), n / 10);
  }
  EXPECT_EQ(pool.outstanding(), n);
  give_back(pool, all);
  EXPECT_EQ(pool.outstanding(), 0U);
}

TEST(stack_pool, stacks_that_lost_their_memory_are_whole_when_used_again) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0, 100);
  const std::size_t n = 1'000;  // more than this pool keeps warm
  const auto first = take(pool, n, counters);
  for (fiber_stack* s : first) {
    std::memset(s->top() - 512, 0x5a, 512);
  }
  give_back(pool, first);
  std::size_t used = 0;
  pool.for_each_used([&used](fiber_stack&) { ++used; });
  EXPECT_LT(used, n);
  for (fiber_stack* s : take(pool, n, counters)) {
    EXPECT_EQ(pool.control_block_around(reinterpret_cast<std::uintptr_t>(s->low)), s);
    EXPECT_EQ(s->parked, nullptr);
    std::memset(s->low, 0, 64);
  }
  EXPECT_EQ(counters.stacks_created.value(), n);
}

TEST(stack_pool, stacks_above_those_that_stay_warm_give_their_memory_back_and_keep_their_guards) {
  if (support::k_sanitized) {
    GTEST_SKIP() << "a sanitizer's own memory grows meanwhile";
  }
  constexpr std::size_t k_warm = 500;
  constexpr std::size_t k_stacks = 5'000;
  // An emulator of processors has memory of its own in this process; it grows in the first round only.
  const std::size_t for_others = support::is_emulated() ? 10'000'000 : 1'000'000;
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0, k_warm);
  const std::size_t before = support::anonymous_bytes();
  for (int round = 0; round < 3; ++round) {
    const auto all = take(pool, k_stacks, counters);
    for (fiber_stack* s : all) {
      std::memset(s->top() - 512, 0x5a, 512);
      ASSERT_EQ(s->parked, nullptr);
    }
    EXPECT_GE(support::anonymous_bytes(), before + k_stacks * 4'096);
    give_back(pool, all);
    EXPECT_LE(support::anonymous_bytes(), before + (k_warm + 600) * 8'192 + for_others);
  }
  for (fiber_stack* s : take(pool, k_stacks, counters)) {
    ASSERT_FALSE(can_be_written(s->low - 1));
  }
}

TEST(stack_pool, a_quarter_of_the_memory_limit_is_for_stacks_that_stay_warm) {
  constexpr std::size_t k_gibibyte = std::size_t{1} << 30;
  EXPECT_LE(stack_pool::warm_within(4 * k_gibibyte) * 8'192, k_gibibyte);
  EXPECT_GE(stack_pool::warm_within(4 * k_gibibyte) * 16'384, k_gibibyte);
}

TEST(stack_pool, a_stack_at_rest_gets_no_page_that_nobody_wrote_to) {
  if (support::k_sanitized) {
    GTEST_SKIP() << "a sanitizer's own memory grows meanwhile";
  }
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  const auto round = [&] {
    const auto all = take(pool, 2'000, counters);
    for (fiber_stack* s : all) {
      std::memset(s->top() - 64, 0x5a, 64);
    }
    give_back(pool, all);
  };
  round();
  const std::size_t first = support::anonymous_bytes();
  ASSERT_GT(first, 0U);
  for (int i = 0; i < 20; ++i) {
    round();  // trims every 256th
  }
  EXPECT_LE(support::anonymous_bytes(), first + 200'000);
}

TEST(stack_pool, gives_back_whole_pages_of_the_system_and_none_of_what_it_keeps) {
  constexpr std::uintptr_t k_large_page = 64 * k_kib;
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0, stack_pool::k_most_warm, k_large_page);
  ASSERT_NE(pool.guard(), guard_kind::canary);
  fiber_stack* const s = take(pool, 1, counters).front();
  std::byte* const low = s->low;
  std::byte* const top = s->top() - 512;
  std::memset(low, 0x5a, static_cast<std::size_t>(top - low));
  give_back(pool, {s});
  const std::byte* kept = low;
  while (kept < top && *kept == std::byte{0}) ++kept;
  EXPECT_GT(kept, low);
  EXPECT_LT(kept, top);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(kept) % k_large_page, 0U);
}

TEST(stack_pool, above_the_memory_limit_a_stack_is_refused_with_the_limit_in_the_text) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 1 << 20);  // this process has more than a MiB
  try {
    stack_top none = nullptr;
    static_cast<void>(pool.take(&none, 1, stack_pool::at_limit::refuse, counters));
    FAIL() << "a stack was given out above the limit";
  } catch (const tactus::resource_error& e) {
    EXPECT_NE(std::string(e.what()).find("limit 1 MiB"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("memory_bytes"), std::string::npos) << e.what();
  }
  stack_top s = nullptr;
  EXPECT_EQ(pool.take(&s, 1, stack_pool::at_limit::exceed, counters), 1U);
  EXPECT_NE(s, nullptr);
  pool.put(&s, 1);
}

TEST(stack_cache, takes_the_stack_put_back_last) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  stack_cache cache;
  cache.attach(&pool, &counters);
  const stack_top a = cache.take();
  const stack_top b = cache.take();
  cache.put(a);
  cache.put(b);
  EXPECT_EQ(cache.take(), b);
  EXPECT_EQ(cache.take(), a);
  cache.put(a);
  cache.put(b);
  cache.drain();
  EXPECT_EQ(pool.outstanding(), 0U);
}

TEST(stack_cache, keeps_a_bounded_number_and_gives_the_rest_to_the_pool) {
  live_worker_counters counters;
  stack_pool pool(k_bytes, 0);
  stack_cache cache;
  cache.attach(&pool, &counters);
  std::vector<stack_top> all;
  for (std::size_t i = 0; i < 2 * stack_cache::k_most; ++i) {
    all.push_back(cache.take());
  }
  for (const stack_top s : all) {
    cache.put(s);
  }
  EXPECT_LE(pool.outstanding(), stack_cache::k_most);
  cache.drain();
  EXPECT_EQ(pool.outstanding(), 0U);
}

}  // namespace
