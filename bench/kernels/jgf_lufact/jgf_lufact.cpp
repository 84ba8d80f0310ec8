// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_lufact/jgf_lufact.hpp"

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
void add_multiple(double factor, const double* __restrict x, double* __restrict y, std::size_t begin, std::size_t end) {
  if (factor == 0) return;
#pragma omp simd
  for (std::size_t i = begin; i < end; ++i) y[i] += factor * x[i];
}

}  // namespace

const jgf_lufact_problem::problem_class& jgf_lufact_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{
      {'A', 500, 6, true},
      {'B', 1000, 12, true},
      {'C', 2000, 20, false},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_lufact: --class is A, B or C, not '" + name + "'");
}

jgf_lufact_problem::jgf_lufact_problem(const options& o)
    : class_(class_named(o.problem_class)), matrix_(size() * size()), right_side_(size()), pivots_(size()) {
  make_system();
}

/// LINPACK's: x = 3125 x mod 2^16, row after row, of which x / 2^14 - 2 is taken. A solution is 1 everywhere.
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

/// Of the matrix times x, which should be `product`.
double jgf_lufact_problem::normalised_residual(const std::vector<double>& x, const std::vector<double>& product) const {
  std::vector<double> residual(size());
  for (std::size_t i = 0; i < size(); ++i) {
    add_multiple(x[i], matrix_.data() + i * size(), residual.data(), 0, size());
  }
  for (std::size_t row = 0; row < size(); ++row) residual[row] -= product[row];
  return norm_of(residual) / (static_cast<double>(size()) * norm_ * norm_of(x) * 0x1p-52);
}

double jgf_lufact_problem::residual_of_solution() const { return normalised_residual(solution_, right_side_); }

/// The upper factor comes first; then the eliminations are undone, the last one first.
double jgf_lufact_problem::residual_of_factors() const {
  std::vector<double> x(size());
  for (std::size_t i = 0; i < size(); ++i) x[i] = std::cos(static_cast<double>(i));
  std::vector<double> product(size());
  for (std::size_t i = 0; i < size(); ++i) add_multiple(x[i], column(i), product.data(), 0, i + 1);
  for (std::size_t k = size() - 1; k-- > 0;) {
    add_multiple(-product[k], column(k), product.data(), k + 1, size());
    std::swap(product[k], product[pivots_[k]]);
  }
  return normalised_residual(x, product);
}

void jgf_lufact_problem::check(const char* what, double residual) const {
  if (residual <= class_.largest_residual) return;
  const auto text = [](double x) { return nlohmann::json(x).dump(); };  // with all its digits
  throw wrong_answer("class " + std::string(1, class_.name) + ": the normalised residual of the " + what + " is " +
                     text(residual) + ", more than " + text(class_.largest_residual));
}

void jgf_lufact_problem::verify() const {
  check("factors", residual_of_factors());
  if (class_.has_solution) check("solution", residual_of_solution());
}

std::uint64_t jgf_lufact_problem::operations() const {
  const std::uint64_t n = size();
  return 2 * n * n * n / 3 + 2 * n * n;
}

void jgf_lufact_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["residual_of_factors"] = residual_of_factors();
  if (class_.has_solution) line["residual_of_solution"] = residual_of_solution();
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
