# SPDX-License-Identifier: Apache-2.0
# Looks into the Debian packages that install.cmake has made, unpacks them to a folder and consumes the library from there:
# cmake -Dpackages=... and what support.cmake names -P this
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake)
skip_without(dpkg_deb dpkg_shlibdeps file pkg_config)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})

# expect_field(package field regex)
function(expect_field package field regex)
  run_for(value ${dpkg_deb} --field ${${package}} ${field})
  if(NOT value MATCHES "^${regex}$")
    message(FATAL_ERROR "${package}: the field ${field} is '${value}', not ${regex}")
  endif()
endfunction()

# expect_contents(package regex...): folders aside
function(expect_contents package)
  run(${dpkg_deb} -x ${${package}} ${scratch}/${package})
  file(GLOB_RECURSE files RELATIVE ${scratch}/${package} ${scratch}/${package}/*)
  expect_files("the package ${package}" "${files}" ${ARGN})
  run_for(listed ${dpkg_deb} -c ${${package}})
  string(REPLACE "\n" ";" lines "${listed}")
  list(FILTER lines EXCLUDE REGEX "^[dl-][rwx-]+ root/root ")
  if(lines)
    message(FATAL_ERROR "${package} has files that are not root's: ${lines}")
  endif()
endfunction()

file(GLOB runtime ${packages}/libtactus[0-9]*.deb)
file(GLOB development ${packages}/libtactus-dev_*.deb)
set(version "([0-9.]+-1)")

expect_field(runtime Package "libtactus[0-9]+\\.[0-9]+")
run_for(runtime_name ${dpkg_deb} --field ${runtime} Package)
expect_field(runtime Section libs)
expect_field(runtime Version ${version})
expect_field(runtime Maintainer "Who Makes It <who\\.makes@it\\.example>")
expect_field(runtime Depends ".*libc6 \\(>= .*libstdc\\+\\+6 \\(>= .*")
expect_field(runtime Description "[^\n]+shared library\n.+")
set(doc "usr/share/doc/[a-z0-9.-]+/(copyright|changelog\\.gz|changelog\\.Debian\\.gz)")
expect_contents(runtime "usr/lib/.*/libtactus\\.so\\.[0-9.]+"
  "usr/share/gdb/auto-load/usr/lib/.*/libtactus\\.so\\.[0-9.]+-gdb\\.py" ${doc})
run_for(shlibs ${dpkg_deb} -I ${runtime} shlibs)
if(NOT shlibs MATCHES "^libtactus [0-9.]+ ${runtime_name} ")
  message(FATAL_ERROR "programs linked with the library would not depend on ${runtime_name}: ${shlibs}")
endif()

expect_field(development Package libtactus-dev)
expect_field(development Section libdevel)
expect_field(development Depends "${runtime_name} \\(= ${version}\\)")
expect_field(development Recommends python3)
expect_contents(development "usr/include/tactus/.*\\.hpp" "usr/bin/tactus" "usr/share/tactus/.*\\.(py|css)" "usr/share/tactus/version\\.hpp"
  "usr/lib/.*/libtactus\\.so" "usr/lib/.*/cmake/tactus/tactus-[a-z-]+\\.cmake" "usr/lib/.*/pkgconfig/tactus\\.pc" ${doc})

file(GLOB documentation ${packages}/libtactus-doc_*.deb)
if(documentation)  # where ./dev docs had been run
  expect_field(documentation Section doc)
  expect_field(documentation Architecture all)
  expect_contents(documentation "usr/share/doc/libtactus-doc/html/([a-z]+/)?[^/]+" ${doc})
  if(NOT EXISTS ${scratch}/documentation/usr/share/doc/libtactus-doc/html/index.html)
    message(FATAL_ERROR "the reference has no first page")
  endif()
endif()

foreach(package runtime development)
  run(${dpkg_deb} -x ${${package}} ${scratch}/root)
endforeach()
foreach(way find_package pkg_config)
  run(${CMAKE_COMMAND} -Dway=${way} -Dkind=shared -Dprefix=${scratch}/root/usr -Dsource=${source}
    -Dscratch=${scratch}/${way} -Dcompiler=${compiler} -Dgenerator=${generator} -Dpkg_config=${pkg_config}
    -P ${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
endforeach()
