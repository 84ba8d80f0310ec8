// SPDX-License-Identifier: Apache-2.0
#include "support/program.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "support/mpi_options.hpp"
#include "support/placement_options.hpp"
#include "support/resident.hpp"
#include "support/stopwatch.hpp"

namespace bench {
namespace {

constexpr int k_wrong = 1;
constexpr int k_usage = 2;
constexpr int k_refused = 3;

void print_line(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

/// Growth that may be negative by the kernel's rounding counts as none.
std::uint64_t growth(std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; }

/// One program while it runs: counts repetitions and remembers the resident memory before the pool existed.
class session {
public:
  session(const options& o, std::string problem, std::string competitor, const hooks& h)
      : options_(o), problem_(std::move(problem)), competitor_(std::move(competitor)), hooks_(h) {
    hooks_.reset();  // touches what the problem owns, so that it does not count as the competitor's
    resident_at_start_ = resident_bytes();
    hooks_.start();
    processor_when_last_done_ = processor_seconds();
  }

  /// One repetition: passes until min_ms is reached, each verified.
  [[nodiscard]] nlohmann::json repetition() {
    const double processor_idle = processor_seconds() - processor_when_last_done_;
    double seconds = 0;
    double processor = 0;
    std::uint64_t passes = 0;
    std::uint64_t peak = 0;
    do {
      hooks_.reset();
      forget_peak();
      const stopwatch watch;
      hooks_.pass();
      const duration whole = watch.elapsed();
      const duration timed = hooks_.timed_part ? hooks_.timed_part() : whole;
      seconds += timed.seconds;
      processor += timed.processor_seconds;
      peak = std::max(peak, growth(peak_resident_bytes(), resident_at_start_));
      ++passes;
      hooks_.verify();
    } while (seconds * 1e3 < options_.min_ms);
    const std::uint64_t operations = hooks_.operations();
    nlohmann::json line = {
        {"problem", problem_},
        {"competitor", competitor_},
        {"threads", options_.threads},
        {"rep", ++repetitions_},
        {"passes", passes},
        {"operations", operations},
        {"seconds", seconds / static_cast<double>(passes)},
        {"ns_per_op", seconds * 1e9 / static_cast<double>(passes) / static_cast<double>(operations)},
        {"cpu_seconds", processor / static_cast<double>(passes)},
        {"idle_cpu_seconds", processor_idle},
        {"peak_rss_delta", peak},
        {"rss_delta", growth(resident_bytes(), resident_at_start_)},
    };
    if (!options_.policy.empty()) line["policy"] = options_.policy;
    if (!options_.strategy.empty()) line["strategy"] = options_.strategy;
    hooks_.report(line);
    processor_when_last_done_ = processor_seconds();
    return line;
  }

private:
  const options& options_;
  std::string problem_;
  std::string competitor_;
  const hooks& hooks_;
  std::uint64_t resident_at_start_ = 0;
  std::uint64_t repetitions_ = 0;
  double processor_when_last_done_ = 0;
};

/// Answers `run` lines until `quit` or the end of input.
void answer_commands(session& s) {
  print_line({{"ready", true}});
  std::string command;
  while (std::getline(std::cin, command)) {
    if (command == "quit") return;
    if (command != "run") throw std::runtime_error("unknown command '" + command + "': run and quit are known");
    print_line(s.repetition());
  }
}

/// They are many, and only imsuite knows them.
void add_imsuite_options(CLI::App& app, options& o, const std::string& competitor) {
  app.add_option("--kernel", o.kernel, "by its name in figure 14")->required();
  app.add_option("--input", o.input, "a published input file");
  app.add_option("--inputs", o.inputs, "a folder of published input files; what it lacks is generated");
  app.add_option("--family", o.family, "spmax, random, complete, spmin, chain or star, when the input is generated");
  app.add_option("--load", o.load, "iterations of an empty loop in each task of a round");
  if (competitor != "tactus") return;
  o.form = "clocked";
  o.wait = "own";
  app.add_option("--form", o.form, "how a round is run")->check(CLI::IsMember({"clocked", "async_finish", "lockstep"}));
  app.add_option("--wait", o.wait, "how clocked tasks wait")
      ->check(CLI::IsMember({"own", "eager", "lazy", "automatic"}));
}

void add_tasks_option(CLI::App& app, options& o, const std::string& number_by_default) {
  app.add_option("--tasks", o.tasks, "tasks; 0: " + number_by_default)->check(CLI::Range(0, 1 << 20));
}

/// other: what the problem knows beside the strategies of accumulators.
void add_strategy_option(CLI::App& app, options& o, const std::string& other, const std::string& what_other_is) {
  const std::vector<std::string> known = {"eager", "eager_with_delay", "dynamic_lazy", "fixed_lazy",
                                          "tree",  "per_worker",       "automatic",    other};
  o.strategy = "automatic";
  app.add_option("--strategy", o.strategy, "of the accumulators; " + other + ": " + what_other_is)
      ->check(CLI::IsMember(known));
}

/// What syncbench and stencil_p2p have in common.
void add_task_options(CLI::App& app, options& o) {
  o.balance = "balanced";
  add_tasks_option(app, o, "the problem's default");
  app.add_option("--load", o.balance, "whether all tasks have as much to do")
      ->check(CLI::IsMember({"balanced", "unbalanced"}));
}

/// EPCC's delay of 0.1 us is the default.
void add_syncbench_options(CLI::App& app, options& o, const std::string& competitor) {
  add_task_options(app, o);
  o.delay = 200;
  o.type = "integer";
  app.add_option("--delay", o.delay, "steps of a task's delay in each phase, about 0.5 ns each")
      ->check(CLI::Range(0, 1 << 30));
  app.add_option("--type", o.type, "of what is summed")->check(CLI::IsMember({"integer", "double"}));
  if (competitor != "tactus") return;
  add_strategy_option(app, o, "none", "without them");
  o.construct = "phaser";
  app.add_option("--construct", o.construct, "what the tasks are in step by")
      ->check(CLI::IsMember({"phaser", "clock"}));
}

void add_stencil_options(CLI::App& app, options& o, const std::string& competitor) {
  add_task_options(app, o);
  app.add_option("--pattern", o.pattern, "which neighbours a block needs")
      ->required()
      ->check(CLI::IsMember({"averaging", "wavefront"}));
  if (competitor != "serial") app.add_option("--form", o.form, "how neighbours wait for each other")->required();
}

void add_accumulator_options(CLI::App& app, options& o) {
  add_tasks_option(app, o, "as many as workers");
  add_strategy_option(app, o, "atomic", "without them, but with atomic blocks that add");
}

void add_ghost_options(CLI::App& app, options& o) {
  o.threads = 2;
  o.grid = "2x1x1";
  app.add_option("--grid", o.grid, "places along each axis, as 4x2x1; their product is --threads");
  app.add_option("--form", o.form, "how ghosts are updated");
  app.add_flag("--periodic", o.periodic, "the ends of each axis are neighbours");
}

/// NAS Parallel Benchmarks and Java Grande Forum fix sizes and answers of their own.
void add_class_option(CLI::App& app, options& o, const std::string& problem) {
  std::vector<std::string> known;
  if (problem.starts_with("nas_")) known = {"S", "W", "A"};
  if (problem.starts_with("jgf_")) known = {"A", "B", "C"};
  if (known.empty()) return;
  o.problem_class = known.front();
  app.add_option("--class", o.problem_class, "of the problem")->check(CLI::IsMember(known));
}

}  // namespace

options parse(int argc, char** argv, const std::string& problem, const std::string& competitor) {
  options o;
  CLI::App app{problem + " by " + competitor + ": prints one JSON line for each verified repetition"};
  app.add_option("--threads", o.threads, "workers")->check(CLI::Range(1, 1024));
  app.add_option("--reps", o.reps, "repetitions")->check(CLI::Range(1, 1000000));
  app.add_option("--size", o.size, "size of the problem; 0: its default");
  app.add_option("--threshold", o.threshold, "fib: sequential up to this parameter")->check(CLI::Range(1, 60));
  app.add_option("--shape", o.shape, "which form of the problem");
  app.add_option("--seed", o.seed, "of generated input");
  app.add_option("--min-ms", o.min_ms, "add passes until a repetition takes this long")->check(CLI::Range(0.0, 1e6));
  app.add_option("--phases", o.phases,
                 "lockstep, syncbench: phases to time, 0: 20 ms of them; stencil_p2p: phases; ghost_update: updates; "
                 "turing_ring: steps");
  app.add_option("--body-ns", o.body_ns,
                 "lockstep, timeline, ghost_update, label_costs: busy work of a task, in each phase; 0: none; replay: "
                 "what a task sleeps at the median; 0: 2 ms")
      ->check(CLI::Range(0.0, 1e8));
  app.add_option("--seconds", o.seconds, "idle: how long to watch")->check(CLI::Range(0.01, 3600.0));
  if (problem == "imsuite") add_imsuite_options(app, o, competitor);
  if (problem == "syncbench") add_syncbench_options(app, o, competitor);
  if (problem == "stencil_p2p") add_stencil_options(app, o, competitor);
  if (competitor == "xrx") {
    app.add_option("--scheme", o.scheme, "which of the paper's runtimes")
        ->required()
        ->check(CLI::IsMember({"baseline", "opt1", "opt12", "uclocks_eager", "uclocks_lazy", "uclocks"}));
    app.add_option("--cap", o.cap_seconds, "seconds after which a pass is stopped")->check(CLI::Range(0.01, 1e6));
    app.add_option("--send-us", o.send_us, "imsuite: work before each atomic block, as X10 has it")
        ->check(CLI::Range(0.0, 1e6));
  }
  if (problem == "producer_consumer") {
    app.add_option("--bound", o.bound, "items on their way")->check(CLI::Range(1, 1000000));
    if (competitor == "tactus") o.shape = "phaser";
  }
  if (problem == "point_cost") app.add_option("--form", o.form, "how elements are found: raw, point or indices");
  if (problem == "ghost_update") add_ghost_options(app, o);
  if (problem == "lattice_boltzmann" && competitor == "ga") {
    o.form = "rows";
    app.add_option("--form", o.form, "how cells are kept")->check(CLI::IsMember({"rows", "sample"}));
  }
  add_mpi_options(app, o, problem, competitor);
  if (problem == "uts_places") add_uts_places_options(app, o, competitor);
  if (problem == "quicksort" || problem == "turing_ring") add_moving_options(app, o, problem, competitor);
  if (problem == "replay") add_replay_options(app, o);
  if (problem == "busy_victim") add_placement_option(app, o);
  if (problem == "label_costs" || problem == "many_places") {
    add_placement_option(app, o);
    o.placement = "none";
  }
  add_class_option(app, o, problem);
  const bool is_forked = problem == "nas_mg" || problem.starts_with("jgf_");
  if (is_forked && competitor == "tactus") add_tasks_option(app, o, "as many as workers, where parts are equal");
  if ((problem == "nas_cg" || problem == "spectral_norm") && competitor == "tactus") add_accumulator_options(app, o);
  app.add_flag("--serve", o.serve, "take the commands run and quit from stdin");
  if (competitor.starts_with("tactus")) {
    o.policy = "adaptive";
    app.add_option("--policy", o.policy, "spawn policy")
        ->check(CLI::IsMember({"work_first", "help_first", "adaptive", "work_sharing"}));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int status = app.exit(e);
    std::exit(status == 0 ? 0 : k_usage);
  }
  return o;
}

int drive(const options& o, const std::string& problem, const std::string& competitor, const hooks& h) {
  try {
    session s(o, problem, competitor, h);
    if (o.serve) {
      answer_commands(s);
    } else {
      for (int i = 0; i < o.reps; ++i) print_line(s.repetition());
    }
    return 0;
  } catch (const capped& e) {
    print_line({{"refused", e.what()}, {"capped_seconds", e.seconds}, {"operations", h.operations()}});
    return k_refused;
  } catch (const refused& e) {
    print_line({{"refused", e.what()}});
    return k_refused;
  }
}

int failed(const std::exception& e) {
  print_line({{"error", e.what()}});
  return k_wrong;
}

}  // namespace bench
