// SPDX-License-Identifier: Apache-2.0
// Two grids over the same places, as a method with two time steps has them: the ghosts of the fine one are needed in each step, those of
// the coarse one in each seventh.
#pragma once

#include <tactus/tactus.hpp>

namespace bench {

/// Of one place. In lockstep both grids are in one phase: an exchange has ended everywhere before the next one, of whichever grid, begins.
/// Else each has phases of its own: an exchange of the coarse one goes on during seven of the fine one, and places begin the two in
/// whatever order they like, here those of odd numbers with the coarse one.
class two_grids {
public:
  using grid = tactus::dist_array_ref<double, 3>;

  two_grids(const grid& fine, const grid& coarse, bool in_lockstep)
      : fine_(fine), coarse_(coarse), in_lockstep_(in_lockstep) {}

  template <class Compute>
  void step(const Compute& compute) {
    const bool is_seventh = steps_++ % k_ratio == 0;
    compute();
    if (in_lockstep_) {
      fine_.update_ghosts();
      if (is_seventh) coarse_.update_ghosts();
      return;
    }
    const bool coarse_first = tactus::here().id() % 2 != 0;
    if (is_seventh && coarse_first) begin_coarse();
    fine_.send_ghosts();
    if (is_seventh && !coarse_first) begin_coarse();
    fine_.wait_for_ghosts();
  }

  /// The exchange that may be under way.
  void finish() {
    if (is_open_) coarse_.wait_for_ghosts();
    is_open_ = false;
  }

  void exchange_coarse() { coarse_.update_ghosts(); }

private:
  static constexpr unsigned k_ratio = 7;

  void begin_coarse() {
    finish();
    coarse_.send_ghosts();
    is_open_ = true;
  }

  const grid fine_;
  const grid coarse_;
  const bool in_lockstep_;
  bool is_open_ = false;
  unsigned steps_ = 0;
};

}  // namespace bench
