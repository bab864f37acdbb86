# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of real arms: how many of 10^4 reachable poses are reached, and how fast.

The peer is a common method: Levenberg-Marquardt in Python over Pinocchio's kinematics. It has the
same damping by the error, and clips at the limits. It takes the same random seeds in order, and as
many steps.

Poses are those of uniform random postures within the limits, at most half a turn from zero. A
success is an error of 1e-8 in [p_d - p; log(R_d R^T)], within the limits. Pinocchio computes the
errors of both.
"""

import time
from importlib import metadata

import numpy as np
import pinocchio as pin

from benchmark import table
from robodyn_ros import Robot

PACKAGE = 'example-robot-data'
#: {arm: (file of example-robot-data, frame, locked joints)}.
ARMS = {
    'UR5, 6R': ('ur_description/urdf/ur5_robot.urdf', 'ee_link', {}),
    'Panda, 7R': (
        'panda_description/urdf/panda.urdf',
        'panda_hand',
        {'panda_finger_joint1': 0.0, 'panda_finger_joint2': 0.0},
    ),
}
POSES, SEEDS, STEPS, TOLERANCE = 10_000, 64, 50, 1e-8


def find(name):
    """Return the path of a file of the package."""
    for file in metadata.files(PACKAGE):
        if str(file).endswith(name):
            return file.locate().resolve()
    raise FileNotFoundError(f'{PACKAGE} has no {name}')


class Peer:
    """Levenberg-Marquardt over Pinocchio's kinematics."""

    def __init__(self, path, frame, locked):
        whole = pin.buildModelFromUrdf(str(path))
        held = [whole.getJointId(name) for name in locked]
        self.model = pin.buildReducedModel(whole, held, pin.neutral(whole))
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(frame)

    def error(self, q, target):
        """Return [p_d - p; log(R_d R^T)]."""
        pin.framesForwardKinematics(self.model, self.data, q)
        X = self.data.oMf[self.frame]
        turn = pin.log3(target[:3, :3] @ X.rotation.T)
        return np.concatenate((target[:3, 3] - X.translation, turn))

    def solve(self, target, seeds):
        """Return the posture, whether it succeeded, and the steps."""
        model, data, count = self.model, self.data, 0
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        for seed in seeds:
            q = seed.copy()
            for _ in range(STEPS):
                count += 1
                e = self.error(q, target)
                size = e @ e
                if size < TOLERANCE**2:
                    return q, True, count
                J = pin.computeFrameJacobian(model, data, q, self.frame, pin.LOCAL_WORLD_ALIGNED)
                damped = J @ J.T + (0.05 * size + 1e-12) * np.eye(6)
                step = J.T @ np.linalg.solve(damped, e)
                q = np.clip(q + step * min(1.0, 0.9 / max(np.abs(step).max(), 1e-12)), low, high)
        return q, False, count


def measure():
    """Return {arm: {ours, peer}}, each with success, steps and microseconds per pose."""
    return {name: _of_arm(*arm) for name, arm in ARMS.items()}


def _of_arm(file, frame, locked):
    path = find(file)
    robot, peer = Robot.from_urdf(path, locked=locked), Peer(path, frame, locked)
    low, high = robot.limits.lower, robot.limits.upper
    rng = np.random.default_rng(1)
    draw = lambda n: rng.uniform(  # noqa: E731
        np.maximum(low, -np.pi), np.minimum(high, np.pi), (n, robot.nv)
    )
    targets, seeds = robot.pose(draw(POSES), frame), draw(SEEDS)
    result = {}
    for name, restarts in (('ours', SEEDS), ('ours, one seed', 1)):
        options = {'restarts': restarts, 'steps': STEPS, 'tolerance': TOLERANCE}
        robot.inverse_kinematics(targets[:1000], frame, **options)  # compiles, and draws the seeds
        start = time.process_time()
        found = robot.inverse_kinematics(targets, frame, **options)
        took = time.process_time() - start
        result[name] = _judged(peer, targets, found.q, found.steps, took)
    for name, given in (('peer', seeds), ('peer, one seed', seeds[:1])):
        start = time.process_time()
        rows = [peer.solve(target, given) for target in targets]
        took = time.process_time() - start
        q, _, steps = zip(*rows)
        result[name] = _judged(peer, targets, np.array(q), np.array(steps), took)
    return result


def _judged(peer, targets, q, steps, took):
    """Return the numbers of a solver; Pinocchio decides which poses are reached."""
    low, high = peer.model.lowerPositionLimit, peer.model.upperPositionLimit
    reached = [
        np.linalg.norm(peer.error(x, target)) < 1.1 * TOLERANCE
        and bool(((x >= low) & (x <= high)).all())
        for x, target in zip(q, targets)
    ]
    return {
        'success': float(np.mean(reached)),
        'steps': float(np.mean(steps)),
        'us': 1e6 * took / len(targets),
    }


def show(result):
    """Print a table."""
    for name, rows in result.items():
        if name == 'machine':
            continue
        table.show(
            f'{name}: {POSES} reachable poses',
            ['', 'reached [%]', 'steps per pose', 'us per pose (CPU)'],
            [
                [key, f'{100 * row["success"]:.2f}', f'{row["steps"]:.1f}', f'{row["us"]:.1f}']
                for key, row in rows.items()
            ],
        )
