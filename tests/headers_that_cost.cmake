# SPDX-License-Identifier: Apache-2.0
# Programs compile our headers in each of their files. What these would take long for, they do without, or have in a small
# form of their own: cmake -Dinclude=... -P this
cmake_minimum_required(VERSION 3.25)
set(costly algorithm chrono condition_variable filesystem format functional future iostream list random ranges regex set
  sstream thread unordered_map unordered_set)
list(JOIN costly "|" costly)
file(GLOB_RECURSE headers RELATIVE ${include} ${include}/tactus/*.hpp)
list(REMOVE_ITEM headers tactus/base/impl/algorithms.hpp tactus/base/impl/durations.hpp)  # for a C++ library that we do not know
foreach(header IN LISTS headers)
  file(STRINGS ${include}/${header} lines REGEX "^ *# *include <(${costly})>")
  if(lines)
    message(SEND_ERROR "${header} makes every file that includes Tactus slower to compile: ${lines}\n"
      "What stands in for some of them is in docs/architecture.md, in room base.")
  endif()
endforeach()
