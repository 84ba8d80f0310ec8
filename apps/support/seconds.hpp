// SPDX-License-Identifier: Apache-2.0
// How long something takes.
#pragma once

#include <chrono>

namespace apps {

/// In seconds, by a clock that is never set.
template <class F>
double seconds_of(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace apps
