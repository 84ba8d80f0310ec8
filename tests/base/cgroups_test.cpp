// SPDX-License-Identifier: Apache-2.0
#include "base/cgroups.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/machine.hpp"

namespace {

using support::files;
using support::k_groups;
using support::k_mounts;
using support::k_own_groups;
using support::machine;
using support::mount_line;
using tactus::detail::cgroup_cores;
using tactus::detail::cgroup_memory;

std::optional<int> cores_of(const files& content) { return cgroup_cores(machine(content).root()); }
std::optional<std::uint64_t> memory_of(const files& content) { return cgroup_memory(machine(content).root()); }

constexpr std::uint64_t k_mib = 1024 * 1024;

// ---- processors ----

TEST(cgroup_cores, are_read_where_the_mount_is) {
  EXPECT_EQ(cores_of({{k_mounts, mount_line("/pod", "/mnt/my\\040groups", "cgroup2", "rw")},
                      {k_own_groups, "0::/pod/job\n"},
                      {"mnt/my groups/cpu.max", "400000 100000"},
                      {"mnt/my groups/job/cpu.max", "300000 100000"},
                      {k_groups + "/pod/job/cpu.max", "100000 100000"}}),
            3);
}

TEST(cgroup_cores, are_read_in_a_table_of_thousands_of_mounts) {
  std::string mounts;
  for (int i = 0; i < 5000; ++i)
    mounts += mount_line("/", "/mnt/volume" + std::to_string(i), "overlay", "rw,lowerdir=/a");
  EXPECT_EQ(cores_of({{k_mounts, mounts + mount_line("/", "/sys/fs/cgroup", "cgroup2", "rw")},
                      {k_own_groups, "0::/job\n"},
                      {k_groups + "/job/cpu.max", "300000 100000"}}),
            3);
}

TEST(cgroup_cores, take_the_smallest_limit_up_to_the_top_in_version_1) {
  const std::string top = k_groups + "/cpu,cpuacct";
  EXPECT_EQ(cores_of({{k_own_groups, "3:cpu,cpuacct:/outer/inner\n"},
                      {top + "/cpu.cfs_quota_us", "-1"},
                      {top + "/cpu.cfs_period_us", "100000"},
                      {top + "/outer/cpu.cfs_quota_us", "250000"},
                      {top + "/outer/cpu.cfs_period_us", "100000"},
                      {top + "/outer/inner/cpu.cfs_quota_us", "-1"},
                      {top + "/outer/inner/cpu.cfs_period_us", "100000"}}),
            3);
}

TEST(cgroup_cores, reads_cpu_max_and_rounds_up) {
  const struct {
    const char* cpu_max;
    std::optional<int> cores;
  } cases[] = {
      {"50000 100000\n", 1},          {"100000 100000\n", 1},      {"100001 100000\n", 2},
      {"150000 100000\n", 2},         {"200000 100000\n", 2},      {"350000 100000", 4},
      {"1000 1000000\n", 1},          {"  200000\t100000  \n", 2}, {"18446744073709551615 1\n", 2147483647},
      {"max 100000\n", std::nullopt},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(cores_of({{k_own_groups, "0::/job\n"}, {k_groups + "/job/cpu.max", one.cpu_max}}), one.cores)
        << one.cpu_max;
  }
}

TEST(cgroup_cores, sees_no_limit_in_garbage) {
  const std::string cases[] = {"",
                               "\n",
                               "max",
                               "100000",
                               "100000 ",
                               "100000 max",
                               "0 100000",
                               "100000 0",
                               "-1 100000",
                               "-100000 100000",
                               "+100000 100000",
                               "1.5 1",
                               "100000 100000x",
                               "x100000 100000",
                               "100000\n100000\n",
                               "18446744073709551616 100000",
                               "99999999999999999999999999999999999999 1",
                               std::string(3, '\0'),
                               std::string("1\0 1", 4),
                               std::string(1'000'000, ' '),
                               std::string(1'000'000, '9'),
                               "\xff\xfe\xfd"};
  for (const auto& text : cases) {
    EXPECT_EQ(cores_of({{k_own_groups, "0::/job\n"}, {k_groups + "/job/cpu.max", text}}), std::nullopt)
        << text.substr(0, 40);
  }
}

TEST(cgroup_cores, takes_the_smallest_limit_up_to_the_top) {
  const struct {
    const char* why;
    const char* top;
    const char* outer;
    const char* inner;
    std::optional<int> cores;
  } cases[] = {
      {"the parent is smaller", "max 100000", "200000 100000", "400000 100000", 2},
      {"the group itself is smaller", "max 100000", "400000 100000", "50000 100000", 1},
      {"the top is smaller", "100000 100000", "400000 100000", "300000 100000", 1},
      {"only the parent limits", "max 100000", "300000 100000", "max 100000", 3},
      {"garbage below a limit", "max 100000", "300000 100000", "what?", 3},
      {"garbage above a limit", "", "###", "300000 100000", 3},
      {"periods differ", "max 100000", "30000 10000", "500000 250000", 2},
      {"nobody limits", "max 100000", "max 100000", "max 100000", std::nullopt},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(cores_of({{k_own_groups, "0::/outer/inner\n"},
                        {k_groups + "/cpu.max", one.top},
                        {k_groups + "/outer/cpu.max", one.outer},
                        {k_groups + "/outer/inner/cpu.max", one.inner}}),
              one.cores)
        << one.why;
  }
}

TEST(cgroup_cores, does_not_look_at_groups_beside_its_own) {
  EXPECT_EQ(cores_of({{k_own_groups, "0::/a/b\n"},
                      {k_groups + "/a/b/cpu.max", "300000 100000"},
                      {k_groups + "/a/other/cpu.max", "100000 100000"},
                      {k_groups + "/b/cpu.max", "100000 100000"}}),
            3);
}

TEST(cgroup_cores, reads_the_top_where_the_path_is_not_there) {
  const files top = {{k_groups + "/cpu.max", "200000 100000"}, {"sys/fs/other/cpu.max", "100000 100000"}};
  for (const std::string path : {"/", "", "/docker/0123456789abcdef", "/gone (deleted)"}) {
    files all = top;
    all.emplace_back(k_own_groups, "0::" + path + "\n");
    EXPECT_EQ(cores_of(all), 2) << path;
  }
}

TEST(cgroup_cores, takes_colons_and_blanks_in_a_path) {
  EXPECT_EQ(cores_of({{k_own_groups, "0::/a:b c/d\n"}, {k_groups + "/a:b c/d/cpu.max", "300000 100000"}}), 3);
}

TEST(cgroup_cores, understands_version_1) {
  const struct {
    const char* quota;
    const char* period;
    std::optional<int> cores;
  } cases[] = {
      {"50000\n", "100000\n", 1},     {"150000\n", "100000\n", 2},    {"-1\n", "100000\n", std::nullopt},
      {"150000\n", "", std::nullopt}, {"", "100000\n", std::nullopt}, {"150000\n", "0\n", std::nullopt},
  };
  for (const auto& one : cases) {
    for (const auto& group : {k_groups + "/cpu,cpuacct/job", k_groups + "/cpu,cpuacct"}) {
      EXPECT_EQ(cores_of({{k_own_groups, "12:cpuset:/other\n3:cpu,cpuacct:/job\n"},
                          {k_groups + "/cpuset/other/cpu.cfs_quota_us", "1000"},
                          {k_groups + "/cpuset/other/cpu.cfs_period_us", "1000"},
                          {group + "/cpu.cfs_quota_us", one.quota},
                          {group + "/cpu.cfs_period_us", one.period}}),
                one.cores)
          << one.quota << " / " << one.period;
    }
  }
}

TEST(cgroup_cores, takes_the_smaller_of_both_versions_side_by_side) {
  EXPECT_EQ(cores_of({{k_own_groups, "1:cpu:/one\n0::/two\n"},
                      {k_groups + "/cpu,cpuacct/one/cpu.cfs_quota_us", "400000"},
                      {k_groups + "/cpu,cpuacct/one/cpu.cfs_period_us", "100000"},
                      {k_groups + "/unified/two/cpu.max", "300000 100000"}}),
            3);
}

TEST(cgroup_cores, sees_no_limit_where_nothing_can_be_read) {
  EXPECT_EQ(cores_of({}), std::nullopt);
  EXPECT_EQ(cgroup_cores("/nowhere/at/all"), std::nullopt);
  EXPECT_EQ(cores_of({{k_own_groups + "/is_a_directory", ""}, {k_groups + "/cpu.max", "100000 100000"}}), std::nullopt);
  EXPECT_EQ(cores_of({{k_own_groups, "0::/job\n"}, {k_groups + "/job/cpu.max/is_a_directory", ""}}), std::nullopt);
  const std::string garbage[] = {"",
                                 "\n\n\n",
                                 ":",
                                 "0:",
                                 "0::",
                                 "no colons",
                                 std::string(200'000, 'x'),
                                 "::",
                                 ":::::",
                                 "0:cpu:",
                                 "0:,:/",
                                 std::string("\0:/", 3),
                                 std::string(200'000, ':'),
                                 std::string("0::").append(60'000, '/'),
                                 std::string("0::").append(4'096, '/')};
  for (const auto& text : garbage) {
    EXPECT_EQ(cores_of({{k_own_groups, text}}), std::nullopt) << text.substr(0, 40);
  }
}

// ---- memory ----

TEST(cgroup_memory, is_what_the_group_has_left) {
  const std::string group = k_groups + "/job";
  const struct {
    const char* why;
    files content;
    std::optional<std::uint64_t> bytes;
  } cases[] = {
      {"limit less use",
       {{group + "/memory.max", "104857600\n"}, {group + "/memory.current", "1048576\n"}},
       99 * k_mib},
      {"no limit", {{group + "/memory.max", "max\n"}, {group + "/memory.current", "1048576\n"}}, std::nullopt},
      {"use unknown", {{group + "/memory.max", "1048576"}}, k_mib},
      {"over the limit", {{group + "/memory.max", "1048576"}, {group + "/memory.current", "99999999"}}, 0},
      {"cache that can be dropped is free",
       {{group + "/memory.max", "10485760"},
        {group + "/memory.current", "9437184"},
        {group + "/memory.stat", "anon 5\nfile 9999999999\ninactive_file 4194304\nactive_file 1\n"}},
       5 * k_mib},
      {"more cache than use",
       {{group + "/memory.max", "10485760"},
        {group + "/memory.current", "1048576"},
        {group + "/memory.stat", "inactive_file 4194304"}},
       10 * k_mib},
      {"garbage", {{group + "/memory.max", "lots"}, {group + "/memory.current", "9"}}, std::nullopt},
      {"garbage in use", {{group + "/memory.max", "1048576"}, {group + "/memory.current", "-4"}}, k_mib},
  };
  for (const auto& one : cases) {
    files content = one.content;
    content.emplace_back(k_own_groups, "0::/job\n");
    EXPECT_EQ(memory_of(content), one.bytes) << one.why;
  }
}

TEST(cgroup_memory, takes_the_parent_that_has_less_left) {
  EXPECT_EQ(memory_of({{k_own_groups, "0::/outer/inner\n"},
                       {k_groups + "/outer/memory.max", "10485760"},
                       {k_groups + "/outer/memory.current", "8388608"},
                       {k_groups + "/outer/inner/memory.max", "5242880"},
                       {k_groups + "/outer/inner/memory.current", "1048576"}}),
            2 * k_mib);
}

TEST(cgroup_memory, sees_no_limit_in_the_largest_number_of_version_1) {
  for (const std::string unlimited :
       {"9223372036854771712\n", "9223372036854710272\n", "18446744073709551615\n", "-1\n"}) {
    EXPECT_EQ(memory_of({{k_own_groups, "4:memory:/job\n"},
                         {k_groups + "/memory/job/memory.limit_in_bytes", unlimited},
                         {k_groups + "/memory/job/memory.usage_in_bytes", "9437184\n"}}),
              std::nullopt)
        << unlimited;
  }
}

TEST(cgroup_memory, takes_the_parent_that_has_less_left_in_version_1) {
  EXPECT_EQ(memory_of({{k_own_groups, "4:memory:/outer/inner\n"},
                       {k_groups + "/memory/outer/memory.limit_in_bytes", "10485760"},
                       {k_groups + "/memory/outer/memory.usage_in_bytes", "8388608"},
                       {k_groups + "/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712"},
                       {k_groups + "/memory/outer/inner/memory.usage_in_bytes", "1048576"}}),
            2 * k_mib);
}

TEST(cgroup_memory, understands_version_1) {
  EXPECT_EQ(memory_of({{k_own_groups, "4:memory:/job\n0::/\n"},
                       {k_groups + "/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                       {k_groups + "/memory/job/memory.limit_in_bytes", "10485760\n"},
                       {k_groups + "/memory/job/memory.usage_in_bytes", "9437184\n"},
                       {k_groups + "/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 1048576\n"}}),
            2 * k_mib);
}

}  // namespace
