// SPDX-License-Identifier: Apache-2.0
// Problem figure7: the program of uclocks.txt, figure 7. One task waits at a clock while another, which has nothing
// to do with that clock, runs n atomic blocks. The unit is one atomic block.
#pragma once

#include <cstdint>
#include <string>

#include "support/program.hpp"

namespace bench {

class figure7_problem {
public:
  static constexpr std::uint64_t k_default_size = 10'000;

  explicit figure7_problem(const options& o) : size_(o.size == 0 ? k_default_size : o.size) {}

  void reset() {
    blocks_ = 0;
    s1_ = s2_ = s3_ = s4_ = false;
  }

  /// What an atomic block does.
  void block() { ++blocks_; }

  /// The four statements around the advances of the two clocked tasks.
  void s1() { s1_ = true; }
  void s2() { s2_ = s1_ && s3_; }
  void s3() { s3_ = true; }
  void s4() { s4_ = s1_ && s3_; }

  void verify() const {
    if (blocks_ != size_)
      throw wrong_answer(std::to_string(blocks_) + " of " + std::to_string(size_) + " blocks counted");
    if (!s2_ || !s4_) throw wrong_answer("a task passed the clock before the other had come to it");
  }

  [[nodiscard]] std::uint64_t operations() const { return size_; }
  void report(nlohmann::json& line) const { line["size"] = size_; }

private:
  std::uint64_t size_;
  std::uint64_t blocks_ = 0;  // no atomic type: the atomic block is what keeps it right
  bool s1_ = false;
  bool s2_ = false;
  bool s3_ = false;
  bool s4_ = false;
};

}  // namespace bench
