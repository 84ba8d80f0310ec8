// SPDX-License-Identifier: Apache-2.0
// std::chrono without calendars and time zones, which are a twentieth of the time of a file that includes Tactus:
// durations and clocks come along with what waits for them.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <mutex>

#if !defined(__GLIBCXX__) && !defined(_LIBCPP_VERSION)
#include <chrono>  // another C++ library may have it otherwise
#endif
