# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone, and twice in a row, with all warnings, as C++20, and the public ones as C++23. Where what tests include is compiled
# once (TACTUS_TEST_PRECOMPILED), only the latter. This is the one place where files are globbed: a header that
# nobody listed is the very one to be checked.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/tactus/*.hpp)
list(REMOVE_ITEM headers tactus/mpi.hpp)  # it needs an MPI: tests/mpi/own_calls.cpp includes it first

set(units)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.hpp$" ".cpp" unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${header}")
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND units ${unit})
endforeach()

# As C++23 those that programs include; the others come along.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/tactus/tactus.hpp public_units REGEX "^#include <tactus/")
list(TRANSFORM public_units REPLACE "^#include <([^>]*)\\.hpp>.*$" "${CMAKE_CURRENT_BINARY_DIR}/headers/\\1.cpp")
list(APPEND public_units ${CMAKE_CURRENT_BINARY_DIR}/headers/tactus/tactus.cpp)

set(standards 23)
add_library(self_contained_headers_23 OBJECT ${public_units})
if(NOT TACTUS_TEST_PRECOMPILED)
  list(APPEND standards 20)
  add_library(self_contained_headers_20 OBJECT ${units})
endif()
foreach(standard IN LISTS standards)
  target_link_libraries(self_contained_headers_${standard} PRIVATE tactus::tactus)
  tactus_warnings(self_contained_headers_${standard})
  set_target_properties(self_contained_headers_${standard} PROPERTIES CXX_STANDARD ${standard})
endforeach()
target_compile_options(self_contained_headers_23 PRIVATE -O0 -g0)  # what optimisation has to say, it has said

add_test(NAME headers_that_cost COMMAND ${CMAKE_COMMAND} -Dinclude=${PROJECT_SOURCE_DIR}/include
  -P ${CMAKE_CURRENT_LIST_DIR}/headers_that_cost.cmake)
set_tests_properties(headers_that_cost PROPERTIES LABELS script)

if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME headers_before_cxx20 COMMAND ${CMAKE_COMMAND} -Dcompiler=${CMAKE_CXX_COMPILER}
    -Dinclude=${PROJECT_SOURCE_DIR}/include -P ${CMAKE_CURRENT_LIST_DIR}/headers_before_cxx20.cmake)
  set_tests_properties(headers_before_cxx20 PROPERTIES LABELS script TIMEOUT 120)
endif()
