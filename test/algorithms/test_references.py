# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics in four references, against the book's forms of them and against referees."""

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.errors import UnknownNameError
from robodyn_ros.formulations.jain import conventions
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.operators.sweeps import scatter
from robodyn_ros.formulations.jain.spatial_algebra import phi
from robodyn_ros.model.layout import MASS
from robodyn_ros.robot.variants import REFERENCES
from support.calls import arguments
from support.compare import agree
from support.robots.families import FAMILIES, states

#: Kernel of every reference.
KERNELS = {
    'body': generic.inverse_dynamics_body,
    'offset': generic.inverse_dynamics_body,
    'inertial': generic.inverse_dynamics_inertial,
    'fixed': generic.inverse_dynamics_fixed,
}
WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture(params=REFERENCES)
def reference(request):
    """Return one reference after the other."""
    return request.param


def called(robot, reference, seed=0, **given):
    """Run the kernel of a reference, frames anywhere or at the joints; return its arguments."""
    if reference == 'body':
        given['offsets'] = np.zeros((len(robot.model.topology), 3))
    arrays = arguments(robot, KERNELS[reference], seed=seed, **given)
    KERNELS[reference](*arrays.values())
    return arrays


def equations(tree, qd, reference, offsets):
    """What the book has of a reference; offsets (n, 3) of the tree's frames."""
    if reference == 'offset':
        return conventions.offset(tree, qd, np.array([phi(l) for l in offsets]))  # noqa: E741
    return {
        'body': conventions.body,
        'inertial': conventions.inertial_derivative,
        'fixed': conventions.inertially_fixed,
    }[reference](tree, qd)


def test_every_reference_gives_the_same_torque(any_case, reference):
    """As turned around by Turney, Mudge and Lee, with forces on every body."""
    robot = any_case.robot
    for seed in range(3):
        expected = arguments(robot, generic.inverse_dynamics, seed=seed)
        generic.inverse_dynamics(*expected.values())
        agree(called(robot, reference, seed)['tau'], expected['tau'])


def test_each_reference_has_its_own_acceleration(any_case, reference):
    """alpha of every body and the torque, without weight, are those of Jain's Table 5.1. Each
    reference has another alpha, so that none can pass for another.
    """
    robot = any_case.robot
    ((q, qd, qdd),) = states(robot, 1)
    tree = tree_at(robot, q)
    thd, thdd = tree.to_jain(qd), tree.to_jain(qdd)
    found = called(
        robot, reference, gravity=np.zeros(3), f_ext=np.zeros((len(robot.model.topology), 6))
    )
    rows = [robot.model.body_names.index(name) for name in tree.names]
    offsets = found['offsets'][rows] if reference == 'offset' else None
    book = equations(tree, thd, reference, offsets)
    alpha = scatter(
        tree, [H @ thdd[s] + a for H, s, a in zip(book.hinges, tree.slices, book.a)], book.weights
    )
    moved = found['work'][rows]
    agree(np.hstack((moved['alpha'], moved['accel'])), alpha)
    torque = conventions.mass_matrix(tree, book) @ thdd + conventions.coriolis_torque(tree, book)
    # the referee adds the parts of a sum that may cancel
    size = np.abs(conventions.mass_matrix(tree, book)).max() * np.abs(thdd).sum()
    agree(tree.to_jain(found['tau']), torque, scale=max(size, np.abs(torque).max()))


def test_accelerations_differ_between_references():
    """The accelerations that a swinging chain has by each of them are not the same."""
    robot = FAMILIES['skew_chain'].robot
    last = len(robot.model.topology) - 1
    found = [called(robot, name)['work'][last].accel for name in REFERENCES]
    for k, one in enumerate(found):
        for other in found[:k]:
            assert np.abs(one - other).max() > 0.1


def test_inverse_dynamics_in_a_reference_agrees_with_the_textbook(any_case, reference):
    """One state with wrenches on two frames, and a batch, against the textbook referee."""
    robot = any_case.robot
    f_ext = {any_case.tip: WRENCH, robot.frames[len(robot.frames) // 2]: -0.5 * WRENCH[::-1]}
    given = [np.array(rows) for rows in zip(*states(robot, 2))]
    together = robot.variants.inverse_dynamics_in(reference, *given, f_ext)
    for row, *state in zip(together, *given):
        agree(row, any_case.dense.inverse_dynamics(*state, f_ext))
        agree(
            robot.variants.inverse_dynamics_in(reference, *state),
            any_case.dense.inverse_dynamics(*state),
        )


def test_frames_of_offset_are_at_the_centres_of_mass():
    """Where a body has no mass, at its joint."""
    robot = FAMILIES['massless_links'].robot
    centres, constants = robot.model.centres(), robot.model.constants
    assert (constants[:, MASS] == 0.0).sum() >= 3 and np.abs(centres).max() > 0.01
    agree(centres * constants[:, MASS : MASS + 1], constants[:, MASS + 1 : MASS + 4])
    assert not centres[constants[:, MASS] == 0.0].any()


def test_an_unknown_reference_is_refused():
    """A reference that there is not."""
    with pytest.raises(UnknownNameError, match="got 'world'; expected one of body, offset, inert"):
        FAMILIES['one_hinge'].robot.variants.inverse_dynamics_in('world', [0.1], [0.2], [0.3])
