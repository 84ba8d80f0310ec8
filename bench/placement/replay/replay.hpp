// SPDX-License-Identifier: Apache-2.0
// Problem replay: the tasks of a recorded run once more, on the real runtime, but that each sleeps as long as it had computed, times a factor:
// so that more workers than processors behave as if each had one. Policy, queues, messages and finishes are those of any program. The unit is
// one task.
//
// --shape: quicksort, turing_ring or uts (T1, cut at a depth): that program is run first at one place with one worker, and its profile is the
// table. Or --table: the profile of any program. --body-ns: what a task sleeps on the average. A task spawns its children while it sleeps, evenly.
// Tasks without a parent are the waves of the program, each of as many, which wait for each other: the steps of the Turing ring, whose cells are
// divided over the places as there; else one. Arguments and results have as many bytes as they had.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "placement/placement_figures.hpp"
#include "placement/replay/table.hpp"
#include "support/marks.hpp"
#include "support/program.hpp"
#include "support/stopwatch.hpp"

namespace bench {

class replay_problem {
public:
  explicit replay_problem(const options& o);

  /// Makes the table: of o.table, or of the profile that was recorded into `file`.
  void read(const std::string& file);

  [[nodiscard]] const task_table& table() const { return table_; }
  /// Those without a parent, of each wave.
  [[nodiscard]] std::uint32_t roots_of_wave() const { return table_.roots / waves_; }
  [[nodiscard]] std::uint32_t waves() const { return waves_; }

  /// By each task.
  void mark(std::uint32_t task) { ran_.set(task); }
  void done(const placement_figures& figures, duration took) {
    figures_ = figures;
    took_ = took;
  }

  void reset() { ran_.reset(); }
  void verify() const { ran_.verify(); }
  [[nodiscard]] duration timed_part() const { return took_; }
  [[nodiscard]] std::uint64_t operations() const { return table_.tasks.size(); }
  void report(nlohmann::json& line) const;

private:
  std::string name_;
  double mean_ns_;
  std::uint32_t waves_;
  int workers_;
  std::string labels_;
  std::string placement_;
  task_table table_;
  marks ran_{0};
  placement_figures figures_;
  duration took_;
};

}  // namespace bench
