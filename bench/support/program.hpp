// SPDX-License-Identifier: Apache-2.0
// One benchmark program: a problem (input, answer, checker) and a competitor (how the answer is computed).
//
// Every main is one line, program<problem, competitor>(argc, argv, "fib", "onetbb"), so that all
// competitors of a problem have the same input, checker, clock and command line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/stopwatch.hpp"

namespace bench {

/// The command line, the same for every program; what a problem has no use for is ignored by it.
struct options {
  int threads = 1;         ///< workers
  int reps = 5;            ///< repetitions when not serving
  std::uint64_t size = 0;  ///< 0: the problem's own default
  int threshold = 1;       ///< fib: calls with a parameter up to this one are sequential
  std::string shape;       ///< which of the problem's or competitor's forms
  std::string policy;      ///< tactus: work_first, help_first, adaptive or work_sharing
  std::uint64_t seed = 1;  ///< of generated input
  double min_ms = 20;      ///< passes are added to a repetition until they have taken this long together
  double seconds = 10;     ///< idle: how long to watch
  std::uint64_t phases =
      0;  ///< lockstep, syncbench: phases to time, 0: 20 ms of them; stencil_p2p: phases; ghost_update: updates
  double body_ns = 0;  ///< lockstep: busy work of a task in each phase; 0: one increment; ghost_update: between updates
  std::uint64_t tasks = 0;    ///< syncbench, stencil_p2p, nas_cg, spectral_norm: tasks; 0: the problem's own default
  std::string balance;        ///< syncbench, stencil_p2p: balanced or unbalanced
  std::string pattern;        ///< stencil_p2p: averaging or wavefront
  std::uint64_t delay = 0;    ///< syncbench: steps of a task's delay in each phase
  std::string type;           ///< syncbench: integer or double, of what is summed
  std::string strategy;       ///< tactus: of accumulators; syncbench: or none; nas_cg, spectral_norm: or atomic
  std::string construct;      ///< syncbench, tactus: phaser or clock
  std::string kernel;         ///< imsuite: which one, by its name in figure 14
  std::string form;           ///< imsuite: clocked, async_finish or lockstep; stencil_p2p: how neighbours wait;
                              ///< replay: simulated, or nothing
  std::string wait;           ///< imsuite, clocked: own (the kernel's choice), eager, lazy or automatic; openmpi and
                              ///< mpich: calls, tests or naps, empty: no calls with more ranks than processors
  std::string input;          ///< imsuite: a published input file
  std::string inputs;         ///< imsuite: a folder of them; what it lacks is generated
  std::string family;         ///< imsuite: of the generated graph; empty: the published one
  std::uint64_t load = 0;     ///< imsuite: iterations of an empty loop in each task of a round
  std::string scheme;         ///< xrx: which of the paper's runtimes
  double cap_seconds = 60;    ///< xrx: a pass that takes longer is stopped
  double send_us = 0;         ///< xrx: work before each atomic block of a kernel
  std::uint64_t bound = 64;   ///< producer_consumer: items on their way
  std::string problem_class;  ///< nas_cg, nas_mg: S, W or A; jgf_*: A, B or C
  std::string grid;           ///< ghost_update: how many places along each axis, as 4x2x1
  bool periodic = false;      ///< ghost_update: whether the ends of axes are neighbours
  int copies = 1;             ///< ghost_update, openmpi: of a long message between processes
  std::string launch;         ///< over Open MPI: bound or yielding; empty: the second with more ranks than processors
  std::string placement;      ///< tactus over places: the policy for place-flexible tasks
  std::string labels;         ///< quicksort, turing_ring, tactus: which tasks may move
  int places = 0;             ///< quicksort, turing_ring, replay: that share the workers; 0: as many as workers
  std::size_t grain = 1000;   ///< uts_places: nodes after which a task gives half of what it knows to another one;
                              ///< quicksort: parts of more numbers may move, 0: the problem's choice
  std::size_t chunk =
      20;  ///< uts_places, openmpi and mpich: nodes of which a rank gives some only if it has twice as many
  std::size_t poll = 300;         ///< uts_places, openmpi and mpich: nodes after which a rank looks for messages
  std::string loot;               ///< uts_places, openmpi and mpich: what it gives, chunk or half
  std::string table;              ///< replay: the profile of a run; empty: one is recorded
  std::vector<std::string> runs;  ///< replay: POLICY or POLICY/LABELS
  bool serve = false;             ///< take commands from stdin instead of running `reps` repetitions
};

/// The answer was wrong: the program ends with status 1.
class wrong_answer : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The competitor refused this size in an orderly way (a limit it names): reported in the JSON line, status 3.
class refused : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A pass was stopped because it took too long: reported like a refusal, with the time that it took at least.
class capped : public refused {
public:
  capped(const std::string& what, double least_seconds) : refused(what), seconds(least_seconds) {}
  double seconds;
};

/// What drive() needs of a problem and a competitor.
struct hooks {
  std::function<void()> start;                  ///< makes the competitor: its pool exists when this returns
  std::function<void()> reset;                  ///< before each pass, outside the clock
  std::function<void()> pass;                   ///< what is measured
  std::function<duration()> timed_part;         ///< may be empty: the part of the last pass that counts; else all of it
  std::function<void()> verify;                 ///< after each pass, outside the clock; throws wrong_answer
  std::function<std::uint64_t()> operations;    ///< tasks, calls or vertices of one pass
  std::function<void(nlohmann::json&)> report;  ///< adds the problem's own figures to a result line
};

/// Parses the command line; on a bad one, or --help, ends the process.
options parse(int argc, char** argv, const std::string& problem, const std::string& competitor);

/// Runs repetitions or serves commands, one JSON line for each; returns the exit status.
int drive(const options& o, const std::string& problem, const std::string& competitor, const hooks& h);

/// Prints what went wrong before drive() could start; returns the exit status.
int failed(const std::exception& e);

/// A whole main. Problem(options) prepares input; Competitor(options, Problem&) makes the pool; pass() is timed,
/// or of it what the problem says by timed_part().
template <class Problem, class Competitor>
int program(int argc, char** argv, const std::string& problem_name, const std::string& competitor_name) {
  const options o = parse(argc, argv, problem_name, competitor_name);
  try {
    Problem problem(o);
    std::unique_ptr<Competitor> competitor;
    hooks h;
    h.start = [&] { competitor = std::make_unique<Competitor>(o, problem); };
    h.reset = [&] { problem.reset(); };
    h.pass = [&] { competitor->pass(); };
    if constexpr (requires { problem.timed_part(); }) h.timed_part = [&] { return problem.timed_part(); };
    h.verify = [&] { problem.verify(); };
    h.operations = [&] { return problem.operations(); };
    h.report = [&](nlohmann::json& line) { problem.report(line); };
    return drive(o, problem_name, competitor_name, h);
  } catch (const std::exception& e) {
    return failed(e);
  }
}

}  // namespace bench
