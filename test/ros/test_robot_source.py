"""The robot of a node: what messages have no place for is refused with a sentence."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.ros.model_services import _com
from robodyn_ros.ros.robot_source import RobotSource

TEXT = '''<robot name="buoy"><link name="sea"/>
  <link name="hull"><inertial><mass value="5"/><origin xyz="0.1 0.2 0.3"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="mast"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="swim" type="floating"><parent link="sea"/><child link="hull"/></joint>
  <joint name="tilt" type="revolute"><parent link="hull"/><child link="mast"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'''


def source(text, **values):
    """Return the source of a robot that is described by a parameter."""
    parameters = {'robot_description': text, 'urdf_path': '', 'joints': (), 'locked': (),
                  'base_link': '', 'gravity': (0.0, 0.0, -9.81), **values}
    return RobotSource(None, parameters, None)


def test_floating_joint_is_refused_by_the_nodes():
    """Named among the joints, it has no place in a JointState; locked, the robot serves."""
    with pytest.raises(ModelError, match="joint 'swim' turns freely.*JointState.*locked"):
        source(TEXT, joints=('swim', 'tilt')).build()
    with pytest.raises(ModelError, match="joint 'swim' is floating"):
        source(TEXT).build()
    assert source(TEXT, locked=('swim',)).build().joint_names == ('tilt',)


def test_planar_joint_has_three_names():
    """Its coordinates are positions like any other."""
    robot = source(TEXT.replace('floating', 'planar'), joints=('swim', 'tilt')).build()
    assert robot.joint_names == ('swim.x', 'swim.y', 'swim.turn', 'tilt')
    centres = [_com(robot.model, k) for k in range(1, 5)]
    none = (0.0, 0.0, 0.0)
    expected = [none, none, (0.1, 0.2, 0.3), none]
    assert np.allclose([(point.x, point.y, point.z) for point in centres], expected, atol=1e-15)
