// SPDX-License-Identifier: Apache-2.0
// Problem replay: the tasks of a recorded run once more, on the real runtime, but that each sleeps as long as it had computed, times a factor:
// so that more workers than processors behave as if each had one. Policy, queues, messages and finishes are those of any program. One pass
// replays the same table several times, once for each of --runs: a policy, and labels; look at `runs` of its line. The unit is one task.
//
// --shape: quicksort, turing_ring or uts (T1, cut at a depth): that program is run first, at one place with one worker. Its profile is the table;
// of several runs each task has the shortest time, for an interruption would become a long task. Or --table: the profile of any program.
// --body-ns: what a task sleeps at the median. A task spawns its children while it sleeps, evenly. Tasks without a parent are the waves of the
// program, each of as many, which wait for each other: the steps of the Turing ring, whose cells are divided over the places as there; else one.
// Arguments and results have as many bytes as they had.
#pragma once

#include <atomic>
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
    late_ns_ = 0;
  }
  /// By each task, which woke so much later than it was to.
  void mark(std::uint32_t task, std::uint64_t late_ns) {
    ran_.set(task);
    late_ns_.fetch_add(late_ns, std::memory_order_relaxed);  // relaxed: the end of the run orders it
  }
  /// wrong_answer unless each task ran once.
  void done(const std::string& run, const placement_figures& figures, duration took);

  void reset() { done_.clear(); }
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return table_.tasks.size() * runs_.size(); }
  void report(nlohmann::json& line) const;

private:
  std::string name_;
  double median_ns_;
  std::uint32_t waves_;
  int workers_;
  std::vector<std::string> runs_;
  task_table table_;
  marks ran_{0};
  std::atomic<std::uint64_t> late_ns_ = 0;
  std::map<std::string, nlohmann::json> done_;
};

}  // namespace bench
