// SPDX-License-Identifier: Apache-2.0
// Arrivals and departures that a worker hands in at a barrier later, as one number: docs/protocols/clock.md.
#pragma once

#include <tactus/scheduler/impl/waiter_list.hpp>

#include <cstdint>

namespace tactus::detail {

class barrier;

/// All of one barrier; besides, what the worker goes on with next. The worker's own.
struct deferred_arrivals {
  barrier* of = nullptr;               ///< whose; null: none
  std::uint64_t sum = 0;               ///< to be subtracted from its word
  waiter_list* list = nullptr;         ///< this worker's, of that phase; null until a waiter needs it
  continuation** wait_next = nullptr;  ///< where the next waiter goes
  continuation** wait_end = nullptr;
  continuation** run_next = nullptr;  ///< released continuations that are this worker's alone
  continuation** run_end = nullptr;
  const barrier* run_of = nullptr;  ///< that released them
  std::uint32_t run_ahead = 0;      ///< how many continuations before it goes on the lines of one are asked for

  /// From here on waiters are added to `to`.
  void open(waiter_list& to) noexcept {
    list = &to;
    wait_next = to.end();
    wait_end = to.end_of_room();
  }

  /// Keeps nothing any more; what comes next stays.
  void close() noexcept {
    of = nullptr;
    sum = 0;
    list = nullptr;
    wait_next = nullptr;
    wait_end = nullptr;
  }
};

}  // namespace tactus::detail
