# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cost orders of the recursions, from the operations of specialised code on general arms."""

import inspect

import numpy as np
import pytest

from robodyn_ros.algorithms.core import composite
from robodyn_ros.algorithms.variants import dense_forward_dynamics
from robodyn_ros.codegen.registry import Recipe, at_frames
from robodyn_ros.codegen.specialise import record_as_is
from robodyn_ros.compile import generic
from support.calls import OUTPUTS
from tools.pages.reference_arms import general_arm

pytestmark = pytest.mark.sensitive

#: Operations that constants of one arm happen to share, more in one arm than in the next.
SHARED = 8
#: Operations a joint, in n^1 and in n^2: of the recursions that their documents call so.
LINEAR = (
    'pose',
    'velocity',
    'jacobian',
    'jacobian_bias',
    'inverse_dynamics',
    'bias_torque',
    'gravity_torque',
    'energy',
    'mass_solve',
    'forward_dynamics',
    'operational_space',
    'joint_wrenches',
    'forward_dynamics_wrenches',
    'centre_of_mass',
    'centroidal_momentum',
    'centroidal_momentum_matrix',
    'inverse_dynamics_composite',
    'torque_of_wrench',
    'acceleration_of_wrench',
    'hamilton_rates',
    'damping_torques',
    'joint_inertias',
    'mass_product',
    'mass_matrix_diagonal',
    'log_det_gradient',
    'composite_inertia',
    'centroidal_momentum_bias',
    'link_motions',
    'inverse_dynamics_body',
    'inverse_dynamics_inertial',
    'inverse_dynamics_fixed',
    'body_inertias',
    'articulated_inertia_rates',
    'link_operators',
    'link_operator_rates',
)
QUADRATIC = (
    'mass_matrix',
    'mass_matrix_inverse',
    'coriolis_matrix',
    'regressor',
    'mass_factors',
    'mass_factor_rates',
    'forward_dynamics_factored',
)
#: Arguments that the model gives, or that stay zero.
GIVEN = {
    'topology',
    'constants',
    'gravity',
    'work',
    'diagonal',
    'zero',
    'carried',
    'links',
    'f_ext',
    'motions',
}


def operations(name, recursion, outputs, n):
    """(multiplications, additions) of a recursion for the general arm of n joints."""
    model = general_arm(n)
    size = {'nv': n, 'nb': n + 1, 'nb - 1': n, '10 nv': 10 * n, '6 (nb - 1)': 6 * n}
    shapes = {key: tuple(size.get(each, each) for each in shape) for key, shape in outputs.items()}
    arguments = inspect.signature(recursion).parameters
    inputs = {
        key: (n,)
        for key in arguments
        if key not in GIVEN | shapes.keys() | {'body', 'frame', 'M', 'F', 'bias'}
    }
    if name.endswith('_of_wrench'):
        inputs['f_ext'] = (n + 1, 6)
    if 'offsets' in inputs:
        inputs['offsets'] = (n + 1, 3)
    frame = model.body_names[-1] if 'frame' in arguments else None
    recipe = Recipe(recursion, inputs, shapes, given=at_frames if frame else None)
    found = record_as_is(name, recipe, model, frame).counts()
    return found['multiplications'], found['additions']


def counted(name, sizes):
    """The same of a kernel, (k, 2), by its name; nothing that it only works in is an output."""
    outputs = {
        key: shape
        for key, shape in OUTPUTS[name].items()
        if not name.endswith('_factored') or key == 'qdd'
    }
    recursion = getattr(generic, name).python
    return np.array([operations(name, recursion, outputs, n) for n in sizes])


@pytest.mark.parametrize('name', LINEAR)
def test_every_further_joint_costs_the_same(name):
    each = np.diff(counted(name, range(8, 12)), axis=0)
    assert (each > 0).all()
    assert (np.ptp(each, axis=0) <= SHARED).all(), each


@pytest.mark.parametrize('name', QUADRATIC)
def test_every_further_joint_costs_more_by_the_same(name):
    # the seventh body is the first that may move in all directions (Jain 2011, remark 10.1)
    second = np.diff(counted(name, range(8, 13)), 2, axis=0)
    assert (second > SHARED).all()
    assert (np.ptp(second, axis=0) <= SHARED).all(), second


@pytest.mark.parametrize(
    'recursion', [composite.forward_dynamics, dense_forward_dynamics.forward_dynamics_dense]
)
def test_factor_of_a_chain_is_of_third_order(recursion):
    # A factor takes n^3/6 multiplications and as many additions: third differences of 1.
    found = [operations('forward_dynamics', recursion, {'qdd': ('nv',)}, n) for n in range(5, 10)]
    np.testing.assert_array_equal(np.diff(found, 3, axis=0), 1)


def test_articulated_bodies_need_less_a_joint_than_published():
    each = np.diff(counted('forward_dynamics', (7, 8)), axis=0)[0]
    assert (each < [300, 279]).all()  # Featherstone 1983, as Angeles has it
    inverse = np.diff(counted('inverse_dynamics', (7, 8)), axis=0)[0]
    assert (inverse < [105, 90]).all()  # Angeles et al. 1989; regrouped it is fewer still


def test_crba_is_quadratic_to_the_last_operation():
    np.testing.assert_array_equal(
        np.diff(counted('mass_matrix', range(4, 9)), 2, axis=0), [[22, 14]] * 3
    )
