// SPDX-License-Identifier: Apache-2.0
// Tasks on one phaser, with accumulators; or, with --shape forked, each step a finish over one async for each part, so that
// policies can be compared (work-stealing.txt, figures 14 and 15).
#include <stdexcept>
#include <variant>

#include "kernels/nas_cg/nas_cg.hpp"
#include "support/tactus_forked_steps.hpp"
#include "support/tactus_steps.hpp"

namespace {

using problem = bench::nas_cg_problem;

class tactus_cg {
public:
  tactus_cg(const bench::options& o, problem& p) {
    if (o.shape.empty()) {
      solver_.emplace<bench::tactus_solver<problem>>(o, p);
    } else if (o.shape == "forked") {
      bench::options plain = o;
      plain.shape.clear();
      solver_.emplace<bench::tactus_forked_solver<problem>>(plain, p);
    } else {
      throw std::invalid_argument("nas_cg: --shape is forked or nothing, not '" + o.shape + "'");
    }
  }

  void pass() {
    if (auto* const forked = std::get_if<bench::tactus_forked_solver<problem>>(&solver_)) {
      forked->pass();
    } else {
      std::get<bench::tactus_solver<problem>>(solver_).pass();
    }
  }

private:
  // Each has workers of its own, so there is only the one that is asked for.
  std::variant<std::monostate, bench::tactus_solver<problem>, bench::tactus_forked_solver<problem>> solver_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<problem, tactus_cg>(argc, argv, "nas_cg", "tactus"); }
