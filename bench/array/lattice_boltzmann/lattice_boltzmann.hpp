// SPDX-License-Identifier: Apache-2.0
// Problem lattice_boltzmann: `--phases` steps of the flow in a lid-driven cavity of `--size` by `--size` cells, D2Q9 with one relaxation
// time. The unit is one cell of one step. All competitors collide by the same function, so that each population has to be, bit for bit,
// that of the plain serial kernel; and how long each is in updates of ghosts is told besides.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "serial_cavity.hpp"
#include "support/program.hpp"
#include "support/resident.hpp"

namespace bench {

/// What all places know.
struct flow_setting {
  using index = std::ptrdiff_t;
  static constexpr double k_lid = 0.1;
  static constexpr double k_reynolds = 100;
  static constexpr std::uint64_t k_warm = 2;  // steps before the clock

  index size = 1024;
  std::uint64_t steps = 0;
  int places = 1;

  [[nodiscard]] static double lid() { return k_lid; }
  [[nodiscard]] lattice_boltzmann::relaxation how() const {
    return lattice_boltzmann::bgk(k_lid * static_cast<double>(size) / k_reynolds);
  }

  /// Parts along y, and along x: as near to a square as there is one.
  [[nodiscard]] index parts_y() const {
    index few = 1;
    for (index k = 1; k * k <= places; ++k) few = places % k == 0 ? k : few;
    return few;
  }
  [[nodiscard]] index parts_x() const { return places / parts_y(); }

  struct range {
    index lo, hi;
  };
  [[nodiscard]] range part(index number, index of) const { return {size * number / of, size * (number + 1) / of}; }
  [[nodiscard]] range x_of(int place) const { return part(place / parts_y(), parts_x()); }
  [[nodiscard]] range y_of(int place) const { return part(place % parts_y(), parts_y()); }
};

/// What is summed over cells, in whatever order: equal flows have equal marks, and hardly any others. Flows that differ by rounding only
/// have about the same moment, a sum of what the populations of a fluid at rest are not, each with a weight of its own.
struct flow_digest {
  std::uint64_t marks = 0;
  double mass = 0;
  double moment = 0;

  void add(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y, double f) {
    const auto number = (static_cast<std::uint64_t>(x) << 36U) + (static_cast<std::uint64_t>(y) << 4U) + q;
    const std::uint64_t weight = mixed(number * 0x9e3779b97f4a7c15U);
    marks += mixed(std::bit_cast<std::uint64_t>(f) ^ weight);
    mass += f;
    moment += (f - lattice_boltzmann::k_weight[q]) * static_cast<double>(weight >> 11U) * 0x1p-53;
  }
  void add(const flow_digest& other) {
    marks += other.marks;
    mass += other.mass;
    moment += other.moment;
  }

private:
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
};

/// How a flow has to be that of the plain kernel.
enum class flow_match : std::uint8_t { bits, rounded };

/// Of the plain kernel's n x n cells.
inline flow_digest digest_of(const lattice_boltzmann::serial_cavity& flow, std::ptrdiff_t n) {
  flow_digest d;
  for (std::ptrdiff_t x = 0; x < n; ++x) {
    for (std::size_t q = 0; q < lattice_boltzmann::k_populations; ++q) {
      for (std::ptrdiff_t y = 0; y < n; ++y) d.add(x, q, y, flow(x, q, y));
    }
  }
  return d;
}

/// Memory of this process beyond what it had when this was made.
class memory_watch {
public:
  void forget() { forget_peak(); }
  [[nodiscard]] std::uint64_t peak() const {
    const std::uint64_t most = peak_resident_bytes();
    return most > before_ ? most - before_ : 0;
  }

private:
  std::uint64_t before_ = resident_bytes();
};

class lattice_boltzmann_problem {
public:
  explicit lattice_boltzmann_problem(const options& o) {
    setting_.size = o.size != 0 ? static_cast<std::ptrdiff_t>(o.size) : 1024;
    setting_.steps = o.phases != 0 ? o.phases : 20;
    setting_.places = o.threads;
    if (setting_.size < setting_.parts_x() || setting_.size > (1 << 14)) {
      throw std::invalid_argument("lattice_boltzmann: --size is from one cell for each part of an axis to 16,384");
    }
  }

  [[nodiscard]] const flow_setting& setting() const { return setting_; }

  /// What came of a pass: over all places, but for the seconds in updates of ghosts, which are those of the place with the most.
  void done(const flow_digest& flow, double update_seconds, std::uint64_t peak_bytes, const duration& took,
            flow_match match = flow_match::bits) {
    flow_ = flow;
    match_ = match;
    update_seconds_ = update_seconds;
    peak_bytes_ = peak_bytes;
    took_ = took;
  }

  void reset() { flow_.reset(); }
  [[nodiscard]] duration timed_part() const { return took_; }
  void verify() {
    const double mass = static_cast<double>(setting_.size) * static_cast<double>(setting_.size);
    if (!flow_ || !(std::abs(flow_->mass / mass - 1) < 1e-10)) throw wrong_answer("the fluid does not keep its mass");
    if (!expected_) expected_ = serial();
    const bool is_right = match_ == flow_match::bits ? flow_->marks == expected_->marks
                                                     : std::abs(flow_->moment - expected_->moment) < k_rounding;
    if (!is_right) throw wrong_answer("the populations are not those of the serial kernel");
  }
  [[nodiscard]] std::uint64_t operations() const {
    return setting_.steps * static_cast<std::uint64_t>(setting_.size) * static_cast<std::uint64_t>(setting_.size);
  }
  void report(nlohmann::json& line) const {
    line["size"] = setting_.size;
    line["steps"] = setting_.steps;
    line["update_seconds"] = update_seconds_;
    line["peak_bytes"] = peak_bytes_;
  }

private:
  static constexpr double k_rounding = 1e-7;  // one ghost with the value of another cell makes more

  [[nodiscard]] flow_digest serial() const {
    lattice_boltzmann::serial_cavity flow(setting_.size, setting_.lid(), setting_.how());
    for (std::uint64_t s = 0; s < setting_.steps + flow_setting::k_warm; ++s) flow.step();
    return digest_of(flow, setting_.size);
  }

  flow_setting setting_;
  std::optional<flow_digest> flow_;
  std::optional<flow_digest> expected_;
  flow_match match_ = flow_match::bits;
  double update_seconds_ = 0;
  std::uint64_t peak_bytes_ = 0;
  duration took_;
};

}  // namespace bench
