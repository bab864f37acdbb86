# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a defective recording looks like is told, with the joints; a good one gives no warning."""

import json
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.cli import identify as command
from robodyn_ros.errors import ParameterError, ShapeError, SingularityError
from robodyn_ros.identification import Fourier, identify, read_csv, recording_defects, write_csv
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.robot.robot import Robot
from support.robots.families import FAMILIES

from .conftest import FRANKA, ROOT
from .simulated import another, motion_of, recorded

pytest.importorskip('scipy', reason='filtering a recording needs scipy')

TWO_LINK, UR = (str(ROOT / 'config' / 'urdf' / f'{name}.urdf') for name in ('two_link', 'ur_like'))
CUTOFF = 5.0


class Case:
    """A described arm, the arm that moves, and its recording."""

    def __init__(self, path):
        self.robot = Robot.from_urdf(path)
        self.true, self.motion = another(self.robot), motion_of(self.robot)
        self.good = recorded(self.true, self.motion)

    def defects(self, recording, **options):
        """Return [(kind, joints, size)] of a recording."""
        found = recording_defects(self.robot, recording, CUTOFF, **options)
        assert all(each.sentence.isprintable() and 'expected' in each.sentence for each in found)
        return [(each.kind, each.joints, each.size) for each in found]


@pytest.fixture(scope='module')
def two():
    """Return an arm of two joints."""
    return Case(TWO_LINK)


@pytest.fixture(scope='module')
def ur():
    """Return an arm of six joints."""
    return Case(UR)


def scaled(*factors):
    """Return the change of a recording whose efforts have factors."""
    return lambda case, good: replace(good, tau=good.tau * factors)


def turned(*factors, both=False):
    """Return the change of a recording whose positions have factors, and efforts, too."""
    return lambda case, good: replace(
        good, q=good.q * factors, tau=good.tau * factors if both else good.tau
    )


def ordered(*order, q=False, tau=False):
    """Return the change of a recording with another order of columns."""
    return lambda case, good: replace(
        good, q=good.q[:, order] if q else good.q, tau=good.tau[:, order] if tau else good.tau
    )


def late(samples, joints=slice(None)):
    """Return the change of a recording whose efforts are later."""

    def change(case, good):
        tau = good.tau[samples:].copy()
        tau[:, joints] = good.tau[:-samples, joints]
        return replace(good, q=good.q[samples:], tau=tau)

    return change


def early(samples):
    """Return the change of a recording whose efforts are earlier."""
    return lambda case, good: replace(good, q=good.q[:-samples], tau=good.tau[samples:])


def shifted(*shares):
    """Return the change of a recording whose efforts are shifted by shares of the largest."""
    return lambda case, good: replace(good, tau=good.tau + shares * np.abs(good.tau).max(axis=0))


def cut(case, good):
    """Return the recording of sensors that reach 70 % of the efforts."""
    most = 0.7 * np.abs(good.tau).max(axis=0)
    return replace(good, tau=np.clip(good.tau, -most, most))


def weightless(case, good):
    """Return the recording of a driver that compensates gravity, and does not report it."""
    still = np.zeros_like(good.q)
    return replace(good, tau=good.tau - case.true.inverse_dynamics(good.q, still, still))


def frozen(case, good):
    """Return the recording of a sensor that delivers one position for 0.2 s."""
    q, k = good.q.copy(), len(good.q) // 3
    q[k : k + 40, 1] = q[k, 1]
    return replace(good, q=q)


def stuck(case, good):
    """Return the recording of a sensor that delivers the first position only."""
    q = good.q.copy()
    q[:, 1] = q[0, 1]
    return replace(good, q=q)


def stepped(case, good):
    """Return the recording of efforts in steps as large as they are."""
    step = 1.2 * good.tau[:, 1].std()
    return replace(
        good, tau=np.column_stack((good.tau[:, 0], step * np.round(good.tau[:, 1] / step)))
    )


def dead(case, good):
    """Return the recording of an effort that is not measured."""
    return replace(good, tau=good.tau * (1.0, 0.0))


BOTH = ('joint1', 'joint2')
#: Change, kind, joints, and size to 10 %.
OF_TWO = {
    'sign of the first': (scaled(-1.0, 1.0), 'sign', BOTH[:1], -1.0),
    'sign of the second': (scaled(1.0, -1.0), 'sign', BOTH[1:], -1.0),
    'all signs': (scaled(-1.0, -1.0), 'sign', BOTH, -1.0),
    'mA': (scaled(1000.0, 1000.0), 'factor', BOTH, 1000.0),
    'behind a gear of 100': (scaled(0.01, 1.0), 'factor', BOTH[:1], 0.01),
    'twice': (scaled(1.0, 2.0), 'factor', BOTH[1:], 2.0),
    'order of efforts': (ordered(1, 0, tau=True), 'order', BOTH, None),
    'order of positions': (ordered(1, 0, q=True), 'position order', BOTH, None),
    'names': (ordered(1, 0, q=True, tau=True), 'names', BOTH, None),
    'degrees': (turned(180 / np.pi, 180 / np.pi), 'units', BOTH, np.pi / 180),
    'encoder of the first': (turned(-1.0, 1.0), 'position sign', BOTH[:1], -1.0),
    'axis of the second': (turned(1.0, -1.0, both=True), 'axis', BOTH[1:], -1.0),
    'without gravity': (weightless, 'without gravity', BOTH, None),
    'one sample late': (late(1), 'delay', BOTH, 0.005),
    'ten samples late': (late(10), 'delay', BOTH, 0.05),
    'three samples early': (early(3), 'delay', BOTH, -0.015),
    'one joint late': (late(3, 1), 'delay', BOTH[1:], 0.015),
    'offset': (shifted(0.0, 0.1), 'offset', BOTH[1:], None),
    'clipped': (cut, 'clipped', BOTH, None),
    'frozen': (frozen, 'frozen', BOTH[1:], 0.2),
    'stuck': (stuck, 'still', BOTH[1:], None),
    'steps': (stepped, 'steps', BOTH[1:], None),
    'dead': (dead, 'constant', BOTH[1:], None),
}


def joints_by_kind(found):
    """Return {kind: joints} of defects, where each joint may have one of its own."""
    return {
        kind: tuple(j for k, joints, _ in found if k == kind for j in joints) for kind, *_ in found
    }


@pytest.mark.parametrize('name', OF_TWO)
def test_a_defect_is_told_with_its_joints(two, name):
    """And nothing else is."""
    change, kind, joints, size = OF_TWO[name]
    found = two.defects(change(two, two.good))
    assert joints_by_kind(found) == {kind: joints}
    if size is not None:
        assert found[0][2] == pytest.approx(size, rel=0.1)


@pytest.mark.parametrize(
    'change, kind, joints',
    [
        (scaled(-1, 1, -1, 1, 1, -1), 'sign', (0, 2, 5)),
        (scaled(1, 1, 1, 0.3, 1, 1), 'factor', (3,)),
        (ordered(5, 0, 1, 2, 3, 4, tau=True), 'order', range(6)),
        (ordered(0, 2, 1, 3, 4, 5, q=True, tau=True), 'names', (1, 2)),
        (weightless, 'without gravity', range(6)),
        (late(2), 'delay', range(6)),
        (shifted(0, 0, 0.1, 0, -0.2, 0), 'offset', (4, 2)),
    ],
)
def test_defects_of_six_joints(ur, change, kind, joints):
    """The joints are named in the order in which they are certain."""
    found = ur.defects(change(ur, ur.good))
    names = {ur.robot.joint_names[j] for j in joints}
    assert {k: {*each} for k, each in joints_by_kind(found).items()} == {kind: names}


@pytest.mark.parametrize('name', ['one_slide', 'locked'])
def test_signs_that_gravity_does_not_show(name):
    """A slide has one weight everywhere, and some joints of an arm have none: friction tells."""
    robot = FAMILIES[name].robot
    motion = Fourier(
        np.zeros(robot.nv), *np.random.default_rng(5).normal(size=(2, robot.nv, 4)), 6.0
    )
    good = recorded(another(robot, 0.2, 0.3), motion)
    assert recording_defects(robot, good, CUTOFF) == ()
    (defect,) = recording_defects(robot, replace(good, tau=-good.tau), CUTOFF)
    assert (defect.kind, defect.joints) == ('sign', robot.joint_names)


def test_another_mounting_is_told(two):
    """A robot on a wall has gravity along another axis of its base."""
    wall = Robot(two.true.model.with_gravity((9.81, 0.0, 0.0)))
    ((kind, joints, _),) = two.defects(recorded(wall, two.motion))
    assert (kind, joints) == ('gravity', BOTH)


@pytest.mark.parametrize(
    'path, noise, rate, cutoff',
    [
        (TWO_LINK, 0.0, 100.0, 3.0),
        (TWO_LINK, 0.05, 400.0, 6.0),
        (UR, 0.0, 400.0, 5.0),
        (UR, 0.02, 100.0, 3.0),
        (FRANKA, 0.005, 400.0, 6.0),
        (FRANKA, 0.05, 100.0, 3.0),
    ],
)
def test_good_recordings_give_no_warning(path, noise, rate, cutoff):
    """Whatever their noise; efforts that a motor holds are half a sample early."""
    case = Case(path)
    good = recorded(case.true, case.motion, noise, rate, seed=int(rate))
    assert recording_defects(case.robot, good, cutoff) == ()
    tau = 0.5 * (good.tau[1:] + good.tau[:-1])
    assert recording_defects(case.robot, replace(good, q=good.q[1:], tau=tau), cutoff) == ()


def test_a_recording_of_the_simulator_gives_no_warning(franka, recording):
    """It has dry friction that sticks, and a controller."""
    assert recording_defects(franka, recording, CUTOFF) == ()


def test_rotors_that_the_description_lacks(two):
    """They are told, and `rotors=True` is the remedy."""
    true = Robot(two.true.model.with_joint_values(ROTOR, (0.0, 0.5)))
    geared = recorded(true, two.motion)
    ((kind, joints, size),) = two.defects(geared)
    assert (kind, joints) == ('rotor', ('joint2',)) and size == pytest.approx(0.5, rel=0.02)
    assert two.defects(geared, rotors=True) == []


def test_reversed_efforts_are_told_and_not_a_trust(two):
    """Negative masses are far from all possible bodies, and that is not the sentence to read."""
    found = identify(two.robot, replace(two.good, tau=-two.good.tau), CUTOFF)
    assert [each.kind for each in found.defects] == ['sign']
    assert found.consistent is None
    with pytest.raises(SingularityError, match='as the recording has defects; expected a recor'):
        found.robot()


@pytest.mark.parametrize(
    'name', ['frozen', 'stuck', 'steps', 'dead', 'clipped', 'sign of the first', 'degrees']
)
def test_a_defect_is_told_from_a_file_with_irregular_times(two, tmp_path, name):
    """Whose samples are interpolated: times differ from the grid by up to a fifth of a period."""
    change, kind, joints, _ = OF_TWO[name]
    good, path = two.good, tmp_path / 'motion.csv'
    jitter = np.random.default_rng(3).uniform(-0.2, 0.2, len(good.time)) / good.rate
    time = good.time + jitter
    q, tau = (
        np.stack([np.interp(time, good.time, column) for column in values.T], axis=1)
        for values in (good.q, good.tau)
    )
    bad = change(two, replace(good, q=q, tau=tau))
    write_csv(path, two.robot.joint_names, time, bad.q, bad.tau)
    found = [each[:2] for each in two.defects(read_csv(path, two.robot.joint_names))]
    assert kind in [each[0] for each in found], found
    assert sorted({each for of, names in found if of == kind for each in names}) == [*joints]


@pytest.mark.parametrize('trust', [0.0, -1.0, np.nan, np.inf])
def test_a_trust_that_is_none_is_refused(two, trust):
    with pytest.raises(ParameterError, match=f'trust is {trust}; expected a finite number above'):
        identify(two.robot, two.good, CUTOFF, trust=trust)


def test_a_cutoff_that_is_none_is_refused_as_it_was_given(two):
    with pytest.raises(ParameterError, match='cutoff is -1 Hz for samples at 200 Hz'):
        identify(two.robot, two.good, -1.0)
    with pytest.raises(ShapeError, match='expected at least 6e.11 for a cutoff of 1e-09 Hz'):
        identify(two.robot, two.good, 1e-9)


def test_a_joint_that_was_not_moved_is_named(two):
    """Where no equation is left, the error says why."""
    q = two.good.q.copy()
    q[:, 1] = 0.3
    with pytest.raises((ShapeError, SingularityError), match='joint2: the position stays within'):
        identify(two.robot, replace(two.good, q=q), CUTOFF)


def test_no_robot_is_written_from_a_defective_recording_without_force(two, tmp_path, capsys):
    """The command tells the defect on stderr and in the JSON file; --force writes all files."""
    bad = late(4)(two, two.good)
    path, out = tmp_path / 'motion.csv', tmp_path / 'out'
    write_csv(path, two.robot.joint_names, bad.time, bad.q, bad.tau)
    arguments = ['fit', TWO_LINK, str(path), '-o', str(out)]
    assert command.main(arguments) == 1
    printed = capsys.readouterr()
    assert 'delay of joint1, joint2' in printed.err and '--force' in printed.err
    assert '20 ms later than the positions' in printed.out
    result = json.loads((out / 'identification.json').read_text())
    assert [each['kind'] for each in result['defects']] == ['delay']
    assert not list(out.glob('identified*'))
    assert command.main([*arguments, '--force']) == 0
    assert (out / 'identified.urdf').is_file()


def test_force_is_no_remedy_where_no_bodies_are_possible(two, tmp_path, capsys):
    """Then nothing can be written, and nobody is told to try."""
    path = tmp_path / 'motion.csv'
    write_csv(path, two.robot.joint_names, two.good.time, two.good.q, -two.good.tau)
    assert command.main(['fit', TWO_LINK, str(path), '-o', str(tmp_path / 'out')]) == 1
    told = capsys.readouterr().err
    assert told.strip().endswith('was not written; expected a recording without them')
