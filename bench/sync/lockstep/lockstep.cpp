// SPDX-License-Identifier: Apache-2.0
#include "sync/lockstep/lockstep.hpp"

#include <algorithm>

#include "support/resident.hpp"

namespace bench {

lockstep_problem::lockstep_problem(const options& o)
    : counters_(o.size == 0 ? k_default_size : o.size),
      shape_(o.shape),
      threads_(o.threads),
      body_ns_(o.body_ns),
      body_steps_(steps_taking(o.body_ns)),
      phases_(o.phases) {
  if (shape_ == "million" || shape_ == "waiting") {
    if (o.phases != 0) throw std::invalid_argument("lockstep: the shape " + shape_ + " has its own --phases");
    phases_ = timed_phases(1, shape_ == "million" ? 2 : 1);
  }
}

void lockstep_problem::expect_ns(double per_phase, double per_task) {
  phases_.expect_ns(per_phase + static_cast<double>(size()) * (per_task + body_ns_ / threads_));
}

void lockstep_problem::creation_begins() {
  resident_before_ = resident_bytes();
  creation_ = std::chrono::steady_clock::now();
}

void lockstep_problem::all_wait() {
  resident_waiting_ = resident_bytes();
  threads_waiting_ = thread_count();
}

void lockstep_problem::reset() {
  std::ranges::fill(counters_, counter{});
  phases_.reset();
  waiting_.store(0, std::memory_order_relaxed);  // relaxed: nobody else runs
}

void lockstep_problem::verify() const {
  for (std::uint64_t i = 0; i < size(); ++i) {
    if (counters_[i].value != phases()) {
      throw wrong_answer("task " + std::to_string(i) + " took part in " + std::to_string(counters_[i].value) + " of " +
                         std::to_string(phases()) + " phases");
    }
  }
  if (phases_.took().seconds <= 0) throw wrong_answer("nobody watched the phases");
}

void lockstep_problem::report(nlohmann::json& line) const {
  line["size"] = size();
  line["shape"] = shape_;
  line["phases"] = phases_.timed();
  if (body_ns_ > 0) line["body_steps"] = body_steps_;
  // Later passes reuse the stacks of the first one: only its figures are those of creation.
  if (line["rep"] != 1 || line["passes"] != 1) return;
  if (shape_ == "million") line["first_phase_seconds"] = first_phases_.count();
  if (shape_ == "waiting") {
    line["waiting_bytes"] = resident_waiting_ > resident_before_ ? resident_waiting_ - resident_before_ : 0;
    line["waiting_threads"] = threads_waiting_;
  }
}

}  // namespace bench
