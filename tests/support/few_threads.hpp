// SPDX-License-Identifier: Apache-2.0
// For tests that have one file: a pthread_create that starts as many threads as it is told, and fails then.
#pragma once

#include "support/scale.hpp"

#include <atomic>
#include <cerrno>
#include <climits>

#include <dlfcn.h>
#include <pthread.h>

namespace support {

inline std::atomic<int> g_threads_left{INT_MAX};

}  // namespace support

#if !defined(TACTUS_TEST_TSAN) && !defined(TACTUS_TEST_ASAN)  // which have a pthread_create of their own
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  if (support::g_threads_left.fetch_sub(1) <= 0) return EAGAIN;
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
}
#endif
