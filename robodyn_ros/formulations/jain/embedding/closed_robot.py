# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Robot with closed loops and mimic joints by the methods of chapters 11 and 15."""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.formulations.comparison import PACKAGE, Comparison
from robodyn_ros.formulations.jain import composite_bodies, inverse_dynamics
from robodyn_ros.formulations.jain.body_tree import Tree, bodies_of, tree_of
from robodyn_ros.formulations.jain.constraints import direct, loop_dynamics
from robodyn_ros.formulations.jain.constraints.loop_constraints import Loop, constraint_jacobian
from robodyn_ros.formulations.jain.embedding.constraint_embedding import Coupling, embed
from robodyn_ros.formulations.jain.sko import dynamics
from robodyn_ros.formulations.jain.tree_kinematics import Node
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CONSTANT_COLUMNS,
    COORDINATE,
    FRAME_A,
    FRAME_B,
    RATIO,
    STOPS,
    TOPOLOGY_COLUMNS,
    V,
)

MEETING = (0b000111, 0b011111, 0b111111)  # stops of a ball, a hinge and a weld
INDEPENDENT = 1e-9  # smallest over largest singular value of independent constraints


@dataclass(frozen=True, eq=False)
class ClosedChain:
    """The spanning tree of a robot at one configuration, with its loops and mimic joints.

    `tree`: the spanning tree.
    `loops`: closed loops.
    `couplings`: mimic joints.
    `independent`: independent velocities of the tree, in the order of the robot.
    """

    tree: Tree
    loops: tuple
    couplings: tuple
    independent: list

    __repr__ = short_repr

    def embedded(self, thd):
        """Return the Embedding at given velocities of all joints.

        `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
        """
        return embed(self.tree, thd, self.loops, self.couplings, self.independent)


def closed_chain(robot, q):
    """Return the closed chain of a robot at given coordinates.

    `robot` (Robot): robot with closed loops or mimic joints.
    `q` ((nq,) array_like): joint coordinates [rad, m].
    Raises ModelError: if the origins of a closure do not coincide, or rotors are bodies.
    """
    model = robot.model
    plain = replace(
        model,
        topology=model.topology[:, :TOPOLOGY_COLUMNS],
        constants=model.constants[:, :CONSTANT_COLUMNS],
    )
    bodies = bodies_of(plain)
    if sum(len(body.dofs) for body in bodies) < len(robot.all_joint_names):
        raise ModelError(
            f'robot {robot.name!r} has rotors as bodies, which chapters 11 and 15 do not '
            'cover; expected reflected rotors'
        )
    tree = tree_of(bodies, robot.expand(q)[0], model.gravity)
    column = {int(dof): k for k, dof in enumerate(tree.dofs)}  # of the tree, by the entry of qd
    couplings = tuple(
        Coupling(
            np.array((column[model.topology[row, V]], column[model.topology[leader, V]])),
            np.array([[1.0, -model.constants[row, RATIO] / model.constants[leader, RATIO]]]),
            np.zeros(1),
        )
        for row, leader in _followers(model).items()
    )
    couplings += tuple(
        Coupling(
            np.array([column[model.topology[each, V]] for each in (row, *leaders)]),
            np.array([[1.0, *(-ratio for ratio in leaders.values())]]),
            np.zeros(1),
        )
        for row, leaders in model.coupled.items()
    )
    names = robot.all_joint_names
    independent = [column[names.index(name)] for name in robot.joint_names]
    return ClosedChain(tree, _loops(robot, tree), couplings, independent)


def compare_closed(robot, q, qd, qdd):
    """Print torque, mass matrix and acceleration by each method, and return them.

    `robot` (Robot): robot with closed loops or mimic joints.
    `q` ((nq,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Returns the results.
    """
    chain = closed_chain(robot, q)
    tree, (_, rates, accelerations) = chain.tree, robot.expand(q, qd, qdd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    thd, thdd = tree.to_jain(rates), tree.to_jain(accelerations)
    found = chain.embedded(thd)
    order = [found.model.dofs.tolist().index(k) for k in chain.independent]
    T = np.zeros(tree.N)
    T[chain.independent] = tau
    M, bias = composite_bodies.mass_matrix(tree), inverse_dynamics.bias(tree, thd)
    X = found.X[:, order]
    free, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    dense, _ = direct.forward_dynamics(M, T - bias, found.G, found.acceleration)
    torque = {
        PACKAGE: tau,
        'Embedded Newton-Euler, (15.11)': dynamics.inverse_dynamics(
            found.model, qdd[np.argsort(order)]
        )[0][order],
        'Projected torques, (11.3)': X.T @ inverse_dynamics.newton_euler(tree, thd, thdd)[0],
    }
    embedded = composite_bodies.mass_matrix(found.model)[np.ix_(order, order)]
    mass = {PACKAGE: robot.mass_matrix(q), 'Embedded, (15.18)': embedded, 'Projected': X.T @ M @ X}
    acceleration = {
        PACKAGE: robot.forward_dynamics(q, qd, tau),
        'Embedded articulated bodies, (15.16)': free[order],
        'Dense system, (11.6)': dense[chain.independent],
    }
    if not chain.couplings:
        augmented = loop_dynamics.forward_dynamics(tree, thd, T, chain.loops)
        acceleration['Augmented, Algorithm 11.2'] = augmented.thdd[chain.independent]
    result = Comparison(robot.name, robot.joint_names, torque, mass, acceleration, {})
    print(result)
    return result


def _followers(model):
    """Return {row: leader} of joints with a fixed ratio, also to a dependent joint of a loop."""
    found, first = dict(model.followed), {}
    for row in model.led_by_loops:
        leader = first.setdefault(int(model.topology[row, COORDINATE]), row)
        if leader != row:
            found[row] = leader
    return found


def _loops(robot, tree):
    """Return the Loops of the closures, without redundant rows."""
    model, found = robot.model, []
    for row, name in enumerate(model.closures, start=1):
        stops = int(model.topology[row, STOPS])
        if stops not in MEETING:
            raise ModelError(
                f'robot {robot.name!r}: the origins of closure {name!r} do not coincide; expected '
                'a hinge, a ball or a weld'
            )
        ends = [_node(model, tree, row, *side) for side in ((BODY_A, FRAME_A), (BODY_B, FRAME_B))]
        if ends[0] is None:
            ends.reverse()
        rows = [3 + k for k in range(3)] + [k for k in range(3) if stops & (8 << k)]
        found += [Loop(*ends, np.eye(6)[[k]]) for k in rows]
    kept = []
    for loop in found:
        sizes = np.linalg.svd(constraint_jacobian(tree, [*kept, loop]), compute_uv=False)
        if len(sizes) == len(kept) + 1 and sizes[-1] > INDEPENDENT * sizes[0]:
            kept.append(loop)
    return tuple(kept)


def _node(model, tree, row, body, frame):
    """Return the Node of one side of a closure; None on the base."""
    at = model.topology[row, body]
    if at == 0:
        return None
    place = model.constants[row, frame : frame + 12]
    return Node(tree.names.index(model.body_names[at]), place[:9].reshape(3, 3), place[9:].copy())
