# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the demonstration says of a machine that stands still, and of a law that is bad."""

import json

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import demo
from robodyn_ros.control.laws.law import TERMS as OF_LAW
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.demonstration import tracking_report
from robodyn_ros.demonstration.disturbance import Count, disturbances, undisturbed
from robodyn_ros.errors import RobodynError
from robodyn_ros.simulation.plant import Plant

PERIOD = 1e-3
REPORT = 1.0  # [s] from one report of a node on its loop to the next


@pytest.fixture
def simulate(monkeypatch):
    """Return a function that puts clockless runs in place of the two processes.

    simulate(stalls, enabled, live). stalls : times in seconds at which the controller stalls for
    0.2 s, for each run in turn. enabled : the active terms of computed torque. live : the
    exception of the run in real time.
    """
    experiment, in_lock_step = (
        pytest.importorskip(
            f'robodyn_ros.demonstration.{name}', reason='needs rclpy', exc_type=ImportError
        )
        for name in ('experiment', 'lock_step_experiment')
    )

    def install(stalls=(), enabled=(True,) * len(OF_LAW), live=None):
        stalls = iter(stalls)

        class Simulated:
            def __init__(self, urdf, controller, simulator, progress):
                self.robot, self.controller = Robot.from_urdf(urdf), controller

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

            def track(self, motion, joint_names):
                law = self.controller['law']
                if 'specialise' in self.controller and live:
                    raise live
                terms = enabled if law == 'computed_torque' else (True,) * len(OF_LAW)
                return track(experiment, self.robot, law, motion, next(stalls, ()), terms)

            def push(self, frame, force, duration):
                still = np.zeros((2, 7))
                return experiment.Record(
                    np.arange(2.0),
                    dict.fromkeys(('measured_position', 'measured_velocity'), still),
                    None,
                    status(),
                    1000,
                    0,
                    1.0,
                    0.1,
                    pushes=[(0.0, force(0.3))],
                )

        monkeypatch.setattr(experiment, 'Experiment', Simulated)
        monkeypatch.setattr(in_lock_step, 'LockStepExperiment', Simulated)
        monkeypatch.setattr(demo, '_picture', lambda *_: None)
        monkeypatch.setattr(demo, '_recording', lambda *_: None)

    return install


def status():
    from robodyn_msgs.msg import ControllerStatus

    return ControllerStatus(compute_p50=50.0)


def track(experiment, robot, mode, motion, stalls, enabled):
    """The Record of a law on its own model, which stands still now and then, without torque."""
    values, limits = demo.gains(robot, mode), robot.limits
    supervisor = Supervisor(
        robot,
        law_class(mode)(robot),
        Settings(
            period=PERIOD,
            enabled=enabled,
            effort_limits=limits.effort,
            state_timeout=1.0,
            gains=[
                [values[f'gains.{joint}.{kind}'] for joint in robot.joint_names] for kind in 'pd'
            ],
            effort_rate=np.full(robot.nv, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
            max_start_error=1.0,
            position_jump=10.0,
            overspeed=10.0,
            following_action='warn',
            robot_compensates_gravity=False,
        ),
    )
    plant = Plant(robot, position=motion.centre)
    knots = np.arange(0.1, motion.duration + 0.05, 0.1)
    supervisor.measure(plant.q, plant.qd, 0.0)
    assert supervisor.activate(0.0) == ''
    supervisor.tick(0.0)
    assert supervisor.follow(Trajectory(knots, *motion.at(knots)), 0.0) == ''
    told, seen, missed, counts = [], [], 0, [Count(0.0, 0, 0)]
    for k in range(1, round(motion.duration / PERIOD) + 1):
        now = k * PERIOD
        if any(begin < now <= begin + 0.2 for begin in stalls):
            missed += 1
            plant.step(np.zeros(robot.nv), PERIOD)
        else:
            supervisor.measure(plant.q, plant.qd, now)
            supervisor.tick(now)
            plant.step(supervisor.command, PERIOD)
        told.append(supervisor.reference[0].copy())
        seen.append(plant.q.copy())
        if k % round(REPORT / PERIOD) == 0:
            counts.append(Count(now, k - missed, missed))
    return experiment.Record(
        PERIOD * np.arange(1, len(told) + 1),
        {'reference_position': np.array(told), 'measured_position': np.array(seen)},
        None,
        status(),
        len(told) - missed,
        missed,
        motion.duration,
        0.1,
        disturbances({'controller': counts}),
    )


def run(tmp_path, capsys, *arguments):
    """Exit code, report and what was printed, on one line."""
    code = demo.main(['--duration', '6', '--output', str(tmp_path), *arguments])
    return (
        code,
        json.loads((tmp_path / 'report.json').read_text()),
        ' '.join(capsys.readouterr().out.split()),
    )


def test_a_good_law_is_shown_and_the_machine_is_judged(simulate, tmp_path, capsys):
    simulate()
    code, report, printed = run(tmp_path, capsys)
    assert code == demo.SHOWN and report['clock'] == 'in lock step on simulated time'
    assert report['real_time']['missed'] == 0
    assert '0 % of 10 000 cycles missed: good enough to try with a robot' in printed


def test_a_machine_that_fails_in_real_time_does_not_fail_the_command(simulate, tmp_path, capsys):
    simulate(live=RobodynError('the controller is in FAULT.\n--- controller'))
    code, report, printed = run(tmp_path, capsys)
    assert code == demo.SHOWN
    assert report['real_time'] == {
        'sentence': 'The run in real time stopped: the controller is in FAULT.'
    }
    assert 'The run in real time stopped' in printed


@pytest.mark.parametrize(
    ('missed', 'sentence'),
    [
        (0, '0 % of 10 000 cycles missed: good enough to try with a robot'),
        (300, '3 % of 10 000 cycles missed: good enough for a demonstration, not for a robot'),
        (2000, '20 % of 10 000 cycles missed: too busy for a control loop'),
    ],
)
def test_a_machine_is_judged_by_the_cycles_it_missed(simulate, missed, sentence):
    from robodyn_ros.demonstration.experiment import Record

    still = dict.fromkeys(('reference_position', 'measured_position'), np.zeros((2, 7)))
    record = Record(np.arange(2.0), still, None, status(), 10_000 - missed, missed, 10.0, 0.1)
    names = [f'joint{k}' for k in range(7)]
    found = tracking_report.real_time_figures(record, names)
    assert found['sentence'].startswith(sentence) and 'doc/benchmarks.md' in found['sentence']


def test_a_stall_in_real_time_is_named_and_not_judged(simulate, tmp_path, capsys):
    """Pd, pd_gravity, then computed torque, which is disturbed."""
    simulate([(), (), (3.0,)])
    code, report, printed = run(tmp_path, capsys, '--real-time')
    assert code == demo.SHOWN and report['real_time'] is None
    assert 'the controller missed 200 of 1000 cycles between 3.0 and 4.0 s' in printed
    numbers = report['modes']['computed_torque']
    calm, whole = numbers['undisturbed'], numbers['rms_error_all_rad']
    # where reports are one second apart, one of them and the second after it are left out
    assert calm['share'] == pytest.approx(4.0 / 6.0, abs=0.01)
    assert report['modes']['pd']['rms_error_all_rad'] / whole < tracking_report.WANTED_RATIO
    assert calm['rms_error_all_rad'] < 0.1 * whole


@pytest.mark.parametrize('arguments', [(), ('--real-time',)])
def test_a_bad_law_fails(simulate, arguments, tmp_path, capsys):
    """Computed torque without its gravity term is no better than PD."""
    simulate(enabled=[name != 'gravity' for name in OF_LAW])
    code, report, printed = run(tmp_path, capsys, *arguments)
    assert code == demo.NOT_SHOWN
    assert report['computed_torque_against_pd']['reached'] is False
    assert 'expected were at least 20 times' in printed


def test_a_machine_too_busy_to_judge_in_real_time_is_no_success(simulate, tmp_path, capsys):
    """It fails although the law is good; the sentence states the computing time."""
    simulate([(), (), (0.5, 2.5, 4.5)])
    code, report, printed = run(tmp_path, capsys, '--real-time')
    assert code == demo.NOT_JUDGED
    assert report['computed_torque_against_pd'] == {
        'ratio': None,
        'reached': None,
        'wanted': tracking_report.WANTED_RATIO,
    }
    assert 'Not judged' in printed and '50 us' in printed


def test_root_mean_squares_are_exactly_rounded_sums():
    """Whatever order the numbers come in."""
    values = np.random.default_rng(0).normal(size=(1000, 7)) * 10.0 ** np.arange(-9, 5, 2)
    shuffled = np.random.default_rng(1).permutation(values.ravel())
    assert tracking_report.root_mean_square(values) == tracking_report.root_mean_square(shuffled)
    assert tracking_report.root_mean_square(values) == pytest.approx(
        np.sqrt(np.mean(values**2)), rel=1e-14
    )


def test_disturbances_are_those_of_more_than_a_twentieth():
    """Of the cycles due between two reports, of either node, in order of time."""
    found = disturbances(
        {
            'controller': [Count(0.0, 500, 7), Count(1.0, 1450, 57), Count(2.0, 2399, 108)],
            'simulator': [Count(-0.5, 0, 0), Count(0.5, 900, 100)],
        }
    )
    assert [(each.node, each.begin, each.missed, each.due) for each in found] == [
        ('simulator', -0.5, 100, 1000),
        ('controller', 1.0, 51, 1000),
    ]
    assert str(found[0]) == 'the simulator missed 100 of 1000 cycles between 0.0 and 0.5 s'
    time = np.arange(-0.3, 5.0, 0.5)
    assert time[undisturbed(time, found)].min() == pytest.approx(3.2)
    assert undisturbed(time, ()).all()


def test_a_disturbance_that_goes_on_is_one():
    found = disturbances(
        {
            'controller': [
                Count(-2.0, 0, 0),
                Count(-1.0, 800, 200),
                Count(0.5, 1500, 500),
                Count(1.5, 2500, 500),
                Count(2.5, 3300, 700),
            ],
            'simulator': [Count(-1.0, 0, 0), Count(0.0, 500, 500), Count(1.0, 1500, 500)],
        }
    )
    assert found == (
        ('controller', -2.0, 0.5, 500, 2000),
        ('simulator', -1.0, 0.0, 500, 1000),
        ('controller', 1.5, 2.5, 200, 1000),
    )
    assert [str(each).partition(' cycles ')[2] for each in found] == [
        'between 0.0 and 0.5 s',
        'just before the start',
        'between 1.5 and 2.5 s',
    ]
