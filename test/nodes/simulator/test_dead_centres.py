# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot at dead centres of its loops: a four-bar that its rocker leads."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.45  # [m]
BAR = """<link name="{name}"><inertial><origin xyz="{half} 0 0"/><mass value="1"/><inertia
  ixx="1e-3" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="continuous"><origin xyz="{x} 0 0"/><parent link="{parent}"/>
  <child link="{name}"/><axis xyz="0 0 1"/><limit velocity="90" effort="50"/></joint>"""
URDF = ''.join(
    (
        '<robot name="four_bar"><link name="frame"/>',
        *(
            BAR.format(name=name, half=0.5 * length)
            for name, length in (('crank', CRANK), ('coupler', COUPLER), ('rocker', ROCKER))
        ),
        JOINT.format(name='crank', parent='frame', x=0),
        JOINT.format(name='coupler', parent='crank', x=CRANK),
        JOINT.format(name='rocker', parent='frame', x=GROUND),
        '</robot>',
    )
)
CLOSURES = f"""
closures:
  pin:
    type: hinge
    a: {{link: coupler, xyz: [{COUPLER}, 0, 0]}}
    b: {{link: rocker, xyz: [{ROCKER}, 0, 0]}}
independent: [rocker]
near: {{crank: 1.0, coupler: -0.5, rocker: 1.6}}
"""


@pytest.fixture
def four_bar(simulated_robot, tmp_path):
    """Return what starts the four-bar, with further parameters."""
    path, urdf = tmp_path / 'loops.yaml', tmp_path / 'four_bar.urdf'
    path.write_text(CLOSURES)
    urdf.write_text(URDF)

    def start(**parameters):
        return simulated_robot(
            urdf,
            closures_path=str(path),
            integrator='semi_implicit_euler',
            gravity=[0.0, 0.0, -9.81],
            no_command='free',
            specialise=False,
            **parameters,
        )

    return start


def gap(angle):
    """Return the distance between the ends of coupler and rocker, from the joints by name."""
    crank, coupler = np.exp(1j * angle['crank']), np.exp(1j * (angle['crank'] + angle['coupler']))
    return abs(CRANK * crank + COUPLER * coupler - GROUND - ROCKER * np.exp(1j * angle['rocker']))


def test_the_simulated_rocker_turns_its_crank_through_dead_centres(four_bar):
    """All joints stay finite, closed and continuous, and are published; a reset begins anew.

    So do its sensors: where the crank leads, the rocker transmits the effort of its motor, none.
    """
    sensors = {'force_torque.frames': ['coupler'], 'joint_torque.enabled': True}
    arm = four_bar(initial_velocity=[4.0], **sensors)
    begin, plant = arm.position.copy(), arm._session.runner.plant
    wrench, torque = arm._session.runner.instruments
    states, angles, within = arm.record(JointState, 'joint_states'), [], 0
    for _ in range(800):
        arm.step()
        position, _, _ = plant.all_joints(plant.q, plant.qd, plant.effort)
        angles.append(dict(zip(plant.model.all_joint_names, position.tolist())))
        if plant.leading is not plant:
            within += 1
            assert abs(torque.value[0]) < 1e-9 * np.abs(wrench.value).max()
    assert within > 20
    assert plant.passes >= 2 and not plant.fault
    cranks = [angle['crank'] for angle in angles]
    assert np.ptp(cranks) > 2.0 * np.pi and np.abs(np.diff(cranks)).max() < 0.1
    assert max(map(gap, angles)) < 1e-9
    last = states.wait(lambda state: state.header.stamp.nanosec == 800_000_000)
    assert dict(zip(last.name, last.position)) == angles[-1]
    arm.reset()
    np.testing.assert_array_equal(arm.position, begin)
    arm.advance(0.1)
    assert not plant.fault
