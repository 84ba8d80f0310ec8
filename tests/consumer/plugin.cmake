# SPDX-License-Identifier: Apache-2.0
# A position-independent static library goes into somebody's shared library, as what CMake says of a plain one promises;
# the program that uses that one knows nothing of it. The plugin may hide what is its own.
# cmake -Dprefix=... and what support.cmake names -P this
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
file(REMOVE_RECURSE ${scratch})

run_for(said ${CMAKE_COMMAND} ${toolchain} -S ${source} -B ${scratch}/plain -DBUILD_TESTING=OFF)
if(NOT said MATCHES "to go into a shared library it needs -DCMAKE_POSITION_INDEPENDENT_CODE=ON")
  message(FATAL_ERROR "nobody is told what a shared library needs: ${said}")
endif()

file(GLOB_RECURSE library ${prefix}/libtactus.a)
separate_arguments(flags UNIX_COMMAND "${compiler_flags}")
foreach(visibility default hidden)
  run(${compiler} ${flags} -std=c++20 -O2 -fPIC -shared -fvisibility=${visibility} -DTACTUS_STATIC=1 -I${prefix}/include
    ${CMAKE_CURRENT_LIST_DIR}/plugin.cpp ${library} -pthread -o ${scratch}/libplugin.so)
  run(${compiler} ${flags} -std=c++20 -O2 ${CMAKE_CURRENT_LIST_DIR}/plugin_user.cpp -L${scratch} -lplugin -pthread
    -Wl,-rpath,${scratch} -o ${scratch}/plugin_user)
  run(${scratch}/plugin_user)
endforeach()
