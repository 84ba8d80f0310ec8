// SPDX-License-Identifier: Apache-2.0
// A oneTBB arena with a fixed number of workers, the calling thread among them. The same sources are compiled against
// Debian's oneTBB and against the newest.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace bench {

/// The competitor's name.
#ifdef BENCH_ONETBB_NEW
inline constexpr const char* k_onetbb = "onetbb_new";
#else
inline constexpr const char* k_onetbb = "onetbb";
#endif

class onetbb_pool {
public:
  explicit onetbb_pool(int threads)
      : limit_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena_(threads) {
    if (TBB_runtime_interface_version() != TBB_INTERFACE_VERSION) {
      throw std::runtime_error("oneTBB: compiled against interface " + std::to_string(TBB_INTERFACE_VERSION) +
                               ", and the library that was loaded has " +
                               std::to_string(TBB_runtime_interface_version()));
    }
    arena_.initialize();
  }

  template <class Body>
  void run(Body&& body) {
    arena_.execute(static_cast<Body&&>(body));
  }

private:
  oneapi::tbb::global_control limit_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace bench
