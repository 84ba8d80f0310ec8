// SPDX-License-Identifier: Apache-2.0
// Flow in a cavity by the lattice Boltzmann method, in one process or under mpirun, and how right it is.
#include "cavity.hpp"
#include "distribution.hpp"
#include "ghia.hpp"
#include "options.hpp"
#include "output.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "serial_cavity.hpp"

#include <fmt/format.h>
#include <tactus/task/run.hpp>
#include <tactus/task/workers.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

using namespace lattice_boltzmann;
using steady_clock = std::chrono::steady_clock;

enum exit_code : int { k_right = 0, k_failed = 1, k_unusable = 2 };

constexpr std::size_t k_steps_between_looks = 1000;
constexpr double k_cells_between_news = 4e6;  // some tenths of a second

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

relaxation collision_of(const options& o) { return o.collision == "trt" ? trt(o.viscosity()) : bgk(o.viscosity()); }

// Advances, with looks in between, until the steps are done or the flow is steady. A flow that will become steady does so within a small
// part of the time in which momentum crosses the cavity by friction alone.
void simulate(cavity& c, const options& o, report& r) {
  const auto cells = static_cast<double>(o.size) * static_cast<double>(o.size);
  const std::size_t most = o.steps != 0 ? o.steps : static_cast<std::size_t>(std::ceil(2 * cells / o.viscosity()));
  const auto at_once = static_cast<std::size_t>(std::max(k_cells_between_news / cells, 1.0));
  std::atomic<double> done = 0;
  const apps::progress_stage stage(o.progress, "simulating", [&done] {
    return done.load(std::memory_order_relaxed);  // relaxed: a number to show, orders nothing
  });
  double first_change = 0;
  const auto start = steady_clock::now();
  while (r.steps < most && !r.is_steady.value_or(false)) {
    const std::size_t to_look = k_steps_between_looks - r.steps % k_steps_between_looks;
    const std::size_t to_save = o.save_every != 0 ? o.save_every - r.steps % o.save_every : most;
    const std::size_t steps = std::min({at_once, to_look, to_save, most - r.steps});
    c.advance(steps);
    r.steps += steps;
    if (steps == to_save && !o.save_file.empty()) c.save(o.save_file);
    double part = static_cast<double>(r.steps) / static_cast<double>(most);
    if (o.steps == 0) {
      if (steps == to_look) {
        r.change = c.look().change / o.lid;
        r.is_steady = r.change <= o.steady;
        first_change = std::max(first_change, r.change);
      }
      // The change falls by about the same factor in each thousand steps.
      part = first_change > 0 ? std::log(first_change / r.change) / std::log(first_change / o.steady) : 0;
    }
    done.store(part, std::memory_order_relaxed);  // relaxed: see above
  }
  r.seconds = seconds_since(start);
  r.update_seconds = c.update_seconds();
}

// Whether the serial kernel comes from the same populations to the same ones, bit by bit.
bool verify(const cavity& c, const ts::array<double, 3>& begin, const options& o, report& r) {
  serial_cavity plain(o.size, o.lid, collision_of(o));
  begin.region().each([&](ts::index_t x, ts::index_t q, ts::index_t y) {
    plain.set(x, static_cast<std::size_t>(q), y, begin(x, q, y));
  });
  const auto start = steady_clock::now();
  {
    apps::progress_stage stage(o.progress, "the plain serial kernel", r.steps);
    for (std::size_t s = 0; s < r.steps; ++s) {
      plain.step();
      stage.done(s + 1);
    }
  }
  r.serial_seconds = seconds_since(start);
  const ts::array<double, 3> all = c.populations();
  bool same = true;
  all.region().each([&](ts::index_t x, ts::index_t q, ts::index_t y) {
    same = same && all(x, q, y) == plain(x, static_cast<std::size_t>(q), y);
  });
  return same;
}

exit_code run(const options& o) {
  report r;
  r.places = ts::num_places();
  r.workers = ts::num_workers();
  cavity c = o.restart_file.empty() ? cavity(distribution_of(o), o.lid, collision_of(o))
                                    : cavity(distribution_of(o), o.lid, collision_of(o), o.restart_file);
  const ts::array<double, 3> begin = o.verify ? c.populations() : ts::array<double, 3>();
  simulate(c, o, r);
  const double mass = static_cast<double>(o.size) * static_cast<double>(o.size);
  r.mass_error = c.look().mass / mass - 1;
  if (!std::isfinite(r.mass_error)) {
    throw std::runtime_error(
        "the populations are no numbers any more; use --collision trt, more cells, a slower lid or a lower Reynolds "
        "number");
  }
  if (!o.save_file.empty()) c.save(o.save_file);
  if (o.verify) r.is_verified = verify(c, begin, o, r);
  const ts::array<double, 3> flow = c.flow();
  if (o.ghia) r.from_ghia = from_ghia(flow, o.lid, o.reynolds);
  print(o, r);
  if (!o.json_file.empty()) write_json(o, r, o.json_file);
  if (!o.picture_file.empty()) draw(flow, o.lid, o.picture_file);
  return r.is_right(o) ? k_right : k_failed;
}

exit_code complain(exit_code code, const char* what) {
  apps::complain("lattice_boltzmann", what);
  return code;
}

// At the first place; what is wrong with a command line is said once, however many processes there are.
int program(int argc, char** argv) {
  try {
    const auto parsed = parse_options(argc, argv);
    if (const int* done = std::get_if<int>(&parsed)) {
      return *done;
    }
    return run(std::get<options>(parsed));
  } catch (const tactus::usage_error& e) {
    return complain(k_unusable, e.what());
  } catch (const std::exception& e) {
    return complain(k_failed, e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::run(argc, argv, [](int left, char** arguments) { return program(left, arguments); });
}
