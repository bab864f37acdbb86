# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque on a base that reacts or is moved (Jain, 16.3 and 17.1; Angeles, 7.5.2)."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import TERMS, law_class
from robodyn_ros.control.laws.floating_base import FloatingBaseComputedTorque
from robodyn_ros.errors import ParameterError, RobodynError, ShapeError
from robodyn_ros.model.rotation_matrix import from_quaternion
from support.compare import agree, solve_tolerance
from support.robots.families import GRAVITY, describe
from support.supervised import TWO_LINK, lagging

TREE = describe('flying_tree', 6, kinds=('revolute', 'prismatic'), branching=3, trunk=True)
ROOT = Robot.from_description(TREE).model.body_names[0]
#: The base has a body, whatever the description says.
BODY = (ROOT, 5.0, (0.1, -0.2, 0.1), np.diag([0.4, 0.5, 0.6]))
ARM = Robot.from_description(TREE, gravity=GRAVITY).with_payload(*BODY)
FLYER = Robot.from_description(TREE, gravity=GRAVITY, free_base=True).with_payload(*BODY)


def base_state(seed=1):
    """Return pose, twist and acceleration of a base, none of them zero."""
    rng = np.random.default_rng(seed)
    pose, twist, acceleration = (rng.uniform(0.3, 1.0, n) for n in (7, 6, 6))
    pose[3:] /= np.linalg.norm(pose[3:])
    return pose, twist, acceleration


def law_of(base):
    """Return the law on a base of that kind, with the state of the base set, and that state."""
    law, state = FloatingBaseComputedTorque(ARM, base), base_state()
    law.set_base(*state)
    return law, state


def terms_of(law, *arguments):
    """Return the terms of a law by name."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(*arguments, terms)
    return dict(zip(TERMS, terms))


def wanted(q, qd, reference, gains):
    """qdd_r + Kd ed + Kp e."""
    return reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)


def test_joints_are_linear_oscillators_on_a_base_that_reacts():
    """Forward dynamics of the free-flyer under these torques, and none at its base."""
    law, (pose, twist, _) = law_of('free')
    arguments = lagging(ARM)
    terms = terms_of(law, *arguments)
    tau = np.concatenate((np.zeros(6), sum(terms.values()) - terms['friction']))
    q, qd = np.concatenate((pose, arguments[0])), np.concatenate((twist, arguments[1]))
    slack = 10.0 * solve_tolerance(FLYER.mass_matrix(q))
    found = FLYER.forward_dynamics(q, qd, tau)
    agree(found[6:], wanted(*arguments), np.abs(found).max(), slack)
    assert np.abs(found[:6]).max() > 1e-2 * np.abs(found).max()
    # computed torque, which takes the base for fixed, does not do that
    plain = terms_of(law_class('computed_torque')(ARM), *arguments)
    tau[6:] = sum(plain.values()) - plain['friction']
    missed = FLYER.forward_dynamics(q, qd, tau)[6:] - wanted(*arguments)
    assert np.abs(missed).max() > 1e-2 * np.abs(wanted(*arguments)).max()


def test_joints_are_linear_oscillators_on_a_base_that_is_moved():
    """Inverse dynamics of the whole, with the acceleration of the base as given."""
    law, (pose, twist, acceleration) = law_of('moved')
    arguments = lagging(ARM)
    terms = terms_of(law, *arguments)
    q, qd = np.concatenate((pose, arguments[0])), np.concatenate((twist, arguments[1]))
    qdd = np.concatenate((acceleration, wanted(*arguments)))
    expected = FLYER.inverse_dynamics(q, qd, qdd)[6:]
    agree(sum(terms.values()) - terms['friction'], expected, 10.0 * np.abs(expected).max())
    at_rest = np.concatenate((np.zeros(6), qdd[6:]))
    assert np.abs(FLYER.inverse_dynamics(q, qd, at_rest)[6:] - expected).max() > 1e-2


@pytest.mark.parametrize('base', ['free', 'moved'])
def test_every_term_is_of_the_partition_of_the_mass_matrix(base):
    """M_aa or S_aa, M_ab A_b or S_ab c_b, gravity as the base stands, from dense blocks."""
    law, (pose, twist, acceleration) = law_of(base)
    q, qd, reference, gains = lagging(ARM)
    terms = terms_of(law, q, qd, reference, gains)
    q_all, qd_all = np.concatenate((pose, q)), np.concatenate((twist, qd))
    M, c = FLYER.mass_matrix(q_all), FLYER.bias_torque(q_all, qd_all)
    S_ab = M[6:, :6] @ np.linalg.inv(M[:6, :6])
    inertia = M[6:, 6:] - (S_ab @ M[:6, 6:] if base == 'free' else 0.0)
    g = FLYER.gravity_torque(q_all)[6:]
    expected = {
        'feedback': inertia @ (wanted(q, qd, reference, gains) - reference[2]),
        'inertia': inertia @ reference[2],
        'gravity': g,
        'coriolis': c[6:] - g,
        'other': -S_ab @ c[:6] if base == 'free' else M[6:, :6] @ acceleration,
        'friction': terms_of(law_class('computed_torque')(ARM), q, qd, reference, gains)[
            'friction'
        ],
    }
    size = sum(np.abs(each).max() for each in expected.values()) + np.abs(c).max()
    for name, torque in expected.items():
        agree(terms[name], torque, size, 10.0 * solve_tolerance(M))


def test_gravity_is_that_of_the_attitude_of_the_base():
    """A fixed arm under gravity turned into axes of the base."""
    law, (pose, _, _) = law_of('moved')
    q, qd, reference, gains = lagging(ARM)
    turned = ARM.with_gravity(from_quaternion(*pose[3:]).T @ ARM.model.gravity)
    expected = turned.gravity_torque(q)
    agree(terms_of(law, q, qd, reference, gains)['gravity'], expected)
    assert np.abs(ARM.gravity_torque(q) - expected).max() > 1e-2 * np.abs(expected).max()


def test_on_a_base_at_rest_it_is_computed_torque():
    """This holds before the first state of the base."""
    arguments = lagging(ARM)
    mine = terms_of(FloatingBaseComputedTorque(ARM), *arguments)
    plain = terms_of(law_class('computed_torque')(ARM), *arguments)
    size = max(np.abs(torque).max() for torque in plain.values())
    for name, torque in plain.items():
        agree(mine[name], torque, size)


def test_a_silent_base_is_a_fault():
    """After `timeout` without a state; a state, or 0 for the timeout, ends the wait."""
    law, state = law_of('moved')
    law.period = 0.04
    arguments = lagging(ARM)
    terms_of(law, *arguments)
    terms_of(law, *arguments)
    with pytest.raises(RobodynError, match='no state of the base for 0.12 s; expected one every'):
        terms_of(law, *arguments)
    law.set_base(*state)
    terms_of(law, *arguments)
    law.values[0] = 0.0
    for _ in range(5):
        terms_of(law, *arguments)


def test_impossible_bases_are_refused():
    with pytest.raises(ParameterError, match="got 'ship'; expected 'free' or 'moved'"):
        FloatingBaseComputedTorque(ARM, 'ship')
    with pytest.raises(ParameterError, match="whose link 'base_link' has no mass; expected one"):
        FloatingBaseComputedTorque(TWO_LINK, 'free')
    law, (pose, twist, _) = law_of('moved')
    for wrong in ((pose[:6], twist), (pose, twist * np.nan), (pose, twist[:3])):
        with pytest.raises(ShapeError, match='expected 7, 6 and 6 finite numbers'):
            law.set_base(*wrong)
    with pytest.raises(ShapeError, match='quaternion of length 2; expected 1'):
        law.set_base(np.array([0.0] * 6 + [2.0]), twist)
