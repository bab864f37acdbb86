# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction at low speed: stiction and Stribeck velocity come back, or stay as described."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.cli import identify as command
from robodyn_ros.demonstration import identification_report, identify_demo
from robodyn_ros.errors import ParameterError
from robodyn_ros.identification import (
    Estimate,
    Parameters,
    base_parameters,
    consistent,
    identify,
    with_slow_passages,
)
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.model.layout import FRICTION, STICTION, STRIBECK_VELOCITY
from robodyn_ros.robot.robot import Robot

from .conftest import ROOT
from .simulated import another, motion_of, recorded, with_stribeck

pytest.importorskip('scipy', reason='filtering a recording needs scipy')

TRUE, COULOMB = (2.0, 0.8), (1.5, 0.7)


@pytest.fixture(scope='module')
def two():
    """Return an arm of two joints, without friction in its description."""
    return Robot.from_urdf(ROOT / 'config' / 'urdf' / 'two_link.urdf')


@pytest.fixture(scope='module')
def motion(two):
    """Return a motion of it."""
    return motion_of(two)


def written(found, column):
    """Return the values (nv,) of the robot that is written."""
    return found.robot().model.joint_values(column)


@pytest.mark.parametrize('described', [0.6, 1.5])
@pytest.mark.parametrize('velocity', [0.02, 0.05])
def test_stiction_and_its_velocity_come_back(two, motion, velocity, described):
    """At 0.5 % noise to 10 %, from a description whose velocity is wrong, and has no stiction.

    The errors are within four standard deviations, for two joints in four recordings.
    """
    arm = with_stribeck(two, (0.0, 0.0), described * velocity)
    true = with_stribeck(another(two), TRUE, velocity, COULOMB)
    found = identify(arm, recorded(true, with_slow_passages(arm, motion), periods=1), 5.0)
    assert found.defects == () and found.left_out == () and found.stribeck.few == {}
    np.testing.assert_allclose(written(found, STICTION), TRUE, rtol=0.1)
    np.testing.assert_allclose(written(found, STRIBECK_VELOCITY), velocity, rtol=0.1)
    np.testing.assert_allclose(written(found, FRICTION), COULOMB, rtol=0.03)
    away = np.abs(found.stribeck.velocities - velocity) / found.stribeck.deviations
    assert (away < 4.0).all()
    names = [f'{joint}.stiction' for joint in two.joint_names]
    places = [found.base.names.index(name) for name in names]
    away = np.abs(found.estimate.values[places] - TRUE) / found.estimate.deviations[places]
    assert (away < 4.0).all()


def test_stiction_of_a_simulated_arm(two, motion):
    """It sticks and slips, under a controller: to 10 %, or left out and as described."""
    arm = with_stribeck(two, (0.0, 0.0), 0.05)
    true = with_stribeck(another(two), TRUE, 0.05, COULOMB)
    recording = identify_demo.record(true, true, with_slow_passages(arm, motion), periods=1)
    found = identify(arm, recording, 5.0)
    assert found.defects == () and len(found.stribeck.joints) == 2
    np.testing.assert_allclose(written(found, STICTION), TRUE, rtol=0.1)


def test_a_fast_motion_leaves_stiction_as_described(two, motion):
    """Nothing is invented: each is left out by name, with what to record."""
    arm = with_stribeck(two, (0.0, 0.3), 0.02)
    true = with_stribeck(another(two), TRUE, 0.02, COULOMB)
    found = identify(arm, recorded(true, motion), 5.0)
    np.testing.assert_array_equal(written(found, STICTION), (0.0, 0.3))
    np.testing.assert_array_equal(written(found, STRIBECK_VELOCITY), 0.02)
    assert {each.name: each.nominal for each in found.left_out} == {
        'joint1.stiction': 0.0,
        'joint2.stiction': 0.3,
    }
    text = '\n'.join(identification_report.summary(found))
    for name in two.joint_names:
        assert f'{name}: the stiction is not determined' in text
    assert 'at 0.01 to 0.1 in both directions' in text and 'identify excite' in text


def test_no_stiction_is_invented_where_none_is(two, motion):
    """An arm without stiction has none in its files, and its Coulomb friction is right."""
    arm = with_stribeck(two, (0.0, 0.0), 0.05)
    true = with_stribeck(another(two), (0.0, 0.0), 0.05, COULOMB)
    found = identify(arm, recorded(true, with_slow_passages(arm, motion), periods=1), 5.0)
    np.testing.assert_array_equal(written(found, STICTION), 0.0)
    np.testing.assert_allclose(written(found, FRICTION), COULOMB, rtol=0.03)
    assert len(found.left_out) == 2


@pytest.mark.parametrize('exponent', [1.0, 2.0])
def test_exponential_curves(two, motion, exponent):
    """They vanish at high speed, where base parameters are usually sought: they are kept."""
    curve = {'stribeck_velocity': 0.03, 'stribeck_exponent': exponent}
    names = two.joint_names
    arm = two.extended.with_joint_friction({name: JointFriction(**curve) for name in names})
    true = another(two).extended.with_joint_friction(
        {
            name: JointFriction(coulomb=c, static=c + s, **curve)
            for name, c, s in zip(names, COULOMB, TRUE)
        }
    )
    found = identify(arm, recorded(true, with_slow_passages(arm, motion), periods=1), 5.0)
    np.testing.assert_allclose(written(found, STICTION), TRUE, rtol=0.1)
    np.testing.assert_allclose(found.stribeck.velocities, 0.03, rtol=0.1)


def test_slow_passages_are_slow_and_within_the_limits(two, motion):
    """From rest to rest, on from the periodic motion, with exact derivatives."""
    arm = with_stribeck(two, (0.0, 0.0), 0.05)
    slow = with_slow_passages(arm, motion)
    t = np.linspace(0.0, slow.period, 4001)
    q, qd, qdd = slow.at(t)
    np.testing.assert_allclose(q[[0, -1]], np.broadcast_to(motion.at([0.0])[0], (2, 2)), atol=1e-9)
    assert (q >= two.limits.lower).all() and (q <= two.limits.upper).all()
    # trapezoids of 6.5 ms: the error of the second derivative is below 1e-4 of the largest
    steps = np.diff(t)[:, None]
    for low, high in ((q, qd), (qd, qdd)):
        mean = 0.5 * (high[1:] + high[:-1]) * steps
        np.testing.assert_allclose(np.diff(low, axis=0), mean, atol=2e-3 * np.abs(mean).max())
    passage = np.abs(qd[t > motion.period])
    assert passage.max() <= 0.25 + 1e-12
    assert 0.25 < (passage < 0.05).mean() < 0.35
    assert with_slow_passages(two, motion) is motion


def test_weak_motors_have_shorter_passages(two, motion):
    """Efforts stay within 90 % of the limits; motors that cannot hold the start are refused."""
    arm = with_stribeck(two, (0.0, 0.0), 0.05)
    slow = with_slow_passages(arm, motion)
    t = np.linspace(motion.period, slow.period, 100)
    needed = np.abs(arm.inverse_dynamics(*slow.at(t)))
    least = np.maximum(needed[0], 0.9 * needed.max(axis=0)) / 0.9 + 1e-6

    def limited(effort):
        return Robot(replace(arm.model, limits=replace(arm.limits, effort=effort)))

    weak = with_slow_passages(limited(least), motion)
    assert np.abs(weak.speed).max() < np.abs(slow.speed).max()
    assert (np.abs(arm.inverse_dynamics(*weak.at(t))) <= 0.9 * least).all()
    with pytest.raises(ParameterError, match='slow passages'):
        with_slow_passages(limited(0.5 * needed[0]), motion)


def test_the_command_appends_the_passages(tmp_path, two):
    """For a robot with a friction file: 5 s and 20 s at 100 Hz."""
    curves = tmp_path / 'curves.yaml'
    curves.write_text('joint_friction: {joint1: {stribeck_velocity: 0.05}}')
    urdf = str(ROOT / 'config' / 'urdf' / 'two_link.urdf')
    options = ['--friction-file', str(curves), '--period', '5', '--trials', '3']
    assert command.main(['excite', urdf, *options, '-o', str(tmp_path)]) == 0
    table = np.genfromtxt(tmp_path / 'excitation.csv', delimiter=',', names=True)
    assert len(table) == 2501
    slow = table['time'] > 5.0
    assert 0.2 < np.abs(table['joint1velocity'][slow]).max() <= 0.25 + 1e-9
    np.testing.assert_array_equal(table['joint2velocity'][slow], 0.0)


def test_the_share_of_the_recording(two):
    """It goes to 1 for a precise estimate, and to 0 for one that says nothing."""
    parameters = Parameters(two)
    base = base_parameters(parameters)
    values = base.combination @ parameters.nominal
    values = np.where(values == 0.0, 0.1, values)
    share = {}
    for size in (1e-4, 1.0, 1e4):
        deviations = size * np.abs(values)
        estimate = Estimate(values, deviations, 1.0, 1.0, np.ones(1), np.diag(1.0 / deviations))
        share[size] = consistent(parameters, base, estimate).data_share
    bodies = np.array([not name.startswith('joint') for name in base.names])
    assert (share[1e-4] > 0.999).all() and (share[1e4][bodies] < 0.01).all()
    assert ((share[1.0] > share[1e4] - 1e-12) & (share[1.0] < share[1e-4]))[bodies].all()


def test_positions_without_noise(two, motion):
    """They leave no measure of the noise of velocities, and the stiction comes back anyway."""
    arm = with_stribeck(two, (0.0, 0.0), 0.05)
    true = with_stribeck(another(two), TRUE, 0.05, COULOMB)
    slow = with_slow_passages(arm, motion)
    exact = recorded(true, slow, noise=0.0, periods=1)
    exact = replace(exact, q=slow.at(exact.time)[0])
    np.testing.assert_allclose(written(identify(arm, exact, 5.0), STICTION), TRUE, rtol=0.02)
