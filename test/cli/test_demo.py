# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: its comparison without clocks, and the whole of it as its user runs it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli.demo import DURATION, MODES, SHOWN, URDF, gains
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.demonstration.tracking_report import WANTED_RATIO
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.simulation.plant import Plant
from support.patience import PATIENCE

PERIOD = 1e-3
#: Ten seconds of a processor.
BUSY = 'import time\nwhile time.process_time() < 10.0: pass'
LATE = 180.0  # [s] for what would never come, on a busy machine


def test_files_are_found_where_pip_installs_them(monkeypatch, tmp_path):
    path = tmp_path / 'share' / 'robodyn_ros' / URDF
    path.parent.mkdir(parents=True)
    path.touch()
    place = tmp_path / 'lib' / 'x' / 'y' / 'z'
    monkeypatch.setattr('robodyn_ros.model.sources.examples.__file__', str(place))
    assert package_file(URDF) == path


def rms_error(robot, mode, motion):
    """RMS tracking error [rad] of a law on its own model, cycle by cycle, without a clock."""
    law, values = law_class(mode)(robot), gains(robot, mode)
    limits = robot.limits
    supervisor = Supervisor(
        robot,
        law,
        Settings(
            period=PERIOD,
            enabled=[True] * len(TERMS),
            effort_limits=limits.effort,
            gains=[
                [values[f'gains.{joint}.{kind}'] for joint in robot.joint_names] for kind in 'pd'
            ],
            effort_rate=np.full(robot.nv, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
            max_start_error=1.0,
            robot_compensates_gravity=False,
        ),
    )
    plant = Plant(robot, position=motion.centre)
    knots = np.arange(0.1, motion.duration + 0.05, 0.1)
    trajectory = Trajectory(knots, *motion.at(knots))
    errors, cycles = [], round(motion.duration / PERIOD)
    for cycle in range(-20, cycles):
        now = 100.0 + cycle * PERIOD
        supervisor.measure(plant.q, plant.qd, now)
        if cycle == -10:
            assert supervisor.activate(now) == ''
        if cycle == 0:
            assert supervisor.follow(trajectory, now) == ''
        supervisor.tick(now)
        plant.step(supervisor.command, PERIOD)
        if cycle > 0:
            errors.append(supervisor.reference[0] - plant.q)
    return np.sqrt(np.mean(np.square(errors)))


def test_computed_torque_tracks_better_than_pd_by_the_factor_that_is_demanded():
    robot = Robot.from_urdf(package_file(URDF))
    motion = swaying_motion(robot.limits, 6.0)
    of_pd, of_pd_gravity, of_computed_torque = (rms_error(robot, mode, motion) for mode in MODES)
    assert of_computed_torque < of_pd_gravity < of_pd
    assert of_pd / of_computed_torque >= WANTED_RATIO


@pytest.mark.parametrize('duration', [5.0, DURATION])
def test_what_is_sent_rests_on_no_last_bit(duration):
    """A number far enough from a tie is rounded to the same digits wherever it is computed."""
    motion = swaying_motion(Robot.from_urdf(package_file(URDF)).limits, duration)
    numbers = np.concatenate([x.ravel() for x in motion.at(0.1 * np.arange(1, 10 * duration + 1))])
    scaled = 1e9 * numbers
    off_tie = np.abs(scaled - np.floor(scaled) - 0.5)
    assert off_tie.min() > 16.0 * np.spacing(np.abs(scaled).max())


@pytest.mark.ros
@pytest.mark.slow
def test_the_demonstration_reports_the_same_figures_beside_busy_loops(tmp_path, node_environment):
    """A short one, of which every figure but those of clocks is known to the last bit.

    Three loops take the processors from the start on, until each has had its time.
    """
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
    from support.demonstration_figures import PAGE, figures

    loops = [subprocess.Popen([sys.executable, '-c', BUSY]) for _ in range(3)]
    try:
        done = subprocess.run(
            [sys.executable, '-m', 'robodyn_ros', 'demo', '--output', str(tmp_path)]
            + ['--duration', '5'],
            env=node_environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert done.returncode == SHOWN, done.stdout + done.stderr
    report = json.loads((tmp_path / 'report.json').read_text())
    assert figures(report) == json.loads(PAGE.read_text())
    assert tuple(report['modes']) == MODES
    for mode in MODES:
        numbers = report['modes'][mode]
        assert set(numbers['rms_error_rad']) == set(report['joints'])
        assert set(numbers['max_error_rad']) == set(report['joints'])
        assert all(
            0.0 < numbers['rms_error_rad'][joint] <= numbers['max_error_rad'][joint]
            for joint in report['joints']
        )
        assert (numbers['samples'], numbers['loop']['cycles']) == (1000, 5000)
        assert not numbers['disturbances']
    errors = [report['modes'][mode]['rms_error_all_rad'] for mode in ('pd', 'computed_torque')]
    found = report['computed_torque_against_pd']
    assert found['ratio'] == errors[0] / errors[1] >= WANTED_RATIO
    assert report['real_time']['sentence']
    assert max(report['gravity_compensation']['displacement_rad']) > 0.05
    assert (tmp_path / 'tracking.png').read_bytes().startswith(b'\x89PNG')
    assert (tmp_path / 'tracking.mcap').read_bytes().startswith(b'\x89MCAP')


def _lives(pid):
    """Whether a process runs; one whose parent has not asked how it ended does not."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


@pytest.mark.ros
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_nodes_end_with_the_demonstration(number, tmp_path, node_environment):
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
    demo = subprocess.Popen(
        [sys.executable, '-m', 'robodyn_ros', 'demo', '--output', str(tmp_path)],
        env=node_environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    children = Path(f'/proc/{demo.pid}/task/{demo.pid}/children')
    try:
        deadline = time.monotonic() + LATE
        while len(nodes := children.read_text().split()) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(nodes) == 2
        demo.send_signal(number)
        code = demo.wait(LATE)
        if number == signal.SIGKILL:  # the nodes end by themselves, after it
            assert code == -number
            deadline = time.monotonic() + LATE
            while any(map(_lives, nodes)) and time.monotonic() < deadline:
                time.sleep(0.1)
        else:
            assert code == 128 + number
        assert not any(map(_lives, nodes))
    finally:
        demo.kill()
