// SPDX-License-Identifier: Apache-2.0
// What a timeline calls tasks without a name: by their closures.
#pragma once

#include "base/probe.hpp"

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace tactus::detail {

/// The labels of one timeline, in which no two closures are called the same. Any thread.
class closure_labels {
public:
  [[nodiscard]] std::string of(const char* made_from);

private:
  std::mutex mutex_;  // protects both
  std::map<const char*, std::string> labels_;
  std::map<std::string, int> without_number_;  // how many there are
};

}  // namespace tactus::detail
