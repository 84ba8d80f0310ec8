// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_series/jgf_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bench {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_end = 2;  // of the interval, which begins at 0
constexpr int k_intervals = 1000;
constexpr int k_last_inner_point = k_intervals - 2;  // the suite's; the rule has one more

constexpr double k_tolerance = 1e-12;  // the suite's
// How far a pair may be from the sums with exact arguments, for each unit of its number: the points are sums of up to 998
// roundings of at most 1.1e-16, each integral is at most 5.8 times what cos and sin are wrong by, and pi is the factor.
constexpr double k_tolerance_per_number = 2e-12;

enum class term { constant, cosine, sine };

double function_at(double x, double frequency, term which) {
  switch (which) {
    case term::cosine: return std::pow(x + 1, x) * std::cos(frequency * x);
    case term::sine: return std::pow(x + 1, x) * std::sin(frequency * x);
    case term::constant: break;
  }
  return std::pow(x + 1, x);
}

double integral(double frequency, term which) {
  const double width = k_end / k_intervals;
  double x = 0;
  double sum = function_at(x, frequency, which) / 2;
  for (int i = 1; i <= k_last_inner_point; ++i) {
    x += width;
    sum += function_at(x, frequency, which);
  }
  return (sum + function_at(k_end, frequency, which) / 2) * width;
}

std::size_t pairs_of_class(const std::string& name) {
  if (name == "A") return 10'000;
  if (name == "B") return 100'000;
  if (name == "C") return 1'000'000;
  if (name == "T") return 1'200;
  throw std::invalid_argument("jgf_series: --class is A, B or C, not '" + name + "'");
}

void compare(std::size_t pair, const char* which, double value, double right, double tolerance) {
  if (std::abs(value - right) <= tolerance) return;
  const auto text = [](double x) { return nlohmann::json(x).dump(); };  // with all its digits
  throw wrong_answer("the coefficient of the " + std::string(which) + " in pair " + std::to_string(pair) + " is " +
                     text(value) + ", not " + text(right));
}

}  // namespace

jgf_series_problem::jgf_series_problem(const options& o)
    : class_name_(o.problem_class), cosine_(pairs_of_class(o.problem_class)), sine_(cosine_.size()) {
  make_right_pairs();
}

/// The points are whole multiples of the interval, and their angles of a turn's thousandth.
void jgf_series_problem::make_right_pairs() {
  std::array<double, k_period> weighted{};  // the function times the interval; its ends are the same point of a turn
  std::array<coefficients, k_period> turn{};
  for (std::size_t k = 0; k < k_period; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / k_period;
    turn[k] = {std::cos(angle), std::sin(angle)};
    const double x = k_end * static_cast<double>(k) / k_intervals;
    if (k <= k_last_inner_point) weighted[k] = std::pow(x + 1, x) * k_end / k_intervals;
  }
  weighted[0] = (1 + std::pow(k_end + 1, k_end)) / 2 * k_end / k_intervals;
  for (std::size_t n = 0; n < k_period; ++n) {
    for (std::size_t k = 0; k < k_period; ++k) {
      right_[n].cosine += weighted[k] * turn[n * k % k_period].cosine;
      right_[n].sine += weighted[k] * turn[n * k % k_period].sine;
    }
  }
}

void jgf_series_problem::reset() {
  std::ranges::fill(cosine_, k_nan);
  std::ranges::fill(sine_, k_nan);
}

void jgf_series_problem::verify_published() const {
  static constexpr std::array<coefficients, k_published> k_pairs{{
      {2.8729524964837996, 0},
      {1.1161046676147888, -1.8819691893398025},
      {0.34429060398168704, -1.1645642623320958},
      {0.15238898702519288, -0.8143461113044298},
  }};
  for (std::size_t i = 0; i < k_published; ++i) {
    compare(i, "cosine", cosine_[i], k_pairs[i].cosine, k_tolerance);
    compare(i, "sine", sine_[i], k_pairs[i].sine, k_tolerance);
  }
}

void jgf_series_problem::verify() const {
  verify_published();
  for (std::size_t i = k_published; i < size(); ++i) {
    const coefficients& right = right_[i % k_period];
    const double tolerance = k_tolerance + k_tolerance_per_number * static_cast<double>(i);
    compare(i, "cosine", cosine_[i], right.cosine, tolerance);
    compare(i, "sine", sine_[i], right.sine, tolerance);
  }
}

void jgf_series_problem::report(nlohmann::json& line) const { line["class"] = class_name_; }

void jgf_series_problem::integrate(part pairs) {
  for (std::size_t i = pairs.begin; i < pairs.end; ++i) {
    if (i == 0) {
      cosine_[0] = integral(0, term::constant) / 2;
      sine_[0] = 0;
      continue;
    }
    const double frequency = std::numbers::pi * static_cast<double>(i);
    cosine_[i] = integral(frequency, term::cosine);
    sine_[i] = integral(frequency, term::sine);
  }
}

}  // namespace bench
