# SPDX-License-Identifier: Apache-2.0
# Builds and runs an outside project: cmake -Dway=... -Dsource=... -Dscratch=... -Dcompiler=... -Dgenerator=... -P this
#   find_package      the library alone is configured with -DBUILD_TESTING=OFF, built, installed under a prefix and moved
#                     from there to another place, so that no path of the build can be needed; the project finds it
#   add_subdirectory  the project takes the source tree into its own build

set(toolchain -G ${generator} -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_BUILD_TYPE=Release)

function(run)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${scratch})
set(project_options)

# The program of the README is the consumer's program: what it shows is compiled and run.
file(READ ${source}/README.md readme)
if(NOT readme MATCHES "```cpp\n([^`]*)```")
  message(FATAL_ERROR "no program in README.md")
endif()
file(WRITE ${scratch}/readme.cpp "${CMAKE_MATCH_1}")

if(way STREQUAL "find_package")
  run(${CMAKE_COMMAND} ${toolchain} -S ${source} -B ${scratch}/library -DBUILD_TESTING=OFF
    -DCMAKE_INSTALL_PREFIX=${scratch}/prefix)
  run(${CMAKE_COMMAND} --build ${scratch}/library --parallel 2)
  run(${CMAKE_COMMAND} --install ${scratch}/library)

  # The library alone: headers, one library, four package files.
  file(GLOB_RECURSE installed RELATIVE ${scratch}/prefix ${scratch}/prefix/*)
  foreach(file IN LISTS installed)
    if(NOT file MATCHES "^include/tactus/.*\\.hpp$|^lib[^/]*/([^/]+/)?(libtactus\\.a|cmake/tactus/tactus-[a-z-]+\\.cmake)$")
      message(FATAL_ERROR "installed, but not part of the library: ${file}")
    endif()
  endforeach()

  file(RENAME ${scratch}/prefix ${scratch}/moved)
  file(REMOVE_RECURSE ${scratch}/library)
  set(project_options -DCMAKE_PREFIX_PATH=${scratch}/moved)
elseif(way STREQUAL "add_subdirectory")
  set(project_options -DTACTUS_SOURCE=${source})
else()
  message(FATAL_ERROR "unknown way: ${way}")
endif()

run(${CMAKE_COMMAND} ${toolchain} -S ${CMAKE_CURRENT_LIST_DIR}/${way} -B ${scratch}/project ${project_options}
  -DREADME_PROGRAM=${scratch}/readme.cpp)
run(${CMAKE_COMMAND} --build ${scratch}/project --parallel 2)
run(${scratch}/project/outside)
run(${scratch}/project/readme --tactus-threads=2)
