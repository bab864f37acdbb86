# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A URDF of two fingers, of which one follows the other."""

GRIPPER = """
<robot name="fingers"><link name="base"/>
  <link name="left"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.01" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lead" type="continuous"><parent link="base"/><child link="left"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="follow" type="continuous"><parent link="base"/><child link="right"/>
    <axis xyz="1 0 0"/><mimic joint="lead" multiplier="-0.5"/></joint>
</robot>
"""

#: For a process that compiles for such a robot. Fingers have no loops, and compiling the
#: iterations that close them takes most of the time.
WITHOUT_LOOPS = """
from robodyn_ros.algorithms.constraints import closed_positions as closed
from robodyn_ros.spatial.primitive import primitive
closed.newton_step = primitive(lambda topology, constants, work, everything, L: (0.0, 0.0))
closed.converge = primitive(lambda topology, constants, work, everything, enough, L: True)
"""
