// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_moldyn/jgf_moldyn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace bench {
namespace {

constexpr double k_tolerance = 1e-10;  // of the kinetic energy: the suite's, for threads
constexpr double k_density = 0.83134;
constexpr double k_temperature = 0.722;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// The suite's own generator, an old one: x = 16807 x mod 2^31, and then mod 2^31 - 1.
class moldyn_random_numbers {
public:
  struct pair {
    double first;
    double second;
  };

  /// Two numbers of mean 0 and deviation 1, by the polar method.
  pair next() {
    pair p{};
    double square = 1;
    do {
      p.first = 2 * uniform() - 1;
      p.second = 2 * uniform() - 1;
      square = p.first * p.first + p.second * p.second;
    } while (square >= 1);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    return {scale * p.first, scale * p.second};
  }

private:
  double uniform() {
    constexpr std::uint64_t largest = (std::uint64_t{1} << 31) - 1;
    if (state_ == 0) state_ = 1;
    state_ = ((16807 * state_) & largest) % largest;
    return 4.656612875e-10 * static_cast<double>(state_);
  }

  std::uint64_t state_ = 0;
};

/// To the mean 0; the sum of squares then.
double centre(std::vector<double>& v) {
  double mean = 0;
  for (const double x : v) mean += x;
  mean /= static_cast<double>(v.size());
  double squares = 0;
  for (double& x : v) {
    x -= mean;
    squares += x * x;
  }
  return squares;
}

double temperature_scale(std::size_t particles) { return 16.0 / (static_cast<double>(particles) - 1); }

}  // namespace

void jgf_moldyn_problem::vectors::fill(double value) {
  for (std::vector<double>* v : {&x, &y, &z}) std::ranges::fill(*v, value);
}

const jgf_moldyn_problem::problem_class& jgf_moldyn_problem::class_named(const std::string& name) {
  static constexpr std::array<problem_class, 2> k_classes{{
      {'A', 8, 1731.4306625334357},
      {'B', 13, 7397.392307839352},
  }};
  for (const problem_class& c : k_classes) {
    if (name == std::string(1, c.name)) return c;
  }
  throw std::invalid_argument("jgf_moldyn: --class is A or B, not '" + name + "'");
}

jgf_moldyn_problem::jgf_moldyn_problem(const options& o)
    : class_(class_named(o.problem_class)),
      side_(std::pow(static_cast<double>(size()) / k_density, 0.3333333)),
      cutoff_(static_cast<double>(class_.cells) / 4),
      first_places_(size()),
      first_velocities_(size()),
      places_(size()),
      velocities_(size()),
      forces_(size()) {
  for (std::size_t i = 0; i < k_blocks; ++i) blocks_.emplace_back(part_of(size(), i, k_blocks), size());
  place_in_crystal();
  draw_velocities();
}

/// Face-centred: all corners of the cells first, then all centres of the one face, and so on.
void jgf_moldyn_problem::place_in_crystal() {
  struct offset {
    double x;
    double y;
    double z;
  };
  const double width = side_ / static_cast<double>(class_.cells);
  const auto at = [width](std::size_t cell, double half) {
    return static_cast<double>(cell) * width + half * width * 0.5;
  };
  std::size_t next = 0;
  for (const offset& o : {offset{0, 0, 0}, offset{1, 1, 0}, offset{1, 0, 1}, offset{0, 1, 1}}) {
    for (std::size_t i = 0; i < class_.cells; ++i) {
      for (std::size_t j = 0; j < class_.cells; ++j) {
        for (std::size_t k = 0; k < class_.cells; ++k) {
          first_places_.x[next] = at(i, o.x);
          first_places_.y[next] = at(j, o.y);
          first_places_.z[next] = at(k, o.z);
          ++next;
        }
      }
    }
  }
}

/// At random, so that the whole is at rest and has its temperature.
void jgf_moldyn_problem::draw_velocities() {
  moldyn_random_numbers random;
  vectors& v = first_velocities_;
  for (std::vector<double>* of_direction : {&v.x, &v.y, &v.z}) {
    for (std::size_t i = 0; i < size(); i += 2) {
      const moldyn_random_numbers::pair p = random.next();
      (*of_direction)[i] = p.first;
      (*of_direction)[i + 1] = p.second;
    }
  }
  double squares = 0;
  for (std::vector<double>* of_direction : {&v.x, &v.y, &v.z}) squares += centre(*of_direction);
  const double scale = k_step * std::sqrt(k_temperature / (temperature_scale(size()) * squares));
  for (std::vector<double>* of_direction : {&v.x, &v.y, &v.z}) {
    for (double& x : *of_direction) x *= scale;
  }
}

void jgf_moldyn_problem::reset() {
  places_ = first_places_;
  velocities_ = first_velocities_;
  forces_.fill(0);
  // Whoever reads what nobody has written gets no number, and neither does anybody after.
  for (block& b : blocks_) {
    b.forces.fill(k_nan);
    b.potential = k_nan;
    b.virial = k_nan;
  }
  kinetic_energy_ = k_nan;
  potential_energy_ = k_nan;
  pressure_ = k_nan;
  speed_ = k_nan;
}

void jgf_moldyn_problem::verify() const {
  if (std::abs(kinetic_energy_ - class_.kinetic_energy) <= k_tolerance) return;
  const auto text = [](double x) {
    nlohmann::json j = x;  // with all its digits
    return j.dump();
  };
  throw wrong_answer("class " + std::string(1, class_.name) + ": the kinetic energy is " + text(kinetic_energy_) +
                     ", not " + text(class_.kinetic_energy));
}

std::uint64_t jgf_moldyn_problem::operations() const {
  return static_cast<std::uint64_t>(k_moves) * size() * (size() - 1) / 2;
}

std::uint64_t jgf_moldyn_problem::interactions() const {
  std::uint64_t all = 0;
  for (const block& b : blocks_) all += b.interactions;
  return all;
}

void jgf_moldyn_problem::report(nlohmann::json& line) const {
  line["class"] = std::string(1, class_.name);
  line["kinetic_energy"] = kinetic_energy_;
  line["potential_energy"] = potential_energy_;
  line["pressure"] = pressure_;
  line["speed"] = speed_;
  line["interactions_of_last_move"] = interactions();
}

jgf_moldyn_problem::energies jgf_moldyn_problem::motion(const pair_of_sums& sums) const {
  return {sums.first / (k_step * k_step), sums.second / k_step / static_cast<double>(size())};
}

double jgf_moldyn_problem::scale_to_temperature(energies& of_motion) const {
  const double scale = std::sqrt(k_temperature / (temperature_scale(size()) * of_motion.kinetic));
  of_motion.kinetic = k_temperature / temperature_scale(size());
  return scale;
}

void jgf_moldyn_problem::record(const energies& of_motion) {
  double potential = 0;
  double virial = 0;
  for (const block& b : blocks_) {
    potential += b.potential;
    virial += b.virial;
  }
  kinetic_energy_ = 24 * of_motion.kinetic;
  potential_energy_ = 4 * potential;
  pressure_ = k_density * 16 * (of_motion.kinetic - virial) / static_cast<double>(size());
  speed_ = of_motion.speed;
}

}  // namespace bench
