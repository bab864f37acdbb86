# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Repeat a run in lock step, of two processes: all states must have the same bits.

During every second run busy processes load the machine. After FRESH runs both nodes are restarted.
"""

import contextlib
import hashlib
import signal
import subprocess
import sys
from collections import defaultdict

import numpy as np
from rclpy.qos import QoSProfile
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import LockStepState
from robodyn_msgs.srv import Advance
from tools.soak.soak_arm import JOINTS, START, Arm
from tools.soak.watcher import NAME

GIVEN = SIMULATED = {'trigger': 'lock_step'}
ENVIRONMENT = {'ROBODYN_REPRODUCIBLE': '1'}  # equal bits for all kernels that a process may load
STATES, SIMULATOR = '/lock_step/state', '/robodyn_simulator'
STEPS, PERIOD = 250, 1_000_000  # steps of a run, their period [ns]
FRESH = 100  # runs of a pair of processes
BUSY = 3  # processes beside every second run
EXPECTED = Arm.expect_alive  # the efforts of a controller in lock step are in its answers


def lock_step(arm, count):
    """Run a trajectory `count` times; return the number of runs that were equal to the first."""
    states, same, first = defaultdict(dict), 0, None
    subscription = arm.watcher.node.create_subscription(
        LockStepState, STATES, lambda state: _keep(states, state), QoSProfile(depth=5000)
    )
    with _busy() as processes:
        for k in arm.turns(count):
            if k % FRESH == 0:
                if k:
                    _start_anew(arm)
                _get_to_know(arm, subscription)
            else:
                _reset(arm)
            for process in processes:
                process.send_signal(signal.SIGCONT if k % 2 else signal.SIGSTOP)
            found = _run(arm, states)
            first = first or found
            arm.expect(found == first, f'run {k} is not the first one again')
            same += found == first != ''
            states.clear()
    return (
        f'{same} of {arm.done} runs of {STEPS} steps with the same bits, half of them beside '
        f'{BUSY} busy processes, by {-(-arm.done // FRESH)} pairs of processes'
    )


def _keep(states, state):
    numbers = np.array([state.position, state.velocity, state.effort])
    states[state.epoch][state.step] = numbers.tobytes()


def _start_anew(arm):
    arm.close()
    arm.watcher.state = ''
    arm.simulator, arm.controller = arm.make('simulator'), arm.make('controller')
    arm.expect(arm.watcher.wait(lambda: arm.watcher.state == 'HOLD', START), 'it did not stand')


def _get_to_know(arm, subscription):
    """Wait until both topics are matched, and a service answers."""
    known = arm.watcher.wait(lambda: subscription.get_publisher_count() == 1)
    arm.expect(known and _asked(arm, Advance, 'advance') is not None, 'the simulator is unknown')


def _reset(arm):
    watcher = arm.watcher
    arm.expect(_asked(arm, Trigger, 'reset') is not None, 'no answer to a reset')
    held = watcher.wait(lambda: (watcher.state, watcher.reason) == ('HOLD', 'ACTIVATED'))
    arm.expect(held, 'no HOLD after a reset')


def _asked(arm, kind, name):
    """Return the answer to a request, which is repeated, since the first answer may be lost."""
    tries = (arm.watcher.call(kind, f'{SIMULATOR}/{name}', seconds=5.0) for _ in range(5))
    return next(filter(None, tries), None)


def _run(arm, states):
    """Return a digest of the states after each step of one run; '' if it failed."""
    watcher, message = arm.watcher, JointTrajectory(joint_names=list(JOINTS))
    message.points.append(JointTrajectoryPoint(positions=[0.3, -0.2], velocities=[0.0, 0.0]))
    message.points[0].time_from_start.nanosec = STEPS * PERIOD
    for _ in range(5):  # simulated time stands still, so a repeated request changes nothing
        watcher.send(JointTrajectory, f'{NAME}/joint_trajectory', message)
        if watcher.wait(lambda: watcher.state == 'ACTIVE', 2.0):
            break
    request = Advance.Request()
    request.duration.nanosec = STEPS * PERIOD
    answer = watcher.call(Advance, f'{SIMULATOR}/advance', request)
    if answer is None or not answer.success:
        arm.expect(False, f'no run: {answer and answer.message}')
        return ''
    wanted = range(1, STEPS + 1)
    seen = states[answer.epoch]
    arm.expect(watcher.wait(lambda: all(step in seen for step in wanted)), 'states are missing')
    return hashlib.sha256(b''.join(seen.get(step, b'') for step in wanted)).hexdigest()


@contextlib.contextmanager
def _busy():
    """Keep every processor busy inside a `with` block."""
    processes = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(BUSY)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
