// SPDX-License-Identifier: Apache-2.0
// Forms, as libgomp and libomp both have them:
//   depend    an OpenMP task for each block, with the blocks that it needs named by `depend`
//   barrier   one parallel region; a step is one `omp for`, which ends with a barrier. Blocks of unequal length are
//             handed out one by one
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/openmp_team.hpp"
#include "sync/stencil_p2p/stencil_p2p.hpp"

namespace bench {

class openmp_stencil {
public:
  openmp_stencil(const options& o, stencil_problem& p) : team_(o.threads), problem_(p), has_tasks_(o.form == "depend") {
    if (o.form != "depend" && o.form != "barrier") {
      throw std::invalid_argument("stencil_p2p: --form is depend or barrier, not '" + o.form + "'");
    }
    omp_set_schedule(o.balance == "unbalanced" ? omp_sched_dynamic : omp_sched_static, 1);
  }

  void pass() {
    if (!has_tasks_) {
      team_.run_in_all([this](int /*thread*/) { step_by_step(); });
    } else if (problem_.is_wavefront()) {
      team_.run([this] { spawn_wavefront(); });
    } else {
      team_.run([this] { spawn_averaging(); });
    }
  }

private:
  void step_by_step() {
    const std::uint64_t n = problem_.tasks();
    const std::uint64_t phases = problem_.phases();
    for (std::uint64_t step = 0; step < problem_.steps(); ++step) {
      std::uint64_t first = 0;
      std::uint64_t last = n;
      if (problem_.is_wavefront()) {
        first = step < phases ? 0 : step - phases + 1;
        last = std::min(n, step + 1);
      }
#pragma omp for schedule(runtime)
      for (std::uint64_t i = first; i < last; ++i) problem_.make_in_step(i, step);
    }
  }

  /// A token for each block, with a row above and a column before the first that nobody writes.
  void spawn_wavefront() {
    const std::uint64_t n = problem_.tasks();
    const std::uint64_t phases = problem_.phases();
    tokens_.resize((n + 1) * (phases + 1));
    const auto token = [this, phases](std::uint64_t i, std::uint64_t j) { return &tokens_[i * (phases + 1) + j]; };
    for (std::uint64_t j = 0; j < phases; ++j) {
      for (std::uint64_t i = 0; i < n; ++i) {
        [[maybe_unused]] const char* const above = token(i, j + 1);
        [[maybe_unused]] const char* const before = token(i + 1, j);
        [[maybe_unused]] char* const own = token(i + 1, j + 1);
#pragma omp task firstprivate(i, j) depend(in : *above, *before) depend(out : *own)
        problem_.make(i, j);
      }
    }
  }

  /// A token for each task's part of either array, with one at both ends that nobody writes: as the blocks read and
  /// write them.
  void spawn_averaging() {
    const std::uint64_t n = problem_.tasks();
    tokens_.resize(2 * (n + 2));
    for (std::uint64_t j = 0; j < problem_.phases(); ++j) {
      const char* const from = &tokens_[(j % 2) * (n + 2)];
      char* const to = &tokens_[((j + 1) % 2) * (n + 2)];
      for (std::uint64_t i = 0; i < n; ++i) {
        [[maybe_unused]] const char* const before = from + i;
        [[maybe_unused]] const char* const same = before + 1;
        [[maybe_unused]] const char* const after = before + 2;
        [[maybe_unused]] char* const own = to + i + 1;
#pragma omp task firstprivate(i, j) depend(in : *before, *same, *after) depend(out : *own)
        problem_.make(i, j);
      }
    }
  }

  openmp_team team_;
  stencil_problem& problem_;
  bool has_tasks_;
  std::vector<char> tokens_;
};

}  // namespace bench
