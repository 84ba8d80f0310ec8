// SPDX-License-Identifier: Apache-2.0
// What a timeline calls tasks without a name: by their closures.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace tactus::detail {

/// A closure's type as people write it, from what label_of() in task_body.hpp says of it: where its lambda stands, or in which
/// function and as the how many-th. Only where neither is known, two closures may be called the same.
[[nodiscard]] std::string closure_in(const char* made_from);

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
