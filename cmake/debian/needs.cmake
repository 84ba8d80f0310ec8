# SPDX-License-Identifier: Apache-2.0
# Read by cpack before it makes Debian packages. Without these programs it would make them all the same, but with no
# word of the libraries that they depend on.
cmake_policy(VERSION 3.25)
if(CPACK_GENERATOR STREQUAL "DEB" AND CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS)
  find_program(TACTUS_FILE file)
  find_program(TACTUS_DPKG_SHLIBDEPS dpkg-shlibdeps)
  if(NOT TACTUS_FILE OR NOT TACTUS_DPKG_SHLIBDEPS)
    message(FATAL_ERROR "Debian packages of a shared library need the commands file and dpkg-shlibdeps: "
      "apt-get install file dpkg-dev")
  endif()
endif()
