# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque of an arm on a base that reacts to the arm or has a motion of its own."""

import numpy as np

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.rnea import bias_torque
from robodyn_ros.algorithms.variants.mixed_dynamics import mixed_dynamics
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    OTHER,
    POSITION,
    POSITION_GAIN,
    VELOCITY,
    VELOCITY_GAIN,
    ControlLaw,
    LawOption,
    LawParameter,
    model_arrays,
)
from robodyn_ros.errors import ParameterError, RobodynError, ShapeError
from robodyn_ros.model.extended.free_base import POSITIONS, ROWS, with_free_base
from robodyn_ros.model.layout import MASS
from robodyn_ros.robot.robot import Robot
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

FREE, MOVED = 'free', 'moved'
TIMEOUT = 0  # entry of `values`
#: Rows of `known`: zero acceleration of the arm, its reference acceleration, its feedback.
DRIFT, WANTED, CORRECTION = range(3)


@kernel
def floating_base_computed_torque(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    free: Constant,
    position: Vector,
    velocity: Vector,
    f_ext: Matrix,
    known: Matrix,
    tau: Matrix,
    qdd: Matrix,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms of the arm.

    `topology`, `constants`, `gravity`, `work`: arrays of the robot with a free base; see
      `model_arrays`.
    `free`: 1 for velocities of a base that reacts, else 0.
    `position`, `velocity`: state of the base, then memory for that of the arm.
    `f_ext`: memory, overwritten.
    `known`: acceleration of a moved base in the first row, then memory.
    `tau`, `qdd`: memory, overwritten.
    Returns 0, or the body whose pivot is singular.
    """
    n = q.shape[0]
    base = velocity.shape[0] - n
    for i in range(f_ext.shape[0]):
        for j in range(6):
            f_ext[i, j] = 0.0
    for k in range(n):
        position[position.shape[0] - n + k] = q[k]
        velocity[base + k] = qd[k]
        known[DRIFT, base + k] = reference[VELOCITY, k]
    friction_torque(topology, constants, position, known[DRIFT], known[WANTED])
    for k in range(n):
        terms[FRICTION, k] = known[WANTED, base + k]
        known[DRIFT, base + k] = 0.0
        known[WANTED, base + k] = reference[ACCELERATION, k]
        known[CORRECTION, base + k] = gains[POSITION_GAIN, k] * (
            reference[POSITION, k] - q[k]
        ) + gains[VELOCITY_GAIN, k] * (reference[VELOCITY, k] - qd[k])
    for k in range(base):
        known[WANTED, k] = 0.0
        known[CORRECTION, k] = 0.0
    status = mixed_dynamics(
        topology, constants, gravity, work, position, velocity, free, known, f_ext, tau, qdd
    )
    gravity_torque(topology, constants, gravity, work, position, qdd[WANTED])
    bias_torque(topology, constants, gravity, work, position, velocity, qdd[CORRECTION])
    for k in range(n):
        weight, bias = qdd[WANTED, base + k], qdd[CORRECTION, base + k]
        terms[GRAVITY, k] = weight
        terms[CORIOLIS, k] = bias - weight
        terms[OTHER, k] = tau[DRIFT, base + k] - bias
        terms[FEEDBACK, k] = tau[CORRECTION, base + k]
        terms[INERTIA, k] = tau[WANTED, base + k]
    return status


class FloatingBaseComputedTorque(ControlLaw):
    """tau = S_aa (qdd_r + Kd ed + Kp e) + c_a + g_a - S_ab (c_b + g_b), on a base that reacts.

    S_aa = M_aa - M_ab M_bb^-1 M_ba and S_ab = M_ab M_bb^-1, of the base b and the arm a. This is a
    free-flyer (Jain 2011, sections 16.3 and 17.1), by hybrid dynamics in O(n).

    A moved base has the acceleration A_b: tau = M_aa (qdd_r + Kd ed + Kp e) + M_ab A_b + c_a + g_a
    (Angeles, section 7.5.2). Then edd + Kd ed + Kp e = 0 at every joint, for any motion of the
    base.

    The term 'other' is the last one of the first equation, or M_ab A_b of the second. g and c are
    those of the base's attitude and motion. Until `set_base` is called the base rests at the
    origin. The law is then computed torque, or that of a free-flyer at rest.

    `robot` (Robot): the arm, with a fixed base.
    `base` ({'moved', 'free'}): 'moved' if the motion of the base is prescribed, as on a vehicle or
      a ship. 'free' if nothing holds the base.
    Raises ParameterError: for another base, or a free one without mass.
    """

    name = 'floating_base_computed_torque'
    equation = (
        'tau = S_aa (qdd_r + Kd (qd_r - qd) + Kp (q_r - q)) + C qd + g'
        ' - S_ab (C qd + g)_b + friction(qd_r), S_aa = M_aa - M_ab M_bb^-1 M_ba'
    )
    gain_unit = ('1/s^2', '1/s')
    options = (
        LawOption(
            'base',
            MOVED,
            "'moved' for a base whose motion is given, 'free' for one that reacts to the arm.",
        ),
    )
    parameters = (
        LawParameter(
            'timeout',
            0.1,
            's',
            'Longest time without a state of the base, after which the controller faults; 0 for '
            'none: the base then stays where it was.',
        ),
    )
    kernels = (floating_base_computed_torque,)
    floats = True

    def __init__(self, robot, base=MOVED):
        super().__init__(robot)
        if base not in (FREE, MOVED):
            raise ParameterError(
                f'base of law {self.name}: got {base!r:.80}; expected {FREE!r} or {MOVED!r}'
            )
        floating = Robot(with_free_base(robot.model))
        if base == FREE and not floating.model.constants[ROWS, MASS] > 0.0:
            raise ParameterError(
                f'base of law {self.name}: got {FREE!r} for robot {robot.name!r}, whose link '
                f'{robot.model.body_names[0]!r} has no mass; expected one with mass, or {MOVED!r}'
            )
        n = floating.nv
        self._free = np.zeros(n)
        self._free[:ROWS] = float(base == FREE)
        self._free.flags.writeable = False
        self._position, self._velocity = np.zeros(floating.nq), np.zeros(n)
        self._known = np.zeros((3, n))
        self._arrays = (
            *model_arrays(floating),
            self._free,
            self._position,
            self._velocity,
            np.zeros((len(floating.model.topology), 6)),
            self._known,
            *np.zeros((2, 3, n)),
        )
        self._age, self.base_known = 0.0, False
        self._base = (np.array([0.0] * 6 + [1.0]), np.zeros(ROWS), np.zeros(ROWS))

    def set_base(self, pose, twist, acceleration=(0.0,) * ROWS):
        """Set the state of the base; may be called from another thread.

        `pose` ((7,) array_like): position [m] in the world, and quaternion x, y, z, w of base axes
          in world axes.
        `twist` ((6,) array_like): velocity [m/s] in world axes, and angular velocity [rad/s] in
          base axes.
        `acceleration` ((6,) array_like): rate of the twist [m/s^2, rad/s^2]; used for a base that
          is moved.
        Raises ShapeError: for another number of values, values that are not finite, or no
          quaternion of length 1.
        """
        base = tuple(np.array(each, dtype=float) for each in (pose, twist, acceleration))
        fits = [each.shape for each in base] == [(POSITIONS,), (ROWS,), (ROWS,)]
        if not fits or not all(np.isfinite(each).all() for each in base):
            raise ShapeError(
                f'base of law {self.name}: got pose {pose}, twist {twist} and acceleration '
                f'{acceleration}; expected 7, 6 and 6 finite numbers'
            )
        length = np.linalg.norm(base[0][3:])
        if not abs(length - 1.0) < 1e-3:
            raise ShapeError(
                f'base of law {self.name}: got a quaternion of length {length:.6g}; expected 1'
            )
        base[0][3:] /= length
        self._base, self._age, self.base_known = base, 0.0, True

    @classmethod
    def model_of_kernels(cls, model):
        """Return the model with a free base.

        `model` (RobotModel): the arm.
        """
        return with_free_base(model)

    @classmethod
    def trial_options(cls, robot):
        """Return options with a free base, if the base has mass.

        `robot` (Robot): the arm.
        """
        return {'base': FREE} if robot.model.base_inertia[0] > 0.0 else {}

    def reset(self, q, qd):
        """Restart the time-out of the base state."""
        self._age = 0.0

    def torques(self, q, qd, reference, gains, terms):
        """Write every term of the model, in O(n).

        Returns 0, or the body whose pivot is singular.
        Raises RobodynError: if the state of the base is too old.
        """
        pose, twist, acceleration = self._base
        self._age += self.period if self.base_known else 0.0
        if 0.0 < self.values[TIMEOUT] < self._age:
            raise RobodynError(
                f'law {self.name}: no state of the base for {self._age:.3g} s; expected one every '
                f'{self.values[TIMEOUT]:g} s'
            )
        self._position[:POSITIONS] = pose
        self._velocity[:ROWS] = twist
        self._known[0, :ROWS] = (1.0 - self._free[:ROWS]) * acceleration
        return self._torques(*self._arrays, q, qd, reference, gains, terms)
