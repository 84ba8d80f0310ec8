# SPDX-License-Identifier: Apache-2.0
# How shelves make programs. Problems are named by their folder, which stands on the shelf that calls.

set(bench_library_std_barrier Threads::Threads)
set(bench_library_std_pool Threads::Threads)
set(bench_library_std_queue Threads::Threads)
set(bench_library_std_semaphore Threads::Threads)
set(bench_library_serial bench_support)
set(bench_library_tactus tactus::tactus)
set(bench_library_libgomp OpenMP::OpenMP_CXX)
set(bench_library_onetbb TBB::tbb)
set(bench_library_onetbb_new bench_onetbb_new)
set(bench_source_onetbb_new onetbb)
set(bench_library_boost_fiber Boost::fiber)
set(bench_library_boost_spsc Boost::headers)
set(bench_library_xrx bench_xrx)

# libomp is clang's, so its programs are compiled by clang whatever compiler builds the rest, which they link.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(bench_clang ${CMAKE_CXX_COMPILER})
else()
  find_program(bench_clang NAMES clang++-19 clang++)
endif()
set(bench_libomp_flags -std=c++20 ${bench_flags} -fopenmp=libomp)
set(bench_has_libomp FALSE)
if(bench_clang)
  set(try ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/has_libomp)
  file(WRITE ${try}.cpp "#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n")
  execute_process(COMMAND ${bench_clang} ${bench_libomp_flags} ${try}.cpp -o ${try}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(bench_has_libomp TRUE)
  endif()
endif()

# bench_leave_out(<program> <why>): said now, and by the runner.
function(bench_leave_out program why)
  message(STATUS "bench: ${program} left out, ${why}")
  set_property(GLOBAL APPEND PROPERTY BENCH_LEFT_OUT ${program})
endfunction()

# bench_parts(<problem> [<source>...]): what its competitors share beyond headers, <problem>/<problem>.cpp and the sources.
function(bench_parts problem)
  list(TRANSFORM ARGN PREPEND ${problem}/)
  add_library(bench_${problem} STATIC ${problem}/${problem}.cpp ${ARGN})
  target_link_libraries(bench_${problem} PUBLIC bench_support)
  tactus_warnings(bench_${problem})
endfunction()

# bench_problem(<problem> <competitor>...): one program for each, from <problem>/<competitor>.cpp or what bench_source_ names.
function(bench_problem problem)
  foreach(competitor IN LISTS ARGN)
    if(competitor STREQUAL "libomp")
      bench_program_libomp(${problem})
      continue()
    endif()
    set(library ${bench_library_${competitor}})
    if(NOT TARGET ${library})
      bench_leave_out(${problem}/${competitor} "${library} was not found")
      continue()
    endif()
    # libgomp is GCC's; with another compiler the same pragmas would measure another runtime.
    if(competitor STREQUAL "libgomp" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      bench_leave_out(${problem}/libgomp "it needs g++")
      continue()
    endif()
    set(target bench_${problem}_${competitor})
    set(source ${competitor})
    if(bench_source_${competitor})
      set(source ${bench_source_${competitor}})
    endif()
    add_executable(${target} ${problem}/${source}.cpp)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${competitor}
      RUNTIME_OUTPUT_DIRECTORY ${bench_programs}/${problem})
    target_link_libraries(${target} PRIVATE bench_support Threads::Threads ${library})
    if(TARGET bench_${problem})
      target_link_libraries(${target} PRIVATE bench_${problem})
    endif()
    tactus_warnings(${target})
  endforeach()
endfunction()

# What a problem's parts need in turn stands in bench_link_<problem>.
function(bench_program_libomp problem)
  if(NOT bench_has_libomp)
    bench_leave_out(${problem}/libomp "clang with libomp was not found")
    return()
  endif()
  set(include $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${problem}/libomp.cpp)
  set(parts "")
  set(parts_file "")
  if(TARGET bench_${problem})
    set(parts bench_${problem})
    set(parts_file $<TARGET_FILE:bench_${problem}>)
  endif()
  set(folder ${bench_programs}/${problem})
  add_custom_command(OUTPUT ${folder}/libomp
    COMMAND ${bench_clang} ${bench_libomp_flags} -Wall -Wextra -Werror -MD -MF ${folder}/libomp.d -MT ${folder}/libomp
      -I${PROJECT_SOURCE_DIR}/bench "$<$<BOOL:${include}>:-idirafter;$<JOIN:${include},;-idirafter;>>"
      ${source} -o ${folder}/libomp
      ${parts_file} $<TARGET_FILE:bench_support> ${bench_link_${problem}} $<TARGET_FILE:fmt::fmt>
      -Wl,-rpath,$<TARGET_FILE_DIR:fmt::fmt>
    DEPENDS ${source} ${parts} bench_support
    DEPFILE ${folder}/libomp.d
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(bench_${problem}_libomp ALL DEPENDS ${folder}/libomp)
endfunction()
