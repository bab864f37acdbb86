# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over links with modes against chapter 13 of Jain written for reading, and dense."""

import functools

import numpy as np
import pytest

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.compile.flexible_recursions import KERNELS
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.formulations.jain.flexible import (
    flexible_forward_dynamics,
    flexible_inverse_dynamics,
    flexible_mass_matrix,
)
from robodyn_ros.formulations.jain.flexible.flexible_tree import (
    flexible_tree,
    kinetic_energy,
    potential_energy,
    velocities,
)
from robodyn_ros.formulations.jain.flexible.modal_body import Interface
from robodyn_ros.model.extended.flexible_model import with_modal_links
from robodyn_ros.model.extended.modal_link import massless
from support.compare import agree, solve_tolerance
from support.robots.families import mixed
from support.robots.modal_links import as_flexible_bodies, flexible, random_link
from support.work import filled

#: All kinds of joints: pins, slides, screws, balls, a free base; chains and a tree.
CASES = {
    'pins': {'n': 5, 'kinds': ('revolute',)},
    'slides and screws': {'n': 4, 'kinds': ('prismatic', 'helical')},
    'free': {'n': 3, 'kinds': ('floating', 'revolute')},
    'balls': {'n': 3, 'kinds': ('spherical', 'prismatic')},
    'tree': {'n': 8, 'branching': 3},
}


@functools.cache
def robot(name):
    """(FlexibleModel, q, qd, qdd, tau) with deflections of about 0.1 and nothing at zero."""
    options = dict(CASES[name])
    case = mixed(name.replace(' ', '_'), options.pop('n'), welds=1.0, **options)
    rng = np.random.default_rng(len(name))
    model = flexible(case.robot.model, rng)
    away = rng.uniform(0.05, 0.15, model.nv - model.rigid.nv)
    q = np.concatenate((case.robot.configuration.random(rng), away))
    return model, q, *rng.uniform(-1.0, 1.0, (3, model.nv))


@pytest.fixture(params=CASES)
def state(request):
    return robot(request.param)


def run(model, name, *given, rows=None):
    """Run a kernel on working memory that holds NaN, which none may read before it writes it."""
    memory = filled(model.topology)
    result = np.zeros(model.nv if rows is None else (rows, model.nv))
    weight = () if name == 'mass_matrix_inverse' else (model.gravity,)
    status = KERNELS[name](model.topology, model.constants, *weight, memory, *given, result)
    assert not status
    return result


def no_wrench(model):
    return np.zeros((len(model.body_names), 6))


def tree_of(model, q):
    """(FlexibleTree, order): the robot for reading, and the row of each of its velocities."""
    bodies, at_q, zero, at_v = as_flexible_bodies(model)
    tree = flexible_tree(bodies, q[at_q] + zero, model.gravity)
    return tree, at_v[tree.dofs]


def springs(model, q, qd):
    """Efforts of the springs and dampers of the modes, which recursions leave to the plant."""
    stiffness, damping = np.array([spring[1:3] for spring in model.springs]).T
    strain = stiffness * q[model.rigid.nq :] + damping * qd[model.rigid.nv :]
    return np.concatenate((np.zeros(model.rigid.nv), -strain))


def placed(values, order):
    """Values of the tree in the order of the model."""
    found = np.zeros(len(values))
    found[order] = values
    return found


def mass_matrix(model, q):
    tree, order = tree_of(model, q)
    M = np.zeros((model.nv, model.nv))
    M[np.ix_(order, order)] = flexible_mass_matrix.mass_matrix(tree)
    return M


def test_forward_dynamics_is_algorithm_13_7(state):
    model, q, qd, _, tau = state
    tree, order = tree_of(model, q)
    expected, _ = flexible_forward_dynamics.forward_dynamics(tree, qd[order], tau[order])
    pushed = tau + springs(model, q, qd)
    zero = np.zeros(model.nv)
    found = run(model, 'forward_dynamics', q, qd, pushed, no_wrench(model), zero)
    agree(found, placed(expected, order), tolerance=solve_tolerance(mass_matrix(model, q)))


def test_inverse_dynamics_is_algorithm_13_1(state):
    model, q, qd, qdd, _ = state
    tree, order = tree_of(model, q)
    expected, *_ = flexible_inverse_dynamics.inverse_dynamics(tree, qd[order], qdd[order])
    found = run(model, 'inverse_dynamics', q, qd, qdd, no_wrench(model))
    agree(found - springs(model, q, qd), placed(expected, order))
    zero = np.zeros(model.nv)
    weight = run(model, 'inverse_dynamics', q, zero, zero, no_wrench(model))
    agree(run(model, 'gravity_torque', q), weight)


def test_forward_dynamics_solves_the_dense_equations(state):
    """(M + diag) qdd = tau - C, as implicit springs and dampers need it."""
    model, q, qd, _, tau = state
    rng = np.random.default_rng(1)
    diagonal, zero = rng.uniform(0.5, 2.0, model.nv), np.zeros(model.nv)
    M = mass_matrix(model, q) + np.diag(diagonal)
    bias = run(model, 'inverse_dynamics', q, qd, zero, no_wrench(model))
    found = run(model, 'forward_dynamics', q, qd, tau, no_wrench(model), diagonal)
    agree(found, np.linalg.solve(M, tau - bias), tolerance=solve_tolerance(M))
    inverse = run(model, 'mass_matrix_inverse', q, diagonal, rows=model.nv)
    agree(inverse, np.linalg.inv(M), tolerance=solve_tolerance(M))
    assert (inverse == inverse.T).all()


def test_energy_is_13_26_and_the_weight_its_slope(state):
    model, q, qd, *_ = state
    tree, order = tree_of(model, q)
    memory, found = working_memory.allocate(model.topology), np.zeros(2)
    KERNELS['energy'](model.topology, model.constants, model.gravity, memory, q, qd, found)
    agree(found[0], kinetic_energy(tree, qd[order]))
    agree(found[0], 0.5 * qd @ mass_matrix(model, q) @ qd)
    strain = 0.5 * sum(
        eta @ body.modal.stiffness @ eta for eta, body in zip(tree.eta, tree.bodies)
    )
    agree(found[1], potential_energy(tree) - strain, np.abs(found).sum() + strain)


def test_wrench_on_a_deformed_node_acts_by_its_velocity(state):
    """tau of a wrench there is J' w, J by Interfaces: (13.2), (13.3) and (13.52)."""
    model, q, qd, qdd, tau = state
    tree, order = tree_of(model, q)
    assert model.on_links
    zero, rng = np.zeros(model.nv), np.random.default_rng(2)
    for k, name in enumerate(model.on_links):
        frame = model.rigid.frame(name)
        i = tree.names.index(str(frame.body))
        node = Interface(frame.translation, frame.rotation, model.node_of(name))
        A = node.carried(tree.eta[i])
        J = np.zeros((6, model.nv))
        for column, unit in enumerate(np.eye(model.nv)):
            J[:, column] = A.T @ velocities(tree, unit[order])[i]
        wrenches, w = no_wrench(model), rng.normal(size=6)
        wrenches[len(model.topology) + k] = w
        free = run(model, 'inverse_dynamics', q, qd, qdd, no_wrench(model))
        loaded = run(model, 'inverse_dynamics', q, qd, qdd, wrenches)
        agree(free - loaded, J.T @ w, np.abs(free).max())
        pushed = run(model, 'forward_dynamics', q, qd, tau, wrenches, zero)
        same = run(model, 'forward_dynamics', q, qd, tau + J.T @ w, no_wrench(model), zero)
        agree(pushed, same, tolerance=solve_tolerance(mass_matrix(model, q)))


def test_body_on_a_frame_is_one_of_the_modal_body(state):
    """The energy of a payload is that of its own motion: m v'v / 2 of its centre, by the node."""
    model, q, qd, *_ = state
    name = model.on_links[-1]
    m, com = 0.7, np.array([0.04, -0.03, 0.05])
    loaded = model.with_inertia(name, m, com, np.zeros((3, 3)))
    more = mass_matrix(loaded, q) - mass_matrix(model, q)
    frame = model.rigid.frame(name)
    tree, order = tree_of(model, q)
    i = tree.names.index(str(frame.body))
    arm = frame.rotation @ com
    shape = model.node_of(name)
    shape = np.vstack((shape[:3], shape[3:] + np.cross(shape[:3].T, arm).T))
    node = Interface(frame.translation + arm, np.eye(3), shape)
    v = (node.carried(tree.eta[i]).T @ velocities(tree, qd[order])[i])[3:]
    agree(qd @ more @ qd, m * (v @ v), np.abs(mass_matrix(model, q)).max())
    assert loaded.joint_names == model.joint_names and loaded.on_links == model.on_links
    back = loaded.with_inertia('base', 0.5, com, np.zeros((3, 3)))
    agree(back.constants[1:], loaded.constants[1:])


def test_plain_functions_and_machine_code_agree(state):
    model, q, qd, _, tau = state
    memory, found = working_memory.allocate(model.topology), np.zeros(model.nv)
    given = model.topology, model.constants, model.gravity, memory, q, qd, tau, no_wrench(model)
    KERNELS['forward_dynamics'].python(*given, np.zeros(model.nv), found)
    expected = run(model, 'forward_dynamics', q, qd, tau, no_wrench(model), np.zeros(model.nv))
    agree(found, expected, tolerance=solve_tolerance(mass_matrix(model, q)))


def test_impossible_flexible_links_are_refused():
    rigid = mixed('refused', 3, kinds=('revolute',)).robot.model
    rng = np.random.default_rng(3)
    link = random_link(rng, 2)
    with pytest.raises(UnknownNameError, match="no flexible link 'nowhere'; valid: link1"):
        with_modal_links(rigid, {'nowhere': link})
    K = np.array([[2.0, 0.3], [0.3, 1.0]])
    unknown = massless(K, 0.0 * K, lambda place: None, 'its nodes').with_rigid_body(
        (0.1, 0.0, 0.0), rng.normal(size=(6, 2)), 1.0, np.eye(3)
    )
    with pytest.raises(ModelError, match="joint of 'link2' is at .* expected it at its nodes"):
        with_modal_links(rigid, {'link1': unknown})
    for stiffness, damping, words in (
        (-K, 0.0 * K, 'an eigenvalue -2.08'),
        (K, np.array([[0.0, 1.0], [1.0, 0.0]]), 'couples its natural modes'),
    ):
        wrong = massless(stiffness, damping, link.points, '').with_rigid_body(
            (0.1, 0.2, 0.0), rng.normal(size=(6, 2)), 1.0, np.eye(3)
        )
        with pytest.raises(ModelError, match=words):
            with_modal_links(rigid, {'link1': wrong})
    weightless = massless(np.eye(2), np.zeros((2, 2)), link.points, '')
    with pytest.raises(ModelError, match='a mode without a mass of its own'):
        with_modal_links(rigid, {'link1': weightless})


def test_coupled_modes_become_natural_ones():
    """The same robot in other coordinates: frequencies, and unit modal masses."""
    rigid = mixed('coupled', 2, kinds=('revolute',)).robot.model
    rng = np.random.default_rng(4)
    link = random_link(rng, 3)
    S = rng.normal(size=(3, 3))
    one, other = (
        with_modal_links(rigid, {'link1': each}) for each in (link, link.with_coordinates(S))
    )
    found = other.links[1]
    agree(found.modal_mass, np.eye(3), tolerance=1e-11)
    squares = np.linalg.eigvals(np.linalg.solve(one.links[1].modal_mass, one.links[1].stiffness))
    agree(np.diag(found.stiffness), np.sort(squares.real), tolerance=1e-11)
    agree(found.damping, 1e-3 * found.stiffness, tolerance=1e-9)
