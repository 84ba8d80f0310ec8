// SPDX-License-Identifier: Apache-2.0
// Which processors are near one another, from a machine made of files.
#include "base/topology.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using tactus::detail::distance_to;
using tactus::detail::neighbourhoods;
using tactus::detail::numa_node_of;
using tactus::detail::parse_processors;
using set = std::vector<int>;

TEST(processor_list, is_read_as_the_kernel_writes_it) {
  EXPECT_EQ(parse_processors("0"), set{0});
  EXPECT_EQ(parse_processors("0-3\n"), (set{0, 1, 2, 3}));
  EXPECT_EQ(parse_processors("8,0-1,4-5"), (set{0, 1, 4, 5, 8}));
  EXPECT_EQ(parse_processors("2-2,2"), set{2});
}

TEST(processor_list, that_is_not_understood_is_none) {
  for (const char* const bad : {"", "\n", "-1", "1-", "3-1", "1,,2", "1,", "a", "1 2", "0-99999999999", "2000000"}) {
    EXPECT_EQ(parse_processors(bad), std::nullopt) << bad;
  }
}

// Two packages of two caches of two cores of two threads each: processors p and p + 8 are threads of one core.
class machine_of_files : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "tactus-topology-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    for (int p = 0; p < 16; ++p) {
      const int core = p % 8;
      const int cache = core / 2 * 2;
      const int package = core / 4 * 4;
      write(p, "cache/index0/shared_cpu_list", pair(core));
      write(p, "cache/index1/shared_cpu_list", pair(core));
      write(p, "cache/index2/shared_cpu_list", range(cache, cache + 1));
      write(p, "topology/package_cpus_list", range(package, package + 3));
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(int processor, const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }

  static std::string pair(int core) { return std::to_string(core) + "," + std::to_string(core + 8); }
  static std::string range(int first, int last) {
    return std::to_string(first) + "-" + std::to_string(last) + "," + std::to_string(first + 8) + "-" +
           std::to_string(last + 8);
  }

  std::string root_;
};

TEST_F(machine_of_files, has_neighbourhoods_that_grow) {
  const std::vector<set> expected = {{1, 9}, {0, 1, 8, 9}, {0, 1, 2, 3, 8, 9, 10, 11}};
  EXPECT_EQ(neighbourhoods(1, root_), expected);
  EXPECT_EQ(neighbourhoods(9, root_), expected);
}

TEST_F(machine_of_files, has_nodes_of_memory) {
  const std::filesystem::path nodes = root_ + "/sys/devices/system/node";
  EXPECT_EQ(numa_node_of(3, root_), set{3});  // nobody says
  std::filesystem::create_directories(nodes / "node0");
  std::filesystem::create_directories(nodes / "node2");
  std::ofstream(nodes / "online") << "0,2\n";
  std::ofstream(nodes / "node0" / "cpulist") << range(0, 3) << '\n';
  std::ofstream(nodes / "node2" / "cpulist") << range(4, 7) << '\n';
  EXPECT_EQ(numa_node_of(3, root_), (set{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(numa_node_of(15, root_), (set{4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(numa_node_of(16, root_), set{16});  // of no node
}

TEST_F(machine_of_files, has_distances) {
  const std::vector<set> around = neighbourhoods(4, root_);
  EXPECT_EQ(distance_to(4, around), 0u);
  EXPECT_EQ(distance_to(12, around), 0u);
  EXPECT_EQ(distance_to(5, around), 1u);
  EXPECT_EQ(distance_to(6, around), 2u);
  EXPECT_EQ(distance_to(15, around), 2u);
  EXPECT_EQ(distance_to(3, around), 3u);
  EXPECT_EQ(distance_to(99, around), 3u);
}

TEST_F(machine_of_files, leaves_out_what_it_does_not_understand) {
  write(2, "cache/index2/shared_cpu_list", "everybody");
  write(2, "topology/package_cpus_list", "0-1");  // without processor 2 itself
  EXPECT_EQ(neighbourhoods(2, root_), (std::vector<set>{{2, 10}}));
}

TEST(neighbourhoods_test, of_a_processor_that_is_not_there_are_none) {
  EXPECT_TRUE(neighbourhoods(0, "/nonexistent").empty());
  EXPECT_EQ(distance_to(0, {}), 0u);
}

TEST(neighbourhoods_test, of_this_machine_hold_the_processor) {
  for (const set& s : neighbourhoods(0)) EXPECT_EQ(distance_to(0, {s}), 0u);
}

}  // namespace
