# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of a supervisor: validated, frozen, and replaced as a whole between two ticks."""

import dataclasses
import math

import numpy as np

from robodyn_ros.control.laws.law import GRAVITY, TERMS
from robodyn_ros.errors import ParameterError, short_repr

STATE_TIMEOUT_CEILING = 0.2  # [s]
STATE_TIMEOUT_PERIODS = 2.0
BRAKING_PERIODS = 2.0  # shortest time constant of a stop, which is stable then
STALE_ACTIONS = ('gravity_hold', 'zero')
STUCK_ACTIONS = ('stale', 'warn')
FOLLOWING_ACTIONS = ('hold', 'warn')

#: Rows of `Settings.guards`, which the limiting kernel reads.
LOWER, UPPER, SPEED, EFFORT, RATE, TURN = range(6)


def derived():
    """Return a dataclass field that is computed from the others."""
    return dataclasses.field(init=False, repr=False)


@dataclasses.dataclass(frozen=True, eq=False)
class Settings:
    """Limits, gains and timeouts of a supervisor; arrays are in joint order.

    Parameters
    ----------
    period : float
        Period of the control loop [s], at most 0.1.
    gains : (2, nv) array_like
        Gains of position and velocity, in units of the law.
    effort_limits : (nv,) array_like
        Largest efforts [N m or N]. NaN means unknown: activation is refused.
    effort_rate : (nv,) array_like
        Largest rates of change of the efforts [N m/s or N/s].
    velocity_limits : (nv,) array_like
        Largest velocities [rad/s or m/s].
    lower, upper : (nv,) array_like
        Position limits [rad or m].
    enabled : (6,) array_like of bool, optional
        Torque terms in the order of TERMS; all by default.
    position_margin : float
        Distance beyond a limit from which torque acts only inwards [rad or m].
    state_timeout : float
        Age from which a joint state is too old [s]. It is clamped to [2 periods, 0.2 s].
    reference_timeout : float
        Time without a successor after which a streamed target is dropped [s].
    stale_action : {'gravity_hold', 'zero'}
        Effort while joint states are missing: the gravity torque without end, or zero after
        `stale_hold`.
    stale_hold : float
        Time without joint states before the effort is zero [s].
    recovery_states : int
        Number of consecutive fresh joint states that end STALE.
    max_start_error : float
        Largest distance between the arm and the start of a reference [rad or m].
    goal_tolerance : float
        Distance of a joint from the end of its trajectory that is not worth a word [rad or m].
    allow_nonzero_velocity_at_trajectory_end : bool
        Whether the last point of a trajectory may have a velocity; the joints come to rest beyond.
    position_jump : float
        Allowed motion beyond what the velocity limit allows [rad or m].
    following_error : float or (nv,) array_like
        Distance of a joint from its reference that is reported [rad or m].
    following_action : {'hold', 'warn'}
        Reaction to twice this distance under way: hold the posture, or only the report.
    stuck_time : float
        Time of equal states at rest after which they count as stuck [s]; see `stuck_at_rest`.
    stuck_action : {'stale', 'warn'}
        Reaction to a joint that moves and repeats its reading for longer than `state_timeout`.
        It is as if the states were missing, or a warning.
    stuck_at_rest : bool
        Whether bitwise equal states count as stuck at rest, too.
    target_tolerance : (2,) array_like
        Distance and angle within which the end effector has reached its target [m, rad].
    overspeed : float
        Ratio of a velocity to its limit beyond which it is a fault [-], at least 1.
    stop_time_constant : float
        Time constant of the velocity in FAULT and STALE [s]; at least two periods are used.
    robot_compensates_gravity : bool
        Whether the robot adds the gravity torque by itself.
    law_values : (k,) array_like, optional
        Values of the law's own parameters; unchanged by default.
    turns : (nv,) array_like, optional
        A whole turn of each joint that turns without end [rad], and 0 for the others; by default
        all are 0.

    Attributes
    ----------
    guards : (6, nv) ndarray
        Limits for the kernels; rows LOWER, UPPER, SPEED, EFFORT, RATE and TURN.
    commanded : (6,) ndarray of bool
        Enabled terms, without those that the robot compensates.
    safe : (6,) ndarray of bool
        Terms of the safe torque.
    gravity_held_for : float
        How long the gravity torque is held without joint states [s].

    Raises
    ------
    ParameterError
        For the first field that is not valid.
    """

    period: float
    gains: np.ndarray
    effort_limits: np.ndarray
    effort_rate: np.ndarray
    velocity_limits: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    enabled: np.ndarray | None = None
    position_margin: float = 0.002
    state_timeout: float = 0.02
    reference_timeout: float = 0.1
    stale_action: str = 'gravity_hold'
    stale_hold: float = 0.1
    recovery_states: int = 3
    max_start_error: float = 0.1
    goal_tolerance: float = 0.01
    allow_nonzero_velocity_at_trajectory_end: bool = False
    position_jump: float = 0.1
    following_error: np.ndarray | float = 0.2
    following_action: str = 'hold'
    stuck_time: float = 4.0
    stuck_action: str = 'stale'
    stuck_at_rest: bool = False
    target_tolerance: tuple[float, float] = (0.005, 0.02)
    overspeed: float = 2.0
    stop_time_constant: float = 0.1
    robot_compensates_gravity: bool = False
    law_values: np.ndarray | None = None
    turns: np.ndarray | None = None
    guards: np.ndarray = derived()
    commanded: np.ndarray = derived()
    safe: np.ndarray = derived()
    gravity_held_for: float = derived()

    __repr__ = short_repr

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
        turns = np.zeros(n) if self.turns is None else self.turns
        set_(self, 'turns', _array('turns', turns, (n,)))
        _refuse('period', self.period, 'a period of at most 0.1 s', 0.0 < self.period <= 0.1)
        for name in ('gains', 'turns'):
            value = getattr(self, name)
            _refuse(name, value, 'finite, not negative', np.isfinite(value) & (value >= 0.0))
        _refuse(
            'effort_limits',
            self.effort_limits,
            'not negative (nan: unknown)',
            ~(self.effort_limits < 0.0),
        )
        error = self.following_error
        error = np.full(n, error) if np.ndim(error) == 0 else error
        set_(self, 'following_error', _array('following_error', error, (n,)))
        for name in ('effort_rate', 'velocity_limits', 'following_error'):
            _refuse(name, getattr(self, name), 'greater than zero', getattr(self, name) > 0.0)
        _refuse(
            'lower', self.lower, f'at most the upper limits {self.upper}', self.lower <= self.upper
        )
        for name in (
            'position_margin',
            'stale_hold',
            'max_start_error',
            'goal_tolerance',
            'position_jump',
            'reference_timeout',
            'stuck_time',
        ):
            value = getattr(self, name)
            _refuse(name, value, 'finite, not negative', math.isfinite(value) and value >= 0.0)
        tolerance = _array('target_tolerance', self.target_tolerance, (2,))
        _refuse('target_tolerance', tolerance, 'finite, positive', _is_positive(tolerance))
        set_(self, 'target_tolerance', tuple(tolerance.tolist()))
        T = self.stop_time_constant
        _refuse('stop_time_constant', T, 'finite, greater than zero', 0.0 < T < math.inf)
        set_(self, 'stop_time_constant', max(T, BRAKING_PERIODS * self.period))
        _refuse('overspeed', self.overspeed, 'at least 1', self.overspeed >= 1.0)
        _refuse(
            'stuck_action',
            self.stuck_action,
            f'one of {", ".join(STUCK_ACTIONS)}',
            self.stuck_action in STUCK_ACTIONS,
        )
        _refuse(
            'following_action',
            self.following_action,
            f'one of {", ".join(FOLLOWING_ACTIONS)}',
            self.following_action in FOLLOWING_ACTIONS,
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
                    self.turns,
                ]
            ),
        )
        safe = np.ones(len(TERMS), bool)
        safe[GRAVITY] = not self.robot_compensates_gravity
        set_(self, 'safe', safe)
        set_(self, 'commanded', self.enabled & safe)

    @property
    def nv(self):
        """Return the number of joint velocities."""
        return self.gains.shape[1]

    def replace(self, **changes):
        """Return a validated copy with some fields changed.

        Parameters
        ----------
        **changes
            New values by name of the field.

        Returns
        -------
        Settings
            The copy.

        Raises
        ------
        ParameterError
            For the first field that is not valid.
        """
        return dataclasses.replace(self, **changes)


def effective_state_timeout(asked, period):
    """Return the state timeout in force, clamped to [2 periods, 0.2 s].

    So it cannot be disabled.

    `asked`: requested timeout [s].
    `period`: period of the control loop [s].
    """
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


def _is_positive(values):
    return np.isfinite(values) & (values > 0.0)


def _refuse(name, value, expected, valid):
    if not np.all(valid):
        got = ' '.join(str(value).split())
        raise ParameterError(f'{name}: got {got:.200}; expected {expected}')
