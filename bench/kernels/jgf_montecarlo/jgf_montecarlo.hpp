// SPDX-License-Identifier: Apache-2.0
// Problem jgf_montecarlo: MonteCarlo of the Java Grande Forum's multithreaded suite, section 3: from what a share's price
// did, many prices of a year to come are drawn at random, and of each what its expected return and volatility would be.
//
// Seeds and answer are the suite's: a run is right when the mean of the expected returns is the suite's to 1e-12. The unit
// is one path of 1,000 prices, which is also what is divided: the suite too has a list with a task for each path. It keeps
// all prices of all paths; here a path is forgotten when its two figures are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_montecarlo_problem {
public:
  explicit jgf_montecarlo_problem(const options& o);

  /// All paths, and the means of what they show.
  template <class Steps>
  void solve(Steps& steps) {
    steps.uneven(size(), 1, [this](part paths) { follow(paths); });
    const pair_of_sums sums = steps.sums(size(), [this](part paths) { return add_up(paths); });
    if (steps.leads()) record(sums);
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return size(); }
  void report(nlohmann::json& line) const;

  /// Paths.
  [[nodiscard]] std::size_t size() const { return class_.paths; }
  [[nodiscard]] double expected_return() const { return means_.expected_return; }

private:
  /// What the suite fixes for a class of problems.
  struct problem_class {
    char name;
    std::size_t paths;
    double expected_return;  ///< the answer
  };

  /// Of prices, both for a year.
  struct estimate {
    double expected_return;
    double volatility;
  };

  static const problem_class& class_named(const std::string& name);
  static estimate follow_path(std::size_t path);
  void record(const pair_of_sums& sums);

  // The loops, out of line so that every competitor runs the same code, whatever compiled the competitor.
  void follow(part paths);
  [[nodiscard]] pair_of_sums add_up(part paths) const;

  const problem_class& class_;
  std::vector<estimate> estimates_;  // of each path
  estimate means_{};
};

}  // namespace bench
