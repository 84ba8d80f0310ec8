# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM and compares what it prints with the "// Prints: " lines of its SOURCE.
file(STRINGS "${SOURCE}" lines REGEX "^// Prints: ")
if(NOT lines)
  message(FATAL_ERROR "${SOURCE} does not say what it prints")
endif()
set(expected "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^// Prints: " "" text "${line}")
  string(APPEND expected "${text}\n")
endforeach()

execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}printed:\n${printed}")
endif()
