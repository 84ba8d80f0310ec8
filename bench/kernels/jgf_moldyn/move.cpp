// SPDX-License-Identifier: Apache-2.0
// The loops of a move, out of line so that every competitor runs the same code, whatever compiled the competitor.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/jgf_moldyn/jgf_moldyn.hpp"

namespace bench {
namespace {

constexpr std::size_t k_chunk = 128;
using chunk = std::array<double, k_chunk>;

/// Of a distance and what it is across the ends of the cube, the shorter one.
inline double nearest(double distance, double side) {
  const double half = 0.5 * side;
  const double from_below = distance < -half ? distance + side : distance;
  return from_below > half ? from_below - side : from_below;
}

}  // namespace

void jgf_moldyn_problem::go(part particles) {
  const auto in_direction = [this, particles](std::vector<double>& place, std::vector<double>& velocity,
                                              const std::vector<double>& force) {
    for (std::size_t i = particles.begin; i < particles.end; ++i) {
      place[i] = place[i] + velocity[i] + force[i];
      if (place[i] < 0) place[i] += side_;
      if (place[i] > side_) place[i] -= side_;
      velocity[i] += force[i];
    }
  };
  in_direction(places_.x, velocities_.x, forces_.x);
  in_direction(places_.y, velocities_.y, forces_.y);
  in_direction(places_.z, velocities_.z, forces_.z);
}

void jgf_moldyn_problem::find_forces(part blocks) {
  for (std::size_t i = blocks.begin; i < blocks.end; ++i) find_forces(blocks_[i]);
}

/// Hardly one pair in fifty is near enough, so distances are computed several at a time and then looked at.
void jgf_moldyn_problem::find_forces(block& b) const {
  b.forces.fill(0);
  b.potential = 0;
  b.virial = 0;
  b.interactions = 0;
  const double* const x = places_.x.data();
  const double* const y = places_.y.data();
  const double* const z = places_.z.data();
  const double limit = cutoff_ * cutoff_;
  chunk squares;
  for (std::size_t i = b.firsts.begin; i < b.firsts.end; ++i) {
    for (std::size_t begin = i + 1; begin < size(); begin += k_chunk) {
      const std::size_t count = std::min(k_chunk, size() - begin);
#pragma omp simd
      for (std::size_t k = 0; k < count; ++k) {
        const double dx = nearest(x[i] - x[begin + k], side_);
        const double dy = nearest(y[i] - y[begin + k], side_);
        const double dz = nearest(z[i] - z[begin + k], side_);
        squares[k] = dx * dx + dy * dy + dz * dz;
      }
      for (std::size_t k = 0; k < count; ++k) {
        if (squares[k] <= limit) interact(b, i, begin + k, squares[k]);
      }
    }
  }
}

/// The force of j on i, and its opposite on j.
void jgf_moldyn_problem::interact(block& b, std::size_t i, std::size_t j, double square) const {
  const double by_2 = 1 / square;  // 1 / r^2, and so on
  const double by_4 = by_2 * by_2;
  const double by_6 = by_4 * by_2;
  const double by_8 = by_4 * by_4;
  const double by_12 = by_4 * by_8;
  const double force = by_12 * by_2 - 0.5 * by_8;
  b.potential += by_12 - by_6;
  b.virial -= square * force;
  ++b.interactions;
  const auto in_direction = [this, &b, i, j, force](std::vector<double>& forces, const std::vector<double>& place) {
    const double f = nearest(place[i] - place[j], side_) * force;
    forces[i - b.firsts.begin] += f;
    forces[j - b.firsts.begin] -= f;
  };
  in_direction(b.forces.x, places_.x);
  in_direction(b.forces.y, places_.y);
  in_direction(b.forces.z, places_.z);
}

pair_of_sums jgf_moldyn_problem::accelerate(part particles) {
  const auto in_direction = [this, particles](std::vector<double>& velocity, std::vector<double>& force,
                                              std::vector<double> vectors::* of_block) {
    std::fill(force.data() + particles.begin, force.data() + particles.end, 0.0);
    for (const block& b : blocks_) {
      const double* const f = (b.forces.*of_block).data();
      for (std::size_t i = std::max(particles.begin, b.firsts.begin); i < particles.end; ++i) {
        force[i] += f[i - b.firsts.begin];
      }
    }
    for (std::size_t i = particles.begin; i < particles.end; ++i) {
      force[i] *= 0.5 * k_step * k_step;
      velocity[i] += force[i];
    }
  };
  in_direction(velocities_.x, forces_.x, &vectors::x);
  in_direction(velocities_.y, forces_.y, &vectors::y);
  in_direction(velocities_.z, forces_.z, &vectors::z);
  pair_of_sums sums;
  for (std::size_t i = particles.begin; i < particles.end; ++i) {
    const double square =
        velocities_.x[i] * velocities_.x[i] + velocities_.y[i] * velocities_.y[i] + velocities_.z[i] * velocities_.z[i];
    sums.first += square;
    sums.second += std::sqrt(square);
  }
  return sums;
}

void jgf_moldyn_problem::scale_velocities(double scale, part particles) {
  for (std::vector<double>* of_direction : {&velocities_.x, &velocities_.y, &velocities_.z}) {
    for (std::size_t i = particles.begin; i < particles.end; ++i) (*of_direction)[i] *= scale;
  }
}

}  // namespace bench
