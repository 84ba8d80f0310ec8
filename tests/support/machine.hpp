// SPDX-License-Identifier: Apache-2.0
// A machine as the kernel's files tell of it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary.hpp"

namespace support {

using files = std::vector<std::pair<std::string, std::string>>;  // path below the root, content

inline const std::string k_own_groups = "proc/self/cgroup";
inline const std::string k_mounts = "proc/self/mountinfo";
inline const std::string k_groups = "sys/fs/cgroup";

/// One line of the table of mounts.
inline std::string mount_line(const std::string& root, const std::string& where, const std::string& type,
                              const std::string& options) {
  return "31 23 0:28 " + root + " " + where + " rw,nosuid shared:9 - " + type + " none " + options + "\n";
}

/// Both versions where distributions mount them.
inline std::string usual_mounts() {
  std::string text = "22 1 8:1 / / rw - ext4 /dev/root rw\n" + mount_line("/", "/sys/fs/cgroup", "cgroup2", "rw") +
                     mount_line("/", "/sys/fs/cgroup/unified", "cgroup2", "rw");
  for (const std::string controllers : {"cpu,cpuacct", "cpuset", "memory"})
    text += mount_line("/", "/sys/fs/cgroup/" + controllers, "cgroup", "rw," + controllers);
  return text;
}

/// A directory that plays the part of "/" and goes away with the test. It has the usual mounts unless told otherwise.
class machine {
public:
  explicit machine(files content) {
    if (std::ranges::find(content, k_mounts, &files::value_type::first) == content.end())
      content.emplace_back(k_mounts, usual_mounts());
    for (const auto& [path, text] : content) {
      const std::filesystem::path file = root_.path() / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << text;
    }
  }

  [[nodiscard]] std::string root() const { return root_.path().string(); }

private:
  temporary_folder root_;
};

}  // namespace support
