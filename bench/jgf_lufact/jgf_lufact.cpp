// SPDX-License-Identifier: Apache-2.0
#include "jgf_lufact/jgf_lufact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bench {
namespace {

/// The greatest size of an element, or one that is not a number.
double norm_of(const std::vector<double>& v) {
  double norm = 0;
  for (const double x : v) {
    if (std::isnan(x) || std::abs(x) > norm) norm = std::abs(x);
  }
  return norm;
}

/// y[begin, end) += factor x[begin, end)
inline void add_multiple(double factor, const double* __restrict x, double* __restrict y, std::size_t begin,
                         std::size_t end) {
  if (factor == 0) return;
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) y[i] += factor * x[i];
}

}  // namespace

const jgf_lufact_problem::problem_class& jgf_lufact_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{{'A', 500, 6}, {'B', 1000, 12}, {'C', 2000, 20}}};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_lufact: --class is A, B or C, not '" + name + "'");
}

jgf_lufact_problem::jgf_lufact_problem(const options& o)
    : class_(class_named(o.problem_class)), matrix_(size() * size()), right_side_(size()), pivots_(size()) {
  make_system();
}

/// LINPACK's: x = 3125 x mod 2^16, row after row, of which x / 2^14 - 2 is taken. Every element of the solution is 1.
void jgf_lufact_problem::make_system() {
  std::uint32_t state = 1325;
  for (std::size_t row = 0; row < size(); ++row) {
    for (std::size_t i = 0; i < size(); ++i) {
      state = 3125 * state % 65536;
      const double value = (static_cast<double>(state) - 32768) / 16384;
      matrix_[i * size() + row] = value;
      right_side_[row] += value;
      norm_ = std::max(norm_, value);  // not its size: so LINPACK has it
    }
  }
}

void jgf_lufact_problem::reset() {
  factors_ = matrix_;
  solution_ = right_side_;
  std::ranges::fill(pivots_, std::size_t{0});
}

double jgf_lufact_problem::normalised_residual() const {
  std::vector<double> residual(size());
  for (std::size_t row = 0; row < size(); ++row) residual[row] = -right_side_[row];
  for (std::size_t i = 0; i < size(); ++i) {
    add_multiple(solution_[i], matrix_.data() + i * size(), residual.data(), 0, size());
  }
  const double of_rounding = static_cast<double>(size()) * norm_ * norm_of(solution_) * 0x1p-52;
  return norm_of(residual) / of_rounding;
}

void jgf_lufact_problem::verify() const {
  const double residual = normalised_residual();
  if (residual <= class_.largest_residual) return;
  throw wrong_answer("class " + std::string(1, class_.name) + ": the normalised residual is " +
                     nlohmann::json(residual).dump() + ", and " + nlohmann::json(class_.largest_residual).dump() +
                     " is allowed");
}

std::uint64_t jgf_lufact_problem::operations() const {
  const std::uint64_t n = size();
  return 2 * n * n * n / 3 + 2 * n * n;
}

void jgf_lufact_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["normalised_residual"] = normalised_residual();
}

void jgf_lufact_problem::choose_pivot(std::size_t k) {
  double* const of_pivot = column(k);
  std::size_t pivot = k;
  for (std::size_t i = k + 1; i < size(); ++i) {
    if (std::abs(of_pivot[i]) > std::abs(of_pivot[pivot])) pivot = i;
  }
  pivots_[k] = pivot;
  if (of_pivot[pivot] == 0) return;  // nothing to eliminate here
  std::swap(of_pivot[pivot], of_pivot[k]);
  const double factor = -1 / of_pivot[k];
  for (std::size_t i = k + 1; i < size(); ++i) of_pivot[i] *= factor;
}

void jgf_lufact_problem::eliminate(std::size_t k, part columns) {
  const double* const multipliers = column(k);
  if (multipliers[k] == 0) return;
  const std::size_t pivot = pivots_[k];
  for (std::size_t i = columns.begin; i < columns.end; ++i) {
    double* const changed = column(i);
    std::swap(changed[pivot], changed[k]);
    add_multiple(changed[k], multipliers, changed, k + 1, size());
  }
}

void jgf_lufact_problem::substitute() {
  for (std::size_t k = 0; k + 1 < size(); ++k) {
    std::swap(solution_[pivots_[k]], solution_[k]);
    add_multiple(solution_[k], column(k), solution_.data(), k + 1, size());
  }
  for (std::size_t k = size(); k-- > 0;) {
    solution_[k] /= column(k)[k];
    add_multiple(-solution_[k], column(k), solution_.data(), 0, k);
  }
}

}  // namespace bench
