// SPDX-License-Identifier: Apache-2.0
// The files in which the kernel tells about control groups, parted by an empty line each: the table of mounts, the groups
// of the process, cpu.max.
#include "targets.hpp"

#include <string>

#include "base/cgroups.hpp"

namespace fuzz {
namespace {

std::string_view take_file(std::string_view& text) {
  const auto end = text.find("\n\n");
  const auto file = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  return file;
}

}  // namespace

void cgroups(std::string_view text) {
  const std::string_view mountinfo = take_file(text);
  const std::string_view membership = take_file(text);
  for (const std::string_view controller : {"cpu", "memory"}) {
    for (const auto& one : tactus::detail::cgroup_hierarchies(mountinfo, membership, controller)) {
      require(one.mount.starts_with('/'), "a mount is an absolute path");
      require(one.path.empty() || one.path.starts_with('/'), "a path leads down");
      require((one.path + '/').find("/../") == std::string::npos, "a path does not climb");
      require(one.mount.size() + one.path.size() < 4096, "a directory that can be opened");
    }
  }
  const auto cores = tactus::detail::cores_of_cpu_max(text);
  require(!cores || *cores >= 1, "a quota is a core or more");
}

}  // namespace fuzz
