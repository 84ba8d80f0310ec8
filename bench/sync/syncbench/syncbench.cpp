// SPDX-License-Identifier: Apache-2.0
#include "sync/syncbench/syncbench.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/random_numbers.hpp"

namespace bench {
namespace {

std::vector<std::uint64_t> delays_of(const options& o) {
  std::vector<std::uint64_t> delays(o.tasks == 0 ? syncbench_problem::k_default_tasks : o.tasks, o.delay);
  if (o.balance == "unbalanced") {
    for (std::uint64_t i = 0; i < delays.size(); ++i) delays[i] *= i + 1;
  }
  return delays;
}

/// The longest goes first, each to who has least. For delays that are equal or 1, 2, ..., n, and two workers, no division
/// is better.
std::uint64_t share_of_busiest(std::vector<std::uint64_t> delays, int workers) {
  std::ranges::sort(delays, std::greater<>());
  std::vector<std::uint64_t> shares(static_cast<std::size_t>(workers));
  for (const std::uint64_t d : delays) *std::ranges::min_element(shares) += d;
  return std::ranges::max(shares);
}

}  // namespace

syncbench_problem::syncbench_problem(const options& o)
    : delays_(delays_of(o)),
      busiest_delay_(share_of_busiest(delays_, o.threads)),
      seats_(delays_.size()),
      load_(o.balance),
      type_(o.type),
      phases_(o.phases) {
  // A factor is below 2^10: the sums of doubles stay below 2^53, up to which they are exact.
  const std::uint64_t most = std::min(std::uint64_t{1} << 32, (std::uint64_t{1} << 42) / std::bit_ceil(tasks())) - 1;
  random_numbers random(o.seed);
  for (std::uint64_t i = 0; i < tasks(); ++i) {
    integer_weights_.of_task.push_back(random.next() | 1);
    real_weights_.of_task.push_back(static_cast<double>(random.below(most) + 1));
  }
  const auto add_up = [](auto& table) {
    table.sum = std::accumulate(table.of_task.begin(), table.of_task.end(), table.sum);
  };
  add_up(integer_weights_);
  add_up(real_weights_);
}

void syncbench_problem::expect_ns(double per_phase, double per_task) {
  constexpr double k_ns_per_step = 0.5;
  phases_.expect_ns(per_phase + static_cast<double>(tasks()) * per_task +
                    static_cast<double>(busiest_delay_) * k_ns_per_step);
}

void syncbench_problem::reset() {
  std::ranges::fill(seats_, seat{});
  phases_.reset();
}

void syncbench_problem::verify() const {
  for (std::uint64_t i = 0; i < tasks(); ++i) {
    const seat& s = seats_[i];
    if (s.phases != phases()) {
      throw wrong_answer("task " + std::to_string(i) + " took part in " + std::to_string(s.phases) + " of " +
                         std::to_string(phases()) + " phases");
    }
    if (s.wrong != 0) {
      throw wrong_answer("task " + std::to_string(i) + " saw " + std::to_string(s.wrong) +
                         " wrong sums, the first in phase " + std::to_string(s.first_wrong));
    }
  }
  if (phases_.took().seconds <= 0) throw wrong_answer("nobody watched the phases");
}

void syncbench_problem::report(nlohmann::json& line) const {
  line["tasks"] = tasks();
  line["phases"] = phases_.timed();
  line["load"] = load_;
  line["type"] = type_;
}

void syncbench_problem::wait_as_epcc(std::uint64_t steps) {
  float a = 0;
  for (std::uint64_t i = 0; i < steps; ++i) a += static_cast<float>(i);
  asm volatile("" : : "m"(a));  // the compiler may not drop what nobody reads
}

}  // namespace bench
