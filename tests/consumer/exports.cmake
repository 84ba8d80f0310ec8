# SPDX-License-Identifier: Apache-2.0
# What the installed shared library shows: few names, all of Tactus, and each that code in headers needs, however little of
# that is inlined. And an exception is one type to a program and to its libraries, though these hide what they have:
# cmake -Dprefix=... -Dnm=... [-Dobjects=...] and what support.cmake names -P this; `objects`: a folder with the examples as objects, not
# optimised.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
set(most 250)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})
file(GLOB_RECURSE library ${prefix}/libtactus.so)
cmake_path(GET library PARENT_PATH folder)

# names(variable nm's arguments...): of symbols, sorted
function(names variable)
  run_for(table ${nm} ${ARGN})
  string(REGEX REPLACE "[^\n]* [A-Za-z] ([^\n@]+)(@[^\n]*)?" "\\1" names "${table}")
  string(REPLACE "\n" ";" names "${names}")
  list(SORT names)
  list(REMOVE_DUPLICATES names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

names(shown -D --defined-only ${library})
list(LENGTH shown n)
message(STATUS "libtactus.so shows ${n} symbols; ${most} are allowed")
set(foreign ${shown})
list(FILTER foreign EXCLUDE REGEX "^(_ZNK?6tactus|_ZT[ISV]N6tactus|tactus_(call|debugger_root|switches|this_worker)$)")
if(foreign)
  message(FATAL_ERROR "libtactus.so shows what is not a name of Tactus (src/exports.map): ${foreign}")
elseif(n GREATER most)
  list(JOIN shown "\n" shown)
  message(FATAL_ERROR "libtactus.so shows ${n} symbols, more than ${most}:\n${shown}")
endif()

separate_arguments(own_flags UNIX_COMMAND "${compiler_flags}")
set(compile ${compiler} ${own_flags} -std=c++20 -I${prefix}/include)
set(link ${library} -pthread -Wl,-rpath,${folder})

# compile_example(program): to ${scratch}/program.o. The examples begin with the same header, which is compiled once for all of them.
set(uninlined ${compiler} ${own_flags} -std=c++20 -I${scratch} -I${prefix}/include -O0 -fno-inline)
function(compile_example program)
  if(NOT EXISTS ${scratch}/tactus/tactus.hpp)
    file(WRITE ${scratch}/tactus/tactus.hpp "#include \"${prefix}/include/tactus/tactus.hpp\"\n")
    run(${uninlined} -x c++-header ${scratch}/tactus/tactus.hpp -o ${scratch}/tactus/tactus.hpp.gch)
  endif()
  run(${uninlined} -c ${program} -o ${scratch}/program.o)
endfunction()

# find_needed(object): `needed` of the library, and `hidden`, what of that it does not show
macro(find_needed object)
  names(needed --undefined-only ${object})
  list(FILTER needed INCLUDE REGEX "^(_ZNK?6tactus|_ZT[IV]N6tactus|tactus_)")
  set(hidden ${needed})
  list(REMOVE_ITEM hidden ${shown})
endmacro()

# An object for a static library may also need what that has of templates. The same program for a shared one has that itself.
set(used tactus_debugger_root)
file(GLOB programs ${source}/examples/*.cpp)
foreach(program IN LISTS programs)
  cmake_path(GET program STEM stem)
  set(object ${objects}/${stem}.dir/${stem}.cpp.o)
  set(hidden not_seen)
  if(EXISTS ${object})
    find_needed(${object})
  endif()
  if(hidden)
    compile_example(${program})
    find_needed(${scratch}/program.o)
  endif()
  if(hidden)
    list(JOIN hidden "\n   " hidden)
    message(FATAL_ERROR "libtactus.so does not show what ${program} needs:\n   ${hidden}")
  endif()
  list(APPEND used ${needed})
endforeach()
set(unused ${shown})
list(REMOVE_ITEM unused ${used})
list(FILTER unused EXCLUDE REGEX "^_ZT")
list(JOIN unused "\n   " unused)
message(STATUS "of these no example uses:\n   ${unused}")

run(${compile} -O2 -fPIC -shared -fvisibility=hidden ${CMAKE_CURRENT_LIST_DIR}/thrower.cpp ${link} -o ${scratch}/libthrower.so)
run(${compile} -O2 -fvisibility=hidden ${CMAKE_CURRENT_LIST_DIR}/catcher.cpp -L${scratch} -lthrower -Wl,-rpath,${scratch}
  ${link} -o ${scratch}/catcher)
run(${scratch}/catcher)
