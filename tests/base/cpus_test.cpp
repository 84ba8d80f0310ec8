// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/cpus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace {

using tactus::detail::affinity_processors;
using tactus::detail::available_memory;
using tactus::detail::cgroup_cores;
using tactus::detail::cgroup_memory;
using tactus::detail::usable_cores;

using files = std::vector<std::pair<std::string, std::string>>;  // path below the root, content

// A directory that plays the part of "/" and goes away with the test.
class machine {
public:
  explicit machine(const files& content) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-cpus-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + pattern);
    root_ = pattern;
    for (const auto& [path, text] : content) {
      const auto file = root_ / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << text;
    }
  }
  ~machine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  [[nodiscard]] std::string root() const { return root_.string(); }

private:
  std::filesystem::path root_;
};

const std::string k_self = "proc/self/cgroup";
const std::string k_top = "sys/fs/cgroup";

std::optional<int> cores_of(const files& content) { return cgroup_cores(machine(content).root()); }
std::optional<std::uint64_t> memory_of(const files& content) { return cgroup_memory(machine(content).root()); }

constexpr std::uint64_t k_mib = 1024 * 1024;

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
    EXPECT_EQ(cores_of({{k_self, "0::/job\n"}, {k_top + "/job/cpu.max", one.cpu_max}}), one.cores) << one.cpu_max;
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
    EXPECT_EQ(cores_of({{k_self, "0::/job\n"}, {k_top + "/job/cpu.max", text}}), std::nullopt) << text.substr(0, 40);
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
    EXPECT_EQ(cores_of({{k_self, "0::/outer/inner\n"},
                        {k_top + "/cpu.max", one.top},
                        {k_top + "/outer/cpu.max", one.outer},
                        {k_top + "/outer/inner/cpu.max", one.inner}}),
              one.cores)
        << one.why;
  }
}

TEST(cgroup_cores, does_not_look_at_groups_beside_its_own) {
  EXPECT_EQ(cores_of({{k_self, "0::/a/b\n"},
                      {k_top + "/a/b/cpu.max", "300000 100000"},
                      {k_top + "/a/other/cpu.max", "100000 100000"},
                      {k_top + "/b/cpu.max", "100000 100000"}}),
            3);
}

TEST(cgroup_cores, reads_the_top_where_the_path_is_not_visible) {
  const files top = {{k_top + "/cpu.max", "200000 100000"}, {"sys/fs/other/cpu.max", "100000 100000"}};
  for (const std::string path : {"/", "", "/docker/0123456789abcdef", "/../other", "/../../x", "/gone (deleted)"}) {
    files all = top;
    all.emplace_back(k_self, "0::" + path + "\n");
    EXPECT_EQ(cores_of(all), 2) << path;
  }
}

TEST(cgroup_cores, takes_colons_and_blanks_in_a_path) {
  EXPECT_EQ(cores_of({{k_self, "0::/a:b c/d\n"}, {k_top + "/a:b c/d/cpu.max", "300000 100000"}}), 3);
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
    for (const auto& group : {k_top + "/cpu,cpuacct/job", k_top + "/cpu/job"}) {
      EXPECT_EQ(cores_of({{k_self, "12:cpuset:/other\n3:cpu,cpuacct:/job\n"},
                          {k_top + "/cpuset/other/cpu.cfs_quota_us", "1000"},
                          {k_top + "/cpuset/other/cpu.cfs_period_us", "1000"},
                          {group + "/cpu.cfs_quota_us", one.quota},
                          {group + "/cpu.cfs_period_us", one.period}}),
                one.cores)
          << one.quota << " / " << one.period;
    }
  }
}

TEST(cgroup_cores, takes_the_smaller_of_both_versions_side_by_side) {
  EXPECT_EQ(cores_of({{k_self, "1:cpu:/one\n0::/two\n"},
                      {k_top + "/cpu/one/cpu.cfs_quota_us", "400000"},
                      {k_top + "/cpu/one/cpu.cfs_period_us", "100000"},
                      {k_top + "/unified/two/cpu.max", "300000 100000"}}),
            3);
}

TEST(cgroup_cores, sees_no_limit_where_nothing_can_be_read) {
  EXPECT_EQ(cores_of({}), std::nullopt);
  EXPECT_EQ(cgroup_cores("/nowhere/at/all"), std::nullopt);
  EXPECT_EQ(cores_of({{k_self + "/is_a_directory", ""}, {k_top + "/cpu.max", "100000 100000"}}), std::nullopt);
  EXPECT_EQ(cores_of({{k_self, "0::/job\n"}, {k_top + "/job/cpu.max/is_a_directory", ""}}), std::nullopt);
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
    EXPECT_EQ(cores_of({{k_self, text}}), std::nullopt) << text.substr(0, 40);
  }
}

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
    const machine fake({{k_self, "0::/\n"}, {k_top + "/cpu.max", one.cpu_max}});
    EXPECT_EQ(usable_cores(fake.root()), one.cores) << one.cpu_max;
  }
  EXPECT_EQ(usable_cores("/nowhere/at/all"), processors);
}

TEST(cgroup_memory, is_what_the_group_has_left) {
  const std::string group = k_top + "/job";
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
    content.emplace_back(k_self, "0::/job\n");
    EXPECT_EQ(memory_of(content), one.bytes) << one.why;
  }
}

TEST(cgroup_memory, takes_the_parent_that_has_less_left) {
  EXPECT_EQ(memory_of({{k_self, "0::/outer/inner\n"},
                       {k_top + "/outer/memory.max", "10485760"},
                       {k_top + "/outer/memory.current", "8388608"},
                       {k_top + "/outer/inner/memory.max", "5242880"},
                       {k_top + "/outer/inner/memory.current", "1048576"}}),
            2 * k_mib);
}

TEST(cgroup_memory, understands_version_1) {
  EXPECT_EQ(memory_of({{k_self, "4:memory:/job\n0::/\n"},
                       {k_top + "/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                       {k_top + "/memory/job/memory.limit_in_bytes", "10485760\n"},
                       {k_top + "/memory/job/memory.usage_in_bytes", "9437184\n"},
                       {k_top + "/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 1048576\n"}}),
            2 * k_mib);
}

TEST(available_memory, is_the_smaller_of_machine_and_group) {
  const std::string meminfo = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:      10240 kB\n";
  EXPECT_EQ(available_memory(machine({{"proc/meminfo", meminfo}}).root()), 10 * k_mib);
  EXPECT_EQ(available_memory(
                machine({{"proc/meminfo", meminfo}, {k_self, "0::/\n"}, {k_top + "/memory.max", "4194304"}}).root()),
            4 * k_mib);
  EXPECT_EQ(available_memory(
                machine({{"proc/meminfo", meminfo}, {k_self, "0::/\n"}, {k_top + "/memory.max", "41943040"}}).root()),
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

}  // namespace
