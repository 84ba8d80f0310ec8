// SPDX-License-Identifier: Apache-2.0
// Flow in a cavity by the lattice Boltzmann method, in one process or under mpirun, and how right it is.
#include "cavity.hpp"
#include "distribution.hpp"
#include "ghia.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "seconds.hpp"
#include "serial_cavity.hpp"

#include <fmt/format.h>
#include <tactus/task/run.hpp>
#include <tactus/task/workers.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

namespace {

using namespace lattice_boltzmann;

constexpr std::size_t k_steps_between_looks = 1000;
constexpr std::size_t k_least_looks = 2;  // the first one compares with a fluid at rest
constexpr double k_relaxations = 300;     // of 3 * viscosity steps each; 4 x 4 cells at Reynolds number 0.01 take 110
constexpr double k_cells_between_news = 4e6;  // some tenths of a second

relaxation collision_of(const options& o) { return o.collision == "trt" ? trt(o.viscosity()) : bgk(o.viscosity()); }

double cells_of(const options& o) { return static_cast<double>(o.size) * static_cast<double>(o.size); }

// Before anything that is kept or called steady: nobody can go on with such a flow, and a file of before is better.
void require_a_flow(const cavity& c, const options& o) {
  if (c.fastest() <= 1) return;
  const bool is_thick = o.viscosity() > 1;
  throw std::runtime_error(fmt::format(
      "the flow has blown up: it is faster than a cell a step, or no number; use --collision {}, {} cells, a slower "
      "lid or a {} Reynolds number",
      is_thick ? "bgk" : "trt", is_thick ? "fewer" : "more", is_thick ? "higher" : "lower"));
}

// A flow that will become steady does so within a small part of the time in which momentum crosses the cavity by friction alone, or, in a very
// thick fluid, of that in which collisions do their work. Whole looks, and enough of them that one has another to be compared with.
std::size_t most_steps(const options& o) {
  if (o.steps != 0) return o.steps;
  const double steps = 2 * cells_of(o) / o.viscosity() + k_relaxations * 3 * o.viscosity();
  const auto looks = static_cast<std::size_t>(std::ceil(steps / static_cast<double>(k_steps_between_looks)));
  return std::max(looks, k_least_looks) * k_steps_between_looks;
}

// Advances, with looks in between, until the steps are done or the flow is steady.
void simulate(cavity& c, const options& o, report& r) {
  const std::size_t most = most_steps(o);
  const auto at_once = static_cast<std::size_t>(std::max(k_cells_between_news / cells_of(o), 1.0));
  std::atomic<double> done = 0;
  const apps::progress_stage stage(o.progress, "simulating", [&done] {
    return done.load(std::memory_order_relaxed);  // relaxed: a number to show, orders nothing
  });
  double first_change = 0;
  r.seconds = apps::seconds_of([&] {
    while (r.steps < most && !r.is_steady.value_or(false)) {
      const std::size_t to_look = k_steps_between_looks - r.steps % k_steps_between_looks;
      const std::size_t to_save = o.save_every != 0 ? o.save_every - r.steps % o.save_every : most;
      const std::size_t steps = std::min({at_once, to_look, to_save, most - r.steps});
      c.advance(steps);
      r.steps += steps;
      if (steps == to_save && !o.save_file.empty()) {
        require_a_flow(c, o);
        c.save(o.save_file);
      }
      double part = static_cast<double>(r.steps) / static_cast<double>(most);
      if (o.steps == 0) {
        if (steps == to_look) {
          require_a_flow(c, o);
          r.change = c.look().change / o.lid;
          r.is_steady = r.change <= o.steady;
          first_change = std::max(first_change, r.change);
        }
        // The change falls by about the same factor in each thousand steps.
        part = first_change > 0 ? std::log(first_change / r.change) / std::log(first_change / o.steady) : 0;
      }
      done.store(part, std::memory_order_relaxed);  // relaxed: see above
    }
  });
  r.update_seconds = c.update_seconds();
}

// Whether the serial kernel comes from the same populations to the same ones, bit by bit.
void verify(const cavity& c, const ts::array<double, 3>& begin, const options& o, report& r) {
  serial_cavity plain(o.size, o.lid, collision_of(o));
  begin.region().each([&](ts::index_t x, ts::index_t q, ts::index_t y) {
    plain.set(x, static_cast<std::size_t>(q), y, begin(x, q, y));
  });
  apps::progress_stage stage(o.progress, "the plain serial kernel", r.steps);
  r.serial_seconds = apps::seconds_of([&] {
    for (std::size_t s = 0; s < r.steps; ++s) {
      plain.step();
      stage.done(s + 1);
    }
  });
  const ts::array<double, 3> all = c.populations();
  bool same = true;
  all.region().each([&](ts::index_t x, ts::index_t q, ts::index_t y) {
    same = same && all(x, q, y) == plain(x, static_cast<std::size_t>(q), y);
  });
  r.is_verified = same;
}

apps::exit_code run(const options& o) {
  report r;
  r.places = ts::num_places();
  r.workers = ts::num_workers();
  cavity c(distribution_of(o), o.lid, collision_of(o), o.restart_file);
  const ts::array<double, 3> begin = o.verify ? c.populations() : ts::array<double, 3>();
  simulate(c, o, r);
  require_a_flow(c, o);
  r.mass_error = c.look().mass / cells_of(o) - 1;
  if (!o.save_file.empty()) c.save(o.save_file);
  if (o.verify) verify(c, begin, o, r);
  const auto flow = c.flow();
  if (o.ghia) r.from_ghia = from_ghia(flow, o.lid, o.reynolds);
  print(o, r);
  if (!o.json_file.empty()) write_json(o, r, o.json_file);
  if (!o.picture_file.empty()) draw(flow, o.lid, o.picture_file);
  return r.is_right(o) ? apps::k_right : apps::k_failed;
}

}  // namespace

// What is wrong with a command line is said once, at the first place, however many processes there are.
int main(int argc, char** argv) {
  return tactus::run(argc, argv, [](int left, char** arguments) {
    return apps::finish("lattice_boltzmann", [&] {
      const auto parsed = parse_options(left, arguments);
      const int* done = std::get_if<int>(&parsed);
      return done != nullptr ? static_cast<apps::exit_code>(*done) : run(std::get<options>(parsed));
    });
  });
}
