// SPDX-License-Identifier: Apache-2.0
// Problem many_places: what `--size` places take that have nothing to do, or little. Shapes:
//   start     a runtime is made, an empty body run, and the runtime ended; the unit is one runtime
//   idle      the only task waits for an event from outside; look at cpu_seconds
//   memory    resident memory with all places there, less that with one; look at bytes_per_place
//   finishes  a million finishes with a task at another place each; resident memory after each tenth of them
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace bench {

class many_places_problem {
public:
  static constexpr std::uint64_t k_finishes = 1'000'000;
  static constexpr std::uint64_t k_parts = 10;

  explicit many_places_problem(const options& o)
      : shape_(o.shape.empty() ? "start" : o.shape),
        places_(o.size != 0            ? static_cast<int>(o.size)
                : shape_ == "finishes" ? 4
                                       : 64),
        workers_(std::max(1, o.threads / places_)),
        seconds_(o.seconds) {
    if (shape_ != "start" && shape_ != "idle" && shape_ != "memory" && shape_ != "finishes") {
      throw std::invalid_argument("many_places: --shape is start, idle, memory or finishes, not '" + shape_ + "'");
    }
  }

  [[nodiscard]] const std::string& shape() const { return shape_; }
  [[nodiscard]] int places() const { return places_; }
  /// Of each place: as many as --threads has for it, at least one.
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] double seconds() const { return seconds_; }

  void done(std::uint64_t n) { done_ += n; }
  void resident(std::uint64_t bytes) { resident_.push_back(bytes); }

  void reset() {
    done_ = 0;
    resident_.clear();
  }
  void verify() const {
    if (done_ != operations()) throw wrong_answer("not all that was asked for was done");
  }
  [[nodiscard]] std::uint64_t operations() const { return shape_ == "finishes" ? k_finishes : 1; }
  void report(nlohmann::json& line) const {
    line["shape"] = shape_;
    line["places"] = places_;
    line["workers"] = workers_;
    if (shape_ == "memory" && resident_.size() == 2) {
      line["bytes_per_place"] = (static_cast<double>(resident_[1]) - static_cast<double>(resident_[0])) / (places_ - 1);
    }
    if (shape_ == "finishes") line["resident_after"] = resident_;
  }

private:
  std::string shape_;
  int places_;
  int workers_;
  double seconds_;
  std::uint64_t done_ = 0;
  std::vector<std::uint64_t> resident_;
};

}  // namespace bench
