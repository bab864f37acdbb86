# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controller and simulated robot: they find each other, move, die and come back."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from std_srvs.srv import SetBool

from robodyn_msgs.msg import ControllerState
from robodyn_msgs.srv import Advance
from robodyn_ros import Robot
from support.nodes import node_harness as harness
from support.nodes.node_harness import (
    COLD,
    CONTROLLER,
    EASY,
    JOINTS,
    POSTURE,
    SIMULATED,
    nanoseconds,
)
from support.nodes.repeater import Repeater
from support.nodes.simulated_arm import FERRY

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ROBOT = Robot.from_urdf(str(harness.TWO_LINK))
GRAVITY = ROBOT.gravity_torque(np.array(POSTURE))
RATE = EASY['update_rate']
STATES = 'joint_states'
#: As processes on the wall clock: no stall of the machine moves a robot that is stuck.
SIMULATOR = {
    'urdf_path': str(harness.TWO_LINK),
    'update_rate': RATE,
    'joint_states_topic': STATES,
    'initial_position': list(POSTURE),
    'fault__stuck_joints': list(JOINTS),
}
PAGE = (Path(__file__).resolve().parents[3] / 'doc' / 'nodes' / 'controller.md').read_text()


@pytest.fixture
def held(controlled_robot):
    """Return the function that starts the arm at POSTURE, held, and lets a second pass."""

    def start(urdf=harness.TWO_LINK, controller=None, **parameters):
        arm = controlled_robot(
            urdf, controller, **{'update_rate': RATE, 'initial_position': POSTURE, **parameters}
        )
        arm.advance(1.0)
        assert arm.status == 'HOLD ACTIVATED'
        return arm

    return start


def test_an_arm_that_is_held_stays(held):
    arm = held()
    np.testing.assert_allclose(arm.torque, GRAVITY, rtol=1e-9)
    np.testing.assert_allclose(arm.position, POSTURE, atol=1e-9)


def test_a_cart_with_a_mast_on_a_hull_that_is_held_somewhere(held, tmp_path):
    """Planar joints are three positions to both; where the floating one is held is what weighs."""
    urdf = tmp_path / 'ferry.urdf'
    urdf.write_text(FERRY)
    posture, swim = [0.4, 0.3, -0.5, 0.8], (0.1, 0.2, 0.3, 0.48, -0.36, 0.48, 0.64)
    robot = Robot.from_urdf(FERRY, joints=['mast', 'deck'], locked={'swim': swim})
    common = {'joints': ['mast', 'deck'], 'locked': ['swim=' + ' '.join(map(str, swim))]}
    arm = held(
        urdf, {**common, 'effort_limits': [80.0] * 4}, **{**common, 'initial_position': posture}
    )
    np.testing.assert_allclose(arm.torque, robot.gravity_torque(posture), rtol=1e-9)
    np.testing.assert_allclose(arm.position, posture, atol=1e-9)


def test_the_arm_goes_where_the_trajectory_says(held):
    arm = held()
    told = arm.record(ControllerState, f'{CONTROLLER}/controller_state')
    target = np.add(POSTURE, (0.5, -0.3))
    arm.go_to(target, 2.0)
    arm.advance(1.0)
    assert arm.status == 'ACTIVE FOLLOWING'
    arm.advance(1.0 + 2.0 / RATE)
    assert arm.status == 'HOLD TRAJECTORY_END'
    last = told.wait(lambda state: nanoseconds(state) >= 1e9 * arm.time - 2e9 / RATE)
    errors = np.array([state.position_error for state in told.messages])
    # The model is the true one, so what remains is that a torque acts for a whole period.
    assert abs(errors).max() < 5e-4
    np.testing.assert_allclose(last.reference_position, target, rtol=1e-12)
    arm.advance(2.0)
    np.testing.assert_allclose(arm.position, target, atol=1e-9)


def test_a_jump_of_the_robot_is_held_where_it_is(held):
    arm = held()
    arm.displace([1.0, 1.0], [0.0, 0.0])
    arm.step(3)
    assert arm.status == 'HOLD POSITION_JUMP'
    # the second state confirms it: the arm has been on its way for two periods, and comes to rest
    np.testing.assert_allclose(arm.reference[0], (1.0, 1.0), atol=5e-3)
    arm.advance(2.0)
    np.testing.assert_allclose(arm.position, arm.reference[0], atol=1e-9)


def test_an_arm_that_races_is_left_to_gravity(held):
    arm = held(controller={'velocity_limits': [0.5, 0.5]})
    arm.displace(POSTURE, [3.0, 0.0])
    arm.step(5)
    assert arm.status == 'FAULT OVERSPEED'
    harness.wait_until(lambda: 'velocity limit' in arm.log, 'the reason in the log')
    for _ in range(RATE):
        before, state = arm.state, arm.step()
        beyond = abs(before.velocity) > 0.75
        # once the torque has come there at its rate
        driven = state.effort * before.velocity > 0.0
        assert not (beyond & driven).any() or state.time < 1.05
    assert arm.status == 'FAULT OVERSPEED'


def test_a_sagging_arm_is_taken_over_where_it_is(held):
    """It carries the arm where it finds it, on its way down, and brings it to rest."""
    arm = held(void_command='damp', timeout_damping=0.0)

    def enable(wanted):
        request = SetBool.Request(data=wanted)
        assert arm.participant.call(SetBool, f'{CONTROLLER}/enable', request).success

    enable(False)
    told = arm.record(ControllerState, f'{CONTROLLER}/controller_state')
    found = arm.advance(0.25)
    assert abs(found.velocity).max() > 0.3
    enable(True)
    assert arm.status == 'HOLD ACTIVATED'
    np.testing.assert_array_equal(arm.reference[0], found.position)
    arm.step(2)
    state = told.wait()
    weight = ROBOT.gravity_torque(np.array(state.measured_position))
    np.testing.assert_allclose(state.gravity, weight, rtol=1e-9)
    arm.advance(3.0)
    assert arm.status == 'HOLD ACTIVATED' and abs(arm.velocity).max() < 1e-3


def test_a_moving_arm_that_is_deactivated_in_lock_step_is_braked_by_the_next_steps(held):
    """No step can run before the answer, which says so; undamped, without them it would go on."""
    arm = held(void_command='damp', timeout_damping=0.0)
    arm.go_to(np.add(POSTURE, 0.8), 0.8)
    arm.advance(0.4)
    assert (np.abs(arm.velocity) > 1.5).all()
    answer = arm.participant.call(SetBool, f'{CONTROLLER}/enable', SetBool.Request(data=False))
    assert answer.success and answer.message == (
        'READY: The controller has been deactivated. The next steps brake the arm, and then it '
        'commands nothing.'
    )
    supervisor = arm.controller.node.session.supervisor
    while supervisor.publishing:
        state = arm.step()
    assert (np.abs(state.velocity) < 0.1).all()


# ---------------------------------------------------------------------------- by messages


@pytest.mark.parametrize('first', ['controller', 'simulator'])
def test_in_either_order_they_find_each_other(host, probe, first):
    parameters = {'controller': EASY, 'simulator': SIMULATOR}
    for name in sorted(parameters, key=lambda name: name != first):
        host(name, **parameters[name])
    probe.wait_for('HOLD', timeout=COLD)
    np.testing.assert_allclose(probe.next_command(), GRAVITY, rtol=1e-9)
    probe.states.clear()
    np.testing.assert_array_equal(probe.states.wait().measured_position, POSTURE)


def test_the_robot_dies_and_another_takes_its_place(start, host, probe):
    probe.states.clear()  # from now on
    robot = start('simulator', **SIMULATOR)
    host('controller', **{**EASY, 'stale_action': 'zero'})
    probe.wait_for('HOLD', timeout=COLD)
    for posture in ((0.0, 0.5), POSTURE):
        robot.kill()
        probe.wait_for('STALE', 'STATE_TIMEOUT')
        harness.wait_until(lambda: not any(probe.effort), 'zero effort')
        robot = start('simulator', **{**SIMULATOR, 'initial_position': list(posture)})
        probe.wait_for('HOLD', 'STATE_RECOVERED', COLD)
        # The new posture is held; nothing of the old one is resumed.
        weight = ROBOT.gravity_torque(np.array(posture))
        harness.wait_until(
            lambda w=weight: np.allclose(probe.effort, w, rtol=1e-9, atol=1e-9),
            'the weight of the new posture',
        )
        harness.wait_until(
            lambda place=posture: tuple(probe.states.last.reference_position) == place,
            'the new posture as reference',
        )


def test_a_robot_that_dies_behind_a_broadcaster_is_lost(graph, start, host, probe):
    """Its last state comes again with fresh stamps, and the torque of HOLD does not change."""
    settings = harness.ROOT / 'config' / 'ros2_control' / 'controller.yaml'
    source = {**SIMULATOR, 'joint_states_topic': 'robot_joint_states', 'noise__position': 1e-6}
    robot, repeater = start('simulator', **source), Repeater(graph, 'robot_joint_states', STATES)
    try:
        actions = {'stale_action': 'zero', 'stuck_action': 'stale'}
        host('controller', '--params-file', str(settings), **{**EASY, **actions})
        probe.wait_for('HOLD', timeout=COLD)
        robot.kill()
        status = probe.wait_for('STALE', 'STATE_STUCK')
        assert status.value > 0.5
        harness.wait_until(lambda: not any(probe.effort), 'zero effort')
        start('simulator', **source)
        probe.wait_for('HOLD', 'STATE_RECOVERED', COLD)
    finally:
        repeater.close()


def test_the_controller_dies_and_another_takes_over_in_its_place(start, host, probe):
    """In lock step: the simulation stands until another controller answers, and goes on then."""
    both = {'urdf_path': str(harness.TWO_LINK), 'trigger': 'lock_step', 'update_rate': RATE}
    host('simulator', **both, initial_position=list(POSTURE))

    def advance():
        request = Advance.Request()
        request.duration.nanosec = 500_000_000
        answer = probe.graph.call(Advance, '/robodyn_simulator/advance', request, COLD)
        assert answer.success, answer.message
        return answer.step

    for lives in range(1, 4):
        controller = start('controller', **both, robot_compensates_gravity="'no'")
        probe.statuses.clear()
        probe.states.clear()
        probe.wait_for('HOLD', 'ACTIVATED', timeout=COLD)
        # of nothing, which is refused: the very first answer of a service may get lost
        probe.graph.call(Advance, '/robodyn_simulator/advance', timeout=COLD, again=True)
        assert advance() == lives * RATE // 2
        state = probe.states.wait()
        np.testing.assert_allclose(state.measured_position, POSTURE, atol=1e-9)
        controller.kill()


def test_triggered_by_each_other_every_state_is_one_cycle(host, probe):
    host('simulator', trigger='command', **SIMULATOR)
    host('controller', trigger='joint_states', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    first = probe.statuses.wait(lambda status: status.cycles > 0)
    last = probe.statuses.wait(lambda status: status.cycles > first.cycles + 500, timeout=COLD)
    assert last.missed == 0
    np.testing.assert_allclose(probe.next_command(), GRAVITY, rtol=1e-9)


def test_an_answer_by_name_carries_the_stamp_of_its_state(host, probe):
    """A simulator that steps by commands drops every other stamp."""
    simulator = host('simulator', trigger='command', **SIMULATOR)
    answers = {'command_type': 'joint_state', 'command_topic': 'robot_joint_commands'}
    host('controller', trigger='joint_states', **answers, **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    intake = simulator.node.session.intake
    harness.wait_until(lambda: intake.accepted >= 500, 'steps', COLD)


def test_every_interface_of_the_node_is_on_its_page(host, probe):
    host('controller', **SIMULATED)
    probe.wait_for('WAIT_STATE', timeout=COLD)
    node, name = probe.graph.node, probe.name.strip('/')

    def ours():
        topics = node.get_publisher_names_and_types_by_node(name, '/')
        topics += node.get_subscriber_names_and_types_by_node(name, '/')
        services = node.get_service_names_and_types_by_node(name, '/')
        return {
            f'~/{topic.rsplit("/", 1)[1]}': kinds
            for topic, kinds in topics + services
            if topic.startswith(probe.name)
            and (
                'robodyn_msgs' in kinds[0]
                or 'std_srvs' in kinds[0]
                or 'trajectory_msgs' in kinds[0]
            )
        }

    harness.wait_until(lambda: len(ours()) >= 9, 'the graph to know the node')
    for interface, kinds in ours().items():
        rows = [
            line for line in PAGE.splitlines() if line.startswith('|') and f'`{interface}`' in line
        ]
        kind = f'{kinds[0].split("/")[0]}/{kinds[0].split("/")[-1]}'
        assert any(kind in row for row in rows), f'{interface} ({kind}) is not on the page'
