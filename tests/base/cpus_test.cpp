// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/cpus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/machine.hpp"

namespace {

using support::files;
using support::k_groups;
using support::k_own_groups;
using support::machine;
using tactus::detail::affinity_processors;
using tactus::detail::available_memory;
using tactus::detail::usable_cores;

constexpr std::uint64_t k_mib = 1024 * 1024;

TEST(affinity, lists_the_processors_of_the_mask_in_ascending_order) {
  cpu_set_t mask;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
  const auto processors = affinity_processors();
  EXPECT_EQ(static_cast<int>(processors.size()), CPU_COUNT(&mask));
  EXPECT_TRUE(std::ranges::is_sorted(processors));
  for (const int one : processors) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(one), &mask));
}

TEST(affinity, follows_a_narrower_mask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int last = affinity_processors().back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(last), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto narrowed = affinity_processors();
  const int cores = usable_cores("/nowhere/at/all");
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(narrowed, std::vector<int>{last});
  EXPECT_EQ(cores, 1);
}

TEST(usable_cores, is_the_smaller_of_mask_and_quota_and_at_least_one) {
  const int processors = static_cast<int>(affinity_processors().size());
  const struct {
    std::string cpu_max;
    int cores;
  } cases[] = {
      {"50000 100000", 1},        {"1 100000", 1},  {"100000000 100000", processors},
      {"max 100000", processors}, {"", processors},
  };
  for (const auto& one : cases) {
    const machine fake({{k_own_groups, "0::/\n"}, {k_groups + "/cpu.max", one.cpu_max}});
    EXPECT_EQ(usable_cores(fake.root()), one.cores) << one.cpu_max;
  }
  EXPECT_EQ(usable_cores("/nowhere/at/all"), processors);
}

TEST(available_memory, is_the_smaller_of_machine_and_group) {
  const std::string meminfo = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:      10240 kB\n";
  EXPECT_EQ(available_memory(machine({{"proc/meminfo", meminfo}}).root()), 10 * k_mib);
  EXPECT_EQ(
      available_memory(
          machine({{"proc/meminfo", meminfo}, {k_own_groups, "0::/\n"}, {k_groups + "/memory.max", "4194304"}}).root()),
      4 * k_mib);
  EXPECT_EQ(available_memory(
                machine({{"proc/meminfo", meminfo}, {k_own_groups, "0::/\n"}, {k_groups + "/memory.max", "41943040"}})
                    .root()),
            10 * k_mib);
}

TEST(available_memory, survives_a_strange_meminfo) {
  for (const std::string text :
       {"", "MemAvailable:", "MemAvailable: many kB\n", "MemAvailable: -5 kB", "garbage\n\n\n"}) {
    EXPECT_GT(available_memory(machine({{"proc/meminfo", text}}).root()), 0U) << text;
  }
  EXPECT_EQ(available_memory(machine(files{{"proc/meminfo", "MemAvailable: 18446744073709551615 kB\n"}}).root()),
            ~std::uint64_t{0});
}

TEST(this_machine, has_cores_memory_and_pages) {
  const auto limits = tactus::detail::this_machine();
  EXPECT_GE(limits.cores, 1);
  EXPECT_LE(limits.cores, static_cast<int>(affinity_processors().size()));
  EXPECT_GT(limits.memory_bytes, 0U);
  EXPECT_EQ(limits.page_bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(resident_memory, is_known_where_no_descriptor_is_free) {
  const std::uint64_t with_one = tactus::detail::resident_memory();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::uint64_t without = tactus::detail::resident_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GE(without, with_one / 2);
  EXPECT_GT(without, 0U);
}

}  // namespace
