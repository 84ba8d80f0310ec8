// SPDX-License-Identifier: Apache-2.0
// Takes a handle's value by a move, so that a test can look at what is left.
#pragma once

#include <utility>

namespace support {

template <class T>
T moved_out_of(T& x) {
  return std::move(x);
}

}  // namespace support
