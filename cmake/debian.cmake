# SPDX-License-Identifier: Apache-2.0
# Debian packages, made by cpack -G DEB in the folder of the build (it needs the packages file and dpkg-dev):
#   libtactus<soversion>  the shared library; a static build has no such package
#   libtactus-dev         what programs are built with
#   libtactus-doc         the reference, if ./dev docs had made it when CMake configured
# Configure with -DCMAKE_INSTALL_PREFIX=/usr to have the libraries where Debian has those of this processor, and with
# DEBFULLNAME and DEBEMAIL in the environment, as for Debian's own tools, to be named as the maintainer.
find_program(TACTUS_DPKG_DEB dpkg-deb)
find_program(TACTUS_GZIP gzip)
mark_as_advanced(TACTUS_DPKG_DEB TACTUS_GZIP)
if(NOT TACTUS_DPKG_DEB OR NOT TACTUS_GZIP)
  return()  # not a Debian
endif()

get_target_property(soversion tactus SOVERSION)
set(debian_revision 1)
set(debian_version ${PROJECT_VERSION}-${debian_revision})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtactus${soversion})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtactus-dev)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME libtactus-doc)

set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Authors of Tactus <nobody@localhost>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

# Changelogs and copyright lie in a folder of each package, and nowhere but in packages.
set(doc ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/changelog.in ${doc}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${doc}/changelog COPYONLY)
foreach(changelog changelog changelog.Debian)
  execute_process(COMMAND ${TACTUS_GZIP} -9nc ${doc}/${changelog} OUTPUT_FILE ${doc}/${changelog}.gz
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component runtime development documentation)
  string(TOUPPER ${component} upper)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/debian/copyright ${doc}/changelog.gz ${doc}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
set(reference ${PROJECT_SOURCE_DIR}/build/docs/html)
if(EXISTS ${reference}/index.html)
  list(APPEND CPACK_COMPONENTS_ALL documentation)
  install(DIRECTORY ${reference} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME}
    COMPONENT documentation EXCLUDE_FROM_ALL)
else()
  message(STATUS "The reference is in no package: ./dev docs makes it, and then CMake has to configure again")
endif()

set(about "Tactus runs tasks on the cores of a machine: async and finish, futures, loops,
clocks, phasers, accumulators, atomic blocks. A task may wait anywhere, in any
function, and never holds a thread while it waits.
")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "task-parallel runtime for C++20 - shared library
${about}
This package has the library that programs run with.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "task-parallel runtime for C++20 - development files
${about}
This package has what programs are built with: headers, the library to link,
and the files that CMake's find_package and pkg-config read. The command tactus
makes a page of the timeline of a run.")
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "task-parallel runtime for C++20 - reference
${about}
This package has the reference of all public names, the tutorial and the
examples, as pages for a browser.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS python3)  # for the command, tactus
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${debian_version})")
endif()

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/debian/needs.cmake)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${debian_revision})
set(CPACK_DEBIAN_PACKAGE_SOURCE tactus)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)
include(CPack)
