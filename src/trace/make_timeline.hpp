// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/timeline.hpp"

#include <memory>

namespace tactus::detail {

class run_control;

/// That of a runtime whose options ask for a timeline or a profile. Collective where it has several processes. config_error.
[[nodiscard]] std::unique_ptr<timeline> make_timeline(const run_control& r);

}  // namespace tactus::detail
