// SPDX-License-Identifier: Apache-2.0
// Problem label_costs: what it costs at home that a task may move, and does not. Shapes:
//   plain     async_at(here(), f)
//   flexible  async_at(place_flexible, f), under the policy that --placement names
//   profiled  the same, and a profile is kept; the clock stops before that is written
// There are two places of one worker. The other one computes until the pass is over, so nobody starves, and nothing moves. The unit is one task,
// spawned and run; --body-ns says how long it computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/busy_work.hpp"
#include "support/program.hpp"
#include "support/stopwatch.hpp"

namespace bench {

class label_costs_problem {
public:
  enum class form : std::uint8_t { plain, flexible, profiled };

  explicit label_costs_problem(const options& o)
      : shape_(o.shape.empty() ? "plain" : o.shape),
        form_(form_of(shape_)),
        tasks_(o.size != 0      ? o.size
               : o.body_ns == 0 ? 100'000
                                : 2'000),
        body_ns_(o.body_ns),
        steps_(steps_taking(o.body_ns)) {}

  [[nodiscard]] form what() const { return form_; }
  [[nodiscard]] std::uint64_t steps_of_a_task() const { return steps_; }

  /// A pass: so many tasks ran where they were spawned, and all of them took so long.
  void done(std::uint64_t ran_at_home, duration took) {
    ran_ = ran_at_home;
    took_ = took;
  }
  [[nodiscard]] duration timed_part() const { return took_; }

  void reset() { done(0, {}); }
  void verify() const {
    if (ran_ != tasks_) {
      throw wrong_answer("label_costs: " + std::to_string(ran_) + " of " + std::to_string(tasks_) +
                         " tasks ran where they were spawned");
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return tasks_; }
  void report(nlohmann::json& line) const {
    line["shape"] = shape_;
    line["body_ns"] = body_ns_;
  }

private:
  static form form_of(std::string_view shape) {
    constexpr std::array<std::string_view, 3> k_shapes{"plain", "flexible", "profiled"};
    for (std::size_t i = 0; i < k_shapes.size(); ++i) {
      if (k_shapes[i] == shape) return static_cast<form>(i);
    }
    throw std::invalid_argument("label_costs: --shape is plain, flexible or profiled, not '" + std::string(shape) +
                                "'");
  }

  std::string shape_;
  form form_;
  std::uint64_t tasks_;
  double body_ns_;
  std::uint64_t steps_;
  std::uint64_t ran_ = 0;
  duration took_;
};

}  // namespace bench
