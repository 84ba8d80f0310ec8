// SPDX-License-Identifier: Apache-2.0
// What the places of a run have in common.
#pragma once

#include "place/engine.hpp"
#include "place/progress.hpp"
#include "place/quiescence.hpp"
#include "place/verdict.hpp"
#include "placement/starving_places.hpp"

#include <tactus/base/config.hpp>
#include <tactus/base/impl/atomic.hpp>

#include <cstddef>
#include <memory>

namespace tactus::detail {

struct network {
  explicit network(std::size_t places) : quiet(places), judge(places) {}

  std::unique_ptr<engine> carrier;            // null: messages go into mailboxes at once
  bool carries_far = false;                   // to other processes, each of which has one place
  std::unique_ptr<progress_thread> progress;  // null: there is none
  std::unique_ptr<starving_places> flags;     // of work_dealing, which looks at one table for all places of a process

  /// That table; null where nobody looks at it, or each place has its own and hears of the others.
  [[nodiscard]] starving_places* flags_for(const config& options) {
    if (options.placement == placement_policy::work_dealing && flags == nullptr && !carries_far) {
      flags = std::make_unique<starving_places>(options.places);
    }
    return flags.get();
  }

  // Of place 0.
  quiescence quiet;
  verdict judge;

  /// Places that are passive and have not said so, because of a promise that somebody outside may fulfil.
  atomic<std::size_t> withheld{0};

  /// Whether the thread of progress runs; else that only has what is taken at the end.
  bool has_thread = false;
};

}  // namespace tactus::detail
