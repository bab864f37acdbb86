# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
# Targets imported from relocated prefixes (ROS wheels) name include directories of the machine that
# built them, which CMake refuses at generation. Elsewhere every directory exists and nothing changes.
function(drop_missing_include_directories)
  get_directory_property(targets IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(directories)
      set(kept)
      foreach(directory IN LISTS directories)
        if(directory MATCHES "\\$<" OR EXISTS "${directory}")
          list(APPEND kept "${directory}")
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${kept}")
    endif()
  endforeach()
endfunction()
