// SPDX-License-Identifier: Apache-2.0
// Problem array_costs: what distributed arrays take beside their cells. Shapes:
//   make      arrays of 16 cells along each of three axes are made over two places and ended; the unit is one
//   make_4    the same over four places
//   plan      an array of `--size` blocks of 4 by 4 cells over four places, periodic, ghosts included, is made and ended; the unit is one
//   local     the view of the place's block is asked for; the unit is one time
//   memory    1,000 arrays of one axis are made over two places with ghosts, and then 1,000 without, and each is updated twice; look at
//             bytes_per_neighbour
//   exchange  what updates of an array of 100 cells along each of three axes at each of two places keep beside it; look at faces
//   grid      updates of an array of 160 cells along each of three axes, cut among two to nine places as block() chooses (--size 0), or
//             into so many parts along each axis as the digits of --size say; the unit is one
//   updates   1,000,000 updates of a small array over four places; look at resident_after
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.hpp"

namespace bench {

class array_costs_problem {
public:
  enum class form : std::uint8_t { make, plan, local, memory, updates, make_4, exchange, grid };

  explicit array_costs_problem(const options& o) : shape_(o.shape), form_(form_of(shape_)), threads_(o.threads) {
    constexpr std::uint64_t k_defaults[] = {1'000, 102'400, 1'000'000, 1'000, 1'000'000, 1'000, 20, k_updates};
    parts_ = form_ == form::grid ? o.size : 0;
    size_ = o.size != 0 && form_ != form::grid ? o.size : k_defaults[static_cast<std::size_t>(form_)];
  }

  [[nodiscard]] form what() const { return form_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int places() const {
    if (form_ == form::grid) return threads_;
    return form_ == form::plan || form_ == form::updates || form_ == form::make_4 ? 4 : 2;
  }

  /// Of the shape grid: how many along each axis; none: as block() chooses.
  [[nodiscard]] std::array<int, 3> parts() const {
    const int n = static_cast<int>(parts_);
    return {n / 100 % 10, n / 10 % 10, n % 10};
  }

  /// What was done, for verify(); right: as it had to be.
  void done(std::uint64_t n, bool right = true) {
    done_ += n;
    is_right_ = is_right_ && right;
  }
  void resident(std::uint64_t bytes) { resident_.push_back(bytes); }

  void reset() {
    done_ = 0;
    is_right_ = true;
    resident_.clear();
  }
  void verify() const {
    if (done_ != size_ || !is_right_) throw wrong_answer("not all arrays had what they had to");
  }
  [[nodiscard]] std::uint64_t operations() const { return form_ == form::plan ? 1 : size_; }
  void report(nlohmann::json& line) const {
    line["shape"] = shape_;
    line["size"] = size_;
    if (form_ == form::memory) {  // each place has one neighbour, in each array
      const double with = static_cast<double>(resident_[1]) - static_cast<double>(resident_[0]);
      const double without = static_cast<double>(resident_[2]) - static_cast<double>(resident_[1]);
      line["bytes_per_neighbour"] = (with - without) / (2 * static_cast<double>(size_));
      line["bytes_per_array"] = without / static_cast<double>(size_);
    }
    if (form_ == form::updates) line["resident_after"] = resident_;
    if (form_ == form::exchange) {
      const double grown = static_cast<double>(resident_[1]) - static_cast<double>(resident_[0]);
      line["faces"] = grown / (2 * k_face_bytes);
    }
  }

  static constexpr int k_side = 100;  // cells of a place along an axis, of the shape exchange
  static constexpr std::uint64_t k_updates = 100;

private:
  static constexpr double k_face_bytes = sizeof(double) * k_side * k_side;

  static form form_of(std::string_view shape) {
    constexpr std::array<std::string_view, 8> k_shapes{"make",    "plan",   "local",    "memory",
                                                       "updates", "make_4", "exchange", "grid"};
    for (std::size_t i = 0; i < k_shapes.size(); ++i) {
      if (k_shapes[i] == shape) return static_cast<form>(i);
    }
    throw std::invalid_argument(
        "array_costs: --shape is make, make_4, plan, local, memory, exchange, grid or updates, not '" +
        std::string(shape) + "'");
  }

  std::string shape_;
  form form_;
  int threads_;
  std::uint64_t size_ = 0;
  std::uint64_t parts_ = 0;
  std::uint64_t done_ = 0;
  bool is_right_ = true;
  std::vector<std::uint64_t> resident_;
};

}  // namespace bench
