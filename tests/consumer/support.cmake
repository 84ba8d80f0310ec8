# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share. They are run with -Dsource=... -Dscratch=... -Dcompiler=... -Dcompiler_flags=...
# -Dgenerator=... -Dpkg_config=... -Ddpkg_deb=... -Ddpkg_shlibdeps=... -Dfile=... -Dmpicxx=... -Dnamed_mpicxx=..., and may use nothing else of the build
# that they belong to.
set(toolchain -G ${generator} -DCMAKE_CXX_COMPILER=${compiler} "-DCMAKE_CXX_FLAGS=${compiler_flags}" -DCMAKE_BUILD_TYPE=Release)

# run(command...): shows it; any failure ends the script
function(run)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# run_for(variable command...): the same, and keeps what is printed
function(run_for variable)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${printed}" PARENT_SCOPE)
endfunction()

# build_library(folder cache entry...): the library alone, as its users build it
function(build_library folder)
  run(${CMAKE_COMMAND} ${toolchain} -S ${source} -B ${folder} -DBUILD_TESTING=OFF ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder} --parallel 2)
endfunction()

# expect_files(what files regex...): each file is of one of the kinds, and no kind is missing
function(expect_files what files)
  foreach(kind IN LISTS ARGN)
    set(of_kind ${files})
    list(FILTER of_kind INCLUDE REGEX "^${kind}$")
    if(NOT of_kind)
      message(FATAL_ERROR "${what} lacks ${kind}; it has ${files}")
    endif()
    list(REMOVE_ITEM files ${of_kind})
  endforeach()
  if(files)
    message(FATAL_ERROR "${what} has what does not belong there: ${files}")
  endif()
endfunction()

# skip_without(program...): ends the test as skipped unless all are there; each is the name of a variable with a path
macro(skip_without)
  foreach(program ${ARGN})
    if(NOT ${program})
      string(REPLACE "_" "-" name ${program})
      execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${name} is not installed")
      return()
    endif()
  endforeach()
endmacro()
