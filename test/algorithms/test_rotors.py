# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotors of geared motors: exactly, as bodies on their mounts, and as inertia at their joints.

Referees: Jain's chapter 12 as operators (test/formulations/jain checks those), and closed forms.
"""

import numpy as np
import pytest

from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.formulations.jain.gears import geared_forward_dynamics, geared_mass_matrix
from robodyn_ros.model.description import Inertial, Joint, Link, RobotDescription
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.plant import Plant
from support.compare import agree, solve_tolerance
from support.nodes.node_harness import ROOT
from support.robots.families import GRAVITY, states
from support.robots.geared_arm import ARM, ROTORS, chain_at


def all_of(robot, q, qd):
    """Return {name: (position, velocity)} of joints and rotors."""
    return dict(zip(robot.all_joint_names, zip(*robot.expand(q, qd)[:2])))


def test_exact_rotors_are_those_of_chapter_12():
    """Mass matrix by Algorithm 12.2 and forward dynamics by Algorithm 12.5 (Jain 2011)."""
    robot = Robot.from_description(ARM, gravity=GRAVITY, rotors=ROTORS)
    assert robot.joint_names == tuple(f'joint{k}' for k in range(1, 6))
    for q, qd, tau in states(robot):
        chain = chain_at(all_of(robot, q, qd))
        M = geared_mass_matrix.mass_matrix(chain)[::-1, ::-1]
        agree(robot.mass_matrix(q), M)
        agree(
            robot.forward_dynamics(q, qd, tau),
            geared_forward_dynamics.forward_dynamics(chain, tau[::-1])[::-1],
            tolerance=10.0 * solve_tolerance(M),
        )


def test_exact_rotors_have_the_energy_of_turning_bodies():
    """Mass matrix and weight by the motion of their mounts in the arm without rotors.

    A rotor turns with its mount, and at the gear ratio about its axis. Its mass, its place, and
    its inertia along and across the axis are those of the user.
    """
    plain = Robot.from_description(ARM, gravity=GRAVITY)
    robot = Robot.from_description(ARM, gravity=GRAVITY, rotors=ROTORS)
    joints = {joint.name: joint for joint in ARM.joints}
    for q, _, _ in states(robot):
        M, weight = plain.mass_matrix(q), plain.gravity_torque(q)
        for name, rotor in ROTORS.items():
            joint, spin = joints[name], np.eye(robot.nv)[robot.joint_names.index(name)]
            axis = joint.placement.rotation @ joint.axis if rotor.axis is None else rotor.axis
            place = joint.placement.translation if rotor.position is None else rotor.position
            R, J = plain.pose(q, joint.parent)[:3, :3], plain.jacobian(q, joint.parent)
            n = R @ axis / np.linalg.norm(axis)
            moved = J[:3] - np.cross(np.eye(3), R @ place) @ J[3:]
            turned = J[3:] + rotor.gear_ratio * np.outer(n, spin)
            inertia = rotor.across * np.eye(3) + (rotor.inertia - rotor.across) * np.outer(n, n)
            M = M + rotor.mass * moved.T @ moved + turned.T @ inertia @ turned
            weight = weight - rotor.mass * moved.T @ GRAVITY
        agree(robot.mass_matrix(q), M)
        agree(robot.gravity_torque(q), weight)


def test_reflected_rotors_are_on_the_diagonal_alone():
    """Jain 2011, section 12.3.1: gear_ratio^2 J at the joint."""
    plain = Robot.from_description(ARM, gravity=GRAVITY)
    robot = Robot.from_description(ARM, gravity=GRAVITY, rotors=ROTORS, rotor_model='reflected')
    assert not robot.model.is_embedded
    for q, _, _ in states(robot):
        more = [
            rotor.gear_ratio**2 * rotor.inertia if (rotor := ROTORS.get(name)) else 0.0
            for name in robot.joint_names
        ]
        agree(robot.mass_matrix(q), plain.mass_matrix(q) + np.diag(more))


def test_a_spinning_rotor_resists_the_turning_of_its_mount():
    """A rotor on a turntable, across its axis: the torque J mu qd omega of a gyroscope."""
    body = Inertial(1.0, np.zeros(3), np.diag((0.1, 0.2, 0.3)))
    table = RobotDescription(
        'gyroscope',
        (Link('floor'), Link('table', body), Link('frame', body), Link('wheel', body)),
        (
            Joint('turn', 'revolute', 'floor', 'table', axis=np.array((0.0, 0.0, 1.0))),
            Joint('tilt', 'revolute', 'table', 'frame', axis=np.array((0.0, 1.0, 0.0))),
            Joint('spin', 'revolute', 'frame', 'wheel', axis=np.array((1.0, 0.0, 0.0))),
        ),
    )
    J, ratio, omega, rate = 1e-3, 100.0, 0.7, 1.3
    plain = Robot.from_description(table, gravity=(0.0, 0.0, 0.0))
    robot = Robot.from_description(
        table, gravity=(0.0, 0.0, 0.0), rotors={'spin': Rotor(J, ratio)}
    )
    q, qd = np.zeros(3), np.array((omega, 0.0, rate))
    more = robot.bias_torque(q, qd) - plain.bias_torque(q, qd)
    agree(more, np.array((0.0, J * ratio * rate * omega, 0.0)), J * ratio)


def test_computed_torque_has_to_know_the_rotors():
    """Rotors as heavy as links: radians of error without them, below 1e-3 rad with them."""
    arm = Robot.from_urdf(ROOT / 'config' / 'urdf' / 'ur_like.urdf')
    inertia = np.array((1.0, 1.0, 0.8, 0.1, 0.1, 0.1))  # [kg m^2] at the joints
    true = Robot(arm.model.with_joint_values(ROTOR, inertia))
    largest = {knows: worst_error(true, true if knows else arm) for knows in (False, True)}
    assert largest[False] > 0.5
    assert largest[True] < 1e-3


def worst_error(true, known):
    """Return the largest tracking error [rad] of computed torque, gains 100 and 20, over 4 s."""
    n, dt = true.nv, 1e-3
    gains = np.array((np.full(n, 100.0), np.full(n, 20.0)))
    amplitude, phase = np.full(n, 0.8), 0.7 * np.arange(n)
    frequency = 2.0 * np.pi * 0.5
    law, worst = ComputedTorque(known), 0.0

    def reference(t):
        angle = frequency * t + phase
        return np.array(
            (
                amplitude * np.sin(angle),
                amplitude * frequency * np.cos(angle),
                -amplitude * frequency**2 * np.sin(angle),
            )
        )

    plant = Plant(true, position=reference(0.0)[0], velocity=reference(0.0)[1])
    for _ in range(4000):
        wanted, terms = reference(plant.t), np.zeros((6, n))
        worst = max(worst, np.abs(wanted[0] - plant.q).max())
        law.torques(plant.q.copy(), plant.qd.copy(), wanted, gains, terms)
        plant.step(terms.sum(axis=0), dt)
    return worst


@pytest.mark.parametrize(
    'rotor, sentence',
    [
        (Rotor(-1.0), 'has inertia -1; expected 0 or more'),
        (Rotor(1.0, 0.0), 'gear ratio 0; expected one other than 0'),
        (Rotor(1.0, axis=(0.0, 0.0, 0.0)), 'expected a direction'),
        (Rotor(1.0, position=(1.0, 2.0)), 'expected three numbers'),
        (Rotor(float('nan')), 'has inertia nan'),
    ],
)
def test_impossible_rotors_are_refused(rotor, sentence):
    """The sentence names the joint."""
    with pytest.raises(ModelError, match=f"joint 'joint2' {sentence}|joint 'joint2'.*{sentence}"):
        Robot.from_description(ARM, rotors={'joint2': rotor})


def test_rotors_of_nothing_are_refused():
    """A joint that is not there, and another way to compute."""
    with pytest.raises(UnknownNameError, match="no joint 'elbow' for a rotor"):
        Robot.from_description(ARM, rotors={'elbow': Rotor(1.0)})
    with pytest.raises(ModelError, match="rotors are 'roughly'; expected 'exact' or 'reflected'"):
        Robot.from_description(ARM, rotors={'joint1': Rotor(1.0)}, rotor_model='roughly')
