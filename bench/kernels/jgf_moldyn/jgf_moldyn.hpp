// SPDX-License-Identifier: Apache-2.0
// Problem jgf_moldyn: MolDyn of the Java Grande Forum's multithreaded suite, section 3: 50 moves of argon atoms that
// attract and repel each other by the Lennard-Jones potential, in a periodic cube.
//
// Start and answer are the suite's: a run is right when the kinetic energy is the suite's to 1e-10, what its version for
// threads asks for. The unit is one pair of particles whose distance is looked at, half of all pairs in each move. As in
// the suite a force is computed once for both of its pair, the pairs (i, j), i < j, being divided by their first. There a
// thread adds up forces of its own and one thread adds the sums; here each of 64 blocks of first particles does, and
// particles add what concerns them. So nobody writes what another does, and the sums are the same for any division.
// What the suite computes and neither checks nor uses is left out: how many particles are faster than the mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_moldyn_problem {
public:
  explicit jgf_moldyn_problem(const options& o);

  /// All moves, from the particles' first places and velocities.
  template <class Steps>
  void solve(Steps& steps) {
    energies of_motion;
    for (int move = 1; move <= k_moves; ++move) {
      steps.each(size(), [this](part particles) { go(particles); });
      steps.uneven(k_blocks, 1, [this](part blocks) { find_forces(blocks); });
      of_motion = motion(steps.sums(size(), [this](part particles) { return accelerate(particles); }));
      if (move % k_scaling_interval == 0 && move < k_last_scaling) {
        const double scale = scale_to_temperature(of_motion);
        steps.each(size(), [this, scale](part particles) { scale_velocities(scale, particles); });
      }
    }
    if (steps.leads()) record(of_motion);
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const;
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return 4 * class_.cells * class_.cells * class_.cells; }
  [[nodiscard]] double kinetic_energy() const { return kinetic_energy_; }
  [[nodiscard]] std::uint64_t interactions() const;

  static constexpr int k_moves = 50;

private:
  /// What the suite fixes for a class of problems.
  struct problem_class {
    char name;
    std::size_t cells;      ///< of the crystal of the beginning, in each direction; a cell has four particles
    double kinetic_energy;  ///< the answer
  };

  /// One number for each particle and direction.
  struct vectors {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> z;

    explicit vectors(std::size_t n) : x(n), y(n), z(n) {}
    void fill(double value);
  };

  /// What the pairs of some first particles make: forces on those and all that come after them, counted from there.
  struct alignas(64) block {
    part firsts;
    vectors forces;
    double potential = 0;
    double virial = 0;
    std::uint64_t interactions = 0;

    block(part of, std::size_t particles) : firsts(of), forces(particles - of.begin) {}
  };

  /// Of all particles after a move, in the suite's units.
  struct energies {
    double kinetic = 0;
    double speed = 0;
  };

  static constexpr double k_step = 0.064;  ///< of time
  static constexpr std::size_t k_blocks = 64;
  static constexpr int k_scaling_interval = 10;
  static constexpr int k_last_scaling = 20;  // which is not done any more

  static const problem_class& class_named(const std::string& name);
  void place_in_crystal();
  void draw_velocities();

  // Each writes what belongs to its own particles or blocks only, and reads of others what the last step completed.
  void go(part particles);
  void find_forces(part blocks);
  pair_of_sums accelerate(part particles);  ///< by the blocks' forces; sums of velocities' squares and of speeds
  void scale_velocities(double scale, part particles);

  void find_forces(block& b) const;
  void interact(block& b, std::size_t i, std::size_t j, double square) const;
  [[nodiscard]] energies motion(const pair_of_sums& sums) const;
  double scale_to_temperature(energies& of_motion) const;  ///< by what velocities are multiplied; changes the energy
  void record(const energies& of_motion);

  const problem_class& class_;
  const double side_;    // of the cube
  const double cutoff_;  // particles farther from each other have no influence
  vectors first_places_;
  vectors first_velocities_;
  vectors places_;
  vectors velocities_;
  vectors forces_;
  std::vector<block> blocks_;
  double kinetic_energy_ = 0;
  double potential_energy_ = 0;
  double pressure_ = 0;
  double speed_ = 0;
};

}  // namespace bench
