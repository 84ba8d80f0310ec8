# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, and twice in a row, with all warnings. This is the one place where files are
# globbed: a header that nobody listed is the very one to be checked.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/tactus/*.hpp)

set(units)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.hpp$" ".cpp" unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${header}")
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND units ${unit})
endforeach()

add_library(self_contained_headers OBJECT ${units})
target_link_libraries(self_contained_headers PRIVATE tactus::tactus)
tactus_warnings(self_contained_headers)
