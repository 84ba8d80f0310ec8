# SPDX-License-Identifier: Apache-2.0
# Builds the library alone, installs it under a prefix and moves it from there to ${scratch}/moved, so that no path of the
# build can be needed; the static one also with an MPI, where there is one. Of the shared one the Debian packages are made too, in ${scratch}/packages, where that can be done:
# cmake -Dkind=static|shared and what support.cmake names -P this
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
file(REMOVE_RECURSE ${scratch})

if(kind STREQUAL "shared")
  set(library "libtactus\\.so(\\.[0-9]+)*")
  set(gdb_script "share/gdb/auto-load/usr/lib.*/libtactus\\.so\\.[0-9.]+-gdb\\.py")
  set(options -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr)  # as for packages: libraries in a folder of the processor
else()
  set(library "libtactus\\.a")
  set(options -DCMAKE_POSITION_INDEPENDENT_CODE=ON)  # plugin.cmake; as it is by default consume.cmake builds it
endif()
set(ENV{DEBFULLNAME} "Who Makes It")
set(ENV{DEBEMAIL} who.makes@it.example)
build_library(${scratch}/library ${options})
run(${CMAKE_COMMAND} --install ${scratch}/library --prefix ${scratch}/prefix)

file(GLOB_RECURSE installed RELATIVE ${scratch}/prefix ${scratch}/prefix/*)
expect_files("the installation" "${installed}"
  "include/tactus/.*\\.hpp" "bin/tactus" "share/tactus/version\\.hpp" "share/tactus/whole_file\\.py" "share/tactus/(array_file|placement_tools|timeline_report)/[a-z0-9_]+\\.py"
  "share/tactus/gdb/tactus\\.py" ${gdb_script}
  "share/tactus/webpage/(__init__|bars|document|markup|numbers|scale|tables)\\.py" "share/tactus/webpage/(charts|page|palette)\\.css"
  "lib[^/]*/(.*/)?${library}" "lib[^/]*/(.*/)?cmake/tactus/tactus-[a-z-]+\\.cmake" "lib[^/]*/(.*/)?pkgconfig/tactus\\.pc")

if(kind STREQUAL "shared" AND dpkg_deb AND dpkg_shlibdeps AND file)
  run(${CMAKE_CPACK_COMMAND} -G DEB --config ${scratch}/library/CPackConfig.cmake -B ${scratch}/packages)
endif()

file(RENAME ${scratch}/prefix ${scratch}/moved)
file(WRITE ${scratch}/timeline.json [[{"traceEvents":[{"ph":"M","tid":0,"name":"thread_name","args":{"name":"worker 0","events_lost":0}}],"otherData":{"events_lost":0}}]])
run(${scratch}/moved/bin/tactus report ${scratch}/timeline.json)
run_for(version ${scratch}/moved/bin/tactus --version)
file(STRINGS ${source}/CMakeLists.txt line REGEX "^  VERSION [0-9.]+$")
string(STRIP "${line}" line)
string(REPLACE VERSION tactus expected "${line}")
if(NOT version STREQUAL expected)
  message(FATAL_ERROR "tactus --version says '${version}', and CMakeLists.txt '${line}'")
endif()

# With an MPI, in ${scratch}/mpi_of_cmake and ${scratch}/mpi_named: only what stands between the library and that is compiled besides.
function(install_with_mpi how name)
  run(${CMAKE_COMMAND} -S ${source} -B ${scratch}/library -DTACTUS_MPI=${name})
  run(${CMAKE_COMMAND} --build ${scratch}/library --parallel 2)
  run(${CMAKE_COMMAND} --install ${scratch}/library --prefix ${scratch}/prefix)
  file(RENAME ${scratch}/prefix ${scratch}/mpi_${how})
endfunction()

if(kind STREQUAL "static" AND mpicxx)
  install_with_mpi(of_cmake ON)
endif()
if(kind STREQUAL "static" AND named_mpicxx)
  cmake_path(GET named_mpicxx EXTENSION LAST_ONLY name)
  string(SUBSTRING ${name} 1 -1 name)
  install_with_mpi(named ${name})
endif()
file(REMOVE_RECURSE ${scratch}/library)
