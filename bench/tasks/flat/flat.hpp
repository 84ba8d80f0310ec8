// SPDX-License-Identifier: Apache-2.0
// Problem flat: one producer spawns n tasks under one join; each stores one byte. The unit is one task.
#pragma once

#include "support/marks.hpp"

namespace bench {

class flat_problem : public marks {
public:
  static constexpr std::uint64_t k_default_size = 1'000'000;

  explicit flat_problem(const options& o) : marks(o.size == 0 ? k_default_size : o.size) {}
  [[nodiscard]] std::uint64_t operations() const { return size(); }
  void report(nlohmann::json& line) const { line["size"] = size(); }
};

}  // namespace bench
