// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_mg/nas_mg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "support/npb_random.hpp"

namespace bench {
namespace {

constexpr double k_tolerance = 1e-8;  // of the norm, relative: the specification's
constexpr std::size_t k_charges = 10;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

constexpr weights k_a = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};           // the equation's operator
constexpr weights k_smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};  // S(a), which classes S, W and A have

struct candidate {
  double value;
  std::size_t index;
};

/// The `k_charges` candidates that come first in some order, of all that were offered.
template <class Before>
class first_ones {
public:
  void offer(candidate c) {
    if (kept_.size() == k_charges && !before_(c.value, kept_.back().value)) return;
    const auto later = [this](double value, const candidate& k) { return before_(value, k.value); };
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), c.value, later), c);
    if (kept_.size() > k_charges) kept_.pop_back();
  }

  [[nodiscard]] const std::vector<candidate>& kept() const { return kept_; }

private:
  Before before_;
  std::vector<candidate> kept_;  // in order
};

}  // namespace

const nas_mg_problem::problem_class& nas_mg_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 3> k_classes{{
      {'S', 32, 0.5307707005734e-04},
      {'W', 128, 0.6467329375339e-05},
      {'A', 256, 0.2433365309069e-05},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("nas_mg: --class is S, W or A, not '" + name + "'");
}

nas_mg_problem::nas_mg_problem(const options& o) : class_(class_named(o.problem_class)), v_(size()) {
  for (std::size_t points = k_coarsest; points <= size(); points *= 2) {
    u_.emplace_back(points);
    r_.emplace_back(points);
  }
  make_charges();
}

/// A random number for each point: +1 where the largest are, -1 where the smallest are.
void nas_mg_problem::make_charges() {
  npb_random_numbers random;
  first_ones<std::greater<>> largest;
  first_ones<std::less<>> smallest;
  for (std::size_t i = 0; i < size() * size() * size(); ++i) {
    const double value = random.next();
    largest.offer({value, i});
    smallest.offer({value, i});
  }
  const auto charge = [this](const std::vector<candidate>& where, double value) {
    for (const candidate& c : where) {
      const std::size_t row = c.index / size();
      v_.row(row / size() + 1, row % size() + 1)[c.index % size() + 1] = value;
    }
  };
  charge(smallest.kept(), -1);
  charge(largest.kept(), 1);
  v_.repeat_sides(grid::planes_of({0, size()}));
}

void nas_mg_problem::reset() {
  // Whoever reads what nobody has written gets no number, and neither does anybody after.
  for (std::vector<grid>* grids : {&u_, &r_}) {
    for (grid& g : *grids) std::ranges::fill(g.numbers(), k_nan);
  }
  std::ranges::fill(u_.back().numbers(), 0.0);
  norm_ = k_nan;
}

void nas_mg_problem::verify() const {
  const auto text = [](double x) {
    nlohmann::json j = x;  // with all its digits
    return j.dump();
  };
  if (!(std::abs(norm_ - class_.norm) <= k_tolerance * class_.norm)) {
    throw wrong_answer("class " + std::string(1, class_.name) + ": the norm is " + text(norm_) + ", not " +
                       text(class_.norm));
  }
}

std::uint64_t nas_mg_problem::operations() const { return k_iterations * size() * size() * size(); }

void nas_mg_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["norm"] = norm_;
}

double nas_mg_problem::mean_root(double squares) const {
  const auto n = static_cast<double>(size());
  return std::sqrt(squares / (n * n * n));
}

void nas_mg_problem::find_residual(std::size_t level, part points) {
  const grid& right_side = level == finest() ? v_ : r_[level];
  subtract_weighted(r_[level], right_side, u_[level], k_a, grid::planes_of(points));
}

void nas_mg_problem::restrict_residual(std::size_t level, part points) {
  restrict_to(r_[level - 1], r_[level], grid::planes_of(points));
}

namespace {

void clear(grid& g, part planes) { std::fill(g.row(planes.begin, 0), g.row(planes.end, 0), 0.0); }

}  // namespace

void nas_mg_problem::solve_coarsest(part points) {
  const part planes = grid::planes_of(points);
  clear(u_.front(), planes);
  add_weighted(u_.front(), r_.front(), k_smoother, planes);
}

void nas_mg_problem::prolongate(std::size_t level, part coarse_planes) {
  if (level != finest()) clear(u_[level], {2 * coarse_planes.begin, 2 * coarse_planes.end});
  interpolate_from(u_[level], u_[level - 1], coarse_planes);
}

void nas_mg_problem::smooth(std::size_t level, part points) {
  add_weighted(u_[level], r_[level], k_smoother, grid::planes_of(points));
}

double nas_mg_problem::squares_of_residual(part points) const {
  return sum_of_squares(r_.back(), grid::planes_of(points));
}

}  // namespace bench
