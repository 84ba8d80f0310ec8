# SPDX-License-Identifier: Apache-2.0
# Whoever compiles for an older standard reads one sentence, whatever header comes first, and not what the compiler does not
# understand: cmake -Dcompiler=... -Dinclude=... -P this
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE headers RELATIVE ${include} ${include}/tactus/*.hpp)
list(REMOVE_ITEM headers tactus/version.hpp)  # macros, which are of use in any language
foreach(header IN LISTS headers)
  execute_process(COMMAND ${compiler} -std=c++17 -fsyntax-only -w -I${include} -x c++ ${include}/${header}
    RESULT_VARIABLE result ERROR_VARIABLE said)
  string(REGEX MATCHALL "error: [^\n]*" errors "${said}")
  list(LENGTH errors n)
  if(result EQUAL 0 OR NOT n EQUAL 2 OR NOT errors MATCHES "Tactus needs C\\+\\+20: compile with -std=c\\+\\+20 or newer")
    message(SEND_ERROR "${header}, compiled as C++17, ended with ${result} and ${n} errors:\n${said}")
  endif()
endforeach()
