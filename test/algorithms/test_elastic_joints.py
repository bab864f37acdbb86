# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots with springs between motors and links: against Jain's tree, Spong's equations, files."""

import pickle

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError
from robodyn_ros.formulations.jain.gears import series_elastic_joints
from robodyn_ros.formulations.jain.gears.series_elastic_joints import Pair
from robodyn_ros.model.extended.elastic_joints import ElasticJoint, with_elastic_joints
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.model.sources import elastic_joint_file
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES, GRAVITY, MIXED, states
from support.robots.geared_arm import ARM, ROTORS, chain_at

DRIVEN = [k - 1 for k in (1, 2, 4, 5)]  # joint 3 has no rotor, and no spring


def split(robot, rigid, x):
    """Return what belongs to motors (or rigid joints), and to springs, as (nv,) of `rigid`."""
    springs = np.zeros(rigid.nv)
    names = [spring.joint.removesuffix('_deflection') for spring in robot.model.springs]
    springs[[rigid.joint_names.index(name) for name in names]] = x[rigid.nv :]
    return x[: rigid.nv], springs


def test_springs_behind_exact_rotors_are_jains_tree_without_the_gear():
    """Motors that spin on their mounts, springs and dampers: Jain 2011, eq. (12.1), both sides."""
    rigid = Robot.from_description(ARM, gravity=GRAVITY, rotors=ROTORS)
    k, d = np.array([900.0, 700.0, 1.0, 300.0, 80.0]), np.array([3.0, 2.0, 1.0, 0.5, 0.2])
    robot = rigid.extended.with_elastic_joints(
        {f'joint{at + 1}': ElasticJoint(k[at], d[at]) for at in DRIVEN}
    )
    for q, qd, tau in states(robot):
        (motor, delta), (speed, slip) = (split(robot, rigid, x) for x in (q, qd))
        every = dict(zip(robot.all_joint_names, zip(*robot.expand(q, qd)[:2])))
        every |= {
            name: (motor[at] + delta[at], speed[at] + slip[at])
            for at, name in enumerate(rigid.joint_names)
        }
        chain = chain_at(every)
        mu = np.where(chain.motor, chain.mu, 1.0)
        theta, thd = (
            Pair(mu * at_motor[::-1], (at_motor + give)[::-1])
            for at_motor, give in ((motor, delta), (speed, slip))
        )
        found = series_elastic_joints.forward_dynamics(
            chain, k[::-1], d[::-1], theta, thd, tau[: rigid.nv][::-1]
        )
        efforts = np.concatenate((mu[::-1] * tau[: rigid.nv], (-k * delta - d * slip)[DRIVEN]))
        motors, springs = split(robot, rigid, robot.forward_dynamics(q, qd, efforts))
        slack = 10.0 * solve_tolerance(robot.mass_matrix(q))
        agree((motors + springs)[::-1], found.link, tolerance=slack)
        agree((mu * motors[::-1])[chain.motor], found.motor[chain.motor], tolerance=slack)


@pytest.mark.parametrize('name', ['sliding_tree', 'permuted', 'rotors', 'mixed_tree'])
def test_links_and_motors_have_the_equations_of_spong(name):
    """M qdd + C qd + g = s and B thetadd + s = tau, s = k (theta - q): Spong 1987, dense."""
    rigid = (FAMILIES | MIXED)[name].robot
    several = {
        name
        for joint in rigid.model.multi_dof_joints
        for name in rigid.joint_names[joint.velocities]
    }
    elastic = [name for name in rigid.joint_names if name not in several][::2]
    at = [rigid.joint_names.index(name) for name in elastic]
    B = np.array([0.3 + 0.1 * k for k in range(len(at))])
    robot = rigid.extended.with_elastic_joints(
        {name: ElasticJoint(1.0, 0.0, b) for name, b in zip(elastic, B)}
    )
    rotors = rigid.model.joint_values(ROTOR)
    rotors[at] = 0.0
    links = Robot(rigid.model.with_joint_values(ROTOR, rotors))
    for q, qd, tau in states(robot):
        coordinates = rigid.model.coordinates[at]
        (motor, delta), (speed, slip) = np.split(q, [rigid.nq]), np.split(qd, [rigid.nv])
        link, rate = motor.copy(), speed.copy()
        link[coordinates] += delta
        rate[at] += slip
        torque = tau[: rigid.nv].copy()
        torque[at] = tau[rigid.nv :]
        expected = links.forward_dynamics(link, rate, torque)
        found = robot.forward_dynamics(q, qd, tau)
        slack = 10.0 * solve_tolerance(robot.mass_matrix(q))
        motors, springs = np.split(found, [rigid.nv])
        size = np.abs(found).max()
        agree(motors[at], (tau[at] - tau[rigid.nv :]) / B, size, slack)
        motors[at] += springs
        agree(motors, expected, size, slack)
        for frame in rigid.model.frames:
            agree(robot.pose(q, frame), rigid.pose(link, frame), 1.0)


def test_names_frames_and_limits_are_those_of_motors_and_springs():
    rigid = Robot.from_description(ARM)
    robot = rigid.extended.with_elastic_joints({'joint2': ElasticJoint(100.0, 1.0, 0.2)})
    assert robot.joint_names == (*rigid.joint_names, 'joint2_deflection')
    assert robot.model.body_names[2:4] == ('joint2_motor', 'link2')
    assert robot.limits.upper.tolist() == [*rigid.limits.upper, np.inf]
    again = pickle.loads(pickle.dumps(robot.model))
    assert again.springs == (('joint2_deflection', 100.0, 1.0, 0.0),)
    assert set(again.frames) == set(rigid.model.frames)


@pytest.mark.parametrize(
    'joints, error, sentence',
    [
        ({'elbow': ElasticJoint(1.0)}, UnknownNameError, "elastic joint 'elbow' does not exist"),
        ({'joint1': ElasticJoint(0.0, 0.0, 1.0)}, ModelError, 'stiffness 0; expected a finite'),
        ({'joint1': ElasticJoint(np.nan, 0.0, 1.0)}, ModelError, 'stiffness nan'),
        ({'joint1': ElasticJoint(1.0, -1.0, 1.0)}, ModelError, 'has damping -1; expected 0'),
        ({'joint1': ElasticJoint(1.0, 0.0, np.inf)}, ModelError, 'has motor inertia inf'),
        ({'joint1': ElasticJoint(1.0)}, ModelError, 'motor without inertia; expected'),
    ],
)
def test_impossible_springs_are_refused(joints, error, sentence):
    with pytest.raises(error, match=sentence):
        Robot.from_description(ARM).extended.with_elastic_joints(joints)


def test_springs_upon_springs_and_velocities_of_a_free_base_are_refused():
    robot = Robot.from_description(ARM, free_base=True)
    joint = ElasticJoint(1.0, 0.0, 1.0)
    with pytest.raises(ModelError, match='several degrees of freedom; expected a joint of one'):
        robot.extended.with_elastic_joints({'free_base.x': joint})
    elastic = robot.extended.with_elastic_joints({'joint1': joint})
    with pytest.raises(ModelError, match='has springs already, at joint1_deflection; expected'):
        with_elastic_joints(elastic.model, {'joint2': joint})


def test_files_and_entries_say_the_same(tmp_path):
    path = tmp_path / 'arm.yaml'
    path.write_text(
        'elastic_joints:\n  joint1: {stiffness: 1.2e4, damping: 8, motor_inertia: 0.6}\n'
    )
    expected = ElasticJoint(1.2e4, 8.0, 0.6)
    assert elastic_joint_file.elastic_joints_of(path) == {'joint1': expected}
    assert elastic_joint_file.elastic_joint('joint1=1.2e4 8 0.6') == ('joint1', expected)
    assert elastic_joint_file.elastic_joint(' a = 5 ') == ('a', ElasticJoint(5.0))
    path.write_text('elastic_joints:\n  joint1: {damping: 8}\n')
    with pytest.raises(ModelError, match="joint 'joint1' has .*; expected at least stiffness"):
        elastic_joint_file.elastic_joints_of(path)
    for text in ('joint1', '=5', 'joint1=', 'joint1=1 2 3 4', 'joint1=stiff'):
        with pytest.raises(ParameterError, match='expected .joint=stiffness damping'):
            elastic_joint_file.elastic_joint(text)
