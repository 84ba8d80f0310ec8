// SPDX-License-Identifier: Apache-2.0
// Steps (support/steps.hpp) of a run with a fault that the problem's checker has to see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

/// Steps in several parts, one after another. In one step, if so asked, the last index is left out, or what the last
/// part brought to a sum is lost, or nothing is done at all.
class parted_steps {
public:
  enum class fault { none, index_left_out, part_lost, step_left_out };

  explicit parted_steps(std::size_t parts, fault what = fault::none, std::uint64_t in_step = 0)
      : parts_(parts), fault_(what), in_step_(in_step) {}

  template <class F>
  void each(std::size_t n, F&& f) {
    const bool is_faulty = begin_step();
    if (is_faulty && fault_ == fault::step_left_out) return;
    for (std::size_t i = 0; i < parts_; ++i) f(part_to_do(n, i, is_faulty));
  }

  template <class F>
  void once(F&& f) {
    const bool is_faulty = begin_step();
    if (!(is_faulty && fault_ == fault::step_left_out)) f();
  }

  template <class F>
  void uneven(std::size_t n, std::size_t grain, F&& f) {
    const bool is_faulty = begin_step();
    const std::size_t end = is_faulty && fault_ == fault::index_left_out ? n - 1 : n;
    for (std::size_t i = 0; i < parts_of_grain(end, grain); ++i) f(part_of_grain(end, i, grain));
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    return add_up<double>(n, f);
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    return add_up<pair_of_sums>(n, f);
  }

  [[nodiscard]] bool keeps(std::size_t /*n*/, std::size_t /*i*/) const { return true; }
  [[nodiscard]] bool leads() const { return true; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

private:
  bool begin_step() { return ++taken_ == in_step_; }

  [[nodiscard]] part part_to_do(std::size_t n, std::size_t i, bool is_faulty) const {
    part p = part_of(n, i, parts_);
    if (is_faulty && fault_ == fault::index_left_out && p.end == n) --p.end;
    return p;
  }

  template <class T, class F>
  T add_up(std::size_t n, F& f) {
    const bool is_faulty = begin_step();
    T all{};
    for (std::size_t i = 0; i < parts_; ++i) {
      const T brought = f(part_to_do(n, i, is_faulty));
      if (!(is_faulty && fault_ == fault::part_lost && i + 1 == parts_)) all = all + brought;
    }
    return all;
  }

  std::size_t parts_;
  fault fault_;
  std::uint64_t in_step_;  // counted from 1
  std::uint64_t taken_ = 0;
};

using fault = parted_steps::fault;

/// Whether the checker objects to a run with this fault.
template <class Problem>
bool is_seen(Problem& p, fault what, std::uint64_t in_step) {
  p.reset();
  parted_steps steps(2, what, in_step);
  p.solve(steps);
  try {
    p.verify();
    return false;
  } catch (const wrong_answer&) {
    return true;
  }
}

inline options of_class(const std::string& name) {
  options o;
  o.problem_class = name;
  return o;
}

}  // namespace bench
