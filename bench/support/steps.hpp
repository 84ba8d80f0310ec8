// SPDX-License-Identifier: Apache-2.0
// For problems that are a loop of steps, written once as problem.solve(steps): in each step every part of an index range is
// computed on its own, and then all parts wait for one another. A competitor brings the steps:
//   steps.each(n, f)   f(part) for parts that make up [0, n); what they did is seen by everybody afterwards
//   steps.uneven(n, grain, f)  the same with parts of `grain` indices, whose times differ: whoever is free takes the next
//   steps.once(f)      f() by one; what it did is seen by everybody afterwards
//   steps.sum(n, f)    as each, and the sum of what f returned, a double
//   steps.sums(n, f)   the same with two sums, a pair_of_sums
//   steps.keeps(n, i)  whether it is the caller's part of n that holds i
//   steps.leads()      whether the caller is the one who writes down what all know
// Where solve() runs once, in the thread that forks each step, keeps() and leads() are always true. Where it runs in
// every task or thread, all of them compute the same scalars and each does its own part of a step.
#pragma once

#include <array>
#include <cstddef>

#include "support/program.hpp"

namespace bench {

/// Indices [begin, end).
struct part {
  std::size_t begin;
  std::size_t end;
};

struct pair_of_sums {
  double first = 0;
  double second = 0;

  friend pair_of_sums operator+(pair_of_sums a, pair_of_sums b) { return {a.first + b.first, a.second + b.second}; }
};

/// The i-th of `parts` equal parts of [0, n).
inline part part_of(std::size_t n, std::size_t i, std::size_t parts) { return {n * i / parts, n * (i + 1) / parts}; }

/// The i-th part of [0, n) when each has `grain` indices, the last one perhaps fewer; and how many there are.
inline part part_of_grain(std::size_t n, std::size_t i, std::size_t grain) {
  return {i * grain, n < (i + 1) * grain ? n : (i + 1) * grain};
}
inline std::size_t parts_of_grain(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain; }

inline bool holds(part p, std::size_t i) { return p.begin <= i && i < p.end; }

/// Sums in memory that all share. They come in turn: while all add to one, the next is set to zero, and the last may still
/// be read. So that a sum costs no more than one wait for all.
struct shared_sums {
  struct alignas(64) slot {
    pair_of_sums sums;
  };
  static constexpr std::size_t k_turns = 3;
  std::array<slot, k_turns> of{};
};

/// Where one of those that share them stands; all call next() equally often, and one of them leads.
class turn_at_sums {
public:
  turn_at_sums(shared_sums& sums, bool leads) : sums_(sums), leads_(leads) {}

  /// The sum to add to in this step: zero since the step before, or since the beginning.
  pair_of_sums& next() {
    pair_of_sums& now = sums_.of[turn_].sums;
    turn_ = (turn_ + 1) % shared_sums::k_turns;
    if (leads_) sums_.of[turn_] = {};
    return now;
  }

private:
  shared_sums& sums_;
  bool leads_;
  std::size_t turn_ = 0;
};

/// One part, and nobody to wait for.
class serial_steps {
public:
  template <class F>
  void each(std::size_t n, F&& f) {
    f(part{0, n});
  }

  template <class F>
  void uneven(std::size_t n, std::size_t grain, F&& f) {
    for (std::size_t i = 0; i < parts_of_grain(n, grain); ++i) f(part_of_grain(n, i, grain));
  }

  template <class F>
  void once(F&& f) {
    f();
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    return f(part{0, n});
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    return f(part{0, n});
  }

  [[nodiscard]] bool keeps(std::size_t /*n*/, std::size_t /*i*/) const { return true; }
  [[nodiscard]] bool leads() const { return true; }
};

/// The competitor serial.
template <class Problem>
class serial_solver {
public:
  serial_solver(const options& /*o*/, Problem& p) : problem_(p) {}

  void pass() {
    serial_steps steps;
    problem_.solve(steps);
  }

private:
  Problem& problem_;
};

}  // namespace bench
