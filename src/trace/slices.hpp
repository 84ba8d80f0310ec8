// SPDX-License-Identifier: Apache-2.0
// How the events of a worker, and the moves of a place, become slices in the file of a timeline.
#pragma once

#include "trace/event_file.hpp"
#include "trace/links.hpp"
#include "trace/move_track.hpp"
#include "trace/timeline.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// All of `worker`, which `part` is of; what has not ended does so at `last`.
void write_worker(event_file& out, std::size_t worker, const timeline_part& part, const timeline_links& links,
                  std::int64_t last);

/// All of `place`, if there is any.
void write_moves(event_file& out, int place, const move_track& moves);

}  // namespace tactus::detail
