// SPDX-License-Identifier: Apache-2.0
// A table that was not recorded: a tree of tasks that may move, which spawn their children when they end, as those of the simulator do.
#pragma once

#include "placement/replay/table.hpp"
#include "support/program.hpp"

namespace bench {

/// Of o.size tasks (1,000), the same for the same o.seed. Each has a parent that any of the tasks before it is as likely as the other to be; so
/// some have a hundred descendants, and half of them none. The longest takes three times as long as the shortest.
task_table made_tree(const options& o);

}  // namespace bench
