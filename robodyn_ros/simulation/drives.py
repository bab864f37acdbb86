# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The drive mode of each joint: no command yet, commanded, or command void."""

import numpy as np

from robodyn_ros.compile import kernel
from robodyn_ros.model.layout import DAMPING as MODEL_DAMPING
from robodyn_ros.model.layout import FRICTION as MODEL_FRICTION
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    AT,
    BRAKED,
    DAMPING,
    EFFORT,
    FRICTION,
    LOWER,
    STATIC,
    STRENGTH,
    UPPER,
    WIDTH,
)
from robodyn_ros.spatial.types import Scalar, Vector

WAITING, COMMANDED, SILENT = 0.0, 1.0, 2.0  # no command yet; commanded; command void


@kernel
def take(incoming: Vector, largest: Scalar, mode: Vector, command: Vector):
    """Accept a command (nv,) [N m or N] as a whole, NaN where a joint is not commanded.

    mode : (nv,) and command : (nv,), updated.

    Returns 0; 1 if a mode changed; 2 if no joint is commanded; -1 - k if the effort of joint k is
    infinite or beyond `largest`.
    """
    some = False
    for k in range(incoming.shape[0]):
        some = some or incoming[k] == incoming[k]
        if abs(incoming[k]) > largest:
            return -1 - k
    if not some:
        return 2
    changed = 0
    for k in range(incoming.shape[0]):
        commanded = incoming[k] == incoming[k]
        command[k] = incoming[k] if commanded else 0.0
        wanted = COMMANDED if commanded else (WAITING if mode[k] == WAITING else SILENT)
        if wanted != mode[k]:
            mode[k] = wanted
            changed = 1
    return changed


class Drives:
    """The mode of every joint, and the resulting joint table.

    joints : (nv, WIDTH) table, see layout. command : (nv,) [N m or N] in force. mode : (nv,) as
    above. faults : the Faults that act on joints; call `arrange` after a change.
    """

    def __init__(self, model, settings):
        self.settings = settings
        self.faults = Faults()
        self.command = np.zeros(model.nv)
        self.mode = np.full(model.nv, WAITING)
        self._expired = np.zeros(model.nv, dtype=bool)  # void because no command arrived in time
        self.joints = np.zeros((model.nv, WIDTH))
        self.joints[:, AT] = model.coordinates
        self._model = model
        # a floating joint has no drive to brake or damp
        self._driven = np.ones(model.nv, dtype=bool)
        for coordinates in model.multi_dof_joints:
            self._driven[coordinates.velocities] = coordinates.joint.type != 'floating'
        self._damping = settings.damping_scale * model.joint_values(MODEL_DAMPING)
        self._friction = settings.friction_scale * model.joint_values(MODEL_FRICTION)
        self.arrange()

    def arrange(self):
        """Rewrite the joint table, after every change of a mode or a fault."""
        limits, names, joints = self._model.limits, self._model.joint_names, self.joints
        waiting = self._driven & (self.mode == WAITING)
        silent = self._driven & (self.mode == SILENT)
        self._expired &= silent
        stuck = np.array([name in self.faults.stuck_joints for name in names])
        joints[:, LOWER], joints[:, UPPER] = limits.lower, limits.upper
        joints[:, EFFORT] = np.where(np.isnan(limits.effort), np.inf, limits.effort)
        joints[:, DAMPING] = self._damping + self.settings.timeout_damping * silent
        joints[:, FRICTION] = self._friction
        joints[:, STATIC] = self.settings.static_friction * self._friction
        joints[:, STRENGTH] = [1.0 - self.faults.effort_loss.get(name, 0.0) for name in names]
        braking = self._expired & (self.settings.void_command == 'brake')
        joints[:, BRAKED] = stuck | braking | (waiting & (self.settings.no_command == 'hold'))
        joints[:, ASSISTED] = waiting & (self.settings.no_command == 'gravity_compensated')

    def release(self):
        """Void the command: joints that followed it give no effort."""
        self._expired |= self.mode == COMMANDED
        self.mode[self.mode == COMMANDED] = SILENT
        self.command[:] = 0.0
        self.arrange()

    def reset(self):
        """Return to the mode before any command."""
        self.mode[:] = WAITING
        self.command[:] = 0.0
        self.arrange()
