// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <cstdio>
#include <cstdlib>

namespace fuzz {

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
    std::abort();
  }
}

}  // namespace fuzz
