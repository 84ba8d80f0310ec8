// SPDX-License-Identifier: Apache-2.0
// Steps (steps.hpp) that are forked one by one, as the programs of work-stealing.txt, section 5, are: each step is a finish
// over one async for each part. Which policy runs them is the command line's choice.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "support/steps.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

class tactus_forked_steps {
public:
  explicit tactus_forked_steps(std::size_t parts, bool with_affinity = false)
      : parts_(parts), with_affinity_(with_affinity) {}

  template <class F>
  void each(std::size_t n, F&& f) {
    fork(parts_, [n, this, &f](std::size_t i) { f(part_of(n, i, parts_)); });
  }

  template <class F>
  void uneven(std::size_t n, std::size_t grain, F&& f) {
    fork(parts_of_grain(n, grain), [n, grain, &f](std::size_t i) { f(part_of_grain(n, i, grain)); });
  }

  template <class F>
  void once(F&& f) {
    f();
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    return sums(n, [&f](part p) { return pair_of_sums{f(p), 0}; }).first;
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    std::vector<shared_sums::slot> of_parts(parts_);
    fork(parts_, [n, this, &f, &of_parts](std::size_t i) { of_parts[i].sums = f(part_of(n, i, parts_)); });
    pair_of_sums all;
    for (const shared_sums::slot& s : of_parts) all = all + s.sums;
    return all;
  }

  [[nodiscard]] bool keeps(std::size_t /*n*/, std::size_t /*i*/) const { return true; }
  [[nodiscard]] bool leads() const { return true; }

private:
  /// The last part is the forking task's own.
  template <class F>
  void fork(std::size_t parts, F&& f) {
    if (parts == 0) return;
    if (with_affinity_) {
      fork_to_workers(parts, f);
      return;
    }
    tactus::finish([parts, &f] {
      for (std::size_t i = 0; i + 1 < parts; ++i) tactus::async([i, &f] { f(i); });
      f(parts - 1);
    });
  }

  /// Part i asks for worker i.
  template <class F>
  static void fork_to_workers(std::size_t parts, F& f) {
    tactus::finish([parts, &f] {
      for (std::size_t i = 0; i < parts; ++i) tactus::async(tactus::affinity(i), [i, &f] { f(i); });
    });
  }

  std::size_t parts_;
  bool with_affinity_;
};

/// The competitor tactus of a problem whose steps are forked; `--tasks` parts in a step, or as many as workers. With `--shape
/// affinity` equal parts of all steps ask for the same worker.
template <class Problem>
class tactus_forked_solver {
public:
  tactus_forked_solver(const options& o, Problem& p)
      : pool_(o),
        parts_(static_cast<std::size_t>(o.tasks == 0 ? static_cast<std::uint64_t>(o.threads) : o.tasks)),
        with_affinity_(o.shape == "affinity"),
        problem_(p) {
    if (!o.shape.empty() && !with_affinity_) {
      throw std::invalid_argument("--shape is affinity or nothing, not '" + o.shape + "'");
    }
  }

  void pass() {
    pool_.run([this] {
      tactus_forked_steps steps(parts_, with_affinity_);
      problem_.solve(steps);
    });
  }

private:
  tactus_pool pool_;
  std::size_t parts_;
  bool with_affinity_;
  Problem& problem_;
};

}  // namespace bench
