# SPDX-License-Identifier: Apache-2.0
# Where an operation needs of an array's elements what their type cannot do, the compiler says so once, and of which type:
# cmake -Dcompiler=... -Dflags=... -Dsource=... -Dinclude=... -P this
cmake_minimum_required(VERSION 3.25)
separate_arguments(own_flags UNIX_COMMAND "${flags}")
execute_process(
  COMMAND ${compiler} ${own_flags} -std=c++20 -fsyntax-only -w -I${include} ${source}/element_refusals.cpp
  RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0)
  message(FATAL_ERROR "element_refusals.cpp compiles")
endif()
string(REPLACE ";" "," said "${said}")

function(expect_type type)
  if(NOT said MATCHES "refuse_elements(<|[^\n]*with T = )${type}")
    message(SEND_ERROR "nothing is said of ${type}")
  endif()
endfunction()
function(expect_sentence times sentence)
  string(REGEX MATCHALL "error: [^\n]*${sentence}" found "${said}")
  list(LENGTH found n)
  if(NOT n EQUAL times)
    message(SEND_ERROR "said ${n} times, not ${times}: ${sentence}")
  endif()
endfunction()

set(only_moves 18)
set(stay 5)
set(point 24)
foreach(number RANGE 1 ${only_moves})
  expect_type("only_moves<${number}>")
endforeach()
foreach(number RANGE 1 ${stay})
  expect_type("stays<${number}>")
endforeach()
foreach(number RANGE 1 ${point})
  expect_type("points<${number}>")
endforeach()
expect_type("std::vector<std::unique_ptr<int")
math(EXPR not_copied "${only_moves} + 1")
expect_sentence(${not_copied} "copies elements of a dist_array, and their type .T. cannot be copied")
expect_sentence(${stay} "sends copies of a dist_array's elements to other places, and their type .T. does not travel")
expect_sentence(${point} "sends elements of a dist_array as values to other places, and their type .T. does not travel")

# One mistake, one error.
math(EXPR all "${not_copied} + ${stay} + ${point}")
expect_sentence(${all} "")
