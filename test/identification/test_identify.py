# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a motion to parameters: limits, filters, files, and the simulated arm."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.cli import identify as command
from robodyn_ros.demonstration import identify_demo
from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.identification import (
    Fourier,
    Parameters,
    base_parameters,
    excite,
    identify,
    is_possible,
    read_csv,
    resampled,
    signals,
    write_csv,
)
from robodyn_ros.identification.excitation import MARGIN
from robodyn_ros.identification.joint_state_bag import TYPE, read_bag
from robodyn_ros.robot.robot import Robot

from .conftest import FRANKA, PERIOD

pytest.importorskip('scipy', reason='filtering a recording needs scipy')


def test_excitation_keeps_the_limits(franka, excitation):
    """Position, velocity and effort stay within limits; it starts and ends at rest."""
    t = np.linspace(0.0, PERIOD, 1001)
    q, qd, qdd = excitation.motion.at(t)
    limits = franka.limits
    assert (q >= limits.lower).all() and (q <= limits.upper).all()
    assert (np.abs(qd) <= limits.velocity).all()
    assert (np.abs(franka.inverse_dynamics(q, qd, qdd)) <= limits.effort).all()
    np.testing.assert_array_equal(qd[[0, -1]], 0.0)  # so that friction has no sign there
    np.testing.assert_allclose(qdd[[0, -1]], 0.0, atol=1e-11)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-12)
    assert np.abs(qd).max() > 0.5 * MARGIN * limits.velocity.min()


def test_velocity_and_acceleration_are_differences_of_the_series(excitation):
    """Velocity and acceleration are the differences of positions."""
    t, h = np.linspace(0.0, PERIOD, 20), 1e-5
    _, qd, qdd = excitation.motion.at(t)
    before, after = excitation.motion.at(t - h), excitation.motion.at(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), qd, atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), qdd, atol=1e-6)


def test_search_improves_and_repeats(franka):
    """More trials give no worse a motion, and the same seed the same."""
    base = base_parameters(Parameters(franka))
    few, many, again = (excite(franka, base, trials=trials, seed=4) for trials in (3, 12, 12))
    assert many.condition <= few.condition
    assert np.array_equal(many.motion.a, again.motion.a)


@pytest.mark.filterwarnings('error')
def test_joints_without_limits_swing_about_zero(franka):
    """Or, where the range has one end, as near to zero as leaves room; and they do move."""
    from dataclasses import replace

    lower, upper = franka.limits.lower.copy(), franka.limits.upper.copy()
    lower[:2], upper[:2], lower[2], upper[2] = -np.inf, np.inf, 0.5, np.inf
    open_ = Robot(replace(franka.model, limits=replace(franka.limits, lower=lower, upper=upper)))
    motion = excite(open_, base_parameters(Parameters(open_)), trials=2).motion
    np.testing.assert_array_equal(motion.centre[:3], (0.0, 0.0, 0.5 + np.pi))
    q, _, _ = motion.at(np.linspace(0.0, 10.0, 101))
    assert (np.ptp(q, axis=0) > 0.1).all() and q[:, 2].min() > 0.5


def test_weak_motors_are_refused(franka):
    """Where even standing still takes more than the motors have, there is no motion."""
    from dataclasses import replace

    limits = replace(franka.limits, effort=np.full(7, 0.1))
    weak = Robot(replace(franka.model, limits=limits))
    with pytest.raises(ParameterError, match='effort limits'):
        excite(weak, base_parameters(Parameters(weak)), trials=2)


def test_filters_have_no_delay():
    """A slow sine and its derivatives come back where they were; a fast one is gone."""
    rate, t = 500.0, np.arange(5000) / 500.0
    w = 2.0 * np.pi
    clean = np.column_stack((np.sin(w * t), np.cos(2.0 * w * t)))
    noisy = clean + 0.1 * np.sin(2.0 * np.pi * 90.0 * t)[:, None]
    q, qd, qdd = signals.differentiated(noisy, rate, 10.0)
    middle = signals.thinned(rate, 10.0, len(t))
    np.testing.assert_allclose(q[middle], clean[middle], atol=1e-4)
    np.testing.assert_allclose(qd[middle, 0], w * np.cos(w * t)[middle], atol=1e-2)
    np.testing.assert_allclose(qdd[middle, 0], -w * w * np.sin(w * t)[middle], atol=2e-1)
    with pytest.raises(ParameterError, match='cutoff'):
        signals.lowpass(q, rate, 300.0)
    with pytest.raises(ShapeError, match='samples'):
        signals.lowpass(q[:20], rate, 1.0)


def test_steady_looks_as_far_as_the_filter():
    """A joint that stops for an instant does not count for half a period before and after."""
    qd = np.ones((400, 2))
    qd[200, 0] = 0.0
    used = signals.steady(qd, 100.0, 1.0, 0.05)
    assert np.array_equal(np.flatnonzero(~used[:, 0]), np.arange(150, 251))
    assert used[:, 1].all()


def test_simulated_arm_is_identified(franka, true, recording):
    """The parameters of an arm that is not as described come back, with the errors they claim.

    Bounds: all base parameters to 2 % by norm, from 14 % at first. 95 % of them are within 3
    standard deviations (99.7 % for normal errors). Torques on another motion agree to 0.5 %.
    """
    found = identify(franka, recording, cutoff=5.0)
    numbers = identify_demo.parameter_errors(true, found, PERIOD)
    assert numbers['described'] > 0.1 and numbers['torque described'] > 0.05
    assert numbers['identified'] < 0.02
    assert numbers['torque identified'] < 0.005
    assert numbers['within'] >= 0.95 * len(found.base)
    assert found.estimate.condition < 50.0
    rms = found.rms()
    assert (rms['estimate'] < 0.1 * rms['nominal']).all()
    ten = found.consistent.theta[:70].reshape(7, 10)
    assert all(is_possible(row) for row in ten)
    assert np.sqrt(np.mean(found.consistent.shift**2)) < 1.0


def test_weak_motion_of_an_arm_with_rounded_angles_claims_no_more_than_it_shows(franka):
    """Quarter turns written as 1.5708 add no parameter; what the motion hardly moves is left out.

    What is left is right to 0.3 of its physical size. Joints move by 0.1 rad, torques have noise
    of 0.1 N m.
    """
    text = Path(FRANKA).read_text()
    rounded = Robot.from_urdf(text.replace('1.5707963267948966', '1.5708'))
    true = identify_demo.true_robot(rounded)
    rng, t = np.random.default_rng(2), np.arange(0.0, 2.0 * PERIOD, 0.005)
    lower, upper = np.maximum(true.limits.lower, -np.pi), np.minimum(true.limits.upper, np.pi)
    motion = Fourier(0.5 * (lower + upper), *(0.1 * rng.normal(size=(2, 7, 3))), PERIOD)
    states, truth = motion.at(t), Parameters(true)
    tau = truth.regressor(*states) @ truth.nominal
    tau = tau + 0.1 * rng.normal(size=tau.shape)
    found = identify(rounded, resampled(t, states[0], tau), cutoff=5.0, trust=None)
    left_out = {each.name for each in found.left_out}
    names = base_parameters(Parameters(franka)).names
    assert {*found.base.names, *left_out} == {*names} and len(left_out) >= 10
    values = found.base.combination @ truth.nominal
    typical = np.linalg.norm(found.base.combination * found.parameters.sizes, axis=1)
    size = np.maximum(typical, np.abs(found.nominal_values))
    assert (np.abs(found.estimate.values - values) < 0.3 * size).all()
    assert (np.abs(found.estimate.values - values) < 3.0 * found.estimate.deviations).mean() > 0.95
    assert found.estimate.unscaled > found.estimate.condition


def test_rotor_inertias_are_identified_from_exact_torques(franka, true, excitation, rng):
    """Rotor inertias that the description leaves out are found, given exact torques."""
    rotors = Robot(true.model.with_joint_values(22, rng.uniform(0.1, 0.5, 7)))
    t = np.arange(0.0, 2.0 * PERIOD, 0.002)
    states = excitation.motion.at(t)
    truth = Parameters(rotors, rotors=True)
    tau = truth.regressor(*states) @ truth.nominal
    found = identify(franka, resampled(t, states[0], tau), cutoff=10.0, rotors=True)
    expected = found.base.combination @ truth.nominal
    named = [k for k, name in enumerate(found.base.names) if name.endswith('.rotor')]
    assert len(named) >= 5
    np.testing.assert_allclose(found.estimate.values[named], expected[named], rtol=0.02)


def test_known_rotors_are_taken_off(true, excitation, rng):
    """Rotor inertias in the description count, though they are not sought."""
    robot = Robot(true.model.with_joint_values(22, rng.uniform(0.1, 0.5, 7)))
    t = np.arange(0.0, 2.0 * PERIOD, 0.002)
    truth = Parameters(robot, rotors=True)
    states = excitation.motion.at(t)
    tau = truth.regressor(*states) @ truth.nominal
    found = identify(robot, resampled(t, states[0], tau), cutoff=10.0, trust=None)
    np.testing.assert_allclose(
        found.estimate.values, found.nominal_values, atol=0.01 * np.abs(found.nominal_values).max()
    )
    assert found.consistent is None


def test_a_recording_survives_csv(tmp_path, franka, recording):
    """What write_csv writes read_csv reads, whatever the order of the columns."""
    path, names = tmp_path / 'motion.csv', franka.joint_names
    write_csv(path, names, recording.time, recording.q, recording.tau)
    again = read_csv(path, names[::-1])
    assert again.rate == pytest.approx(recording.rate)
    np.testing.assert_allclose(again.q, recording.q[:, ::-1], atol=1e-7)
    np.testing.assert_allclose(again.tau, recording.tau[:, ::-1], atol=1e-6)


@pytest.mark.parametrize(
    'text, error, match',
    [
        ('', UnknownNameError, 'an empty file'),
        ('time,a.position\n0,1\n', UnknownNameError, 'a.effort'),
        ('time,a.position,a.effort\n0,1,2\n0.1,x,2\n', ShapeError, 'line 3'),
        ('time,a.position,a.effort\n0,1,2\n0.1,3\n', ShapeError, 'line 3'),
        ('time,a.position,a.effort\n0,1,2\n0.1,nan,2\n', ShapeError, 'sample 1'),
        ('time,a.position,a.effort\n0.2,1,2\n0.1,1,2\n', ShapeError, 'goes back'),
        ('time,a.position,a.effort\n0,1,2\n', ShapeError, 'at least two'),
        ('time,a.position,a.effort\n0,1,2\n0,1,2\n', ShapeError, 'gap'),
        ('time,a.position,a.effort\n0,1,2\n.1,1,2\n.2,1,2\n9,1,2\n', ShapeError, 'gap'),
    ],
)
def test_bad_recordings_are_refused(tmp_path, text, error, match):
    """A sentence names what is wrong, and where."""
    path = tmp_path / 'bad.csv'
    path.write_text(text)
    with pytest.raises(error, match=match):
        read_csv(path, ('a',))


def test_resampling_bridges_jitter():
    """Samples at uneven distances come onto an even grid."""
    rng = np.random.default_rng(0)
    time = np.arange(1000) * 0.01 + rng.uniform(-0.003, 0.003, 1000)
    again = resampled(time, np.sin(time)[:, None], np.cos(time)[:, None])
    grid = time[0] + again.time
    np.testing.assert_allclose(again.q[:, 0], np.sin(grid), atol=1e-4)
    assert again.rate == pytest.approx(100.0, rel=0.05)


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_a_bag_of_joint_states_is_the_recording(tmp_path, franka, recording, storage):
    """A rosbag2 of joint states is the recording, other devices' messages passed over."""
    path = bag(tmp_path, franka, recording, storage)
    again = read_bag(path, franka.joint_names)
    np.testing.assert_allclose(again.q, recording.q[:500], atol=1e-9)
    np.testing.assert_allclose(again.tau, recording.tau[:500], atol=1e-9)
    alone = read_bag(next(path.glob('bag.*')), franka.joint_names)
    assert np.array_equal(alone.q, again.q)
    with pytest.raises(UnknownNameError, match='/joint_states'):
        read_bag(path, franka.joint_names, '/elsewhere')
    with pytest.raises(UnknownNameError, match='names all of'):
        read_bag(path, ('nobody',))
    with pytest.raises(ParameterError, match='rosbag2'):
        read_bag(tmp_path / 'empty', franka.joint_names)


def bag(tmp_path, robot, recording, storage, samples=range(500)):
    """Write samples, by number, as a rosbag2, messages of a gripper in between."""
    rosbag2 = pytest.importorskip('rosbags.rosbag2', reason='needs the package rosbags')
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    State, Header, Time = (
        store.types[name] for name in (TYPE, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time')
    )
    path, names = tmp_path / 'bag', list(robot.joint_names[::-1])
    (tmp_path / 'empty').mkdir()
    plugin = {each.name.lower(): each for each in rosbag2.StoragePlugin}[storage]
    with rosbag2.Writer(path, version=9, storage_plugin=plugin) as writer:
        connection = writer.add_connection('/joint_states', TYPE, typestore=store)
        for k in samples:
            nano = 5_000_000_000 + round(1e9 * recording.time[k])
            header = Header(stamp=Time(sec=nano // 10**9, nanosec=nano % 10**9), frame_id='')
            none = np.zeros(0)
            for message in (
                State(
                    header=header,
                    name=names,
                    position=recording.q[k, ::-1].copy(),
                    velocity=none,
                    effort=recording.tau[k, ::-1].copy(),
                ),
                State(
                    header=header,
                    name=['finger'],
                    position=np.zeros(1),
                    velocity=none,
                    effort=none,
                ),
            ):
                writer.write(connection, nano, store.serialize_cdr(message, TYPE))
    return path


def test_missing_extras_are_reported(monkeypatch, tmp_path):
    """Without scipy and rosbags a sentence says what to install."""
    for name in ('scipy.signal', 'rosbags.rosbag2', 'rosbags'):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match='pip install scipy'):
        signals.lowpass(np.zeros((100, 1)), 100.0, 10.0)
    with pytest.raises(ParameterError, match='pip install rosbags'):
        read_bag(tmp_path, ('a',))


def test_command_fits_a_csv(tmp_path, franka, recording, capsys):
    """The command prints the table and writes numbers that are those of the library."""
    path = tmp_path / 'motion.csv'
    write_csv(path, franka.joint_names, recording.time, recording.q, recording.tau)
    assert command.main(['fit', FRANKA, str(path), '-o', str(tmp_path / 'out')]) == 0
    printed = capsys.readouterr().out
    assert 'link7.Ixx - link7.Iyy' in printed and 'condition number' in printed
    result = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    found = identify(franka, read_csv(path, franka.joint_names), cutoff=5.0)
    assert [entry['value'] for entry in result['base_parameters']] == pytest.approx(
        found.estimate.values
    )
    assert len(result['bodies']) == 7
    assert all(
        body['mass'] > 0.0 and np.linalg.eigvalsh(body['inertia'])[0] > 0.0
        for body in result['bodies'].values()
    )
    if 'matplotlib' in sys.modules:
        assert (tmp_path / 'out' / 'identification.png').stat().st_size > 1000


def test_command_fits_a_bag(tmp_path, franka, recording, capsys):
    """A rosbag2 (mcap) gives what a CSV of the same samples gives."""
    samples = np.arange(0, len(recording.q), 4)
    path = bag(tmp_path, franka, recording, 'mcap', samples)
    write_csv(
        tmp_path / 'motion.csv',
        franka.joint_names,
        recording.time[samples],
        recording.q[samples],
        recording.tau[samples],
    )
    values = {}
    for source in (path, tmp_path / 'motion.csv'):
        out = tmp_path / f'of_{source.suffix}'
        assert command.main(['fit', FRANKA, str(source), '-o', str(out)]) == 0
        result = json.loads((out / 'identification.json').read_text())
        values[source] = [entry['value'] for entry in result['base_parameters']]
    assert 'condition number' in capsys.readouterr().out
    by_bag, by_csv = map(np.array, values.values())
    np.testing.assert_allclose(by_bag, by_csv, atol=1e-3 * np.abs(by_csv).max())


def test_command_writes_an_excitation(tmp_path):
    """The motion comes as a CSV with three columns a joint."""
    assert command.main(['excite', FRANKA, '--trials', '3', '-o', str(tmp_path)]) == 0
    table = np.genfromtxt(tmp_path / 'excitation.csv', delimiter=',', names=True)
    assert len(table.dtype.names) == 22 and len(table) == 1001


def test_command_refuses_in_words(tmp_path, capsys):
    """A file that is not there is a sentence and exit code 1."""
    assert command.main(['fit', FRANKA, str(tmp_path / 'none.csv')]) == 1
    assert 'none.csv' in capsys.readouterr().err


def test_bodies_in_the_json_are_those_of_the_description(franka):
    """Mass, centre and inertia in link axes are what the description says, where it welds
    nothing on.
    """
    from robodyn_ros.model import urdf
    from robodyn_ros.model.urdf_writer import link_inertias

    found = link_inertias(franka.model)
    for link in urdf.parse(FRANKA).links:
        if link.name in ('link2', 'link4', 'link6'):
            mass, com, inertia = found[link.name]
            np.testing.assert_allclose(mass, link.inertial.mass)
            np.testing.assert_allclose(com, link.inertial.com, atol=1e-12)
            np.testing.assert_allclose(inertia, link.inertial.inertia, atol=1e-12)
