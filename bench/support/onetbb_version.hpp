// SPDX-License-Identifier: Apache-2.0
// The same sources are compiled against Debian's oneTBB and against the newest (rivals/fetch_onetbb).
#pragma once

#include <oneapi/tbb/version.h>

#include <stdexcept>
#include <string>

namespace bench {

/// The competitor's name.
#ifdef BENCH_ONETBB_NEW
inline constexpr const char* k_onetbb = "onetbb_new";
#else
inline constexpr const char* k_onetbb = "onetbb";
#endif

/// Throws where the library that was loaded is not that of the headers.
inline void expect_own_onetbb() {
  if (TBB_runtime_interface_version() != TBB_INTERFACE_VERSION) {
    throw std::runtime_error("oneTBB: compiled against interface " + std::to_string(TBB_INTERFACE_VERSION) +
                             ", and the library that was loaded has " +
                             std::to_string(TBB_runtime_interface_version()));
  }
}

}  // namespace bench
