// SPDX-License-Identifier: Apache-2.0
// Where a run may begin. Apart from scheduler.hpp, of which who starts a run needs nothing else.
#pragma once

#include <tactus/base/impl/api.hpp>

namespace tactus::detail {

/// Throws usage_error where no run may begin: inside a task, and in a forked child.
TACTUS_API void check_that_a_run_may_begin();

}  // namespace tactus::detail
