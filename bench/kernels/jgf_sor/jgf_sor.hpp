// SPDX-License-Identifier: Apache-2.0
// Problem jgf_sor: SOR of the Java Grande Forum's multithreaded suite 1.0, section 2: 100 iterations of successive
// over-relaxation on a square grid of 1,000, 1,500 or 2,000 points a side, in classes A, B and C. Red and black points in
// turn, a step for each colour, which divides the inner rows. work-stealing.txt, figures 7, 14 and 15, has class C.
//
// The suite adds up the inner points, which has to give its value to 1e-12. Its multithreaded version has this order of
// points and the values here; those of its sequential version, which goes row by row, are others (0.49842 in class A). A
// point depends on points of the other colour only, so that the grid is the same however the rows are divided.
// The suite's threads wait for their neighbours only; here all wait for all.
// --size N takes a grid of N points a side instead, all of which are compared with those of a sequential pass: where a step is
// short, what is measured is how work is divided and joined (work-stealing.txt, figure 6).
// The unit is one point in one iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_sor_problem {
public:
  explicit jgf_sor_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    for (int i = 0; i < k_iterations; ++i) {
      for (const colour which : {colour::red, colour::black}) {
        steps.each(inner(), [this, which](part p) { relax(which, {p.begin + 1, p.end + 1}); });
      }
    }
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return k_iterations * inner() * inner(); }
  void report(nlohmann::json& line) const;

  /// Of the inner points, added row by row.
  [[nodiscard]] double sum() const;

private:
  enum class colour : std::size_t { red, black };  // red: row + column is even

  /// What the suite fixes for a class.
  struct problem_class {
    char name;
    std::size_t side;
    double sum;
  };

  static constexpr int k_iterations = 100;
  static constexpr char k_own = '-';  // the name of a grid that the suite does not have

  static problem_class class_named(const std::string& name);
  static problem_class asked_for(const options& o);

  [[nodiscard]] bool is_of_suite() const { return class_.name != k_own; }

  [[nodiscard]] std::size_t side() const { return class_.side; }
  [[nodiscard]] std::size_t inner() const { return side() - 2; }

  // The loop, out of line so that every competitor runs the same code, whatever compiled the competitor. It writes its
  // own rows only, and reads of its neighbours' what nobody writes in this step.
  void relax(colour which, part rows);

  problem_class class_;
  std::vector<double> begin_;  // what the grid is before
  std::vector<double> end_;    // what it has to be after, where the suite does not say
  std::vector<double> grid_;
};

}  // namespace bench
