// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_cg/nas_cg.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "support/npb_random.hpp"

namespace bench {
namespace {

constexpr double k_tolerance = 1e-10;           // of zeta, relative: the specification's
constexpr double k_largest_residual = 1e-12;    // right ones are 1.3e-13 to 2.3e-13
constexpr double k_reciprocal_condition = 0.1;  // rcond
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

struct element {
  std::int32_t index;
  double value;
};

using sparse_vector = std::vector<element>;

/// A random vector with `nonzeros` elements and one more, or the same, at `fixed`, which is 1/2.
sparse_vector random_vector(npb_random_numbers& random, int order, int nonzeros, std::int32_t fixed) {
  sparse_vector v;
  const auto at = [&v](std::int32_t i) { return std::ranges::find(v, i, &element::index); };
  const auto limit = std::bit_ceil(static_cast<unsigned>(order));
  while (v.size() < static_cast<std::size_t>(nonzeros)) {
    const double value = random.next();  // drawn also where the place turns out to be no good
    const auto i = static_cast<std::int32_t>(random.next() * limit);
    if (i < order && at(i) == v.end()) v.push_back({i, value});
  }
  if (const auto found = at(fixed); found != v.end()) {
    found->value = 0.5;
  } else {
    v.push_back({fixed, 0.5});
  }
  return v;
}

/// Adds to an element of a vector that is in order.
void add(sparse_vector& row, element e) {
  const auto at = std::ranges::lower_bound(row, e.index, {}, &element::index);
  if (at != row.end() && at->index == e.index) {
    at->value += e.value;
  } else {
    row.insert(at, e);
  }
}

}  // namespace

const nas_cg_problem::problem_class& nas_cg_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{
      {'S', 1400, 7, 15, 10, 8.5971775078648},
      {'W', 7000, 8, 15, 12, 10.362595087124},
      {'A', 14000, 11, 15, 20, 17.130235054029},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("nas_cg: --class is S, W or A, not '" + name + "'");
}

nas_cg_problem::nas_cg_problem(const options& o)
    : class_(class_named(o.problem_class)), x_(size()), z_(size()), p_(size()), q_(size()), r_(size()) {
  make_matrix();
}

/// The sum over i of w^i v_i v_i^T, v_i random, w^order = rcond; and of (rcond - shift) I.
void nas_cg_problem::make_matrix() {
  npb_random_numbers random;
  random.next();  // the specification throws the first one away
  std::vector<sparse_vector> rows(size());
  const double ratio = std::pow(k_reciprocal_condition, 1.0 / class_.order);
  double weight = 1;
  for (std::int32_t i = 0; i < class_.order; ++i) {
    const sparse_vector v = random_vector(random, class_.order, class_.nonzeros, i);
    for (const element& a : v) {
      const double scaled = weight * a.value;
      for (const element& b : v) {
        const bool is_diagonal = a.index == i && b.index == i;
        const double value = b.value * scaled;
        add(rows[static_cast<std::size_t>(a.index)],
            {b.index, is_diagonal ? value + k_reciprocal_condition - class_.shift : value});
      }
    }
    weight *= ratio;
  }
  row_begin_.push_back(0);
  for (const sparse_vector& row : rows) {
    for (const element& e : row) {
      columns_.push_back(e.index);
      values_.push_back(e.value);
    }
    row_begin_.push_back(static_cast<std::uint32_t>(values_.size()));
  }
}

void nas_cg_problem::reset() {
  std::ranges::fill(x_, 1.0);
  // Whoever reads what nobody has written gets no number, and neither does anybody after.
  for (std::vector<double>* v : {&z_, &p_, &q_, &r_}) std::ranges::fill(*v, k_nan);
  zeta_ = k_nan;
  largest_residual_ = k_nan;
}

void nas_cg_problem::verify() const {
  const auto text = [](double x) {
    nlohmann::json j = x;  // with all its digits
    return j.dump();
  };
  if (!(std::abs(zeta_ - class_.zeta) <= k_tolerance * class_.zeta)) {
    throw wrong_answer("class " + std::string(1, class_.name) + ": zeta is " + text(zeta_) + ", not " +
                       text(class_.zeta));
  }
  if (!(largest_residual_ <= k_largest_residual)) {
    throw wrong_answer("class " + std::string(1, class_.name) + ": a solution is wrong by " + text(largest_residual_));
  }
}

std::uint64_t nas_cg_problem::operations() const {
  const auto products = static_cast<std::uint64_t>(class_.outer_iterations) * (k_inner_iterations + 1);
  return products * elements();
}

void nas_cg_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["zeta"] = zeta_;
  line["largest_residual"] = largest_residual_;
}

double nas_cg_problem::root(double x) { return std::sqrt(x); }
double nas_cg_problem::inverse_root(double x) { return 1 / std::sqrt(x); }

double nas_cg_problem::begin(part rows) {
  const double* __restrict x = x_.data();
  double* __restrict z = z_.data();
  double* __restrict r = r_.data();
  double* __restrict p = p_.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    z[i] = 0;
    r[i] = x[i];
    p[i] = x[i];
    sum += x[i] * x[i];
  }
  return sum;
}

namespace {

/// One row of the matrix times a vector. Four sums, so that additions need not wait for one another. With a mark for
/// vectors instead g++ takes the processor's gather instructions: class S then needed four times as long on a Zen 3.
inline double dot(const double* values, const std::int32_t* columns, std::uint32_t begin, std::uint32_t end,
                  const double* vector) {
  double sums[4] = {};
  std::uint32_t k = begin;
  for (; end - k >= 4; k += 4) {
    for (std::uint32_t lane = 0; lane < 4; ++lane) sums[lane] += values[k + lane] * vector[columns[k + lane]];
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; k < end; ++k) sum += values[k] * vector[columns[k]];
  return sum;
}

}  // namespace

double nas_cg_problem::q_becomes_a_times_p(part rows) {
  const double* const p = p_.data();
  double sum = 0;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const double product = dot(values_.data(), columns_.data(), row_begin_[i], row_begin_[i + 1], p);
    q_[i] = product;
    sum += p[i] * product;
  }
  return sum;
}

double nas_cg_problem::go(double alpha, part rows) {
  const double* __restrict p = p_.data();
  const double* __restrict q = q_.data();
  double* __restrict z = z_.data();
  double* __restrict r = r_.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    z[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    sum += r[i] * r[i];
  }
  return sum;
}

void nas_cg_problem::turn(double beta, part rows) {
  const double* __restrict r = r_.data();
  double* __restrict p = p_.data();
#pragma omp simd
  for (std::size_t i = rows.begin; i < rows.end; ++i) p[i] = r[i] + beta * p[i];
}

double nas_cg_problem::square_of_what_is_missing(part rows) {
  double sum = 0;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const double missing = x_[i] - dot(values_.data(), columns_.data(), row_begin_[i], row_begin_[i + 1], z_.data());
    sum += missing * missing;
  }
  return sum;
}

pair_of_sums nas_cg_problem::xz_and_zz(part rows) {
  const double* __restrict x = x_.data();
  const double* __restrict z = z_.data();
  double xz = 0;
  double zz = 0;
#pragma omp simd reduction(+ : xz, zz)
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    xz += x[i] * z[i];
    zz += z[i] * z[i];
  }
  return {xz, zz};
}

void nas_cg_problem::x_becomes_z_times(double scale, part rows) {
  const double* __restrict z = z_.data();
  double* __restrict x = x_.data();
#pragma omp simd
  for (std::size_t i = rows.begin; i < rows.end; ++i) x[i] = scale * z[i];
}

}  // namespace bench
