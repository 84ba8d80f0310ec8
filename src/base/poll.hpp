// SPDX-License-Identifier: Apache-2.0
// A short wait for another worker that is running right now.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <chrono>

namespace tactus::detail {

/// Looks whether done() holds, for about `longest`. After every `looks` times it reads the clock, and asks better() whether the
/// caller has something better to do. Returns whether done() held.
template <class Done, class Better>
bool poll_for(std::chrono::nanoseconds longest, int looks, Done done, Better better) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < looks; ++i) {
      if (done()) {
        return true;
      }
      cpu_relax();
    }
  } while (!better() && std::chrono::steady_clock::now() - begin < longest);
  return false;
}

/// The same where nothing better may come.
template <class Done>
bool poll_for(std::chrono::nanoseconds longest, int looks, Done done) {
  return poll_for(longest, looks, done, [] { return false; });
}

}  // namespace tactus::detail
