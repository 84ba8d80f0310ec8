// SPDX-License-Identifier: Apache-2.0
// Problem messages: what goes between two places of a process, of one worker each. The unit is one message that asks for something, and
// what comes back for it. Shapes:
//   at        a number goes to the other place and comes back larger by one
//   finish    a task with a number goes there, and who has sent it waits for its end
//   one_way   tasks with a number go there, one after the other; who has sent them waits for the end of all
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/program.hpp"

namespace bench {

class messages_problem {
public:
  enum class form : std::uint8_t { at, finish, one_way };

  explicit messages_problem(const options& o) : shape_(o.shape.empty() ? "at" : o.shape) {
    if (shape_ != "at" && shape_ != "finish" && shape_ != "one_way") {
      throw std::invalid_argument("messages: --shape is at, finish or one_way, not '" + shape_ + "'");
    }
    form_ = shape_ == "at" ? form::at : shape_ == "finish" ? form::finish : form::one_way;
    size_ = o.size != 0 ? o.size : form_ == form::one_way ? 500'000 : 20'000;
  }

  [[nodiscard]] form what() const { return form_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// By whoever gets a number.
  void arrives(std::uint64_t number) {
    sum_.store(sum_.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);  // by one at a time
  }

  void reset() { sum_.store(0, std::memory_order_relaxed); }
  void verify() const {
    if (sum_.load(std::memory_order_relaxed) != size_ * (size_ - 1) / 2) {
      throw wrong_answer("the numbers that arrived are not those that were sent");
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return size_; }
  void report(nlohmann::json& line) const {
    line["size"] = size_;
    line["shape"] = shape_;
  }

private:
  std::string shape_;
  form form_ = form::at;
  std::uint64_t size_ = 0;
  std::atomic<std::uint64_t> sum_{0};
};

}  // namespace bench
