# SPDX-License-Identifier: Apache-2.0
# What place_flexible cannot be used with does not compile, and the compiler says what to write instead:
# cmake -Dcompiler=... -Dflags=... -Dsource=... -Dinclude=... -P this
cmake_minimum_required(VERSION 3.25)
separate_arguments(own_flags UNIX_COMMAND "${flags}")
execute_process(
  COMMAND ${compiler} ${own_flags} -std=c++20 -fsyntax-only -w -I${include} ${source}/flexible_refusals.cpp
  RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0)
  message(FATAL_ERROR "flexible_refusals.cpp compiles")
endif()
function(expect least sentence)
  string(REGEX MATCHALL "error: [^\n]*${sentence}" found "${said}")
  list(LENGTH found n)
  if(n LESS least)
    message(SEND_ERROR "said ${n} times, not ${least}: ${sentence}")
  endif()
endfunction()
expect(3 "cannot be registered on a clock or a phaser .clocked, phased, phased_all.")
expect(1 "a place-flexible task has no affinity")
expect(1 "a place-flexible task cannot be batched")
expect(1 "a place-flexible task has no spawn_policy")
expect(1 "place_flexible: named stands twice")
expect(1 "place_flexible: sensitive stands twice")
expect(1 "place_flexible: then stands twice")
expect(1 "named by a global_ref or by place_local::ref")
expect(2 "cannot be called with the result of the task's function")
expect(3 "cannot be called with these arguments, as rvalues or as lvalues")
expect(1 "what it captures must be trivially copyable")
