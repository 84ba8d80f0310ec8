// SPDX-License-Identifier: Apache-2.0
// The algorithms on iterators without those on ranges, which take long to compile.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>

#if defined(__GLIBCXX__)
#include <bits/stl_algo.h>
#else
#include <algorithm>  // another C++ library has it otherwise
#endif
