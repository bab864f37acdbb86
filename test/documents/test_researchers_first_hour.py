# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a researcher does first, in a folder and a home that are empty: a robot, its dynamics."""

from support.processes import run_script

URDF = """<robot name="own">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="90"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0.4 0 0"/><parent link="upper"/>
    <child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="30"/></joint>
</robot>"""

SCRIPT = """
import json
import pathlib
import numpy as np
import robodyn_ros
from robodyn_ros import Robot, example

told = {"version": robodyn_ros.__version__}
robot = Robot.from_urdf(example("franka_like"))
rng = np.random.default_rng(4)
q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.nv))

tau = robot.inverse_dynamics(q, qd, qdd)
told["equation"] = np.abs(robot.mass_matrix(q) @ qdd + robot.bias_torque(q, qd) - tau).max()
told["forward"] = np.abs(robot.forward_dynamics(q, qd, tau) - qdd).max()
batch = rng.uniform(-1.0, 1.0, (50, robot.nv))
told["batch"] = np.abs(robot.gravity_torque(batch)[17] - robot.gravity_torque(batch[17])).max()

hand = robot.joint_names[-1]
found = robot.inverse_kinematics(robot.pose(q, hand), hand)
told["reached"] = np.abs(robot.pose(found.q, hand) - robot.pose(q, hand)).max()
coupling = robot.operational_space_inertia(q, hand)
told["inertia"] = np.abs(coupling.inertia @ coupling.inverse - np.eye(6)).max()

pathlib.Path("own.urdf").write_text(URDF)
own = Robot.from_urdf("own.urdf")
told["joints"] = list(own.joint_names)
# both links straight out: 3 kg at 0.2 m, 2 kg at 0.5 m
told["weight"] = own.gravity_torque(np.zeros(2)).tolist()

def refused(call):
    try:
        call()
    except ValueError as error:
        return str(error)
    except KeyError as error:
        return str(error)

told["refused"] = [
    refused(lambda: own.mass_matrix([0.1, np.nan])),
    refused(lambda: own.mass_matrix([0.1])),
    refused(lambda: own.pose(np.zeros(2), "hand")),
    refused(lambda: Robot.from_urdf("other.urdf")),
    refused(lambda: Robot.from_urdf("own.urdf", joints=["shoulder", "elbo"])),
]
print(json.dumps(told))
"""


def test_from_nothing_to_the_dynamics_of_ones_own_robot(tmp_path):
    home = tmp_path / 'home'
    home.mkdir()
    told, stderr = run_script(f'URDF = {URDF!r}\n{SCRIPT}', tmp_path, HOME=home)
    assert not stderr, stderr
    assert told['version'].count('.') == 2
    # roundoff of products of seven joints
    assert max(told['equation'], told['batch']) < 1e-12
    assert told['forward'] < 1e-10  # times the condition of M
    assert told['inertia'] < 1e-9
    assert told['reached'] < 1e-7  # the solver's tolerance is 1e-8
    assert told['joints'] == ['shoulder', 'elbow']
    weight = [-9.81 * (3.0 * 0.2 + 2.0 * 0.5), -9.81 * 2.0 * 0.1]
    assert max(abs(a - b) for a, b in zip(told['weight'], weight, strict=True)) < 1e-12
    nan, shape, frame, file, joint = told['refused']
    assert "'elbow'" in nan and 'nan' in nan
    assert "'elbow'" in shape and 'expected' in shape
    assert 'valid: base, upper, lower' in frame
    assert 'other.urdf' in file
    assert "'elbo'" in joint and 'elbow' in joint
