// SPDX-License-Identifier: Apache-2.0
// Problem syncbench: the reduction benchmark of the EPCC suite in phases, as figures 8 to 10 of
// phaser-accumulators.txt have it. n tasks go through phases together; in each phase each task makes a delay,
// contributes a value to a sum and, when all have, sees the sum. The unit is one task in one phase. Two phases are run
// first and not timed.
//
// --load balanced: all make the same delay. unbalanced: task i makes i + 1 of them, so that contributions come one after
// the other. The overhead is what a phase takes beyond its delays, shared as well as they can be among the workers:
// the competitor serial makes just those. (EPCC's own measure is the balanced one with as many threads as tasks.)
//
// Every task looks at every sum. Values differ by task and phase and their sums are exact in any order, so that a sum is
// right only if each task's value of just this phase is in it once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/program.hpp"
#include "support/timed_phases.hpp"

namespace bench {

class syncbench_problem {
public:
  static constexpr std::uint64_t k_default_tasks = 2;

  explicit syncbench_problem(const options& o);

  [[nodiscard]] std::uint64_t tasks() const { return delays_.size(); }
  [[nodiscard]] std::uint64_t phases() const { return phases_.all(); }

  /// Once, by the competitor: about what one phase takes it, as a sum of both, without delays.
  void expect_ns(double per_phase, double per_task);

  /// step(phase) for all phases(). In one task, thread or loop that the others are in step with, watching is true.
  template <class Step>
  void run_phases(bool watching, Step&& step) {
    for (std::uint64_t phase = 0; phase < phases(); ++phase) {
      if (watching) reaches(phase);
      step(phase);
    }
    if (watching) reaches(phases());
  }

  /// For constructs that have the loop themselves: before each phase, and with phases() after the last.
  void reaches(std::uint64_t phase) { phases_.reaches(phase); }

  /// What task i does before it contributes.
  void delay(std::uint64_t i) const {
    if (delays_[i] != 0) wait_as_epcc(delays_[i]);
  }

  /// The delays of one phase that are left to the busiest worker, however well they are shared.
  void delay_of_busiest() const {
    if (busiest_delay_ != 0) wait_as_epcc(busiest_delay_);
  }
  [[nodiscard]] std::uint64_t busiest_delay() const { return busiest_delay_; }

  /// What task i contributes. T is std::uint64_t, where sums wrap, or double.
  template <class T>
  [[nodiscard]] T value(std::uint64_t i, std::uint64_t phase) const {
    return weights<T>().of_task[i] * factor<T>(phase);
  }

  /// Task i has seen the sum of a phase.
  template <class T>
  void check(std::uint64_t i, std::uint64_t phase, T sum) {
    seat& s = seats_[i];
    if (sum != right_sum<T>(phase)) [[unlikely]] {
      if (s.wrong++ == 0) s.first_wrong = phase;
    }
    ++s.phases;
  }

  template <class T>
  void check_all(std::uint64_t phase, T sum) {
    for (std::uint64_t i = 0; i < tasks(); ++i) check(i, phase, sum);
  }

  /// Where the sum is left out: what a task does with value() and check(), so that only the sum makes the difference.
  template <class T>
  void pretend(std::uint64_t i, std::uint64_t phase) {
    const T contributed = out_of_sight(value<T>(i, phase));
    static_cast<void>(contributed);
    check(i, phase, out_of_sight(right_sum<T>(phase)));
  }

  /// A phase of task i in which there is nothing to see.
  void pass_phase(std::uint64_t i) { ++seats_[i].phases; }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return tasks() * phases_.timed(); }
  [[nodiscard]] duration timed_part() const { return phases_.took(); }
  void report(nlohmann::json& line) const;

private:
  /// What a task writes, on a cache line of its own.
  struct alignas(64) seat {
    std::uint64_t phases = 0;
    std::uint64_t wrong = 0;
    std::uint64_t first_wrong = 0;
  };

  template <class T>
  struct weight_table {
    std::vector<T> of_task;
    T sum{};
  };

  /// As delay() of EPCC's syncbench, out of line so that every competitor runs the same code.
  [[gnu::noinline]] static void wait_as_epcc(std::uint64_t steps);

  template <class T>
  [[nodiscard]] const weight_table<T>& weights() const {
    static_assert(std::is_same_v<T, std::uint64_t> || std::is_same_v<T, double>);
    if constexpr (std::is_same_v<T, double>) {
      return real_weights_;
    } else {
      return integer_weights_;
    }
  }

  /// One of the first 512 odd numbers, negative in two phases of four, so that sums_in_turn stay small: what is added to
  /// one of the two in a phase is taken away two phases later.
  template <class T>
  static T factor(std::uint64_t phase) {
    const auto odd = static_cast<T>(4 * ((phase >> 2) & 255) + 2 * (phase & 1) + 1);
    return (phase & 2) == 0 ? odd : -odd;
  }

  template <class T>
  [[nodiscard]] T right_sum(std::uint64_t phase) const {
    return weights<T>().sum * factor<T>(phase);
  }

  /// The value itself, of which the compiler knows nothing any more.
  template <class T>
  static T out_of_sight(T value) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    asm volatile("" : "+r"(bits));
    return std::bit_cast<T>(bits);
  }

  std::vector<std::uint64_t> delays_;  // of each task, in steps
  std::uint64_t busiest_delay_;
  weight_table<std::uint64_t> integer_weights_;
  weight_table<double> real_weights_;
  std::vector<seat> seats_;
  std::string load_;
  std::string type_;
  timed_phases phases_;
};

/// Sums for competitors that have only a variable: two in turn, never set back. A task that reads one is past a phase
/// change, and who adds to the same one next is past the next change, so one change for each phase is enough.
template <class T>
class sums_in_turn {
public:
  [[nodiscard]] T& of_phase(std::uint64_t phase) { return sums_[phase % 2].value; }
  void reset() { sums_ = {}; }

private:
  struct alignas(64) line {
    T value{};
  };
  std::array<line, 2> sums_{};
};

/// A task's or thread's view of them: what a phase has added. Its own, from phase 0 on.
template <class T>
class added_in_turn {
public:
  T in_phase(std::uint64_t phase, T sum_now) { return sum_now - std::exchange(before_[phase % 2], sum_now); }

private:
  std::array<T, 2> before_{};
};

/// body(T{}) with the type that --type names: std::uint64_t or double.
template <class Body>
void with_type(const options& o, Body&& body) {
  if (o.type == "double") {
    body(double{});
  } else {
    body(std::uint64_t{});
  }
}

}  // namespace bench
