# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants with springs behind their motors: MuJoCo, Spong's equations, closed forms, energy."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.formulations.spong.spong_arms import elastic_link
from robodyn_ros.model.description import Inertial, Joint, Limit, Link, RobotDescription
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.simulation import Command, Faults, Plant, PlantSettings
from robodyn_ros.simulation.elastic.elastic_plant import ElasticPlant
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor
from robodyn_ros.simulation.sensors.link_sensors import JointTorque, MotorEncoders
from support.nodes.node_harness import ROOT

URDF = ROOT / 'config' / 'urdf'

IDEAL = PlantSettings(integrator='rk4', command_timeout=inf, friction_scale=0.0, damping_scale=0.0)
EULER = PlantSettings(command_timeout=inf, friction_scale=0.0, damping_scale=0.0)
SPRINGS = {'joint1': ElasticJoint(600.0, 2.0, 0.3), 'joint2': ElasticJoint(150.0, 0.5, 0.05)}


def drop(plant, seconds, effort, h=1e-3):
    """Step a plant under one effort; return positions of links and motors, (steps, 2, nv)."""
    found = []
    for _ in range(round(seconds / h)):
        plant.step(effort, h)
        found.append((plant.q.copy(), plant.motor_q.copy()))
    return np.array(found)


def test_mujoco_moves_links_and_motors_alike(elbow):
    """Two bodies for each joint there: link and motor on the same mount, tendons between them."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    spec = mujoco.MjSpec.from_file(str(URDF / 'two_link.urdf'))
    for name, spring in SPRINGS.items():
        mount = spec.worldbody.add_body(name=f'{name}_motor', mass=1e-9, inertia=[1e-9] * 3)
        mount.add_joint(name=f'{name}_motor', axis=[0, 0, 1], armature=spring.motor_inertia)
        tendon = spec.add_tendon(name=name)
        tendon.wrap_joint(name, 1.0)
        tendon.wrap_joint(f'{name}_motor', -1.0)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.timestep = 1e-3
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model = spec.compile()
    model.jnt_limited[:], model.dof_damping[:], model.dof_frictionloss[:] = 0, 0.0, 0.0
    model.tendon_lengthspring[:] = 0.0
    for name, spring in SPRINGS.items():
        model.tendon_stiffness[model.tendon(name).id] = spring.stiffness
        model.tendon_damping[model.tendon(name).id] = spring.damping
    data = mujoco.MjData(model)
    at = [model.joint(name).qposadr[0] for name in elbow.joint_names]
    motors = [model.joint(f'{name}_motor').qposadr[0] for name in elbow.joint_names]
    plant = ElasticPlant(elbow, SPRINGS, IDEAL, [0.4, -0.9], [0.5, 1.0])
    data.qpos[at], data.qpos[motors] = plant.q, plant.motor_q
    data.qvel[at] = data.qvel[motors] = [0.5, 1.0]
    data.qfrc_applied[motors] = effort = np.array([20.0, -8.0])
    found = drop(plant, 0.5, effort)
    expected = []
    for _ in range(500):
        mujoco.mj_step(model, data)
        expected.append((data.qpos[at], data.qpos[motors]))
    # motors there carry 1e-9 kg m^2 more, of 0.05
    assert np.abs(found - np.array(expected)).max() < 1e-6
    assert np.ptp(found[:, 0] - found[:, 1], axis=0).min() > 1e-2


def test_one_link_moves_by_the_equations_of_spong():
    """Example 6.2, integrated by itself: the order of Runge-Kutta is all that is between."""
    J_m, J_l, m, lc, k, u, h = 0.1, 0.4, 2.0, 0.3, 80.0, 3.0, 1e-3
    inertia = Inertial(m, np.array([lc, 0.0, 0.0]), np.diag([0.1, 0.1, J_l - m * lc * lc]))
    joint = Joint('hinge', 'continuous', 'base', 'link', axis=np.array([0.0, 0.0, 1.0]))
    robot = Robot.from_description(
        RobotDescription('pendulum', (Link('base'), Link('link', inertia)), (joint,)),
        gravity=(9.81, 0.0, 0.0),
    )
    plant = ElasticPlant(robot, {'hinge': ElasticJoint(k, 0.0, J_m)}, IDEAL, [0.45], [0.3])
    y = np.array([plant.q[0], plant.motor_q[0], 0.3, 0.3])

    def slope(y):
        arm = elastic_link(J_m, J_l, m, lc, k, y[:2])
        return np.concatenate((y[2:], np.linalg.solve(arm.D, np.array([0.0, u]) - arm.g)))

    for found in drop(plant, 1.0, [u], h):
        one = slope(y)
        two = slope(y + h / 2.0 * one)
        three = slope(y + h / 2.0 * two)
        y = y + h / 6.0 * (one + 2.0 * two + 2.0 * three + slope(y + h * three))
        assert np.abs(found[:, 0] - y[:2]).max() < 1e-11
    assert abs(y[0] - y[1]) > 1e-3


@pytest.mark.parametrize('settings, slack', [(IDEAL, 1e-8), (EULER, 1e-2)], ids=('rk4', 'euler'))
def test_a_free_motor_and_its_link_swing_at_their_frequency(settings, slack):
    """w^2 = k (1/J_m + 1/J_l), without gravity: the deflection is a cosine."""
    J_m, J_l, k, seconds = 0.1, 0.4, 80.0, 0.1
    inertia = Inertial(1.0, np.zeros(3), np.diag([J_l] * 3))
    joint = Joint('hinge', 'continuous', 'base', 'link')
    robot = Robot.from_description(
        RobotDescription('wheel', (Link('base'), Link('link', inertia)), (joint,))
    )
    plant = ElasticPlant(robot, {'hinge': ElasticJoint(k, 0.0, J_m)}, settings)
    plant.inside.set_state([0.0, 0.05], [0.0, 0.0])
    h = 1e-3 if settings is IDEAL else 1e-5  # the damping of implicit Euler is of first order
    found = drop(plant, seconds, [0.0], h)[-1]
    w = np.sqrt(k * (1.0 / J_m + 1.0 / J_l))
    expected = 0.05 * np.cos(w * seconds)
    assert found[0, 0] - found[1, 0] == pytest.approx(expected, abs=0.05 * slack)
    # the centre of both stays: J_m theta + J_l q
    assert J_m * found[1, 0] + J_l * found[0, 0] == pytest.approx(J_l * 0.05, abs=1e-12)


def test_the_energy_of_links_motors_and_springs_stays(elbow):
    """Balanced Runge-Kutta knows the work of the springs: no drift, to rounding."""
    springs = {
        name: ElasticJoint(s.stiffness, 0.0, s.motor_inertia) for name, s in SPRINGS.items()
    }
    settings = PlantSettings(
        integrator='energy_rk4',
        command_timeout=inf,
        no_command='free',
        friction_scale=0.0,
        damping_scale=0.0,
    )
    plant = ElasticPlant(elbow, springs, settings, [0.4, -0.9], [1.0, -2.0])
    inside = elbow.extended.with_elastic_joints(springs)

    def energy():
        return sum(inside.energy(plant.inside.q, plant.inside.qd)) + plant.strain_energy

    before, strains = energy(), []
    for _ in range(500):
        plant.step()
        strains.append(plant.strain_energy)
        # the quadrature of the work has the order of the scheme
        assert energy() == pytest.approx(before, rel=1e-7)
    assert np.ptp(strains) > 1e-2


def test_a_loaded_arm_sags_by_its_weight_over_the_stiffness(elbow):
    """Held motors, links at rest: theta - q = g(q)/k, and the springs carry g(q)."""
    plant = ElasticPlant(elbow, SPRINGS, EULER, [0.4, -0.9])
    for _ in range(50):
        plant.step()
    stiffness = np.array([spring.stiffness for spring in SPRINGS.values()])
    weight = elbow.gravity_torque(plant.q)
    assert plant.q == pytest.approx([0.4, -0.9], abs=1e-12)
    assert plant.motor_q - plant.q == pytest.approx(weight / stiffness, rel=1e-9)
    assert plant.joint_torque == pytest.approx(weight, rel=1e-9)


def test_euler_takes_any_stiffness(elbow):
    """Stiff springs make the rigid arm, at the same step: 1e12 N m/rad is (2e6 rad/s)^2."""
    stiff = {name: ElasticJoint(1e12, 0.0, s.motor_inertia) for name, s in SPRINGS.items()}
    rigid = Robot(elbow.model.with_joint_values(22, [s.motor_inertia for s in SPRINGS.values()]))
    start = [0.4, -0.9], [0.5, 1.0]
    elastic, plain = ElasticPlant(elbow, stiff, EULER, *start), Plant(rigid, EULER, *start)
    for _ in range(200):
        elastic.step([5.0, 1.0])
        plain.step([5.0, 1.0])
    assert np.abs(plain.q - start[0]).max() > 0.1
    assert elastic.q == pytest.approx(plain.q, abs=1e-7)
    assert elastic.motor_q == pytest.approx(plain.q, abs=1e-7)


def test_commands_and_faults_go_to_the_motors(elbow):
    """A stuck joint has a stuck motor: the link swings on its spring."""
    plant = ElasticPlant(elbow, SPRINGS, EULER, [0.4, -0.9], encoders='motor')
    plant.injected_faults = Faults(('joint1',))
    held = plant.motor_q[0]
    swing = []
    for _ in range(300):
        plant.step([30.0, 5.0])
        swing.append(plant.q[0])
    assert plant.motor_q[0] == held and np.ptp(swing) > 1e-3
    assert plant.effort[1] == 5.0 and plant.measured[0] is plant.motor_q
    plant.reset()
    assert plant.q == pytest.approx([0.4, -0.9], abs=1e-15) and plant.t == 0.0


def test_a_drive_in_position_mode_holds_its_motor(elbow):
    settings = PlantSettings(command_timeout=inf, command_modes=('position',))
    damped = {name: ElasticJoint(s.stiffness, 40.0, 0.3) for name, s in SPRINGS.items()}
    plant = ElasticPlant(elbow, damped, settings, [0.4, -0.9])
    assert plant.command_modes == plant.modes == ('position', 'position')
    for _ in range(3000):
        plant.step([0.5, -0.7])
    assert plant.motor_q == pytest.approx([0.5, -0.7], abs=1e-4)
    stiffness = np.array([spring.stiffness for spring in SPRINGS.values()])
    weight = elbow.gravity_torque(plant.q)
    assert plant.motor_q - plant.q == pytest.approx(weight / stiffness, rel=1e-3)
    plant.command_modes = 'any'
    plant.step(Command(np.array([1.0, np.nan]), np.array([0.0, -1.0])))
    assert plant.modes == ('effort', 'position') and plant.effort[0] == 1.0


def test_a_kernel_for_one_robot_takes_its_steps(elbow):
    plant, dts = ElasticPlant(elbow, SPRINGS, IDEAL), []

    def record(*args):
        dts.append(args[8])
        return 0

    plant.replace_kernel(SimpleNamespace(vectorcall=record))
    plant.step(np.zeros(2), 2e-3)
    assert dts == [2e-3]


def test_wrong_states_and_commands_are_refused_by_the_names_of_the_robot(elbow):
    plant = ElasticPlant(elbow, SPRINGS, EULER)
    with pytest.raises(ShapeError, match='expected an effort for each of joint1, joint2, NaN'):
        plant.step([1.0])
    with pytest.raises(ShapeError, match=r'position has shape \(4,\); expected \(2,\)'):
        plant.set_state(np.zeros(4))
    with pytest.raises(UnknownNameError):
        plant.injected_faults = Faults(('joint1_deflection',))
    with pytest.raises(ParameterError, match="encoders is 'both'; expected one of"):
        ElasticPlant(elbow, SPRINGS, EULER, encoders='both')
    with pytest.raises(AttributeError, match="ElasticPlant has no 'colour'"):
        _ = plant.colour
    assert plant.fault == '' and plant.faults == 0


def test_a_motor_at_its_stop_keeps_the_link_at_its_command(elbow):
    """The spring is then loaded otherwise than at rest."""
    joint = Joint('a', 'revolute', 'base', 'link', limit=Limit(-0.5, 0.5, 10.0, 10.0))
    inertia = Inertial(2.0, np.array([0.0, 0.3, 0.0]), 0.1 * np.eye(3))
    robot = Robot.from_description(
        RobotDescription('stopped', (Link('base'), Link('link', inertia)), (joint,))
    )
    plant = ElasticPlant(robot, {'a': ElasticJoint(50.0, 1.0, 0.1)}, EULER, [0.5])
    assert plant.q == pytest.approx([0.5]) and plant.motor_q[0] == 0.5


def test_a_payload_hangs_on_the_springs(elbow):
    """Put down at a reset; the weight of the loaded robot is what springs carry at rest."""
    plant = ElasticPlant(elbow, SPRINGS, EULER, [0.4, -0.9])
    plant.attach('link2', 3.0, (0.2, 0.0, 0.1), 0.01 * np.eye(3))
    loaded = elbow.with_payload('link2', 3.0, (0.2, 0.0, 0.1), 0.01 * np.eye(3))
    plant.set_state([0.4, -0.9], [0.0, 0.0])
    for _ in range(5):
        plant.step()
    weight = loaded.gravity_torque(plant.q)
    assert np.abs(weight - elbow.gravity_torque(plant.q)).min() > 1.0
    assert plant.joint_torque == pytest.approx(weight, rel=1e-9)
    with pytest.raises(UnknownNameError, match='joint1_motor'):
        plant.attach('joint1_motor', 1.0)
    plant.reset()
    plant.step()
    assert plant.model is elbow.model
    assert plant.joint_torque == pytest.approx(elbow.gravity_torque(plant.q), rel=1e-9)


def test_sensors_measure_springs_and_motors(elbow):
    """The torque of the joints is that of the springs; encoders may be those of the motors."""
    plant = ElasticPlant(elbow, SPRINGS, EULER, [0.4, -0.9], [0.5, 1.0], 'motor')
    instruments = JointTorque(2), MotorEncoders(2)
    runner = Runner(plant, Sensor(2), 1000, instruments)
    torques = []
    for _ in range(20):
        runner.command([20.0, -8.0])
        before = plant.q.copy(), plant.qd.copy()
        runner.step()
        qdd = (plant.qd - before[1]) * 1000.0
        torques.append((instruments[0].value.copy(), plant.joint_torque.copy()))
        assert instruments[0].value == pytest.approx(
            elbow.inverse_dynamics(plant.q, plant.qd, qdd), rel=1e-12
        )
    # after the step, not at its beginning as the spring: a step of 1 ms apart
    measured, springs = np.array(torques).transpose(1, 0, 2)
    assert np.abs(measured - springs).max() < 0.02 * np.ptp(springs, axis=0).max()
    assert (instruments[1].value == np.concatenate((plant.motor_q, plant.motor_qd))).all()
    assert (runner.sensor.position == plant.motor_q).all()
    assert np.abs(plant.motor_q - plant.q).min() > 1e-3
