// SPDX-License-Identifier: Apache-2.0
// Steps (steps.hpp) that are forked one by one: parallel_for and parallel_reduce with the static partitioner, which suits
// loops that are the same again and again and have parts of equal length, and the simple one for uneven parts.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>

#include <cstddef>
#include <functional>

#include "support/onetbb_pool.hpp"
#include "support/steps.hpp"

namespace bench {

class onetbb_steps {
public:
  template <class F>
  void each(std::size_t n, F&& f) {
    const auto of_range = [&f](const range& r) { f(part{r.begin(), r.end()}); };
    oneapi::tbb::parallel_for(range(0, n), of_range, oneapi::tbb::static_partitioner());
  }

  template <class F>
  void uneven(std::size_t n, std::size_t grain, F&& f) {
    const auto of_range = [&f](const range& r) { f(part{r.begin(), r.end()}); };
    oneapi::tbb::parallel_for(range(0, n, grain), of_range, oneapi::tbb::simple_partitioner());
  }

  template <class F>
  void once(F&& f) {
    f();
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    return reduce<double>(n, f);
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    return reduce<pair_of_sums>(n, f);
  }

  [[nodiscard]] bool keeps(std::size_t /*n*/, std::size_t /*i*/) const { return true; }
  [[nodiscard]] bool leads() const { return true; }

private:
  using range = oneapi::tbb::blocked_range<std::size_t>;

  template <class T, class F>
  static T reduce(std::size_t n, F&& f) {
    const auto of_range = [&f](const range& r, T before) { return before + f(part{r.begin(), r.end()}); };
    return oneapi::tbb::parallel_reduce(range(0, n), T{}, of_range, std::plus<>(), oneapi::tbb::static_partitioner());
  }
};

/// The competitor onetbb.
template <class Problem>
class onetbb_solver {
public:
  onetbb_solver(const options& o, Problem& p) : pool_(o.threads), problem_(p) {}

  void pass() {
    pool_.run([this] {
      onetbb_steps steps;
      problem_.solve(steps);
    });
  }

private:
  onetbb_pool pool_;
  Problem& problem_;
};

}  // namespace bench
