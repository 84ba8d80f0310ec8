// SPDX-License-Identifier: Apache-2.0
// What lock step costs: clocked tasks against tasks that are forked anew for each phase, and against the model of X10's
// clocks that uclocks.txt starts from.
#include "command_line.hpp"
#include "measure.hpp"
#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace {

void print(const lock_step::settings& s, const lock_step::table& t) {
  const auto clock = std::ranges::find(t.rows, lock_step::k_clock, &lock_step::measurement::form);
  const double arrivals = static_cast<double>(s.nodes) * static_cast<double>(s.nodes);
  fmt::print("{:<22}{:>9}{:>12}{:>15}{:>13}  {}\n", "form", "threads", "median ms", "us per arrival", "vs clock",
             "verified");
  for (const lock_step::measurement& m : t.rows) {
    if (!m.median_seconds) {
      fmt::print("{:<22}{:>9}{:>12}{:>15}{:>13}  stopped\n", m.form, m.threads, "-", "-", "-");
      continue;
    }
    const double seconds = *m.median_seconds;
    fmt::print("{:<22}{:>9}{:>12.3f}{:>15.3f}{:>12.2f}x  yes\n", m.form, m.threads, seconds * 1e3,
               seconds * 1e6 / arrivals, seconds / *clock->median_seconds);
  }
  for (const lock_step::measurement& m : t.rows) {
    if (!m.median_seconds) {
      fmt::print("{}: {}\n", m.form, m.why_stopped);
    }
  }
  fmt::print(
      "clock: a task per node and round, which waits at the barrier. async_finish: the tasks end there and are forked\n"
      "anew. lockstep: no stack per node. X10 model: a thread per task that waits; uClocks: the paper's "
      "improvements.\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Elects a leader in a ring, in lock step, in every form that there is, and verifies each answer.");
  app.name("lock_step");
  lock_step::settings s;
  app.add_option("--nodes", s.nodes, "of the ring: as many tasks and rounds")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  app.add_option("--threads", s.threads, "of each form; 0: one per usable core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--reps", s.reps, "repetitions; fewer of what takes longer than 2 s together")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cap", s.cap_seconds, "seconds after which an election of the X10 model is stopped")
      ->check(apps::number_between(0.0001, 3600.0))
      ->capture_default_str();
  app.add_option("--seed", s.seed, "of the order of the ids")->transform(apps::whole_number())->capture_default_str();
  if (const auto done = apps::parse(app, argc, argv)) return *done;
  return apps::finish("lock_step", [&s] {
    const lock_step::table t = lock_step::measure(s);
    fmt::print("election in a ring of {0} nodes: {0} rounds with a barrier in each, {1} thread{2}\n", s.nodes,
               t.threads, t.threads == 1 ? "" : "s");
    print(s, t);
    return apps::k_right;
  });
}
