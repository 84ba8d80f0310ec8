// SPDX-License-Identifier: Apache-2.0
// Problem timeline: named tasks of --body-ns each, under one finish, with a timeline that is kept (--shape on) or without
// (--shape off). Each stores one byte. What is timed is the run; the file is written when the runtime ends. The unit is one task.
#pragma once

#include <cstdint>
#include <string>

#include "support/busy_work.hpp"
#include "support/marks.hpp"

namespace bench {

class timeline_problem : public marks {
public:
  static constexpr std::uint64_t k_default_size = 5'000;

  explicit timeline_problem(const options& o)
      : marks(o.size == 0 ? k_default_size : o.size), shape_(o.shape), body_steps_(steps_taking(o.body_ns)) {
    if (shape_ != "on" && shape_ != "off") {
      throw std::invalid_argument("timeline: --shape is on or off, not '" + shape_ + "'");
    }
  }

  /// What task i does.
  void work(std::uint64_t i) {
    compute(body_steps_);
    set(i);
  }

  [[nodiscard]] bool kept() const { return shape_ == "on"; }
  [[nodiscard]] std::uint64_t operations() const { return size(); }

  void report(nlohmann::json& line) const {
    line["size"] = size();
    line["shape"] = shape_;
    line["body_steps"] = body_steps_;
  }

private:
  std::string shape_;
  std::uint64_t body_steps_;
};

}  // namespace bench
