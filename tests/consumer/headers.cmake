# SPDX-License-Identifier: Apache-2.0
# A program that is compiled with headers of another minor version than the installed library's does not link, and the
# linker says which headers they were: cmake -Dprefix=... -Dkind=... and what support.cmake names -P this
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
file(REMOVE_RECURSE ${scratch})
file(COPY ${prefix}/include/tactus DESTINATION ${scratch})
file(WRITE ${scratch}/program.cpp "#include <tactus/task/run.hpp>\nint main() { tactus::run([] {}); }\n")
file(GLOB_RECURSE library ${prefix}/libtactus.a ${prefix}/libtactus.so)
set(options "")
if(kind STREQUAL "static")
  set(options -DTACTUS_STATIC=1)
endif()
separate_arguments(own_flags UNIX_COMMAND "${compiler_flags}")
set(compile ${compiler} ${own_flags} -std=c++20 -O2 ${options} -I${scratch} ${scratch}/program.cpp ${library} -pthread -o ${scratch}/program)

# set_version(major minor patch): in the copy of the headers
function(set_version major minor patch)
  file(READ ${scratch}/tactus/version.hpp text)
  foreach(part MAJOR MINOR PATCH)
    string(TOLOWER ${part} value)
    string(REGEX REPLACE "(#define TACTUS_VERSION_${part}) [0-9]+" "\\1 ${${value}}" text "${text}")
  endforeach()
  file(WRITE ${scratch}/tactus/version.hpp "${text}")
endfunction()

file(STRINGS ${scratch}/tactus/version.hpp lines REGEX "define TACTUS_VERSION_(MAJOR|MINOR) ")
string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
list(GET numbers 0 major)
list(GET numbers 1 minor)
math(EXPR next "${minor} + 1")

set_version(${major} ${minor} 99)  # which the library need not know
run(${compile})

set_version(${major} ${next} 0)
execute_process(COMMAND ${compile} RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "run_root_task\\[abi:headers_of_tactus_${major}_${next}\\]")
  message(FATAL_ERROR "headers of ${major}.${next} and a library of ${major}.${minor}: ended with ${result}\n${said}")
endif()
