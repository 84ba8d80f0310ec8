# SPDX-License-Identifier: Apache-2.0
# What an installation consists of: the headers, the library, and the package files that find_package(tactus) and
# pkg-config read; and `tactus`, which looks at timelines and at files of arrays. Of the two components a program that is there already needs only runtime, the shared library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tactus)
set(to_develop DESTINATION ${package_dir} COMPONENT development)

install(TARGETS tactus EXPORT tactus-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.hpp")
# The command finds its packages from where it lies.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/tactus DESTINATION bin COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/array_file ${PROJECT_SOURCE_DIR}/tools/placement_tools ${PROJECT_SOURCE_DIR}/tools/timeline_report ${PROJECT_SOURCE_DIR}/tools/webpage DESTINATION share/tactus
  COMPONENT development FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "browser.py" EXCLUDE PATTERN "lines.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/tools/whole_file.py DESTINATION share/tactus COMPONENT development)
# What gdb knows of tasks: the library carries it, and whoever strips it of that finds it here. gdb itself looks for that
# of a shared library by the path that this has, if both are below /usr.
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/tactus.py DESTINATION share/tactus/gdb COMPONENT development)
if(BUILD_SHARED_LIBS)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/tactus.py DESTINATION share/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR}
    RENAME $<TARGET_FILE_NAME:tactus>-gdb.py COMPONENT runtime)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/include/tactus/version.hpp DESTINATION share/tactus COMPONENT development)  # tactus --version
install(EXPORT tactus-targets NAMESPACE tactus:: ${to_develop})
set(needs_found_mpi FALSE)
if(TACTUS_MPI)
  get_target_property(of_mpi tactus::mpi ALIASED_TARGET)
  set_target_properties(${of_mpi} PROPERTIES EXPORT_NAME mpi)
  get_target_property(libraries_of_mpi ${of_mpi} INTERFACE_LINK_LIBRARIES)
  if("MPI::MPI_CXX" IN_LIST libraries_of_mpi)
    set(needs_found_mpi TRUE)
  endif()
  install(TARGETS ${of_mpi} EXPORT tactus-mpi-targets OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/tactus COMPONENT development)
  install(EXPORT tactus-mpi-targets NAMESPACE tactus:: ${to_develop})
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tactus-config.cmake.in
  ${PROJECT_BINARY_DIR}/tactus-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tactus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tactus-config.cmake ${PROJECT_BINARY_DIR}/tactus-config-version.cmake ${to_develop})

# tactus.pc says what the imported target says. The headers have to know of which kind the library is.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE prefix_from_pc)
cmake_path(APPEND libdir_for_pc "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND includedir_for_pc "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
get_target_property(definitions tactus INTERFACE_COMPILE_DEFINITIONS)
set(definitions_for_pc "")
foreach(definition IN LISTS definitions)
  if(definition)  # a target that has none says NOTFOUND
    string(APPEND definitions_for_pc " -D${definition}")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/tactus.pc.in ${PROJECT_BINARY_DIR}/tactus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tactus.pc DESTINATION ${pc_dir} COMPONENT development)
