# SPDX-License-Identifier: Apache-2.0
# Builds and runs programs from outside: cmake -Dway=... [-Dprefix=... -Dkind=... -Dentry=...] and what support.cmake names -P this;
# `entry` sets a variable of the project's cache.
#   find_package      a project finds the library that is installed under the prefix
#   find_package_mpi  the same, and its component mpi, which the library that is installed there has: -Dmpi=of_cmake|named
#   pkg_config        the compiler is called with what pkg-config says of the library, static or shared, under the prefix
#   add_subdirectory  a project takes the source tree into its own build
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
if(way STREQUAL "pkg_config")
  skip_without(pkg_config)
elseif(mpi STREQUAL "of_cmake")
  skip_without(mpicxx)
elseif(mpi STREQUAL "named")
  skip_without(named_mpicxx)
endif()
file(REMOVE_RECURSE ${scratch})

# The program of the README is the consumer's program: what it shows is compiled and run.
file(READ ${source}/README.md readme)
if(NOT readme MATCHES "```cpp\n([^`]*)```")
  message(FATAL_ERROR "no program in README.md")
endif()
file(WRITE ${scratch}/readme.cpp "${CMAKE_MATCH_1}")

function(build_project option)
  run(${CMAKE_COMMAND} ${toolchain} -S ${CMAKE_CURRENT_LIST_DIR}/${way} -B ${scratch}/project ${option} ${entry}
    -DREADME_PROGRAM=${scratch}/readme.cpp)
  run(${CMAKE_COMMAND} --build ${scratch}/project --parallel 2)
endfunction()

# A static library has to be asked for with all that it needs itself; a shared one is found again when programs start.
function(build_with_pkg_config)
  file(GLOB_RECURSE file ${prefix}/tactus.pc)
  cmake_path(GET file PARENT_PATH folder)
  set(ENV{PKG_CONFIG_LIBDIR} ${folder})  # this one, and none of the machine
  set(static "")
  if(kind STREQUAL "static")
    set(static --static)
  endif()
  run_for(flags ${pkg_config} --cflags --libs ${static} tactus)
  message(STATUS "${flags}")
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run_for(defined ${pkg_config} --cflags-only-other tactus)
  if(kind STREQUAL "static" AND NOT defined MATCHES "-DTACTUS_STATIC=1")
    message(FATAL_ERROR "tactus.pc does not tell programs that the library is static: ${defined}")
  elseif(kind STREQUAL "shared" AND defined MATCHES "TACTUS_STATIC")
    message(FATAL_ERROR "tactus.pc tells programs that the library is static, and it is not: ${defined}")
  endif()
  cmake_host_system_information(RESULT processor QUERY OS_PLATFORM)
  if(processor MATCHES "^(x86_64|aarch64)$" AND NOT defined MATCHES "-fstack-clash-protection")
    message(FATAL_ERROR "tactus.pc does not have large frames checked: ${defined}")
  endif()
  run_for(libraries ${pkg_config} --variable=libdir tactus)
  file(MAKE_DIRECTORY ${scratch}/project)
  separate_arguments(own_flags UNIX_COMMAND "${compiler_flags}")
  foreach(program ${CMAKE_CURRENT_LIST_DIR}/outside.cpp ${scratch}/readme.cpp)
    cmake_path(GET program STEM name)
    run(${compiler} ${own_flags} -std=c++20 -O2 ${program} -o ${scratch}/project/${name} ${flags} -Wl,-rpath,${libraries})
  endforeach()
endfunction()

if(way MATCHES "^find_package")
  build_project(-DCMAKE_PREFIX_PATH=${prefix})
elseif(way STREQUAL "add_subdirectory")
  build_project(-DTACTUS_SOURCE=${source})
elseif(way STREQUAL "pkg_config")
  build_with_pkg_config()
else()
  message(FATAL_ERROR "unknown way: ${way}")
endif()

run(${scratch}/project/outside)
run(${scratch}/project/readme --tactus-threads=2)
