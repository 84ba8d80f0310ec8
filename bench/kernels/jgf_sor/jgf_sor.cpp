// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_sor/jgf_sor.hpp"

#include <array>
#include <cmath>

#include "support/java_random.hpp"

namespace bench {
namespace {

constexpr std::int64_t k_seed = 10'101'010;
constexpr double k_largest_value = 1e-6;  // at the beginning
constexpr double k_relaxation = 1.25;
constexpr double k_tolerance = 1e-12;  // of the sum: the suite's
constexpr std::uint64_t k_smallest_side = 3;
constexpr std::uint64_t k_largest_side = 10'000;

}  // namespace

jgf_sor_problem::problem_class jgf_sor_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{
      {'A', 1000, 0.498574406322512},
      {'B', 1500, 1.1234778980135105},
      {'C', 2000, 1.9954895063582696},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_sor: --class is A, B or C, not '" + name + "'");
}

jgf_sor_problem::problem_class jgf_sor_problem::asked_for(const options& o) {
  if (o.size == 0) return class_named(o.problem_class);
  if (o.size < k_smallest_side || o.size > k_largest_side) {
    throw std::invalid_argument("jgf_sor: --size is " + std::to_string(k_smallest_side) + " to " +
                                std::to_string(k_largest_side) + " points a side, not " + std::to_string(o.size));
  }
  return {k_own, o.size, 0};
}

jgf_sor_problem::jgf_sor_problem(const options& o) : class_(asked_for(o)), begin_(side() * side()) {
  java_random random(k_seed);
  for (double& x : begin_) x = random.next_double() * k_largest_value;
  if (!is_of_suite()) {
    grid_ = begin_;
    serial_steps steps;
    solve(steps);
    end_ = grid_;
  }
}

void jgf_sor_problem::reset() { grid_ = begin_; }

double jgf_sor_problem::sum() const {
  double sum = 0;
  for (std::size_t row = 1; row <= inner(); ++row) {
    for (std::size_t i = 1; i <= inner(); ++i) sum += grid_[row * side() + i];
  }
  return sum;
}

void jgf_sor_problem::verify() const {
  if (!is_of_suite()) {
    if (grid_ != end_) throw wrong_answer("the grid is not that of a sequential pass");
    return;
  }
  const double found = sum();
  if (std::abs(found - class_.sum) <= k_tolerance) return;
  const auto text = [](double x) { return nlohmann::json(x).dump(); };  // with all its digits
  throw wrong_answer("class " + std::string(1, class_.name) + ": the sum of the points is " + text(found) + ", not " +
                     text(class_.sum));
}

void jgf_sor_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["size"] = side();
  line["sum"] = sum();
}

void jgf_sor_problem::relax(colour which, part rows) {
  constexpr double k_of_neighbours = k_relaxation / 4;
  constexpr double k_of_itself = 1 - k_relaxation;
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    double* const own = grid_.data() + row * side();
    const double* const above = own - side();
    const double* const below = own + side();
    const std::size_t first = 1 + (row + 1 + static_cast<std::size_t>(which)) % 2;
    for (std::size_t i = first; i <= inner(); i += 2) {
      own[i] = k_of_neighbours * (above[i] + below[i] + own[i - 1] + own[i + 1]) + k_of_itself * own[i];
    }
  }
}

}  // namespace bench
