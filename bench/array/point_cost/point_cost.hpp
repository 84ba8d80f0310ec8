// SPDX-License-Identifier: Apache-2.0
// Problem point_cost: what it costs to say which element by a point of the whole grid. `--size` is the number of axes, 1 to 4; about
// 32,000 doubles. The unit is one cell of one sweep. Shapes:
//   stencil   each inner cell becomes the mean of its neighbours along the axes
//   pack      the inner cells are copied into a dense buffer
// Forms: raw, pointers and strides; point, u[p]; indices, u(i, j, k).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace bench {

class point_cost_problem {
public:
  static constexpr std::ptrdiff_t k_first = -3;  // index of the first cell along each axis, its halo included

  explicit point_cost_problem(const options& o) : axes_(o.size == 0 ? 3 : o.size), shape_(o.shape), form_(o.form) {
    if (axes_ < 1 || axes_ > 4) throw std::invalid_argument("point_cost: --size is the number of axes, 1 to 4");
    if (shape_ != "stencil" && shape_ != "pack") {
      throw std::invalid_argument("point_cost: --shape is stencil or pack, not '" + shape_ + "'");
    }
    if (form_ != "raw" && form_ != "point" && form_ != "indices") {
      throw std::invalid_argument("point_cost: --form is raw, point or indices, not '" + form_ + "'");
    }
    constexpr std::ptrdiff_t k_sides[] = {32'000, 180, 32, 14};
    side_ = k_sides[axes_ - 1];
    std::size_t cells = 1;
    inner_ = 1;
    for (std::uint64_t d = 0; d < axes_; ++d) {
      cells *= static_cast<std::size_t>(side_);
      inner_ *= static_cast<std::uint64_t>(side_ - 2);
    }
    from_.resize(cells);
    to_.resize(cells);
    reset();
  }

  [[nodiscard]] std::uint64_t axes() const { return axes_; }
  [[nodiscard]] bool is_stencil() const { return shape_ == "stencil"; }
  [[nodiscard]] const std::string& form() const { return form_; }
  [[nodiscard]] std::ptrdiff_t side() const { return side_; }  // of all cells
  [[nodiscard]] static constexpr std::uint64_t sweeps() { return 200; }
  [[nodiscard]] double* from() { return from_.data(); }
  [[nodiscard]] double* to() { return to_.data(); }

  void reset() {
    for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = static_cast<double>(i % 97);
    std::fill(to_.begin(), to_.end(), 0.0);
  }

  /// Both shapes again, by another way: one number for each cell says where it is.
  void verify() const {
    std::vector<std::size_t> step(axes_, 1);
    for (std::size_t d = axes_ - 1; d-- > 0;) step[d] = step[d + 1] * static_cast<std::size_t>(side_);
    std::size_t next = 0;
    for (std::size_t c = 0; c < from_.size(); ++c) {
      bool is_inner = true;
      for (const std::size_t s : step) {
        const std::size_t i = c / s % static_cast<std::size_t>(side_);
        is_inner = is_inner && i != 0 && i + 1 != static_cast<std::size_t>(side_);
      }
      if (!is_inner) continue;
      double wanted = from_[c];
      if (is_stencil()) {
        wanted = 0;
        for (const std::size_t s : step) wanted += from_[c - s] + from_[c + s];
        wanted *= 0.125;
      }
      if (to_[is_stencil() ? c : next] != wanted) throw wrong_answer("cell " + std::to_string(c) + " is wrong");
      ++next;
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return inner_ * sweeps(); }
  void report(nlohmann::json& line) const {
    line["axes"] = axes_;
    line["shape"] = shape_;
    line["form"] = form_;
  }

private:
  std::uint64_t axes_;
  std::string shape_;
  std::string form_;
  std::ptrdiff_t side_ = 0;
  std::uint64_t inner_ = 0;
  std::vector<double> from_;
  std::vector<double> to_;
};

}  // namespace bench
