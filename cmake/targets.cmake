# SPDX-License-Identifier: Apache-2.0
# How Tactus's own targets are made: warnings, programs, tests. Nothing here reaches a consumer.

# Gives a target of ours the warnings that this code base is kept free of.
function(tactus_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion>
    $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual>)
  if(TACTUS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*thread")
    # g++ warns of every std::atomic_thread_fence under ThreadSanitizer, which does not model fences. The code keeps
    # its pairings on atomic operations, so that the tool sees them; what a fence adds is checked by the models.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlapping copies in "text" + std::to_string(x) at -O3 (its bug 105651); later ones do not.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# tactus_add_program(name source... [INSIDE] [LIBRARIES library...])
# An executable on top of the library; INSIDE, for tests, if it uses what a shared library does not show.
function(tactus_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSIDE" "" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set(library tactus::tactus)
  if(arg_INSIDE AND BUILD_SHARED_LIBS)
    set(library tactus_inside)
  endif()
  target_link_libraries(${name} PRIVATE ${library} ${arg_LIBRARIES})
  tactus_warnings(${name})
endfunction()

# tactus_only_talks(source...): files that read arguments and print, by packages whose templates take twice as long to optimise.
function(tactus_only_talks)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O0)
endfunction()

# tactus_add_talk(name source...): several such files of one program, as objects.
function(tactus_add_talk name)
  add_library(${name} OBJECT ${ARGN})
  target_compile_options(${name} PRIVATE -O0)
  tactus_warnings(${name})
  tactus_compile_together(${name})
endfunction()

# tactus_compile_together(target): all its files at once where the library's are compiled so (TACTUS_UNITY_BUILD), but for those in other
# languages and with options of their own.
function(tactus_compile_together target)
  if(TACTUS_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# tactus_add_test(name source... [INSIDE] [LIBRARIES library...] [TIMEOUT seconds])
# One GoogleTest program, one entry in ctest, with the labels of its folder (tests/CMakeLists.txt).
# A test may use the private headers of src/ ("deque/...") and what tests share ("oracle/...").
function(tactus_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSIDE" "TIMEOUT" "LIBRARIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${TACTUS_TEST_TIMEOUT})
  endif()
  set(inside "")
  if(arg_INSIDE)
    set(inside INSIDE)
  endif()
  tactus_add_program(${name} ${arg_UNPARSED_ARGUMENTS} ${inside} LIBRARIES ${arg_LIBRARIES} GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  tactus_use_precompiled(${name} tactus_test_precompiled)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${tactus_test_labels}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# tactus_precompile(name HEADERS header... [LIBRARIES library...]): headers for targets that use the library.
function(tactus_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES")
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE tactus::tactus ${arg_LIBRARIES})
  tactus_warnings(${name})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# tactus_use_precompiled(name precompiled): for a target with the same options, where there are any precompiled.
function(tactus_use_precompiled name precompiled)
  if(TACTUS_TEST_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${precompiled})
  endif()
endfunction()

# tactus_test_sees_other_headers(name...): other options, or macros before the first include, make the headers different ones.
function(tactus_test_sees_other_headers)
  set_target_properties(${ARGN} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endfunction()

# tactus_computes(target...): so much that it is optimised where what stands on the library is not (TACTUS_FLAGS_BESIDE_LIBRARY).
function(tactus_computes)
  foreach(target IN LISTS ARGN)
    if(TACTUS_FLAGS_BESIDE_LIBRARY)
      target_compile_options(${target} PRIVATE -O1)
      get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
      if(reused)
        tactus_test_sees_other_headers(${target})
      endif()
    endif()
  endforeach()
endfunction()

# Whether a test may replace operator new: clang's runtime of ThreadSanitizer has one, which is always linked and comes first.
set(TACTUS_MAY_REPLACE_NEW ON)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*thread")
  set(TACTUS_MAY_REPLACE_NEW OFF)
endif()

# Makes the calls of mmap in a test, and in the library if that is a static one, come by support/refused_mappings.hpp.
function(tactus_test_refuses_mappings name)
  target_link_options(${name} PRIVATE LINKER:--wrap=mmap)
endfunction()
