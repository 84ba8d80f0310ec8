// SPDX-License-Identifier: Apache-2.0
// Problem nqueens: all ways to put n queens on a board of n x n so that none attacks another. A task for every queen that can
// be put, no cutoff; one join at the root. The unit is one task.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/per_thread.hpp"
#include "support/program.hpp"

namespace bench {

/// Queens in the first rows, one in each. As small as it can be, for every task carries one.
struct queens {
  static constexpr std::size_t k_most = 15;

  std::uint8_t rows = 0;
  std::array<std::uint8_t, k_most> column{};

  /// Whether a queen may be put into this column of the next row.
  [[nodiscard]] bool may_take(int c) const {
    for (int row = 0; row < rows; ++row) {
      const int other = column[static_cast<std::size_t>(row)];
      const int up = rows - row;
      if (other == c || other == c - up || other == c + up) return false;
    }
    return true;
  }

  [[nodiscard]] queens and_one_in(int c) const {
    queens more = *this;
    more.column[rows] = static_cast<std::uint8_t>(c);
    ++more.rows;
    return more;
  }
};

class queens_problem {
public:
  static constexpr std::uint64_t k_default_size = 12;

  explicit queens_problem(const options& o) : n_(static_cast<int>(o.size == 0 ? k_default_size : o.size)) {
    if (o.size > queens::k_most) {
      throw std::invalid_argument("nqueens: --size " + std::to_string(o.size) + " is more than " +
                                  std::to_string(queens::k_most) + " queens");
    }
  }

  /// next(q) for each board with one more queen than q; a full one is counted instead.
  template <class Next>
  void extend(const queens& q, Next&& next) {
    counts& mine = counted_.mine();
    ++mine.tasks;
    if (q.rows == n_) {
      ++mine.solutions;
      return;
    }
    for (int c = 0; c < n_; ++c) {
      if (q.may_take(c)) next(q.and_one_in(c));
    }
  }

  void reset() { counted_.reset(); }

  void verify() const {
    // Published: sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
    static constexpr std::array<std::uint64_t, queens::k_most> k_solutions = {
        1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14'200, 73'712, 365'596, 2'279'184};
    const std::uint64_t right = k_solutions[static_cast<std::size_t>(n_ - 1)];
    const std::uint64_t found = total().solutions;
    if (found != right) {
      throw wrong_answer(std::to_string(found) + " ways to put " + std::to_string(n_) + " queens, not " +
                         std::to_string(right));
    }
  }

  [[nodiscard]] std::uint64_t operations() const { return total().tasks; }
  void report(nlohmann::json& line) const { line["size"] = n_; }

private:
  struct counts {
    std::uint64_t tasks = 0;
    std::uint64_t solutions = 0;
  };

  [[nodiscard]] counts total() const {
    counts all;
    counted_.each([&all](const counts& of_thread) {
      all.tasks += of_thread.tasks;
      all.solutions += of_thread.solutions;
    });
    return all;
  }

  int n_;
  per_thread<counts> counted_;
};

}  // namespace bench
