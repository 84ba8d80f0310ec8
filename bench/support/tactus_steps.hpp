// SPDX-License-Identifier: Apache-2.0
// Steps (steps.hpp) of tasks that are registered on one phaser, each with a part of its own; a step ends with next(). This is
// the form that phaser-accumulators.txt measures. Sums are made in one of two ways: by accumulators of the phaser, or, as
// in X10 without them, in memory that all share, by atomic blocks.
#pragma once

#include <cstddef>
#include <string>

#include "support/steps.hpp"
#include "support/tactus_pool.hpp"
#include "support/tactus_strategy.hpp"

namespace bench {

/// A step's sum is what has been sent when its phase is over.
class accumulated_sums {
public:
  accumulated_sums(const tactus::phaser& together, const tactus::strategy& how)
      : first_(together, tactus::op::sum, how), second_(together, tactus::op::sum, how) {}

  double sum(tactus::phaser& together, double mine) {
    first_.send(mine);
    together.next();
    return first_.result();
  }

  pair_of_sums sums(tactus::phaser& together, pair_of_sums mine) {
    first_.send(mine.first);
    second_.send(mine.second);
    together.next();
    return {first_.result(), second_.result()};
  }

private:
  tactus::accumulator<double> first_;
  tactus::accumulator<double> second_;
};

/// X10's way. One task's view of the sums.
class atomically_added_sums {
public:
  atomically_added_sums(shared_sums& all, bool leads) : turn_(all, leads) {}

  double sum(tactus::phaser& together, double mine) {
    double& all = turn_.next().first;
    tactus::atomic([&all, mine] { all += mine; });
    together.next();
    return all;
  }

  pair_of_sums sums(tactus::phaser& together, pair_of_sums mine) {
    pair_of_sums& all = turn_.next();
    tactus::atomic([&all, mine] { all = all + mine; });
    together.next();
    return all;
  }

private:
  turn_at_sums turn_;
};

/// One task's.
template <class Sums>
class tactus_steps {
public:
  tactus_steps(const tactus::phaser& together, const Sums& sums, std::size_t task, std::size_t tasks)
      : together_(together), sums_(sums), task_(task), tasks_(tasks) {}

  template <class F>
  void each(std::size_t n, F&& f) {
    f(part_of(n, task_, tasks_));
    together_.next();
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    return sums_.sum(together_, f(part_of(n, task_, tasks_)));
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    return sums_.sums(together_, f(part_of(n, task_, tasks_)));
  }

  [[nodiscard]] bool keeps(std::size_t n, std::size_t i) const { return holds(part_of(n, task_, tasks_), i); }
  [[nodiscard]] bool leads() const { return task_ == 0; }

private:
  tactus::phaser together_;
  Sums sums_;
  std::size_t task_;
  std::size_t tasks_;
};

/// The competitor tactus.
template <class Problem>
class tactus_solver {
public:
  tactus_solver(const options& o, Problem& p)
      : pool_(o),
        strategy_(o.strategy),
        tasks_(o.tasks == 0 ? static_cast<std::size_t>(o.threads) : static_cast<std::size_t>(o.tasks)),
        problem_(p) {}

  void pass() {
    if (strategy_ == "atomic") {
      shared_sums all;
      run_together([&all](const tactus::phaser& /*together*/) {
        return [&all](std::size_t task) { return atomically_added_sums(all, task == 0); };
      });
    } else {
      run_together([this](const tactus::phaser& together) {
        return [sums = accumulated_sums(together, strategy_named(strategy_, tasks_))](std::size_t /*task*/) {
          return sums;
        };
      });
    }
  }

private:
  /// The maker of the phaser leaves it at the end of the finish's body.
  template <class SumsOn>
  void run_together(SumsOn sums_on) {
    pool_.run([this, &sums_on] {
      tactus::finish([this, &sums_on] {
        tactus::phaser together;
        const auto sums_of = sums_on(together);
        for (std::size_t i = 0; i < tasks_; ++i) {
          tactus::async(tactus::phased(together), [this, together, sums = sums_of(i), i] {
            tactus_steps steps(together, sums, i, tasks_);
            problem_.solve(steps);
          });
        }
      });
    });
  }

  tactus_pool pool_;
  std::string strategy_;
  std::size_t tasks_;
  Problem& problem_;
};

}  // namespace bench
