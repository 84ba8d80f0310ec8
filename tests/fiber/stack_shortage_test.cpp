// SPDX-License-Identifier: Apache-2.0
// Stacks where the system has no address space left.

#include <tactus/base/error.hpp>
#include <tactus/fiber/impl/stack_cache.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support/refused_mappings.hpp"
#include "support/starts_anew.hpp"

namespace {

using namespace tactus::detail;
using enum stack_pool::at_limit;

constexpr std::size_t k_bytes = 64 * 1024;
constexpr std::size_t k_mebibyte = std::size_t{1} << 20;

class stack_shortage_test : public testing::Test {
protected:
  void SetUp() override {
    stack_pool probe(k_bytes, 0);
    live_worker_counters counters;
    stack_top one = nullptr;
    static_cast<void>(probe.take(&one, 1, refuse, counters));
    probe.put(&one, 1);
    if (!support::sees_mappings()) GTEST_SKIP() << "the library is a shared one";
    cache_.attach(&pool_, &counters_);
  }
  void TearDown() override { support::allow_mappings(); }

  live_worker_counters counters_;
  stack_pool pool_{k_bytes, 0};
  stack_cache cache_;
};

TEST_F(stack_shortage_test, a_slab_that_is_refused_is_replaced_by_a_smaller_one) {
  support::refuse_mappings_above(32 * k_mebibyte);
  for (const std::size_t largest : {32 * k_mebibyte, k_mebibyte}) {
    support::refuse_mappings_above(largest);
    for (int i = 0; i < 100; ++i) {
      const stack_top s = cache_.take();
      std::memset(s - 1024, 1, 1024);
    }
  }
}

TEST_F(stack_shortage_test, a_refusal_names_the_limit_and_the_remedy) {
  support::refuse_mappings_above(0);
  try {
    static_cast<void>(cache_.take());
    FAIL() << "a stack came from nowhere";
  } catch (const tactus::resource_error& e) {
    EXPECT_NE(std::string(e.what()).find("ulimit -v"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("stack_bytes"), std::string::npos) << e.what();
  }
}

TEST_F(stack_shortage_test, the_root_of_a_runtime_is_refused_likewise) {
  support::refuse_mappings_above(0);
  EXPECT_THROW(static_cast<void>(pool_.make_single(8 * k_mebibyte)), tactus::resource_error);
  support::allow_mappings();
  EXPECT_NE(pool_.make_single(8 * k_mebibyte), nullptr);
}

// Takes all that the pool has.
std::vector<stack_top> take_all(stack_cache& cache) {
  support::refuse_mappings_above(0);
  std::vector<stack_top> all;
  try {
    for (;;) all.push_back(cache.take());
  } catch (const tactus::resource_error&) {
  }
  return all;
}

TEST_F(stack_shortage_test, a_prepared_cache_keeps_one_stack_for_who_insists) {
  cache_.prepare();
  const std::vector<stack_top> all = take_all(cache_);
  const stack_top last = cache_.take(insist);
  EXPECT_EQ(std::count(all.begin(), all.end(), last), 0);
  std::memset(last - 1024, 1, 1024);
}

TEST_F(stack_shortage_test, the_next_stack_that_comes_back_is_kept_for_who_insists) {
  cache_.prepare();
  const std::vector<stack_top> all = take_all(cache_);
  const stack_top last = cache_.take(insist);
  cache_.put(all[0]);
  EXPECT_THROW(static_cast<void>(cache_.take()), tactus::resource_error);
  EXPECT_EQ(cache_.take(insist), all[0]);
  cache_.put(last);
  cache_.put(all[1]);
  EXPECT_EQ(cache_.take(), all[1]);
  EXPECT_EQ(cache_.take(insist), last);
}

TEST_F(stack_shortage_test, a_cache_that_has_used_its_reserve_takes_back_more_stacks_than_it_keeps) {
  cache_.prepare();
  const std::vector<stack_top> all = take_all(cache_);
  static_cast<void>(cache_.take(insist));
  support::allow_mappings();
  std::vector<stack_top> more;
  for (std::size_t i = 0; i < 3 * stack_cache::k_most; ++i) more.push_back(cache_.take(i % 2 == 0 ? insist : refuse));
  for (const stack_top s : more) cache_.put(s);
  for (const stack_top s : all) cache_.put(s);
  EXPECT_LE(pool_.outstanding(), stack_cache::k_most + 2);
}

TEST_F(stack_shortage_test, who_insists_when_nothing_is_left_ends_the_process_with_the_limits_name) {
  SUPPORT_START_ANEW();
  const auto insist_twice = [this] {
    cache_.prepare();
    take_all(cache_);
    static_cast<void>(cache_.take(insist));
    static_cast<void>(cache_.take(insist));
  };
  EXPECT_DEATH(insist_twice(), "the process ends.*ulimit -v");
}

}  // namespace
