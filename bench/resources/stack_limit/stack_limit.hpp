// SPDX-License-Identifier: Apache-2.0
// Problem stack_limit: the largest random graph whose spanning tree a policy finds while resident memory may grow by --size MiB
// and no more (work-stealing.txt, section 5.1: under work_first the stack decides; figure 13 ends where it is full). Under
// work_first nearly every vertex is a live stack; help_first and adaptive need none. The unit is one vertex of that graph.
#pragma once

#include <cstdint>
#include <string>

#include "support/program.hpp"
#include "tasks/spanning_tree/spanning_tree.hpp"

namespace bench {

class stack_limit_problem {
public:
  static constexpr std::uint64_t k_default_mib = 64;
  static constexpr std::uint64_t k_smallest = 1'000;
  static constexpr std::uint64_t k_largest = 2'000'000;  // beyond that no limit was found
  static constexpr std::uint64_t k_steps = 20;           // the answer is exact to a twentieth

  explicit stack_limit_problem(const options& o)
      : limit_bytes((o.size == 0 ? k_default_mib : o.size) << 20), options_(o) {}

  const std::uint64_t limit_bytes;

  /// completes(graph) says whether a policy gets through.
  template <class Completes>
  void search(Completes&& completes) {
    const auto fits = [this, &completes](std::uint64_t vertices) {
      options one = options_;
      one.size = vertices;
      spanning_problem graph(one);
      graph.reset();
      if (!completes(graph)) return false;
      graph.verify();
      return true;
    };
    std::uint64_t too_large = k_smallest;
    while (too_large <= k_largest && fits(too_large)) {
      largest_ = too_large;
      too_large *= 2;
    }
    while (too_large <= k_largest && too_large - largest_ > largest_ / k_steps) {
      const std::uint64_t middle = largest_ + (too_large - largest_) / 2;
      if (middle == largest_) break;
      (fits(middle) ? largest_ : too_large) = middle;
    }
    refused_ = too_large;
  }

  void reset() { largest_ = refused_ = 0; }

  void verify() const {
    if (largest_ < k_smallest) {
      throw wrong_answer("not even " + std::to_string(k_smallest) + " vertices fit into " +
                         std::to_string(limit_bytes >> 20) + " MiB");
    }
  }

  [[nodiscard]] std::uint64_t operations() const { return largest_; }

  void report(nlohmann::json& line) const {
    line["limit_bytes"] = limit_bytes;
    line["largest_graph"] = largest_;
    line["is_limited"] = refused_ <= k_largest;
  }

private:
  options options_;
  std::uint64_t largest_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace bench
