// SPDX-License-Identifier: Apache-2.0
// Problem place_calls: what single uses of places cost. Shapes:
//   busy     a message to a place that computes for 10 ms: how long until somebody has taken it; a pass counts what the 99th
//            of 100 took, as often as there are messages; the unit is one of these
//   at_busy  at(), there and back, to a place that computes for 10 ms, and has one worker; the unit is one
//   parked   at(), there and back, to a place that has had nothing to do for a while and sleeps; the unit is one
//   move     a vector of 1 MiB moves to another place and back; the unit is one way
//   each     at_each over all places, of which there are `--size`; the unit is one place of one call
//   arrow    the object of a place_local is used at its place; the unit is one use
//   alone    a finish with one task, in a run of one place; the unit is one
//   beside   the same where there is another place, which has nothing to do
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/program.hpp"

namespace bench {

class place_calls_problem {
public:
  enum class form : std::uint8_t { parked, move, each, arrow, busy, at_busy, alone, beside };

  explicit place_calls_problem(const options& o)
      : shape_(o.shape.empty() ? "parked" : o.shape), form_(form_of(shape_)) {
    constexpr std::uint64_t k_defaults[] = {50, 2'000, 4, 1'000'000, 100, 50, 1'000'000, 1'000'000};
    size_ = o.size != 0 ? o.size : k_defaults[static_cast<std::size_t>(form_)];
    if (form_ == form::each && size_ > 1024) throw refused("a run has at most 1,024 places");
  }

  [[nodiscard]] form what() const { return form_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int places() const {
    return form_ == form::each ? static_cast<int>(size_) : form_ == form::alone ? 1 : 2;
  }

  /// Calls of at_each in a pass, so that few places take as long as many.
  [[nodiscard]] std::uint64_t rounds() const { return form_ == form::each ? 4'096 / size_ + 1 : 1; }

  /// What was done, for verify().
  void done(std::uint64_t n) { done_ += n; }

  /// Of a pass only what this adds counts.
  void count(const duration& d) {
    timed_.seconds += d.seconds;
    timed_.processor_seconds += d.processor_seconds;
  }
  [[nodiscard]] duration timed_part() const { return timed_; }

  void reset() {
    done_ = 0;
    timed_ = {};
  }
  void verify() const {
    if (done_ != operations()) throw wrong_answer("not all that was asked for was done");
  }
  [[nodiscard]] std::uint64_t operations() const { return size_ * rounds() * (form_ == form::move ? 2 : 1); }
  void report(nlohmann::json& line) const {
    line["shape"] = shape_;
    line["size"] = size_;
  }

private:
  static form form_of(std::string_view shape) {
    constexpr std::array<std::string_view, 8> k_shapes{"parked", "move",    "each",  "arrow",
                                                       "busy",   "at_busy", "alone", "beside"};
    for (std::size_t i = 0; i < k_shapes.size(); ++i) {
      if (k_shapes[i] == shape) return static_cast<form>(i);
    }
    throw std::invalid_argument(
        "place_calls: --shape is parked, move, each, arrow, busy, at_busy, alone or beside, not '" +
        std::string(shape) + "'");
  }

  std::string shape_;
  form form_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
  duration timed_{};
};

}  // namespace bench
