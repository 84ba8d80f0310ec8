// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace lattice_boltzmann {
namespace {

constexpr double k_mass_tolerance = 1e-10;

}  // namespace

double report::cells_per_second(const options& o) const {
  return seconds > 0 ? static_cast<double>(o.size) * static_cast<double>(o.size) * static_cast<double>(steps) / seconds
                     : 0;
}
bool report::keeps_mass() const { return std::abs(mass_error) <= k_mass_tolerance; }
bool report::agrees_with_ghia(const options& o) const {
  return !from_ghia || (from_ghia->u <= o.tolerance && from_ghia->v <= o.tolerance);
}
bool report::is_right(const options& o) const {
  return keeps_mass() && agrees_with_ghia(o) && is_verified.value_or(true) && is_steady.value_or(true);
}

void print(const options& o, const report& r) {
  fmt::print("cavity of {0} x {0} cells, Reynolds number {1}, {2}; {3} over {4} place{5}, {6} worker{7} each\n", o.size,
             o.reynolds, o.collision, o.distribution, r.places, r.places == 1 ? "" : "s", r.workers,
             r.workers == 1 ? "" : "s");
  fmt::print("{} steps in {:.2f} s: {:.1f} million cells a second; in updates of ghosts {:.2f} s\n", r.steps, r.seconds,
             r.cells_per_second(o) / 1e6, r.update_seconds);
  if (r.is_steady) {
    fmt::print("{}: no velocity changes by more than {:.2g} of the lid's in 1000 steps\n",
               *r.is_steady ? "steady" : "NOT STEADY", r.change);
  }
  fmt::print("mass: {}, off by {:.2g}\n", r.keeps_mass() ? "kept" : "NOT KEPT", r.mass_error);
  if (r.from_ghia) {
    fmt::print("Ghia, Ghia and Shin: {}, off by at most {:.4f} (u) and {:.4f} (v) of the lid's speed; {} is allowed\n",
               r.agrees_with_ghia(o) ? "right" : "WRONG", r.from_ghia->u, r.from_ghia->v, o.tolerance);
  }
  if (r.is_verified) {
    fmt::print("{} as a plain serial kernel, which has taken {:.2f} s\n",
               *r.is_verified ? "the same bits" : "OTHER BITS", r.serial_seconds.value_or(0));
  }
}

void write_json(const options& o, const report& r, const std::string& file) {
  nlohmann::ordered_json all = {
      {"size", o.size},
      {"reynolds", o.reynolds},
      {"lid", o.lid},
      {"collision", o.collision},
      {"distribution", o.distribution},
      {"places", r.places},
      {"workers", r.workers},
      {"steps", r.steps},
      {"seconds", r.seconds},
      {"update_seconds", r.update_seconds},
      {"cells_per_second", r.cells_per_second(o)},
      {"mass_error", r.mass_error},
      {"right", r.is_right(o)},
  };
  if (r.is_steady) {
    all["steady"] = *r.is_steady;
    all["change"] = r.change;
  }
  if (r.from_ghia) {
    all["ghia"] = {{"u", r.from_ghia->u}, {"v", r.from_ghia->v}, {"tolerance", o.tolerance}};
  }
  if (r.is_verified) {
    all["verified"] = *r.is_verified;
    all["serial_seconds"] = r.serial_seconds.value_or(0);
  }
  apps::output_file out(file, "what came out");
  out.write(all.dump(2) + "\n");
  out.finish();
}

}  // namespace lattice_boltzmann
