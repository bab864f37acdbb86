"""What a plant is told: numbers with units, validated as a whole."""
from dataclasses import dataclass
from math import inf, isfinite

from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.integrators import RK4, SEMI_IMPLICIT_EULER

METHODS = {'semi_implicit_euler': SEMI_IMPLICIT_EULER, 'rk4': RK4}
NO_COMMAND = ('hold', 'free', 'gravity_compensated')


@dataclass(frozen=True)
class PlantSettings:
    """How a plant behaves.

    integrator : 'semi_implicit_euler' (order 1, all friction stable at any step) or 'rk4' (order 4
        but for Coulomb friction and stops; viscous friction explicit).
    substeps : equal parts into which each step is cut.
    no_command : what a joint does before its first command: 'hold' (brake), 'free' (no effort) or
        'gravity_compensated' (the drive carries the weight).
    command_timeout : [s] after which a command that is not renewed is void, and the effort zero;
        inf for never.
    timeout_damping : [N m s/rad or N s/m] of a joint whose command is void, such as shorted motor
        windings give.
    latency : steps between a command and its effect.
    damping_scale, friction_scale : factors [-] on the robot's viscous and Coulomb friction.
    friction_speed : [rad/s or m/s] below which Coulomb friction fades; a joint that sticks creeps
        at less than about this speed.
    largest_speed : [rad/s or m/s] beyond which a state is taken for a blow-up.

    Raises ParameterError with a sentence for the first value that is not allowed.
    """

    integrator: str = 'semi_implicit_euler'
    substeps: int = 1
    no_command: str = 'hold'
    command_timeout: float = 0.1
    timeout_damping: float = 1.0
    latency: int = 0
    damping_scale: float = 1.0
    friction_scale: float = 1.0
    friction_speed: float = 1e-3
    largest_speed: float = 1e4

    def __post_init__(self):
        one_of('integrator', self.integrator, tuple(METHODS))
        one_of('no_command', self.no_command, NO_COMMAND)
        whole('substeps', self.substeps, 1, 1000)
        whole('latency', self.latency, 0, 10000)
        if not 0.0 < self.command_timeout <= inf:
            raise ParameterError(f'command_timeout is {self.command_timeout}; expected a positive '
                                 'time in seconds')
        for name in ('timeout_damping', 'damping_scale', 'friction_scale'):
            at_least_zero(name, getattr(self, name))
        for name in ('friction_speed', 'largest_speed'):
            positive(name, getattr(self, name))

    @property
    def method(self):
        """Number of the integrator, as the compiled step takes it."""
        return METHODS[self.integrator]


def one_of(name, value, choices):
    """Raise ParameterError unless the value is one of the choices."""
    if value not in choices:
        raise ParameterError(f'{name} is {value!r}; expected one of '
                             f'{", ".join(map(repr, choices))}')


def whole(name, value, least, most):
    """Raise ParameterError unless the value is a whole number between the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ParameterError(f'{name} is {value!r}; expected a whole number from {least} to '
                             f'{most}')


def at_least_zero(name, value):
    """Raise ParameterError unless the value is finite and not negative."""
    if not (isfinite(value) and value >= 0.0):
        raise ParameterError(f'{name} is {value}; expected a finite number, zero or more')


def positive(name, value):
    """Raise ParameterError unless the value is finite and positive."""
    if not (isfinite(value) and value > 0.0):
        raise ParameterError(f'{name} is {value}; expected a finite number above zero')
