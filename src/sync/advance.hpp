// SPDX-License-Identifier: Apache-2.0
// How a member that signals and waits goes to the next phase: the shortest way, and the others.
#pragma once

#include <tactus/sync/impl/membership.hpp>

#include "scheduler/barrier_wait.hpp"

namespace tactus::detail {

/// The wait was in vain; throws.
[[noreturn]] void fail_to_advance(membership& m, const continuation& here);

/// Any other way than advance_at_once(). The last thing that its caller does, so that the caller's frame is gone meanwhile.
void advance_or_start(worker* w, membership& m, barrier_hint hint);

// The shortest way is all that this function has a frame for: of a hundred thousand members that wait each keeps one.
TACTUS_ALWAYS_INLINE bool advance_at_once(worker* w, membership& m) {
  if (m.credit != 0 || m.arrived || !m.of->next_is_at_hand(w)) [[unlikely]] {
    return false;
  }
  continuation here(continuation::made_by_spawn{});
  if (!m.of->wait_while_next_goes_on(w, here)) [[unlikely]] {
    fail_to_advance(m, here);
  }
  return true;
}

}  // namespace tactus::detail
