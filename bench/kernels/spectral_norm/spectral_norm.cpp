// SPDX-License-Identifier: Apache-2.0
#include "kernels/spectral_norm/spectral_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace bench {
namespace {

constexpr double k_tolerance = 1e-12;  // relative; sums in another order are off by some 1e-15
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::size_t size_of(const options& o) {
  const std::uint64_t size = o.size == 0 ? spectral_norm_problem::k_default_size : o.size;
  if (size > spectral_norm_problem::k_largest_size) {
    throw std::invalid_argument("spectral_norm: --size is at most " +
                                std::to_string(spectral_norm_problem::k_largest_size));
  }
  return size;
}

bool is_by_rows(const options& o) {
  if (o.shape.empty() || o.shape == "rows") return true;
  if (o.shape == "inner") return false;
  throw std::invalid_argument("spectral_norm: --shape is rows or inner, not '" + o.shape + "'");
}

bool is_about(double x, double right) { return std::abs(x - right) <= k_tolerance * std::abs(right); }

std::string digits(double x) {
  const nlohmann::json j = x;  // with all that tell it from others
  return j.dump();
}

void compare(const std::string& name, double x, double right) {
  if (!is_about(x, right)) throw wrong_answer(name + " is " + digits(x) + ", not " + digits(right));
}

}  // namespace

spectral_norm_problem::spectral_norm_problem(const options& o)
    : size_(size_of(o)),
      vectors_(k_products + 1, std::vector<double>(size_)),
      right_norm_(static_cast<double>(exact_norm(size_))) {
  const bool by_rows = is_by_rows(o);
  reset();
  serial_steps steps;
  solve(steps);
  right_vectors_ = vectors_;
  right_vbv_and_vv_ = vbv_and_vv_;
  verify();  // the norm, that is
  by_rows_ = by_rows;
}

void spectral_norm_problem::reset() {
  std::ranges::fill(vectors_.front(), 1.0);
  // Whoever reads what nobody has written gets no number, and neither does anybody after.
  for (int i = 1; i <= k_products; ++i) std::ranges::fill(vector(i), k_nan);
  vbv_and_vv_ = {k_nan, k_nan};
}

void spectral_norm_problem::verify() const {
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    for (std::size_t k = 0; k < size_; ++k) {
      if (is_about(vectors_[i][k], right_vectors_[i][k])) continue;  // no text for each
      compare("element " + std::to_string(k) + " after " + std::to_string(i) + " products", vectors_[i][k],
              right_vectors_[i][k]);
    }
  }
  // Each of the two, for what both lack hardly changes their quotient.
  compare("vBv", vbv_and_vv_.first, right_vbv_and_vv_.first);
  compare("vv", vbv_and_vv_.second, right_vbv_and_vv_.second);
  compare("the norm", norm(), right_norm_);
}

double spectral_norm_problem::norm() const { return std::sqrt(vbv_and_vv_.first / vbv_and_vv_.second); }

std::uint64_t spectral_norm_problem::operations() const { return std::uint64_t{k_products} * size() * size(); }

void spectral_norm_problem::report(nlohmann::json& line) const {
  line["size"] = size();
  line["shape"] = by_rows_ ? "rows" : "inner";
  line["norm"] = norm();
}

long double spectral_norm_problem::exact_norm(std::uint64_t size) {
  // By compute_exact_norm(). Published, to nine digits: 1.274219991 for 100 and 1.274224153 for 5500.
  static constexpr std::pair<std::uint64_t, long double> k_known[] = {
      {100, 1.2742199912349304714L},  {200, 1.2742236013532115979L},  {1000, 1.2742241481294829469L},
      {2000, 1.2742241522286175188L}, {5500, 1.2742241527925108883L}, {6000, 1.2742241527990994181L},
  };
  for (const auto& [n, norm] : k_known) {
    if (n == size) return norm;
  }
  return compute_exact_norm(size);
}

long double spectral_norm_problem::compute_exact_norm(std::uint64_t size) {
  using long_vector = std::vector<long double>;
  const auto product = [size](factor by, const long_vector& in) {
    long_vector out(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      for (std::uint64_t j = 0; j < size; ++j) {
        const std::uint64_t divisor = (i + j) * (i + j + 1) / 2 + (by == factor::a ? i : j) + 1;
        out[i] += in[j] / static_cast<long double>(divisor);
      }
    }
    return out;
  };
  long_vector u(size, 1);
  long_vector v;
  for (int i = 0; i < k_rounds; ++i) {
    v = product(factor::a_transposed, product(factor::a, u));
    u = product(factor::a_transposed, product(factor::a, v));
  }
  long double vbv = 0;
  long double vv = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    vbv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  return std::sqrt(vbv / vv);
}

namespace {

/// Columns of one row of A times a vector.
inline double dot_of_a(std::int32_t row, const double* in, std::int32_t begin, std::int32_t end) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int32_t j = begin; j < end; ++j) {
    sum += in[j] / static_cast<double>((((row + j) * (row + j + 1)) >> 1) + row + 1);
  }
  return sum;
}

/// The same of A^T.
inline double dot_of_a_transposed(std::int32_t row, const double* in, std::int32_t begin, std::int32_t end) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int32_t j = begin; j < end; ++j) {
    sum += in[j] / static_cast<double>((((row + j) * (row + j + 1)) >> 1) + j + 1);
  }
  return sum;
}

}  // namespace

double spectral_norm_problem::multiply_row(factor by, std::size_t row, const std::vector<double>& in, part columns) {
  const auto i = static_cast<std::int32_t>(row);
  const auto begin = static_cast<std::int32_t>(columns.begin);
  const auto end = static_cast<std::int32_t>(columns.end);
  return by == factor::a ? dot_of_a(i, in.data(), begin, end) : dot_of_a_transposed(i, in.data(), begin, end);
}

void spectral_norm_problem::multiply_rows(factor by, const std::vector<double>& in, std::vector<double>& out,
                                          part rows) {
  for (std::size_t i = rows.begin; i < rows.end; ++i) out[i] = multiply_row(by, i, in, {0, in.size()});
}

pair_of_sums spectral_norm_problem::vbv_and_vv(part of) {
  const double* __restrict u = vector(k_products).data();
  const double* __restrict v = vector(k_products - 2).data();
  double vbv = 0;
  double vv = 0;
#pragma omp simd reduction(+ : vbv, vv)
  for (std::size_t i = of.begin; i < of.end; ++i) {
    vbv += u[i] * v[i];
    vv += v[i] * v[i];
  }
  return {vbv, vv};
}

}  // namespace bench
