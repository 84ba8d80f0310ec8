// SPDX-License-Identifier: Apache-2.0
// Hooks that earlier rooms call and the trace room answers. They know nothing of each other but these names.
#pragma once

namespace tactus::detail {

class scheduler;

/// A scheduler was made, will be destroyed, or has ended a run whose config asks for the table of counters.
void scheduler_starts(scheduler& s);
void scheduler_ends(scheduler& s) noexcept;
void report_stats(scheduler& s);

}  // namespace tactus::detail
