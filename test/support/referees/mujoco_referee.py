# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo as the referee of robots from MJCF.

    PYTHONPATH=test python -m support.referees.mujoco_referee FOLDER ...

compares every MJCF below the folders that MuJoCo loads, and prints how many agree.
"""

import contextlib
import os
import sys
from collections import Counter
from pathlib import Path

import mujoco
import numpy as np

from robodyn_ros import Robot
from robodyn_ros.errors import RobodynError
from robodyn_ros.model.mjcf import equalities
from robodyn_ros.model.mjcf.actuators import Actuators
from robodyn_ros.model.mjcf.compiled import Compiled
from support.compare import EXACT, agree

#: Order of MuJoCo within a ball and a free joint.
QUATERNION_FIRST = ('qw', 'qx', 'qy', 'qz'), ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz')
ANGULAR_LAST = ('wx', 'wy', 'wz'), ('x', 'y', 'z', 'wx', 'wy', 'wz')


class Comparison:
    """A robot from MJCF beside the model of MuJoCo, at random states.

    robot : Robot
        The robot.
    model : mujoco.MjModel
        The model.
    """

    def __init__(self, robot, model):
        self.robot, self.model, self.data = robot, model, mujoco.MjData(model)
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)  # random states touch
        self.names = Compiled(mujoco, model)
        determined = equalities.following(self.names)[0].items()
        self.held = {name: each.shift for name, each in determined if not each.ratios}

    def state(self, seed):
        """Set a random state; return q and qd of the robot, and E and dE/dt qd of all joints.

        E (nv of MuJoCo, nv) leads from the independent velocities to all. Positions are apart
        from the closed posture by no more than 0.1 rad or m where there are loops.
        """
        robot, rng = self.robot, np.random.default_rng(seed)
        qd = rng.uniform(-1.0, 1.0, robot.nv)
        q = robot.configuration.random(rng)
        if robot.model.has_loops:
            q = robot.configuration.integrate(robot.model.closed_posture, 0.1 * qd, 1.0)
        positions, rates, bias = robot.expand(q, qd)
        E = np.column_stack([robot.expand(q, e)[1] for e in np.eye(robot.nv)])
        self.rest()
        places, kept = self._places(robot.all_position_names, 'jnt_qposadr', QUATERNION_FIRST)
        self.data.qpos[places] = positions[kept]
        places, kept = self._places(robot.all_joint_names, 'jnt_dofadr', ANGULAR_LAST)
        self.data.qvel[places] = rates[kept]
        mujoco.mj_forward(self.model, self.data)
        whole = np.zeros((self.model.nv, robot.nv + 1))
        whole[places, :-1], whole[places, -1] = E[kept], bias[kept]
        return q, qd, whole[:, :-1], whole[:, -1]

    def rest(self):
        """Set the posture of the file, with joints where equalities hold them."""
        self.data.qpos, self.data.qvel = self.model.qpos0, 0.0
        for name, held in self.held.items():
            self.data.qpos[self._addresses('jnt_qposadr')[name]] = held

    def check(self, seed):
        """Assert that M, bias torques and poses agree; poses alone where nothing moves."""
        if not self.robot.nv:
            self.rest()
            mujoco.mj_forward(self.model, self.data)
            return self._check_poses(())
        q, qd, E, acceleration = self.state(seed)
        M = self.mass_matrix()
        agree(self.robot.mass_matrix(q), E.T @ M @ E, tolerance=self.slack, what='M')
        forces = M @ acceleration + self.data.qfrc_bias
        # gravity and Coriolis torques may cancel, so the scale is that of their terms
        scale = np.abs(E).max() * max(
            np.abs(forces).max(),
            np.abs(self.data.qfrc_bias).max(),
            np.abs(M).max(),
            np.abs(self.model.opt.gravity).max() * np.abs(M).max(),
        )
        agree(
            self.robot.bias_torque(q, qd), E.T @ forces, scale, tolerance=self.slack, what='bias'
        )
        return self._check_poses(q)

    def _check_poses(self, q):
        """Assert that the poses of bodies and sites agree."""
        names = [*self.names.bodies, *self.names.sites]
        X = self.robot.frames.poses(q, names)
        data = self.data
        rotations = np.concatenate((data.xmat, data.site_xmat)).reshape(-1, 3, 3)
        places = np.concatenate((data.xpos, data.site_xpos))
        agree(X[:, :3, :3], rotations, tolerance=self.slack, what='orientation')
        # positions add up along the chain, at the most from the farthest body
        scale = max(1.0, np.abs(places).max())
        agree(X[:, :3, 3], places, scale, tolerance=self.slack, what='position')

    @property
    def slack(self):
        """EXACT, with a digit more for the positions of loops, which Newton's method finds."""
        return 10 * EXACT if self.robot.model.has_loops else EXACT

    def mass_matrix(self):
        """Return M over all velocities of MuJoCo.

        MuJoCo leaves out terms of the armature of tendons between joints on different branches,
        which its own definition, 1/2 m v^2, has. They are added.
        """
        nv, first = self.model.nv, self.model.jnt_dofadr
        M = np.zeros((nv, nv))
        mujoco.mj_fullM(self.model, self.data, M)
        actuators, on_path = Actuators(self.names), np.eye(nv, dtype=bool)
        for k, parent in enumerate(self.model.dof_parentid):
            if parent >= 0:
                on_path[k] |= on_path[parent]
        apart = ~(on_path | on_path.T)
        for tendon in range(self.model.ntendon):
            J = np.zeros(nv)
            for joint, coefficient in self.names.coefficients(tendon).items():
                J[first[joint]] = coefficient
            armature = self.model.tendon_armature[tendon]
            armature += actuators.share('armature', 'tendon', tendon)
            M += armature * apart * np.outer(J, J)
        return M

    def _places(self, names, column, parts):
        """Return where quantities of the robot are in MuJoCo's, and which those are.

        Others belong to tendons.
        """
        first, places, kept = self._addresses(column), [], []
        for k, name in enumerate(names):
            joint, _, part = name.rpartition('.')
            if name in first:
                places.append(first[name])
            elif joint in first:
                is_free = 0 == self.model.jnt_type[self.names.joints.index(joint)]
                places.append(first[joint] + parts[int(is_free)].index(part))
            else:
                continue
            kept.append(k)
        return places, kept

    def _addresses(self, column):
        return dict(zip(self.names.joints, getattr(self.model, column).tolist()))


def outcome(path):
    """Return what comes of a file: '' where MuJoCo refuses it, else the outcome, and a reason."""
    try:
        with open(os.devnull, 'w') as sink, contextlib.redirect_stderr(sink):
            model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError):
        return '', ''
    try:
        robot = Robot.from_mjcf(path)
    except RobodynError as error:
        return 'refused', str(error)
    try:
        for seed in range(2):
            Comparison(robot, model).check(seed)
    except (AssertionError, RobodynError) as error:
        warnings = '; '.join(robot.report.warnings)
        return 'differs', f'{type(error).__name__} {error}'.partition('\n')[0] + warnings
    return 'agrees', '; '.join(robot.report.warnings)


def main(folders):
    """Print the outcome of each MJCF below the folders that MuJoCo loads, and the sums."""
    counts = Counter()
    for folder in folders:
        for path in sorted(Path(folder).rglob('*.xml')):
            found, reason = outcome(path)
            counts[found or 'not loaded by MuJoCo'] += 1
            if found:
                print(f'{found:<14} {path} {reason[:300]}', flush=True)
    print(*(f'{number:5} {name}' for name, number in counts.most_common()), sep='\n')


if __name__ == '__main__':
    main(sys.argv[1:])
