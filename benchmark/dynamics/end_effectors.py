# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""J and J M^-1 J^T of two end effectors of one robot: along the paths, or by M^-1.

The robot is a trunk of one joint with two arms of n joints each. All are called from Python in the
same way, at many states in turn. The least of interleaved rounds counts. `by M^-1` is a product in
NumPy of Jacobians and the package's own inverse of the mass matrix. Pinocchio's is likewise, with
its computeMinverse and frame Jacobians. `face` also gives Lambda, rank, singular values and the
consistent inverse.
"""

import itertools
import os
import re
import time

import numpy as np

from benchmark import table
from benchmark.chains import chain
from robodyn_ros import Robot
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions
from robodyn_ros.codegen.registry import frame_recipes
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.compile import generic

ARMS = (3, 7, 14)
BANK, ROUNDS = 64, 60
TIPS = 'left_tip', 'right_tip'


def fork(n):
    """Return the URDF text of a trunk of one joint and two arms of n joints, one above the
    other."""
    text = chain(n + 1)
    links = re.findall(r'<link name="link\d+"(?:/>|>.*?</link>)', text)
    joints = re.findall(r'<joint .*?</joint>', text)
    parts = [f'<robot name="two_arms_of_{n}">', links[0], links[1], joints[0]]
    for side in ('left', 'right'):
        for k, (link, joint) in enumerate(zip(links[2:], joints[1:]), 2):
            tip = f'{side}_tip' if k == n + 1 else f'{side}_link{k}'
            up = 'link1' if k == 2 else f'{side}_link{k - 1}'
            parts.append(link.replace(f'"link{k}"', f'"{tip}"'))
            parts.append(
                joint.replace(f'"joint{k}"', f'"{side}_joint{k}"')
                .replace(f'child link="link{k}"', f'child link="{tip}"')
                .replace(f'parent link="link{k - 1}"', f'parent link="{up}"')
            )
    return ''.join(parts) + '</robot>'


def measure():
    """Return {'arms': {n: {'joints', 'operations', way: us}}}."""
    result = {'unit': 'us', 'arms': {}, 'wrong_counts': [], 'load_average': os.getloadavg()}
    for n in ARMS:
        text = fork(n)
        robot = Robot.from_urdf(text)
        states = np.random.default_rng(n).uniform(-1.0, 1.0, (BANK, robot.nv))
        ways = {
            'paths': _paths(robot),
            'specialised': _specialised(robot),
            'by M^-1': _inverse(robot),
            'pinocchio': _pinocchio(text),
        }
        ways = {name: way for name, way in ways.items() if way}
        expected = ways['by M^-1'](states[0]).copy()
        for name, way in ways.items():
            error = np.abs(way(states[0]) - expected).max() / np.abs(expected).max()
            if not error < 1e-8:
                result['wrong_counts'].append(f'{n} joints an arm: {name} differs by {error:.1g}')
        ways['face'] = lambda q, robot=robot: robot.operational_space_inertia(q, TIPS)
        result['arms'][n] = {'joints': robot.nv} | _timed(ways, states)
    return result


def _paths(robot):
    arguments, J, compliance = _arrays(robot)
    run = generic.coupled_compliance.compiled
    body, rest, placed = arguments

    def way(q):
        run(*body, q, rest, *placed, J, compliance)
        return compliance

    return way


def _specialised(robot):
    recipe = frame_recipes(robot.model, TIPS)['coupled_compliance']
    run = specialise(robot.model, 'coupled_compliance', recipe, TIPS).one.compiled
    _, J, compliance = _arrays(robot)

    def way(q):
        run(q, J, compliance)
        return compliance

    return way


def _inverse(robot):
    (body, rest, placed), J, _ = _arrays(robot)
    inverse, jacobian = np.empty((robot.nv, robot.nv)), generic.jacobian.compiled
    run = generic.mass_matrix_inverse.compiled
    work = np.empty(motions(robot.nv))

    def way(q):
        run(*body, q, rest, work, inverse)
        for k in range(2):
            jacobian(*body, q, placed[0][k], placed[1][k], J[6 * k : 6 * k + 6])
        return J @ inverse @ J.T

    return way


def _arrays(robot):
    arguments = robot._body, np.zeros(robot.nv), robot._placed(TIPS)
    return arguments, np.empty((12, robot.nv)), np.empty((12, 12))


def _pinocchio(text):
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromXML(text)
    data, frames = model.createData(), [model.getFrameId(tip) for tip in TIPS]
    # both libraries order these joints alike: depth first, left before right

    def way(q):
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        J = np.concatenate(
            [pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in frames]
        )
        inverse = pin.computeMinverse(model, data, q)
        return J @ (np.triu(inverse) + np.triu(inverse, 1).T) @ J.T

    return way


def _timed(ways, states):
    best = dict.fromkeys(ways, np.inf)
    for _, (name, way) in itertools.product(range(ROUNDS), ways.items()):
        begin = time.perf_counter()
        for q in states:
            way(q)
        best[name] = min(best[name], (time.perf_counter() - begin) / BANK * 1e6)
    return best


def show(result):
    """Print one row for each robot; the ratio is that of M^-1 to the paths."""
    ways = [key for key in next(iter(result['arms'].values())) if key != 'joints']
    rows = [
        (
            f'1 + 2 x {n}',
            *(f'{row[way]:.2f}' for way in ways),
            f'{row["by M^-1"] / row["paths"]:.1f}',
        )
        for n, row in result['arms'].items()
    ]
    table.show(
        'Two end effectors of one robot: J and J M^-1 J^T, us', ('joints', *ways, 'ratio'), rows
    )
