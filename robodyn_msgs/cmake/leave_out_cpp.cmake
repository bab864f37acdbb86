# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
# Every generator parses all interfaces anew, which takes longer than a compiler. Those of C++ serve
# programs with rclcpp alone. To be called before rosidl_generate_interfaces().
macro(leave_out_cpp)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
endmacro()
