// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_sparse/jgf_sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "support/java_random.hpp"

namespace bench {
namespace {

constexpr std::int64_t k_seed = 10'101'010;
constexpr double k_largest_value = 1e-6;  // in the vector
constexpr double k_tolerance = 1e-12;     // of the sum: that of the suite's sequential version

std::uint32_t below(java_random& random, std::size_t n) {
  const auto size = static_cast<std::uint64_t>(std::abs(std::int64_t{random.next_int()}));
  return static_cast<std::uint32_t>(size % n);
}

}  // namespace

const jgf_sparse_problem::problem_class& jgf_sparse_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{
      {'A', 50'000, 250'000, 75.02484945753453},
      {'B', 100'000, 500'000, 150.0130719633895},
      {'C', 500'000, 2'500'000, 749.5245870753752},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_sparse: --class is A, B or C, not '" + name + "'");
}

jgf_sparse_problem::jgf_sparse_problem(const options& o)
    : class_(class_named(o.problem_class)),
      row_begin_(size() + 1),
      rows_(elements()),
      columns_(elements()),
      values_(elements()),
      rows_as_drawn_(elements()),
      vector_(size()),
      result_(size()) {
  make_matrix();
}

/// Drawn as in the suite, then each element is put behind those of its row that were drawn before.
void jgf_sparse_problem::make_matrix() {
  java_random random(k_seed);
  for (double& x : vector_) x = random.next_double() * k_largest_value;
  std::vector<std::uint32_t> columns(elements());
  std::vector<double> values(elements());
  for (std::size_t i = 0; i < elements(); ++i) {
    rows_as_drawn_[i] = below(random, size());
    columns[i] = below(random, size());
    values[i] = random.next_double();
    ++row_begin_[rows_as_drawn_[i] + 1];
  }
  for (std::size_t row = 0; row < size(); ++row) row_begin_[row + 1] += row_begin_[row];
  std::vector<std::size_t> next = row_begin_;
  for (std::size_t i = 0; i < elements(); ++i) {
    const std::size_t place = next[rows_as_drawn_[i]]++;
    rows_[place] = rows_as_drawn_[i];
    columns_[place] = columns[i];
    values_[place] = values[i];
  }
}

void jgf_sparse_problem::reset() { std::ranges::fill(result_, 0.0); }

double jgf_sparse_problem::sum() const {
  double sum = 0;
  for (const std::uint32_t row : rows_as_drawn_) sum += result_[row];
  return sum;
}

void jgf_sparse_problem::verify() const {
  const double found = sum();
  if (std::abs(found - class_.sum) <= k_tolerance) return;
  const auto text = [](double x) { return nlohmann::json(x).dump(); };  // with all its digits
  throw wrong_answer("class " + std::string(1, class_.name) + ": the sum of the result is " + text(found) + ", not " +
                     text(class_.sum));
}

void jgf_sparse_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["sum"] = sum();
}

void jgf_sparse_problem::add_product(part rows) {
  const double* const vector = vector_.data();
  double* const result = result_.data();
  for (std::size_t i = row_begin_[rows.begin]; i < row_begin_[rows.end]; ++i) {
    result[rows_[i]] += vector[columns_[i]] * values_[i];
  }
}

}  // namespace bench
