// SPDX-License-Identifier: Apache-2.0
// Problem lockstep: n tasks go through phases together. In each phase a task increments a counter on a cache line of
// its own and, with --body-ns, computes for that long. The unit is one task in one phase. Two phases are run first and
// not timed; what creates the tasks is timed only where a construct creates them anew for each phase. Shapes are the
// competitors' own, but for two that several have:
//   million   three phases; the time until the first is over, creation included, is reported, the other two are timed
//   waiting   memory and threads while all tasks wait for the creator, which is the last to arrive
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "support/busy_work.hpp"
#include "support/program.hpp"
#include "support/timed_phases.hpp"

namespace bench {

class lockstep_problem {
public:
  static constexpr std::uint64_t k_default_size = 512;

  explicit lockstep_problem(const options& o);

  [[nodiscard]] std::uint64_t size() const { return counters_.size(); }
  [[nodiscard]] const std::string& shape() const { return shape_; }
  [[nodiscard]] std::uint64_t phases() const { return phases_.all(); }

  /// Once, by the competitor: about what one phase takes it, as a sum of both, for n tasks and without a body. The
  /// number of phases follows from it, unless the command line gives one.
  void expect_ns(double per_phase, double per_task);

  /// What task i < size() does in a phase.
  void update(std::uint64_t i) {
    ++counters_[i].value;
    if (body_steps_ != 0) compute(body_steps_);
  }

  /// Calls step() phases() times. In one task, thread or loop that the others are in step with, watching is true.
  template <class Step>
  void run_phases(bool watching, Step&& step) {
    for (std::uint64_t phase = 0; phase < phases(); ++phase) {
      if (watching) reaches(phase);
      step();
    }
    if (watching) reaches(phases());
  }

  /// For constructs that have the loop themselves: before each phase, and with phases() after the last.
  void reaches(std::uint64_t phase) {
    if (phase == phases_.untimed()) first_phases_ = std::chrono::steady_clock::now() - creation_;
    phases_.reaches(phase);
  }

  /// Before the first task is created.
  void creation_begins();

  /// Shape waiting: each task before it waits; the creator, which calls all_wait() once all_are_about_to_wait().
  void about_to_wait() { waiting_.fetch_add(1, std::memory_order_relaxed); }  // relaxed: only the count matters
  [[nodiscard]] bool all_are_about_to_wait() const {
    return waiting_.load(std::memory_order_relaxed) >= size();  // relaxed: only the count matters
  }
  void all_wait();

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return size() * phases_.timed(); }
  [[nodiscard]] duration timed_part() const { return phases_.took(); }
  void report(nlohmann::json& line) const;

private:
  struct alignas(64) counter {
    std::uint64_t value = 0;
  };

  std::vector<counter> counters_;
  std::string shape_;
  int threads_;
  double body_ns_;
  std::uint64_t body_steps_;
  timed_phases phases_;
  std::chrono::steady_clock::time_point creation_;
  std::chrono::duration<double> first_phases_{};
  std::atomic<std::uint64_t> waiting_{0};
  std::uint64_t resident_before_ = 0;
  std::uint64_t resident_waiting_ = 0;
  std::uint64_t threads_waiting_ = 0;
};

}  // namespace bench
