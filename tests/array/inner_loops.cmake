# SPDX-License-Identifier: Apache-2.0
# Compilers make of a loop over a view's elements what they make of one over raw pointers: no call, and as many packed operations.
# cmake -Dcompiler=... -Dflags=... -Dsource=... -Dinclude=... -P this
cmake_minimum_required(VERSION 3.25)
separate_arguments(own_flags UNIX_COMMAND "${flags}")
# -O3: with -O2 g++ 12 leaves both alone.
function(compile file code)
  execute_process(
    COMMAND ${compiler} ${own_flags} -std=c++20 -O3 -I${include} -S -o - ${source}/${file}
    RESULT_VARIABLE result OUTPUT_VARIABLE made)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${file} does not compile")
  endif()
  string(REPLACE ";" "," made "${made}")
  set(${code} "${made}" PARENT_SCOPE)
endfunction()
compile(inner_loops.cpp code)

# How often the function does what the pattern says.
function(count_in function pattern times)
  string(FIND "${code}" "\n${function}:" begin)
  string(FIND "${code}" ".size\t${function}," end)
  if(begin EQUAL -1 OR end EQUAL -1)
    message(FATAL_ERROR "there is no function ${function}")
  endif()
  math(EXPR length "${end} - ${begin}")
  string(SUBSTRING "${code}" ${begin} ${length} body)
  string(REGEX MATCHALL "\n[ \t]+(${pattern})[ \t]" found "${body}")
  list(LENGTH found n)
  set(${times} ${n} PARENT_SCOPE)
endfunction()

set(packed "v?(add|mul)pd|vfn?m(add|sub)[0-9]*pd")
count_in(loop_raw "${packed}" by_raw)
if(by_raw LESS 7)
  message(FATAL_ERROR "the loop over raw pointers has ${by_raw} packed operations: it is of no use as a measure")
endif()
foreach(loop loop_indices loop_indices_nested loop_points)
  count_in(${loop} "call[a-z]*" calls)
  count_in(${loop} "${packed}" by_view)
  if(by_view LESS by_raw OR NOT calls EQUAL 0)
    message(SEND_ERROR "${loop} has ${by_view} packed operations and ${calls} calls; with raw pointers there are ${by_raw} and none")
  endif()
endforeach()

# The parallel loop over a box calls each point as a task of its own, and still makes vectors of a row. Nothing else in this file has any.
compile(parallel_loop.cpp code)
string(REGEX MATCHALL "\n[ \t]+(${packed})[ \t]" found "${code}")
list(LENGTH found by_loop)
if(by_loop LESS by_raw)
  message(SEND_ERROR "the parallel loop has ${by_loop} packed operations; with raw pointers there are ${by_raw}")
endif()
