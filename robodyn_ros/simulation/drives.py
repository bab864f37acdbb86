# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whose command a joint follows: none yet, the last one, or none any more; and in which mode."""

from math import inf

import numpy as np

from robodyn_ros.compile import kernel
from robodyn_ros.errors import ParameterError
from robodyn_ros.model import layout
from robodyn_ros.simulation.command_modes import ANY, CODES, UNSPOKEN, has_drive, modes_of
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    AT,
    BRAKED,
    COSINE,
    DAMPING,
    EFFORT,
    EFFORT_MODE,
    EXPONENT,
    FRICTION,
    LOWER,
    MODE,
    POSITION_MODE,
    RATE_GAIN,
    SINE,
    SLOWNESS,
    STATIC,
    STIFFNESS,
    STRENGTH,
    TOP_SPEED,
    UPPER,
    VELOCITY_MODE,
    WAVENUMBER,
    WIDTH,
)
from robodyn_ros.spatial.types import Constant, Matrix, Scalar, Vector

WAITING, COMMANDED, SILENT = 0.0, 1.0, 2.0  # no command yet; commanded; command void

#: [rad/s] of a drive without gains of its own: critically damped, at the inertia of the start.
NATURAL_FREQUENCY = 50.0


@kernel
def accept_command(
    value: Constant,
    quantity: Constant,
    largest: Vector,
    takes: Matrix,
    until: Scalar,
    mode: Vector,
    phase: Vector,
    expiry: Vector,
    command: Vector,
):
    """Take over a command to nv joints, NaN where a joint is not commanded, all or nothing.

    value : (nv,) and quantity : (nv,), see Command. largest : (3,) of each quantity. takes : (nv,
    3), 1.0 where the joint takes the quantity. until : when the command is void. mode, phase,
    expiry and command : (nv,), updated.

    Returns 0, 1 when a mode or phase changed, or 2 when no joint is commanded. Returns -1 - k for
    the first joint k whose value is infinite or too large. Returns -1 - nv - k for the first joint
    k that does not take the quantity.
    """
    n = value.shape[0]
    some = False
    for k in range(n):
        if quantity[k] != UNSPOKEN and value[k] == value[k]:
            some = True
            if abs(value[k]) > largest[int(quantity[k])]:
                return -1 - k
            if takes[k, int(quantity[k])] == 0.0:
                return -1 - n - k
    if not some:
        return 2
    changed = 0
    for k in range(n):
        if quantity[k] == UNSPOKEN:
            continue
        commanded = value[k] == value[k]
        command[k] = value[k] if commanded else 0.0
        wanted = COMMANDED if commanded else (WAITING if phase[k] == WAITING else SILENT)
        expiry[k] = until if commanded else inf
        if wanted != phase[k]:
            phase[k] = wanted
            changed = 1
        if commanded and mode[k] != quantity[k]:
            mode[k] = quantity[k]
            changed = 1
    return changed


class Drives:
    """The command of every joint, and the joint table that follows from it.

    model : RobotModel. settings : PlantSettings. inertia : callable that returns (nv,) [kg m^2 or
    kg], for the gains of drives that have none.

    joints : (nv, WIDTH) table, see joint_table. command : (nv,) in force, in the unit of its
    mode. mode : (nv,) of CODES. phase : (nv,) as above. expiry : (nv,) time [s] at which each
    command is void. takes : (nv, 3) which quantities the joint takes, 1.0 or 0.0. faults : the
    Faults that act on joints; call `arrange` after a change.
    """

    def __init__(self, model, settings, inertia):
        self.settings = settings
        self.faults = Faults()
        self.command = np.zeros(model.nv)
        self.mode = np.zeros(model.nv)
        self.phase = np.full(model.nv, WAITING)
        self.expiry = np.full(model.nv, inf)
        self.takes = np.zeros((model.nv, len(CODES)))
        self._expired = np.zeros(model.nv, dtype=bool)  # no command came in time
        self.joints = np.zeros((model.nv, WIDTH))
        self.joints[:, AT] = model.coordinates
        self._model, self._inertia = model, inertia
        # a floating joint says that nothing holds the body, so there is no drive to brake or damp
        self._driven = has_drive(model)
        self._springs = [model.joint_names.index(spring.joint) for spring in model.springs]
        self._gains = self._given_gains()
        self._damping = settings.damping_scale * model.joint_values(layout.DAMPING)
        self._dry = {
            column: settings.friction_scale * model.joint_values(column)
            for column in layout.DRY_FRICTION
        }
        self.names = ()
        self.set_modes(settings.command_modes, None)

    def set_modes(self, names, state):
        """Put drives into modes; see `modes_of`. Commanded joints continue without a jump.

        state : position of the joints, their effort, and the time [s] until which they hold it
        without a command. None before there is a state.
        """
        names = modes_of(self._model, names)
        if any(name != 'effort' for name in names) and any(each is None for each in self._gains):
            self._derive_gains()
        for k, name in enumerate(names):
            if self.names and self.names[k] == name:
                continue
            self.takes[k] = [float(name in (ANY, each)) for each in CODES]
            mode = self.mode[k] if name == ANY else CODES[name]
            if mode != self.mode[k] and self.phase[k] == COMMANDED:
                position, effort, until = state
                self.command[k] = (effort[k], position[int(self.joints[k, AT])], 0.0)[int(mode)]
                self.expiry[k] = until
            self.mode[k] = mode
        self.names = names
        self.arrange()

    def stay(self, position):
        """Make the set-points of joints in position mode these: the robot was put there."""
        stays = (self.phase == COMMANDED) & (self.mode == POSITION_MODE)
        self.command[stays] = position[self.joints[stays, AT].astype(np.int64)]

    def arrange(self):
        """Write the joint table anew; needed after every change of a mode, phase or fault."""
        limits, names, joints = self._model.limits, self._model.joint_names, self.joints
        settings = self.settings
        waiting = self._driven & (self.phase == WAITING)
        silent = self._driven & (self.phase == SILENT)
        self._expired &= silent
        stuck = np.array([name in self.faults.stuck_joints for name in names])
        mode = np.where((self.phase == COMMANDED) & ~stuck, self.mode, EFFORT_MODE)
        follows = mode != EFFORT_MODE
        joints[:, LOWER], joints[:, UPPER] = limits.lower, limits.upper
        joints[:, EFFORT] = np.where(np.isnan(limits.effort), np.inf, limits.effort)
        joints[:, DAMPING] = self._damping + settings.timeout_damping * silent
        self._arrange_friction()
        joints[:, STRENGTH] = [1.0 - self.faults.effort_loss.get(name, 0.0) for name in names]
        # who follows a set-point and gets none any more is not let loose
        void = self._expired | (silent & (self.mode != EFFORT_MODE))
        braking = void & (settings.void_command == 'brake')
        joints[:, BRAKED] = stuck | braking | (waiting & (settings.no_command == 'hold'))
        joints[:, ASSISTED] = waiting & (settings.no_command == 'gravity_compensated')
        joints[:, MODE] = mode
        if follows.any():
            stiffness, damping, velocity_gain = self._gains
            joints[:, BRAKED] += follows & settings.kinematic
            joints[:, ASSISTED] += follows & settings.carries_weight
            joints[:, STIFFNESS] = np.where(mode == POSITION_MODE, stiffness, 0.0)
            joints[:, RATE_GAIN] = np.where(mode == VELOCITY_MODE, velocity_gain, damping)
            joints[:, TOP_SPEED] = np.where(np.isnan(limits.velocity), np.inf, limits.velocity)
        self._arrange_springs()

    def _arrange_friction(self):
        """Write the dry friction: that of the model, with the static friction of the settings."""
        joints, settings, dry = self.joints, self.settings, self._dry
        coulomb, slow = dry[layout.FRICTION], self._model.joint_values(layout.STRIBECK_VELOCITY)
        joints[:, FRICTION] = coulomb
        joints[:, STATIC] = settings.static_friction * coulomb + dry[layout.STICTION]
        joints[:, SLOWNESS] = np.where(slow > 0.0, slow / settings.friction_speed, 1.0)
        joints[:, EXPONENT] = self._model.joint_values(layout.STRIBECK_EXPONENT)
        joints[:, COSINE], joints[:, SINE] = dry[layout.COSINE], dry[layout.SINE]
        joints[:, WAVENUMBER] = self._model.joint_values(layout.WAVENUMBER)

    def _arrange_springs(self):
        """Let springs act like drives that hold their joint at zero, without a limit."""
        for k, spring in zip(self._springs, self._model.springs):
            self.joints[k, [MODE, BRAKED, ASSISTED]] = POSITION_MODE, 0.0, 0.0
            self.joints[k, [EFFORT, STRENGTH]] = inf, 1.0
            self.joints[k, [STIFFNESS, RATE_GAIN]] = spring.stiffness, spring.damping
            self.takes[k] = 0.0

    def release(self, time):
        """Void the commands that nothing renewed until now: their joints give no effort."""
        over = (self.phase == COMMANDED) & (self.expiry <= time)
        self._expired |= over
        self.phase[over] = SILENT
        self.command[over] = 0.0
        self.expiry[over] = inf
        self.arrange()

    def reset(self):
        """Forget that there ever was a command."""
        self.phase[:] = WAITING
        self.command[:] = 0.0
        self.expiry[:] = inf
        self.arrange()

    def _given_gains(self):
        """Stiffness, damping and gain of velocity as the settings have them; None for none."""
        model, gains = self._model, []
        for name in ('stiffness', 'rate_gain', 'velocity_gain'):
            given = getattr(self.settings, name)
            if len(given) not in (0, 1, model.nv):
                raise ParameterError(
                    f'robot {model.name!r}: {name} has {len(given)} entries; expected none, 1 or '
                    f'{model.nv}'
                )
            gains.append(np.broadcast_to(given, model.nv) if given else None)
        return gains

    def _derive_gains(self):
        inertia, w = self._inertia(), NATURAL_FREQUENCY
        derived = w * w * inertia, 2.0 * w * inertia, 2.0 * w * inertia
        self._gains = [own if given is None else given for given, own in zip(self._gains, derived)]
