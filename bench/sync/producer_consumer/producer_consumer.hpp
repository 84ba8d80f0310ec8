// SPDX-License-Identifier: Apache-2.0
// Problem producer_consumer: one produces numbers, one consumes them, at most --bound are on their way. The unit is one item.
#pragma once

#include <cstdint>
#include <string>

#include "support/program.hpp"

namespace bench {

class producer_consumer_problem {
public:
  static constexpr std::uint64_t k_default_size = 200'000;

  explicit producer_consumer_problem(const options& o)
      : size_(o.size == 0 ? k_default_size : o.size), bound_(o.bound), shape_(o.shape) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t bound() const { return bound_; }
  [[nodiscard]] const std::string& shape() const { return shape_; }

  /// What the consumer does with an item: mixes its value with its place, so that a lost or doubled one shows, and one out of its order.
  void consume(std::uint64_t item) { mixed_ = mixed_ * k_factor + item; }

  void reset() { mixed_ = 0; }
  void verify() const {
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < size_; ++i) expected = expected * k_factor + i;
    if (mixed_ != expected) throw wrong_answer("the items that arrived are not those that were sent, in their order");
  }
  [[nodiscard]] std::uint64_t operations() const { return size_; }
  void report(nlohmann::json& line) const {
    line["size"] = size_;
    line["bound"] = bound_;
  }

private:
  static constexpr std::uint64_t k_factor = 6364136223846793005U;

  std::uint64_t size_;
  std::uint64_t bound_;
  std::string shape_;
  std::uint64_t mixed_ = 0;
};

}  // namespace bench
