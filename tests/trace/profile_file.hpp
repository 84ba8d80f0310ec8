// SPDX-License-Identifier: Apache-2.0
// A profile, read by what docs/profile-format.md says.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace profile_file {

struct site {
  std::uint64_t number;
  std::string kind;
  std::uint64_t spawned;
  std::int64_t body, inclusive, after;
  std::uint64_t bytes, result_bytes, accesses, uses, flexible_parents;
};

struct row {
  std::uint64_t id, parent;
  int place;
  std::int64_t ns;
  std::uint64_t bytes, result_bytes;
  std::string kind;
  std::uint64_t site;
};

struct seen {
  std::map<std::string, site> sites;
  std::vector<row> rows;
  std::string first, run, end;
};

inline seen read(const std::string& file) {
  seen all;
  std::ifstream in(file);
  std::getline(in, all.first);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (line.starts_with("run ")) {
      all.run = line;
    } else if (line.starts_with("end ")) {
      all.end = line;
    } else if (line.starts_with("site ")) {
      std::string word;
      std::string name;
      site s{};
      words >> word >> s.number >> s.kind >> s.spawned >> s.body >> s.inclusive >> s.after >> s.bytes >>
          s.result_bytes >> s.accesses >> s.uses >> s.flexible_parents;
      std::getline(words >> std::ws, name);
      EXPECT_TRUE(all.sites.emplace(name, s).second) << name;
    } else {
      row r{};
      words >> r.id >> r.parent >> r.place >> r.ns >> r.bytes >> r.result_bytes >> r.kind >> r.site;
      EXPECT_FALSE(words.fail()) << line;
      all.rows.push_back(r);
    }
  }
  return all;
}

}  // namespace profile_file
