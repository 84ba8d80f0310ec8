// SPDX-License-Identifier: Apache-2.0
// Profiles of the programs that are replayed, and the labels that are found in them.
#pragma once

#include <string>

#include "placement/replay/table.hpp"
#include "support/program.hpp"

namespace bench {

/// Runs o.shape (quicksort, turing_ring or uts) some times at one place with one worker, and checks what comes out. Of each task the shortest
/// time; `file` is the profile of the first run.
task_table record(const options& o, const std::string& file);

/// What `tactus labels` makes of a profile for these places and workers.
void find_labels(const std::string& profile, const std::string& file, const options& o);

}  // namespace bench
