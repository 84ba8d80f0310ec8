// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace lattice_boltzmann {
namespace {

constexpr double k_mass_tolerance = 1e-10;

double cells_per_second(const options& o, const report& r) {
  const auto cells = static_cast<double>(o.size) * static_cast<double>(o.size);
  return r.seconds > 0 ? cells * static_cast<double>(r.steps) / r.seconds : 0;
}

bool keeps_mass(const report& r) { return std::abs(r.mass_error) <= k_mass_tolerance; }

bool agrees_with_ghia(const options& o, const report& r) {
  return !r.from_ghia || (r.from_ghia->u <= o.tolerance && r.from_ghia->v <= o.tolerance);
}

std::string counted(int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

bool report::is_right(const options& o) const {
  return keeps_mass(*this) && agrees_with_ghia(o, *this) && is_verified.value_or(true) && is_steady.value_or(true);
}

void print(const options& o, const report& r) {
  fmt::print("cavity of {0} x {0} cells, Reynolds number {1}, {2}; {3} over {4}, {5} each\n", o.size, o.reynolds,
             o.collision, o.distribution, counted(r.places, "place"), counted(r.workers, "worker"));
  fmt::print("{} steps in {:.2f} s: {:.1f} million cells a second; in updates of ghosts {:.2f} s\n", r.steps, r.seconds,
             cells_per_second(o, r) / 1e6, r.update_seconds);
  if (r.is_steady) {
    fmt::print("{}: no velocity changes by more than {:.2g} of the lid's in 1000 steps\n",
               *r.is_steady ? "steady" : "NOT STEADY", r.change);
  }
  fmt::print("mass: {}, off by {:.2g}\n", keeps_mass(r) ? "kept" : "NOT KEPT", r.mass_error);
  if (r.from_ghia) {
    fmt::print("Ghia, Ghia and Shin: {}, off by at most {:.4f} (u) and {:.4f} (v) of the lid's speed; {} is allowed\n",
               agrees_with_ghia(o, r) ? "right" : "WRONG", r.from_ghia->u, r.from_ghia->v, o.tolerance);
  }
  if (r.is_verified) {
    fmt::print("{} as a plain serial kernel, which has taken {:.2f} s\n",
               *r.is_verified ? "the same bits" : "OTHER BITS", r.serial_seconds);
  }
}

void write_json(const options& o, const report& r, const std::string& file) {
  nlohmann::ordered_json all = {{"size", o.size},
                                {"reynolds", o.reynolds},
                                {"lid", o.lid},
                                {"collision", o.collision},
                                {"distribution", o.distribution},
                                {"places", r.places},
                                {"workers", r.workers},
                                {"steps", r.steps},
                                {"seconds", r.seconds},
                                {"update_seconds", r.update_seconds},
                                {"cells_per_second", cells_per_second(o, r)},
                                {"mass_error", r.mass_error},
                                {"right", r.is_right(o)}};
  if (r.is_steady) all.update({{"steady", *r.is_steady}, {"change", r.change}});
  if (r.from_ghia) all["ghia"] = {{"u", r.from_ghia->u}, {"v", r.from_ghia->v}, {"tolerance", o.tolerance}};
  if (r.is_verified) all.update({{"verified", *r.is_verified}, {"serial_seconds", r.serial_seconds}});
  apps::output_file out(file, "what came out");
  out.write(all.dump(2) + "\n");
  out.finish();
}

}  // namespace lattice_boltzmann
