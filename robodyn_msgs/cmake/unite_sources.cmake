# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
# Parsing the headers takes most of a compilation, so a library of C++ sources does it once. To be
# called after rosidl_generate_interfaces().
function(unite_sources)
  foreach(library typesupport_c typesupport_fastrtps_c typesupport_cpp typesupport_fastrtps_cpp
      typesupport_introspection_cpp)
    if(TARGET ${PROJECT_NAME}__rosidl_${library})
      set_target_properties(${PROJECT_NAME}__rosidl_${library} PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
  endforeach()
endfunction()
