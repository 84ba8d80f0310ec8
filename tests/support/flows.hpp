// SPDX-License-Identifier: Apache-2.0
// Reads the arrows of a timeline, which Chrome's format calls flows, and expects of each what the viewers ask: both ends lie in
// slices.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace support {

using nlohmann::json;

struct slice {
  int worker;
  std::string name;
  std::uint64_t task;
  double begin;
  double end;
};

struct arrow {
  std::string what;
  slice from;
  slice to;
  double begin;
  double end;
};

inline std::size_t count(const std::vector<arrow>& all, const std::string& what, const std::string& from,
                         const std::string& to) {
  const auto is_meant = [&](const arrow& a) { return a.what == what && a.from.name == from && a.to.name == to; };
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_meant));
}

// Reads the events in the order of the file, as viewers that sort them by time leave those of one time: an end that finds no open
// slice on its worker there points at nothing.
class flows {
public:
  explicit flows(const json& timeline) {
    for (const json& e : timeline.at("traceEvents")) {
      const std::string phase = e.at("ph");
      if (phase == "B") {
        begin(e);
      } else if (phase == "E") {
        slices_[open_.at(e.at("tid"))].end = e.at("ts");
        open_.erase(e.at("tid"));
      } else if (phase == "s" || phase == "f") {
        add_end(e, phase == "s");
      }
    }
    for (const auto& [key, ends] : ends_) complete(key, ends);
  }

  [[nodiscard]] const std::vector<arrow>& arrows() const { return arrows_; }
  [[nodiscard]] const std::vector<slice>& slices() const { return slices_; }

private:
  struct end {
    std::size_t slice;
    double time;
  };
  struct both {
    std::vector<end> starts;
    std::vector<end> finishes;
  };

  void begin(const json& e) {
    open_[e.at("tid")] = slices_.size();
    slices_.push_back({e.at("tid"), e.at("name"), e.at("args").at("task"), e.at("ts"), 0});
  }

  void add_end(const json& e, bool starts) {
    ASSERT_TRUE(open_.contains(e.at("tid"))) << e << " lies in no slice";
    EXPECT_EQ(e.value("bp", ""), starts ? "" : "e") << e;
    EXPECT_EQ(e.at("name"), e.at("cat")) << e;
    const json& id = e.at("id");
    both& ends = ends_[{e.at("cat"),
                        id.is_string() ? std::stoull(id.get<std::string>(), nullptr, 16) : id.get<std::uint64_t>()}];
    (starts ? ends.starts : ends.finishes).push_back({open_[e.at("tid")], e.at("ts")});
  }

  void complete(const std::pair<std::string, std::uint64_t>& key, const both& ends) {
    const std::string shown = key.first + ' ' + std::to_string(key.second);
    ASSERT_EQ(ends.starts.size(), 1u) << shown;
    ASSERT_EQ(ends.finishes.size(), 1u) << shown;
    const end from = ends.starts.front();
    const end to = ends.finishes.front();
    const arrow a{key.first, slices_[from.slice], slices_[to.slice], from.time, to.time};
    EXPECT_LE(a.from.begin, a.begin) << shown;
    EXPECT_LE(a.begin, a.from.end) << shown;
    EXPECT_EQ(a.end, a.to.begin) << shown;
    EXPECT_LE(a.begin, a.end) << shown;
    EXPECT_EQ(a.from.task == a.to.task, a.what == "move") << shown;
    arrows_.push_back(a);
  }

  std::vector<slice> slices_;
  std::map<int, std::size_t> open_;  // by worker
  std::map<std::pair<std::string, std::uint64_t>, both> ends_;
  std::vector<arrow> arrows_;
};

}  // namespace support
