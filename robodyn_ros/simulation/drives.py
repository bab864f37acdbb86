# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command of each joint: whether one is in force, until when, and in which mode."""

import copy
from math import inf

import numpy as np

from robodyn_ros.compile import kernel
from robodyn_ros.errors import ParameterError
from robodyn_ros.model import layout
from robodyn_ros.simulation.command_modes import ANY, CODES, UNCHANGED, has_drive, modes_of
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

#: Phases of a joint: before its first command; commanded; its command is void.
WAITING, COMMANDED, SILENT = 0.0, 1.0, 2.0

#: [rad/s] Default gains give this frequency and critical damping, with the initial inertia.
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
    """Accept a command to nv joints as a whole, or refuse it as a whole.

    A value of NaN means that the joint is not commanded. The first failure decides the result.

    `value`, `quantity`: values and modes of the command; see `Command`.
    `largest`: largest absolute value of each quantity.
    `takes`: 1.0 where the joint takes the quantity, else 0.0.
    `until`: time at which the command expires [s].
    `mode`, `phase`, `expiry`, `command`: state of the drives, updated; see `Drives`.
    Returns 0 if only values changed, 1 if a mode or phase changed, 2 if no joint is commanded. -1
      - k if the value of joint k is infinite or too large. -1 - nv - k if joint k does not take
      the quantity.
    """
    n = value.shape[0]
    some = False
    for k in range(n):
        if quantity[k] != UNCHANGED and value[k] == value[k]:
            some = True
            if abs(value[k]) > largest[int(quantity[k])]:
                return -1 - k
            if takes[k, int(quantity[k])] == 0.0:
                return -1 - n - k
    if not some:
        return 2
    changed = 0
    for k in range(n):
        if quantity[k] == UNCHANGED:
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


def write_friction(joints, settings, values_of):
    """Write the dry friction of joints into their table, with the scales of the settings.

    `joints` (n, WIDTH): joint table, updated.
    `values_of` (callable): returns (n,) values of the joints for a column of the constants of a
      model.
    """
    dry = {column: settings.friction_scale * values_of(column) for column in layout.DRY_FRICTION}
    coulomb, slow = dry[layout.FRICTION], values_of(layout.STRIBECK_VELOCITY)
    joints[:, FRICTION] = coulomb
    joints[:, STATIC] = settings.static_friction * coulomb + dry[layout.STICTION]
    joints[:, SLOWNESS] = np.where(slow > 0.0, slow / settings.friction_speed, 1.0)
    joints[:, EXPONENT] = values_of(layout.STRIBECK_EXPONENT)
    joints[:, COSINE], joints[:, SINE] = dry[layout.COSINE], dry[layout.SINE]
    joints[:, WAVENUMBER] = values_of(layout.WAVENUMBER)


class Drives:
    """The command of every joint, and the joint table that follows from it.

    `settings` (PlantSettings): gains, brakes, friction and time-out.
    `inertia` (callable): returns (nv,) inertias [kg m^2 or kg], from which missing gains are
      derived.
    `joints` (nv, WIDTH): joint table; see `joint_table`.
    `command` (nv,): command in force, in the unit of its mode.
    `mode` (nv,): mode of each joint, one of CODES.
    `phase` (nv,): WAITING, COMMANDED or SILENT.
    `expiry` (nv,): time at which each command expires [s].
    `takes` (nv, 3): 1.0 where the joint takes the quantity, else 0.0.
    `effort_limits` (nv,): largest efforts [N m or N].
    `own_damping`, `damping` (nv,): viscous friction of the joints alone, and with what
      is added [N m s/rad or N s/m].
    `faults` (Faults): faults of the joints. Call `arrange` after a change.
    """

    def __init__(self, model, settings, inertia):
        self.settings = settings
        self.faults = Faults()
        self.command = np.zeros(model.nv)
        self.mode = np.zeros(model.nv)
        self.phase = np.full(model.nv, WAITING)
        self.expiry = np.full(model.nv, inf)
        self.accepted = np.zeros((model.nv, len(CODES)))
        self._expired = np.zeros(model.nv, dtype=bool)  # no command came in time
        self.joints = np.zeros((model.nv, WIDTH))
        self.joints[:, AT] = model.coordinates
        write_friction(self.joints, settings, model.joint_values)
        self._model, self._inertia = model, inertia
        given = model.limits.effort
        self.effort_limits = np.where(np.isnan(given), np.inf, given)
        # a floating body is free by definition: no drive may brake or damp it
        self._driven = has_drive(model)
        self._springs = [model.joint_names.index(spring.joint) for spring in model.springs]
        self._gains = self._given_gains()
        self.own_damping = settings.damping_scale * model.joint_values(layout.DAMPING)
        self.damping = self.own_damping.copy()
        self.names = ()
        self.set_modes(settings.command_modes, None)

    def set_modes(self, names, state):
        """Set the command modes; commanded joints continue without a jump.

        `names` (str or sequence of str): the modes; see `modes_of`.
        `state` (tuple or None): positions (nq,), efforts (nv,) and the time [s] at which the
          command expires. None before there is a state.
        Raises ParameterError: if a joint cannot have its mode.
        """
        names = modes_of(self._model, names)
        if any(name != 'effort' for name in names) and any(each is None for each in self._gains):
            self._derive_gains()
        for k, name in enumerate(names):
            if self.names and self.names[k] == name:
                continue
            self.accepted[k] = [float(name in (ANY, each)) for each in CODES]
            mode = self.mode[k] if name == ANY else CODES[name]
            if mode != self.mode[k] and self.phase[k] == COMMANDED:
                position, effort, until = state
                self.command[k] = (effort[k], position[int(self.joints[k, AT])], 0.0)[int(mode)]
                self.expiry[k] = until
            self.mode[k] = mode
        self.names = names
        self.arrange()

    def all_commanded(self):
        """Return the joint table as it is with a command for every joint, in its present mode."""
        commanded = copy.copy(self)
        commanded.joints = self.joints.copy()
        commanded.phase = np.full_like(self.phase, COMMANDED)
        commanded._expired = np.zeros_like(self._expired)
        commanded.arrange()
        return commanded.joints

    def stay(self, position):
        """Set the set-points of joints in position mode to a position.

        So a robot that is placed elsewhere does not move back.

        `position` (nq,): the new position of the robot [rad or m].
        """
        stays = (self.phase == COMMANDED) & (self.mode == POSITION_MODE)
        self.command[stays] = position[self.joints[stays, AT].astype(np.int64)]

    def damp(self, damping):
        """Add viscous damping to joints, which replaces what was added before.

        It acts at the end of an Euler substep, so none is too high for the step.

        `damping` (mapping of str to float): damping by joint [N m s/rad or N s/m]; other names are
          left out.
        """
        added = [damping.get(name, 0.0) for name in self._model.joint_names]
        self.damping[:] = self.own_damping + added
        self.arrange()

    def arrange(self):
        """Rewrite the joint table; call it after a change of a mode, phase or fault."""
        limits, names, joints = self._model.limits, self._model.joint_names, self.joints
        settings = self.settings
        waiting = self._driven & (self.phase == WAITING)
        silent = self._driven & (self.phase == SILENT)
        self._expired &= silent
        stuck = np.array([name in self.faults.stuck_joints for name in names])
        mode = np.where((self.phase == COMMANDED) & ~stuck, self.mode, EFFORT_MODE)
        follows = mode != EFFORT_MODE
        joints[:, LOWER], joints[:, UPPER] = limits.lower, limits.upper
        joints[:, EFFORT] = self.effort_limits
        joints[:, DAMPING] = self.damping + settings.timeout_damping * silent
        joints[:, STRENGTH] = [1.0 - self.faults.effort_loss.get(name, 0.0) for name in names]
        # without its set-point a position or velocity drive would let the joint fall
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

    def _arrange_springs(self):
        """Let springs act like drives that hold their joint at rest, without a limit of effort."""
        for k, spring in zip(self._springs, self._model.springs):
            self.joints[k, [MODE, BRAKED, ASSISTED]] = POSITION_MODE, 0.0, 0.0
            self.joints[k, [EFFORT, STRENGTH]] = inf, 1.0
            self.joints[k, [STIFFNESS, RATE_GAIN]] = spring.stiffness, spring.damping
            self.accepted[k], self.command[k] = 0.0, spring.rest

    def release(self, time):
        """Void the commands that have expired; their joints give no effort.

        `time`: simulated time [s].
        """
        over = (self.phase == COMMANDED) & (self.expiry <= time)
        self._expired |= over
        self.phase[over] = SILENT
        self.command[over] = 0.0
        self.expiry[over] = inf
        self.arrange()

    def reset(self):
        """Return to the state before the first command."""
        self.phase[:] = WAITING
        self.command[:] = 0.0
        self.expiry[:] = inf
        self.arrange()

    def _given_gains(self):
        """Return stiffness, damping and velocity gain of the settings, each None if not given."""
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
