// SPDX-License-Identifier: Apache-2.0
// Parts of a program under mpirun, each of which its command line can name.
#pragma once

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace support {

struct part {
  std::string_view name;
  int (*run)();  // 0: it holds
};

/// Runs the part that is named, or all of them. Returns how `program` ends.
inline int run_parts(std::string_view program, std::span<const part> parts, std::string_view what) {
  const auto is_meant = [what](const part& p) { return p.name == what || what == "all"; };
  const std::string begin = std::string(program) + ": ";
  if (std::none_of(parts.begin(), parts.end(), is_meant)) {
    std::string names = "all";
    for (const part& p : parts) {
      names += (&p == &parts.back() ? " or " : ", ") + std::string(p.name);
    }
    std::fprintf(stderr, "%s%s, not '%s'\n", begin.c_str(), names.c_str(), std::string(what).c_str());
    return 2;
  }
  int failed = 0;
  for (const part& p : parts) {
    if (is_meant(p) && p.run() != 0) {
      std::fprintf(stderr, "%s%s failed\n", begin.c_str(), std::string(p.name).c_str());
      failed = 1;
    }
  }
  return failed;
}

}  // namespace support
