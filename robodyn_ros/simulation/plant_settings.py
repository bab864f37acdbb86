# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings of a plant: numbers with units, validated as a whole."""

from dataclasses import dataclass
from math import inf, isfinite

from robodyn_ros.errors import ParameterError, short_repr
from robodyn_ros.simulation.command_modes import COMMAND_MODES
from robodyn_ros.simulation.integrators.names import METHODS

VOID_COMMAND = ('brake', 'damp')
NO_COMMAND = ('hold', 'free', 'gravity_compensated')


@dataclass(frozen=True)
class PlantSettings:
    """How a plant behaves.

    Parameters
    ----------
    integrator : str
        One of METHODS: 'semi_implicit_euler' (order 1), 'rosenbrock' (2), 'energy_rosenbrock' (2),
        'rk4' (4), 'energy_rk4' (4) and 'dop853' (8). The first three are
        stable for any friction, drive and step; the others treat friction and drives explicitly.
        'dop853' divides its steps until an estimated error is near rounding. Where a joint
        starts, stops or touches a stop, all take Euler steps. The `energy_` ones keep the energy
        balance of every step without external wrenches, or stop the plant with a fault.
        Without gravity they also keep the momentum of a free flyer. See doc/integrators.md.
    substeps : int
        Equal substeps of each step.
    tolerance : float
        Largest error of a step [rad or m], estimated with substeps half as long. Substeps are
        halved until it is met. With 0 their number is `substeps`; rollouts need that.
    no_command : {'hold', 'free', 'gravity_compensated'}
        Behaviour of a joint before its first command: brake, no effort, or gravity torque.
    command_timeout : float
        Time [s] after which a command is void unless it is renewed; inf for never.
    void_command : {'brake', 'damp'}
        Reaction to a void command: brake, as the watchdog of a servo drive does, or give zero
        effort with `timeout_damping`.
    timeout_damping : float
        Damping [N m s/rad or N s/m] of a joint whose command is void, like shorted motors.
    latency : int
        Steps between a command and its effect.
    damping_scale, friction_scale : float
        Factors on the viscous and Coulomb friction of the robot.
    static_friction : float
        Ratio of static to Coulomb friction [-], at least 1.
    friction_speed : float
        Velocity [rad/s or m/s] at which static friction has fallen half-way to Coulomb friction.
    largest_speed : float
        Velocity [rad/s or m/s] beyond which a state counts as a blow-up.
    command_modes : tuple of {'effort', 'position', 'velocity', 'any'}
        Command mode of each joint, one for all, or none for effort. With 'any' the drive takes on
        the mode of each command.
    stiffness, rate_gain : tuple of float
        Kp [N m/rad or N/m] and Kd [N m s/rad or N s/m] of drives in position mode. One for each
        joint, one for all, or none for critical damping at 50 rad/s.
    velocity_gain : tuple of float
        Kv [N m s/rad or N s/m] of drives in velocity mode. One for each joint, one for all, or
        none for 100 1/s times the inertia.
    carries_weight : bool
        Whether drives in position and velocity mode add the gravity torque.
    kinematic : bool
        Whether joints in these modes move as commanded, whatever effort that needs. Their
        velocity limits hold.

    Raises
    ------
    ParameterError
        For the first value that is not allowed.
    """

    integrator: str = 'energy_rosenbrock'
    substeps: int = 1
    tolerance: float = 0.0
    no_command: str = 'hold'
    command_timeout: float = 0.1
    void_command: str = 'brake'
    timeout_damping: float = 1.0
    latency: int = 0
    damping_scale: float = 1.0
    friction_scale: float = 1.0
    static_friction: float = 1.0
    friction_speed: float = 1e-3
    largest_speed: float = 1e4
    command_modes: tuple[str, ...] = ()
    stiffness: tuple[float, ...] = ()
    rate_gain: tuple[float, ...] = ()
    velocity_gain: tuple[float, ...] = ()
    carries_weight: bool = True
    kinematic: bool = False

    __repr__ = short_repr

    def __post_init__(self):
        one_of('integrator', self.integrator, tuple(METHODS))
        one_of('no_command', self.no_command, NO_COMMAND)
        one_of('void_command', self.void_command, VOID_COMMAND)
        whole('substeps', self.substeps, 1, 1000)
        whole('latency', self.latency, 0, 10000)
        if not 0.0 < self.command_timeout <= inf:
            raise ParameterError(
                f'command_timeout is {self.command_timeout}; expected a positive time in seconds'
            )
        for name in ('tolerance', 'timeout_damping', 'damping_scale', 'friction_scale'):
            at_least_zero(name, getattr(self, name))
        if not 1.0 <= self.static_friction < inf:
            raise ParameterError(
                f'static_friction is {self.static_friction}; expected a finite factor of 1 or '
                'more, since a joint starts no more easily than it slides'
            )
        for name in ('friction_speed', 'largest_speed'):
            positive(name, getattr(self, name))
        for mode in self.command_modes:
            one_of('command_modes', mode, COMMAND_MODES)
        for name in ('stiffness', 'rate_gain', 'velocity_gain'):
            for gain in getattr(self, name):
                at_least_zero(name, gain)

    @property
    def method(self):
        """Return the number of the integrator for the compiled step."""
        return METHODS[self.integrator]


def one_of(name, value, choices):
    """Require that a value is one of the choices.

    `choices` (tuple): allowed values.
    Raises ParameterError: if it is none of them.
    """
    if value not in choices:
        raise ParameterError(
            f'{name} is {value!r}; expected one of {", ".join(map(repr, choices))}'
        )


def whole(name, value, least, most):
    """Require that a value is a whole number between two bounds.

    `least`, `most`: the bounds, both allowed.
    Raises ParameterError: if it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ParameterError(
            f'{name} is {value!r}; expected a whole number from {least} to {most}'
        )


def at_least_zero(name, value):
    """Require that a value is finite and not negative.

    Raises ParameterError: if it is not.
    """
    if not (isfinite(value) and value >= 0.0):
        raise ParameterError(f'{name} is {value}; expected a finite number, zero or more')


def positive(name, value):
    """Require that a value is finite and positive.

    Raises ParameterError: if it is not.
    """
    if not (isfinite(value) and value > 0.0):
        raise ParameterError(f'{name} is {value}; expected a finite number above zero')
