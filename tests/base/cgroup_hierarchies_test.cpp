// SPDX-License-Identifier: Apache-2.0
#include "base/cgroups.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/machine.hpp"

namespace {

using support::mount_line;
using tactus::detail::cgroup_hierarchies;
using tactus::detail::cgroup_hierarchy;
using tactus::detail::cgroup_version;

using hierarchies = std::vector<cgroup_hierarchy>;

TEST(cgroup_hierarchies, joins_the_mount_and_the_path_of_the_process) {
  EXPECT_EQ(cgroup_hierarchies(mount_line("/", "/sys/fs/cgroup", "cgroup2", "rw"), "0::/a/b\n", "cpu"),
            (hierarchies{{cgroup_version::v2, "/sys/fs/cgroup", "/a/b"}}));
}

TEST(cgroup_hierarchies, finds_the_controller_wherever_it_is_mounted) {
  const std::string mounts = mount_line("/", "/groups/time", "cgroup", "rw,cpu,cpuacct") +
                             mount_line("/", "/groups/sets", "cgroup", "rw,cpuset") +
                             mount_line("/", "/groups/ram", "cgroup", "rw,memory");
  const std::string own = "4:memory:/m\n3:cpuset:/s\n2:cpuacct,cpu:/t\n1:name=systemd:/x\n";
  EXPECT_EQ(cgroup_hierarchies(mounts, own, "cpu"), (hierarchies{{cgroup_version::v1, "/groups/time", "/t"}}));
  EXPECT_EQ(cgroup_hierarchies(mounts, own, "memory"), (hierarchies{{cgroup_version::v1, "/groups/ram", "/m"}}));
  EXPECT_EQ(cgroup_hierarchies(mounts, own, "pids"), hierarchies{});
}

TEST(cgroup_hierarchies, finds_both_versions_side_by_side) {
  const std::string mounts = mount_line("/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory") +
                             mount_line("/", "/sys/fs/cgroup/unified", "cgroup2", "rw,nsdelegate");
  EXPECT_EQ(cgroup_hierarchies(mounts, "4:memory:/m\n0::/u\n", "memory"),
            (hierarchies{{cgroup_version::v1, "/sys/fs/cgroup/memory", "/m"},
                         {cgroup_version::v2, "/sys/fs/cgroup/unified", "/u"}}));
}

// The root of a mount, the path of the process, and the way between; "none" where the mount shows other groups.
TEST(cgroup_hierarchies, goes_from_the_root_of_the_mount_to_the_process) {
  const struct {
    const char* why;
    std::string root;
    std::string own;
    std::string path;
  } cases[] = {
      {"a container with its own group mounted", "/docker/id", "/docker/id", ""},
      {"a group inside of it", "/docker/id", "/docker/id/job", "/job"},
      {"another group whose name begins alike", "/docker/id", "/docker/id2", "none"},
      {"another group", "/docker/id", "/system/job", "none"},
      {"a group above", "/docker/id", "/docker", "none"},
      {"the root of a name space", "/", "/", ""},
      {"no path", "/", "", ""},
      {"a path that is none", "/", "job", "none"},
      {"a mount from outside the name space", "/..", "/", ""},
      {"a mount from far outside, whose names nobody knows", "/../../..", "/job", ""},
      {"a mount of a group beside the name space", "/../other", "/", "none"},
      {"a process beside its name space, seen from above", "/..", "/../other", "/other"},
      {"a process beside its name space, seen from itself", "/../other", "/../other/job", "/job"},
      {"a process beside its name space, seen from inside", "/", "/../other", "none"},
      {"a process above its name space", "/", "/..", "none"},
      {"both far outside", "/../../a", "/../../a/b", "/b"},
      {"a path that climbs out again", "/docker/id", "/docker/id/../other", "none"},
      {"a path that climbs at its end", "/", "/a/..", "none"},
      {"names that only begin with dots", "/..a", "/..a/b", "/b"},
  };
  for (const auto& one : cases) {
    const auto found = cgroup_hierarchies(mount_line(one.root, "/cg", "cgroup2", "rw"), "0::" + one.own + "\n", "cpu");
    const hierarchies expected =
        one.path == "none" ? hierarchies{} : hierarchies{{cgroup_version::v2, "/cg", one.path}};
    EXPECT_EQ(found, expected) << one.why;
  }
}

TEST(cgroup_hierarchies, reads_escaped_names) {
  EXPECT_EQ(cgroup_hierarchies(mount_line("/my\\040jobs", "/mnt/c\\134g\\011x\\9", "cgroup2", "rw"),
                               "0::/my jobs/one\n", "cpu"),
            (hierarchies{{cgroup_version::v2, "/mnt/c\\g\tx\\9", "/one"}}));
}

TEST(cgroup_hierarchies, takes_a_mount_without_source_or_with_more_options) {
  const std::string lines[] = {
      "31 23 0:28 / /cg rw - cgroup  rw,cpu\n",
      "31 23 0:28 / /cg rw shared:1 master:2 propagate_from:3 unbindable - cgroup cgroup rw,cpu,cpuacct",
      "31 23 0:28 / /cg rw - cgroup cgroup cpu\n",
  };
  for (const std::string& line : lines) {
    EXPECT_EQ(cgroup_hierarchies(line, "1:cpu:/a\n", "cpu"), (hierarchies{{cgroup_version::v1, "/cg", "/a"}})) << line;
  }
}

TEST(cgroup_hierarchies, finds_none_in_garbage) {
  const std::string texts[] = {"",
                               "\n\n",
                               " - ",
                               " - cgroup2",
                               "- cgroup2 x rw",
                               "31 23 0:28 / /cg rw cgroup2 none rw\n",
                               "31 23 0:28 / /cg rw - cgroup none rw,cpuset\n",
                               "31 23 0:28 / /cg rw - tmpfs none rw,cpu\n",
                               std::string(3, '\0')};
  for (const std::string& text : texts)
    EXPECT_EQ(cgroup_hierarchies(text, "1:cpu:/a\n0::/x\n", "cpu"), hierarchies{}) << text;
  const std::string mount = mount_line("/", "/cg", "cgroup2", "rw");
  for (const std::string own : {"", "\n", ":", "0:", "no colons", "1:cpu:/a\n"})
    EXPECT_EQ(cgroup_hierarchies(mount, own, "cpu"), hierarchies{}) << own;
  EXPECT_EQ(cgroup_hierarchies(mount, "0::/" + std::string(5000, 'x'), "cpu"), hierarchies{}) << "no such path opens";
}

}  // namespace
