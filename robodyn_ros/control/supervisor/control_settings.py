# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of the guards: validated, frozen, and replaced as a whole between two ticks."""

import dataclasses
import math

import numpy as np

from robodyn_ros.control.laws.law import GRAVITY, TERMS
from robodyn_ros.errors import ParameterError

STATE_TIMEOUT_CEILING = 0.2  # [s]
STATE_TIMEOUT_PERIODS = 2.0
STALE_ACTIONS = ('zero', 'gravity_hold')
STUCK_ACTIONS = ('warn', 'stale')

#: Rows of `Settings.guards`, which the limiting kernel reads.
LOWER, UPPER, SPEED, EFFORT, RATE = range(5)


def derived():
    """Return a field that is computed from the others."""
    return dataclasses.field(init=False, repr=False)


@dataclasses.dataclass(frozen=True, eq=False)
class Settings:
    """Limits, gains and timeouts of a supervisor; arrays are in joint order.

    Raises ParameterError with a sentence unless all fields are valid.
    """

    period: float  # [s] of the control loop
    gains: np.ndarray  # (2, nv) position, velocity; unit of the law
    effort_limits: np.ndarray  # (nv,) [N m or N]; nan: unknown, activation is refused
    effort_rate: np.ndarray  # (nv,) [N m/s or N/s]
    velocity_limits: np.ndarray  # (nv,) [rad/s or m/s]
    lower: np.ndarray  # (nv,) [rad or m]
    upper: np.ndarray  # (nv,) [rad or m]
    enabled: np.ndarray | None = None  # (6,) torque terms in the order of TERMS; None: all
    position_margin: float = 0.002  # [rad or m] beyond a limit before torque acts only inwards
    state_timeout: float = 0.02  # [s] within [2 periods, 0.2 s]; cannot be disabled
    reference_timeout: float = 0.1  # [s] of a streamed target
    stale_action: str = 'zero'  # effort after the gravity torque while joint states are missing
    stale_hold: float = 0.1  # [s] of gravity torque at the last posture
    recovery_states: int = 3  # fresh joint states in a row that end STALE
    max_start_error: float = 0.1  # [rad or m] between the arm and the start of a reference
    position_jump: float = 0.1  # [rad or m] beyond the motion that the velocity limit allows
    stuck_time: float = 4.0  # [s] of bitwise equal states under changing torque before a warning
    stuck_action: str = 'warn'  # or 'stale': treat the states as missing
    stuck_at_rest: bool = False  # equal states count as stuck under a constant torque, too
    overspeed: float = 2.0  # velocity over its limit beyond which it is a fault
    stop_damping: np.ndarray | None = (
        None  # (nv,) [N m s/rad] added to gravity in FAULT; None: none
    )
    robot_compensates_gravity: bool = False
    law_values: np.ndarray | None = None  # (k,) of the law's own parameters; None: unchanged
    # read by the loop
    guards: np.ndarray = derived()  # (5, nv), see the rows above
    # (6,) enabled terms, without those that the robot compensates
    commanded: np.ndarray = derived()
    safe: np.ndarray = derived()  # (6,) terms of the safe torque
    gravity_held_for: float = derived()  # [s] without a joint state

    def __post_init__(self):
        n, set_ = np.size(self.lower), object.__setattr__
        for name in ('lower', 'upper', 'velocity_limits', 'effort_limits', 'effort_rate'):
            set_(self, name, _array(name, getattr(self, name), (n,)))
        set_(self, 'gains', _array('gains', self.gains, (2, n)))
        enabled = np.ones(len(TERMS)) if self.enabled is None else self.enabled
        set_(self, 'enabled', _array('enabled', enabled, (len(TERMS),)).astype(bool))
        if self.law_values is not None:
            set_(
                self,
                'law_values',
                _array('law_values', self.law_values, (np.size(self.law_values),)),
            )
        damping = np.zeros(n) if self.stop_damping is None else self.stop_damping
        set_(self, 'stop_damping', _array('stop_damping', damping, (n,)))
        _refuse('period', self.period, 'a period of at most 0.1 s', 0.0 < self.period <= 0.1)
        for name in ('gains', 'stop_damping'):
            value = getattr(self, name)
            _refuse(name, value, 'finite, not negative', np.isfinite(value) & (value >= 0.0))
        _refuse(
            'effort_limits',
            self.effort_limits,
            'not negative (nan: unknown)',
            ~(self.effort_limits < 0.0),
        )
        for name in ('effort_rate', 'velocity_limits'):
            _refuse(name, getattr(self, name), 'greater than zero', getattr(self, name) > 0.0)
        _refuse(
            'lower', self.lower, f'at most the upper limits {self.upper}', self.lower <= self.upper
        )
        for name in (
            'position_margin',
            'stale_hold',
            'max_start_error',
            'position_jump',
            'reference_timeout',
            'stuck_time',
        ):
            value = getattr(self, name)
            _refuse(name, value, 'finite, not negative', math.isfinite(value) and value >= 0.0)
        _refuse('overspeed', self.overspeed, 'at least 1', self.overspeed >= 1.0)
        _refuse(
            'stuck_action',
            self.stuck_action,
            f'one of {", ".join(STUCK_ACTIONS)}',
            self.stuck_action in STUCK_ACTIONS,
        )
        _refuse('recovery_states', self.recovery_states, 'at least 1', self.recovery_states >= 1)
        _refuse(
            'stale_action',
            self.stale_action,
            f'one of {", ".join(STALE_ACTIONS)}',
            self.stale_action in STALE_ACTIONS,
        )
        set_(self, 'state_timeout', effective_state_timeout(self.state_timeout, self.period))
        for_ever = self.stale_action == 'gravity_hold'
        set_(self, 'gravity_held_for', math.inf if for_ever else self.stale_hold)
        margin = self.position_margin
        set_(
            self,
            'guards',
            np.vstack(
                [
                    self.lower - margin,
                    self.upper + margin,
                    self.velocity_limits,
                    self.effort_limits,
                    self.effort_rate,
                ]
            ),
        )
        safe = np.ones(len(TERMS), bool)
        safe[GRAVITY] = not self.robot_compensates_gravity
        set_(self, 'safe', safe)
        set_(self, 'commanded', self.enabled & safe)

    @property
    def nv(self):
        """Number of joint velocities."""
        return self.gains.shape[1]

    def replace(self, **changes):
        """Return a validated copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def effective_state_timeout(asked, period):
    """Return the timeout in force [s], clamped to [two periods, 0.2 s]: it cannot be disabled."""
    ceiling = STATE_TIMEOUT_CEILING
    return max(asked if asked <= ceiling else ceiling, STATE_TIMEOUT_PERIODS * period)


def _array(name, value, shape):
    try:
        array = np.array(value, dtype=float, order='C')
    except (TypeError, ValueError):
        raise ParameterError(f'{name}: got {value!r:.60}; expected {shape} numbers') from None
    if array.shape != shape:
        raise ParameterError(f'{name}: got an array of shape {array.shape}; expected {shape}')
    return array


def _refuse(name, value, expected, valid):
    if not np.all(valid):
        got = ' '.join(str(value).split())
        raise ParameterError(f'{name}: got {got:.200}; expected {expected}')
