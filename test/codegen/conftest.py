# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robots and states that specialised code is tried on."""

from functools import cached_property

import numpy as np
import pytest

from robodyn_ros.algorithms.task_space.cholesky_inverse import MAX_CONDITION
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES, frame_recipes
from robodyn_ros.robot.dispatch import method_of
from support.robots.families import FAMILIES, states
from support.robots.real_robots import ARMS, MAKERS, PACKAGE, robot

#: Robots of the tests of machine code: an arm, a permuted tree with slides and rotors, one slide.
COMPILED = ('franka_like', 'permuted', 'one_slide')


def named(name):
    """Return the case of that name, or skip with the reason."""
    case = FAMILIES[name] if name in FAMILIES else robot(name)
    if case is None:
        pytest.skip(f'{PACKAGE} is not installed, or has no {name} any more')
    return case


@pytest.fixture(params=[*FAMILIES, *ARMS, *MAKERS], scope='session')
def every_case(request):
    """Return one robot after the other: random families, and the robots of their makers."""
    return named(request.param)


@pytest.fixture(scope='session')
def franka():
    """Return the Franka-like arm."""
    return named('franka_like').robot


class Answers:
    """What the generic kernels say about one state of a robot."""

    def __init__(self, case, seed=0):
        self.robot, self.frame = case.robot, case.tip
        ((self.q, self.qd, self.qdd),) = states(self.robot, 1, seed)
        M = self.robot.mass_matrix(self.q)
        self.condition = np.linalg.cond(M)
        weight = np.linalg.norm(self.robot.model.gravity) * self.robot.model.constants[:, 12].sum()
        self.size = max(1e-3, weight)

    @cached_property
    def task(self):
        """Return the operational-space inertia of the tip, by eigenvalues."""
        return self.robot.operational_space_inertia(self.q, self.frame)

    def skip_if_pointless(self, name):
        """Skip a quantity that no code is written for."""
        if name in FRAME_RECIPES and name not in frame_recipes(self.robot.model, self.frame):
            pytest.skip('six joints carry the frame, or fewer do: the other recipe serves')

    def refuses(self, name):
        """Return whether the code has to leave the state to the Python path."""
        return name == 'operational_space_inertia' and not (
            np.trace(self.task.inverse) * np.sum(1.0 / self.task.singular_values) < MAX_CONDITION
        )

    def given(self, recipe):
        """Return the inputs of a recipe."""
        values = {'q': self.q, 'qd': self.qd, 'qdd': self.qdd, 'tau': self.qdd, 'b': self.qdd}
        return [values[name] for name in recipe.inputs]

    def expected(self, name, recipe):
        """Return its outputs."""
        if name == 'operational_space':
            J, compliance = np.empty((6, self.robot.nv)), np.empty((6, 6))
            self.robot._fill(self.q, None, (self.frame,), J, compliance)
            return [J, compliance]
        if name == 'operational_space_inertia':
            task = self.task
            return [task.jacobian, task.inverse, task.inertia]
        frame = [self.frame] if name in FRAME_RECIPES else []
        return [np.array(method_of(self.robot, name)(*self.given(recipe), *frame))]

    def tolerance(self, name, expected, exact):
        """Return the error that rounding, and clean direction cosines, may leave."""
        if name in ('gravity_torque', 'energy'):  # sums that may cancel
            return exact * max(self.size, np.abs(expected).max())
        if name == 'jacobian_bias':
            return exact * max(self.qd @ self.qd, np.abs(expected).max())
        if name == 'coriolis_matrix':
            return exact * np.abs(self.robot.mass_matrix(self.q)).max() * np.abs(self.qd).sum()
        solves = name in (
            'mass_matrix_inverse',
            'mass_solve',
            'forward_dynamics',
            'operational_space',
            'operational_space_inertia',
        )
        condition = self.condition if solves else 1.0
        if name == 'operational_space_inertia':  # inverts what a solve has left
            condition *= np.divide(*self.task.singular_values[[0, -1]])
        return exact * np.abs(expected).max() * condition


@pytest.fixture(scope='session')
def answers(every_case):
    """Return what the generic kernels say about each robot."""
    return Answers(every_case)


@pytest.fixture(params=[*RECIPES, *FRAME_RECIPES], scope='session')
def quantity(request):
    """Return the name and the recipe of one quantity after the other."""
    return request.param, (RECIPES | FRAME_RECIPES)[request.param]
