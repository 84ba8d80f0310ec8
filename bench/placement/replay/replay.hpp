// SPDX-License-Identifier: Apache-2.0
// Problem replay: the tasks of a recorded run once more, on the real runtime, but that each sleeps as long as it had computed, times a factor:
// so that more workers than processors behave as if each had one. Policy, queues, messages and finishes are those of any program. One pass
// replays the same table several times, once for each of --runs: a policy, and labels; look at `runs` of its line. The unit is one task.
//
// --shape: quicksort, turing_ring or uts (T1, cut at a depth): that program is run first, at one place with one worker. Its profile is the table;
// of several runs each task has the shortest time, for an interruption would become a long task. Or tree: a table that is made (tree.hpp). Or
// --table: the profile of any program.
// --body-ns: what a task sleeps at the median. A task spawns its children while it sleeps, evenly; in a tree, when it ends. Tasks without a parent
// are the waves of the program, each of as many, which wait for each other: the steps of the Turing ring, whose cells are divided over the places
// as there; else one. Arguments and results have as many bytes as they had.
// --form simulated: after each pass the simulator runs the same table, with the times that tasks took (simulation.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "placement/placement_figures.hpp"
#include "placement/replay/table.hpp"
#include "support/marks.hpp"
#include "support/program.hpp"
#include "support/stopwatch.hpp"

namespace bench {

struct replay_run {
  std::string placement;
  std::string labels;

  /// POLICY or POLICY/LABELS.
  static replay_run named(const std::string& text);
};

class replay_problem {
public:
  explicit replay_problem(const options& o);

  /// What is replayed; its times are stretched.
  void set(task_table table);

  [[nodiscard]] const std::vector<std::string>& runs() const { return runs_; }
  [[nodiscard]] const task_table& table() const { return table_; }
  /// Those without a parent, of each wave.
  [[nodiscard]] std::uint32_t roots_of_wave() const { return table_.roots / waves_; }
  [[nodiscard]] std::uint32_t waves() const { return waves_; }

  /// Before each of the runs.
  void begins() {
    ran_.reset();
    took_ns_.assign(table_.tasks.size(), 0);
  }
  /// By each task, which woke so much later than it was to.
  void mark(std::uint32_t task, std::uint64_t late_ns) {
    ran_.set(task);
    took_ns_[task] = table_.tasks[task].ns + late_ns;
  }
  /// wrong_answer unless each task ran once.
  void done(const std::string& run, const placement_figures& figures, duration took);

  /// Of the last run: what each task took.
  [[nodiscard]] const std::vector<std::uint64_t>& took_ns() const { return took_ns_; }
  /// The place of a task that is the only one without a parent.
  [[nodiscard]] int place_of_root() const { return places_ - 1; }
  [[nodiscard]] int places() const { return places_; }
  [[nodiscard]] int workers_of_each() const { return workers_ / places_; }
  [[nodiscard]] bool is_simulated() const { return is_simulated_; }

  /// What the simulator says that the last run had taken.
  void simulated(const std::string& run, double seconds);

  void reset() {
    done_.clear();
    timed_ = {};
  }
  /// The runs, without what is around them.
  [[nodiscard]] duration timed_part() const { return timed_; }
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return table_.tasks.size() * runs_.size(); }
  void report(nlohmann::json& line) const;

private:
  std::string name_;
  double median_ns_;
  std::uint32_t waves_;
  int places_;
  int workers_;
  bool is_simulated_;
  std::vector<std::string> runs_;
  task_table table_;
  marks ran_{0};
  std::vector<std::uint64_t> took_ns_;
  std::map<std::string, nlohmann::json> done_;
  duration timed_;
};

}  // namespace bench
