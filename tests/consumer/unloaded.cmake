# SPDX-License-Identifier: Apache-2.0
# A plugin that is linked with the installed library, static or shared, is taken out of a program again.
# cmake -Dprefix=... and what support.cmake names -P this
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} ${toolchain} -S ${CMAKE_CURRENT_LIST_DIR}/unloaded -B ${scratch} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${scratch})
run(${scratch}/loader)
