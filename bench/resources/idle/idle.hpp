// SPDX-License-Identifier: Apache-2.0
// Problem idle: processor time that a pool uses while it has nothing to do. The unit is one second watched;
// look at cpu_seconds. Shapes:
//   parked   between runs: the workers exist, no task does
//   waiting  inside a run: the only task waits for an event from outside (Tactus alone can say this)
#pragma once

#include <chrono>
#include <thread>

#include "support/program.hpp"

namespace bench {

class idle_problem {
public:
  explicit idle_problem(const options& o) : seconds_(o.seconds), shape_(o.shape.empty() ? "parked" : o.shape) {
    if (shape_ != "parked" && shape_ != "waiting") {
      throw std::invalid_argument("idle: --shape is parked or waiting, not '" + shape_ + "'");
    }
  }

  [[nodiscard]] bool waiting() const { return shape_ == "waiting"; }

  /// Lets the time pass without using any; this thread is no worker.
  void watch() {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    watched_ = true;
  }

  void reset() { watched_ = false; }
  void verify() const {
    if (!watched_) throw wrong_answer("nothing was watched");
  }
  [[nodiscard]] std::uint64_t operations() const { return 1; }
  void report(nlohmann::json& line) const {
    line["shape"] = shape_;
    line["watched_seconds"] = seconds_;
  }

private:
  double seconds_;
  std::string shape_;
  bool watched_ = false;
};

}  // namespace bench
