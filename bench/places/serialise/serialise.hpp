// SPDX-License-Identifier: Apache-2.0
// Problem serialise: an object is written into memory that is there already, and a new object is made of the bytes. The unit is one
// object, there and back. Shapes:
//   numbers  three numbers, 24 bytes
//   mixed    a string of 24 characters, a vector of 128 numbers, a map of 16 entries: 1.3 KB
//   block    a vector of 131,072 numbers: 1 MiB
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/program.hpp"

namespace bench {

struct three_numbers {
  std::int64_t a;
  double b;
  std::int64_t c;
  friend bool operator==(const three_numbers&, const three_numbers&) = default;
};

struct mixed_record {
  std::string name;
  std::vector<double> values;
  std::map<std::int32_t, double> marks;
  friend bool operator==(const mixed_record&, const mixed_record&) = default;
};

using block_of_numbers = std::vector<double>;

class serialise_problem {
public:
  explicit serialise_problem(const options& o) : shape_(o.shape.empty() ? "mixed" : o.shape) {
    if (shape_ != "numbers" && shape_ != "mixed" && shape_ != "block") {
      throw std::invalid_argument("serialise: --shape is numbers, mixed or block, not '" + shape_ + "'");
    }
    size_ = o.size != 0 ? o.size : shape_ == "numbers" ? 1'000'000 : shape_ == "mixed" ? 20'000 : 200;
    mixed_.name = "twenty-four characters..";
    mixed_.values.resize(128);
    std::iota(mixed_.values.begin(), mixed_.values.end(), 0.5);
    for (std::int32_t i = 0; i < 16; ++i) mixed_.marks[i * 7] = i * 0.25;
    block_.resize(131'072);
    std::iota(block_.begin(), block_.end(), 0.25);
  }

  /// Sends the object of this shape as often as asked by `round`, from bytes to bytes: T(const T&).
  template <class RoundTrip>
  void send_all(RoundTrip&& round) {
    if (shape_ == "numbers") {
      send(numbers_, numbers_back_, round);
    } else if (shape_ == "mixed") {
      send(mixed_, mixed_back_, round);
    } else {
      send(block_, block_back_, round);
    }
  }

  void reset() {
    numbers_back_ = {};
    mixed_back_ = {};
    block_back_ = {};
  }
  void verify() const {
    if (shape_ == "numbers" ? numbers_back_ != last_numbers()
        : shape_ == "mixed" ? mixed_back_ != mixed_
                            : block_back_ != block_) {
      throw wrong_answer("what came back is not what was sent");
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return size_; }
  void report(nlohmann::json& line) const {
    line["size"] = size_;
    line["shape"] = shape_;
  }

private:
  template <class T, class RoundTrip>
  void send(T& x, T& back, RoundTrip& round) {
    for (std::uint64_t i = 0; i < size_; ++i) {
      if constexpr (std::is_same_v<T, three_numbers>)
        x.c = static_cast<std::int64_t>(i);  // so that none can be left out
      back = round(std::as_const(x));
    }
  }

  [[nodiscard]] three_numbers last_numbers() const {
    three_numbers last = numbers_;
    last.c = static_cast<std::int64_t>(size_ - 1);
    return last;
  }

  std::string shape_;
  std::uint64_t size_;
  three_numbers numbers_{1, 2.5, 3}, numbers_back_{};
  mixed_record mixed_, mixed_back_;
  block_of_numbers block_, block_back_;
};

}  // namespace bench
