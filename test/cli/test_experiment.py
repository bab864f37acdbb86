# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an experiment makes of a FAULT: the arm's own, or that of a machine that stood still."""

import dataclasses
import os
import signal
import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros import Robot  # noqa: E402
from robodyn_ros.cli.demo import URDF, parameters  # noqa: E402
from robodyn_ros.demonstration.disturbance import ReferenceLost  # noqa: E402
from robodyn_ros.demonstration.experiment import Experiment  # noqa: E402
from robodyn_ros.demonstration.lock_step_experiment import LockStepExperiment  # noqa: E402
from robodyn_ros.demonstration.motion import swaying_motion  # noqa: E402
from robodyn_ros.errors import RobodynError  # noqa: E402
from robodyn_ros.model.sources.examples import package_file  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

pytestmark = pytest.mark.ros


@pytest.fixture
def weightless(monkeypatch, node_environment):
    """Return what makes an experiment with an arm without weight, whose nodes compile nothing."""
    for name, value in node_environment.items():
        monkeypatch.setenv(name, value)
    robot = Robot.from_urdf(package_file(URDF))
    controller, simulator = parameters(
        robot, 'gravity_compensation', swaying_motion(robot.limits, 6.0).centre
    )
    generic = {'specialise': False}
    return lambda kind: kind(package_file(URDF), controller | generic, simulator | generic)


def shove(experiment):
    """Push the arm until it runs away, which may take long on a busy machine."""
    return experiment.push('flange', lambda t: np.array((0.0, 300.0, 0.0)), PATIENCE)


def test_a_fault_of_its_own(weightless):
    """In lock step, where no machine is too busy."""
    with (
        pytest.raises(RobodynError, match='is in FAULT: A joint was faster') as caught,
        weightless(LockStepExperiment) as experiment,
    ):
        shove(experiment)
    assert not isinstance(caught.value, ReferenceLost)
    assert '--- controller' in str(caught.value)


def test_a_refused_trajectory_ends_the_run(monkeypatch, node_environment):
    for name, value in node_environment.items():
        monkeypatch.setenv(name, value)
    robot = Robot.from_urdf(package_file(URDF))
    motion = swaying_motion(robot.limits, 6.0)
    controller, simulator = parameters(robot, 'computed_torque', motion.centre)
    beyond = dataclasses.replace(motion, amplitude=5.0 * motion.amplitude)
    with (
        pytest.raises(RobodynError, match='refuses the trajectory: .*: joint joint1 would be at'),
        LockStepExperiment(
            package_file(URDF),
            {**controller, 'specialise': False},
            {**simulator, 'specialise': False},
        ) as experiment,
    ):
        experiment.track(beyond, robot.joint_names)


def test_a_fault_while_the_machine_stood_still(weightless):
    ended = threading.Event()

    def stutter(process):
        while not ended.wait(0.1):
            os.kill(process, signal.SIGSTOP)
            ended.wait(0.05)
            os.kill(process, signal.SIGCONT)

    with (
        pytest.raises(ReferenceLost, match='The machine was busy: .*the controller missed'),
        weightless(Experiment) as experiment,
    ):
        process = experiment._processes['controller'].pid
        thread = threading.Thread(target=stutter, args=(process,))
        thread.start()
        try:
            shove(experiment)
        finally:
            ended.set()
            thread.join()
