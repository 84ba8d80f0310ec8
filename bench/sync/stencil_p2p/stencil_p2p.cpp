// SPDX-License-Identifier: Apache-2.0
#include "sync/stencil_p2p/stencil_p2p.hpp"

#include "support/random_numbers.hpp"
#include "sync/stencil_p2p/averaging.hpp"
#include "sync/stencil_p2p/wavefront.hpp"

namespace bench {
namespace {

std::uint64_t given_or(std::uint64_t given, std::uint64_t own) { return given == 0 ? own : given; }

}  // namespace

stencil_problem::stencil_problem(const options& o)
    : is_wavefront_(o.pattern == "wavefront"),
      tasks_(given_or(o.tasks, k_default_tasks)),
      phases_(given_or(o.phases, k_default_phases)),
      size_(given_or(o.size, is_wavefront_ ? k_wavefront_size : k_averaging_size)),
      load_(o.balance),
      form_(o.form),
      times_(tasks_ * phases_, 1) {
  if (is_wavefront_) {
    pattern_ = std::make_unique<wavefront>(tasks_, phases_, size_, o.seed);
  } else {
    pattern_ = std::make_unique<averaging>(tasks_, phases_, size_, o.seed);
  }
  pattern_->reset();
  for (std::uint64_t j = 0; j < phases_; ++j) {
    for (std::uint64_t i = 0; i < tasks_; ++i) make(i, j);
  }
  pattern_->keep();
  if (o.balance != "unbalanced") return;
  random_numbers random(o.seed);
  for (std::uint64_t i = 0; i < tasks_; ++i) {
    for (std::uint64_t j = 0; j < phases_; j += k_one_in) {
      const std::uint64_t heavy = j + random.below(k_one_in);
      if (heavy < phases_) times_[i * phases_ + heavy] = k_heavy;
    }
  }
}

void stencil_problem::verify() const {
  const std::uint64_t at = pattern_->first_difference();
  if (at != pattern_->cells()) {
    throw wrong_answer("cell " + std::to_string(at) + " of " + std::to_string(pattern_->cells()) +
                       " is not what the sequential program makes");
  }
}

void stencil_problem::report(nlohmann::json& line) const {
  line["pattern"] = is_wavefront_ ? "wavefront" : "averaging";
  line["tasks"] = tasks_;
  line["phases"] = phases_;
  line["size"] = size_;
  line["load"] = load_;
  if (!form_.empty()) line["form"] = form_;
}

}  // namespace bench
