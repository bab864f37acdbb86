# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot some of whose joints follow others: the same numbers as for any robot."""

from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

from robodyn_ros.algorithms.core import aba, rnea
from robodyn_ros.algorithms.core.working_memory import allocate
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.linker import LINKS
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.compile import embedded, generic, kernel
from robodyn_ros.compile.call import provide_in_place
from robodyn_ros.compile.robot_code_table import INDEPENDENT, RobotCodeTable
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.diagonal_damping import DiagonalDamping
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.model import build
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.specialised_step import specialised_step
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from support.compare import agree, solve_tolerance
from support.robots.families import GRAVITY, describe, states

WAYS = {'joint4': ('joint3', -1.0, 0.0), 'joint5': ('joint3', 0.5, 0.2)}
ALSO = ('regressor', 'joint_wrenches', 'centroidal_momentum_matrix', 'mass_matrix_factors')


@pytest.fixture(scope='module')
def gripper():
    """Return an arm with fingers that follow one of them."""
    plain = describe('fingers', 5, kinds=('revolute', 'prismatic', 'continuous'), branching=3)
    joints = tuple(
        replace(joint, mimic=way[0], multiplier=way[1], offset=way[2])
        if (way := WAYS.get(joint.name))
        else joint
        for joint in plain.joints
    )
    return Robot(build.build(replace(plain, joints=joints), gravity=GRAVITY))


def test_the_methods_are_those_for_any_robot(gripper):
    """One state and a batch of eight."""
    frame = gripper.frames[-1]
    mine = gripper.specialised(frames=(frame,), also=ALSO)
    assert not mine.generic
    for q, qd, x in states(gripper):
        slack = solve_tolerance(gripper.mass_matrix(q))
        for name, given in (
            ('inverse_dynamics', (q, qd, x)),
            ('bias_torque', (q, qd)),
            ('gravity_torque', (q,)),
            ('mass_matrix', (q,)),
            ('mass_matrix_inverse', (q,)),
            ('forward_dynamics', (q, qd, x)),
            ('mass_operator.solve', (q, x)),
            ('coriolis_matrix', (q, qd)),
            ('links.regressor', (q, qd, x)),
            ('links.joint_wrenches', (q, qd, x)),
            ('centroidal.momentum_matrix', (q,)),
            ('derivatives.inverse_dynamics', (q, qd, x)),
            ('derivatives.forward_dynamics', (q, qd, x)),
            ('derivatives.mass_matrix', (q,)),
        ):
            found, expected = attrgetter(name)(mine)(*given), attrgetter(name)(gripper)(*given)
            for one, other in zip(
                *(each if isinstance(each, tuple) else (each,) for each in (found, expected))
            ):
                agree(one, other, tolerance=10.0 * slack)
            rows = [np.repeat(each[None], 8, axis=0) for each in given]
            batch = attrgetter(name)(mine)(*rows)
            agree((batch if isinstance(batch, tuple) else (batch,))[-1][3], one, tolerance=slack)
        agree(mine.jacobian(q, frame), gripper.jacobian(q, frame), 1.0)
        agree(mine.pose(q, frame), gripper.pose(q, frame))
    assert not mine.generic and DERIVATIVES.keys() <= mine.kernels.keys()


def test_a_law_and_a_step_of_the_plant_link_to_the_code(gripper):
    """They examine themselves against the kernels for any robot: an error would be raised."""
    assert specialised_kernels(gripper.model, ComputedTorque)
    step = specialised_step(gripper.model)
    q, qd, tau = states(gripper)[0]
    plain, fast = Plant(gripper, position=q, velocity=qd), Plant(gripper, position=q, velocity=qd)
    fast.replace_kernel(step)
    for _ in range(20):
        plain.step(tau)
        fast.step(tau)
    agree(fast.q, plain.q)


def test_computed_torque_cancels_the_dynamics(gripper):
    """qdd = qdd_r + Kd ed + Kp e under the law's torque, over the independent coordinates."""
    law = ComputedTorque(gripper)
    gains = np.array((np.full(gripper.nv, 90.0), np.full(gripper.nv, 19.0)))
    model = gripper.model
    for q, qd, x in states(gripper):
        terms, reference = np.zeros((6, gripper.nv)), np.array((q + 0.1, qd - 0.2, x))
        law.torques(q, qd, reference, gains, terms)
        terms[4] = 0.0  # the robot of forward_dynamics has no friction
        qdd = gripper.forward_dynamics(q, qd, terms.sum(axis=0))
        wanted = reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
        agree(qdd, wanted, tolerance=10.0 * solve_tolerance(gripper.mass_matrix(q)))
    assert model.is_embedded


def test_diagonal_damping_links_to_the_code(gripper):
    """Every term by the code of the robot, over the independent coordinates; the power is lost."""
    law, rates = DiagonalDamping(gripper), np.linspace(1.0, 4.0, gripper.nv)
    gains, reference = np.array([0.0 * rates, rates]), np.zeros((3, gripper.nv))
    q, qd, _ = states(gripper, 1)[0]
    generic, special = np.zeros((2, 6, gripper.nv))
    assert law.torques(q, qd, reference, gains, generic) == 0
    law.replace_kernels(specialised_kernels(gripper.model, DiagonalDamping))
    assert law.torques(q, qd, reference, gains, special) == 0
    agree(special, generic)
    damping, coriolis = gripper.variants.damping_torques(q, qd, rates)
    agree(generic[0] + generic[2], damping + coriolis)
    assert qd @ (special[0] + special[2]) < 0.0


@kernel
def accelerations(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute forward dynamics; return its status."""
    return aba.forward_dynamics(
        topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, qdd
    )


def test_code_for_independent_joints_does_not_serve_the_tree_inside(gripper):
    """A recursion without own code calls those over all joints, not the robot's own."""
    model = gripper.model
    code = specialise(model, *LINKS[rnea.inverse_dynamics])
    inside = {aba.forward_dynamics: embedded.kernel_of(generic.forward_dynamics)}
    provide_in_place(inside, INDEPENDENT)
    own = RobotCodeTable(model.topology, {rnea.inverse_dynamics: code.one}, INDEPENDENT)
    work, none = allocate(model.topology), np.zeros(gripper.nv)
    fixed = model.constants, model.gravity, work
    for q, qd, tau in states(gripper):
        free, qdd = np.zeros((model.topology.shape[0], 6)), np.zeros(gripper.nv)
        assert accelerations(own.topology, *fixed, q, qd, tau, free, none, qdd) == 0
        slack = solve_tolerance(gripper.mass_matrix(q))
        agree(qdd, gripper.forward_dynamics(q, qd, tau), slack)
