"""What can be broken on purpose, to see what a controller makes of it."""
from collections.abc import Mapping
from dataclasses import dataclass, field

from robodyn_ros.errors import ParameterError, UnknownNameError


@dataclass(frozen=True)
class Faults:
    """Defects of a simulated robot; none by default.

    stuck_joints : names of joints that cannot move.
    effort_loss : share of its effort, 0 to 1, that each named joint's motor has lost.
    frozen_sensor : the sensor repeats its last reading.
    dropped_states : share of the readings, 0 to 1, that get lost on the way.

    Raises ParameterError for a share outside 0..1.
    """

    stuck_joints: tuple[str, ...] = ()
    effort_loss: Mapping[str, float] = field(default_factory=dict)
    frozen_sensor: bool = False
    dropped_states: float = 0.0

    def __post_init__(self):
        shares = {f'effort_loss of {name!r}': share for name, share in self.effort_loss.items()}
        for name, share in {**shares, 'dropped_states': self.dropped_states}.items():
            if not 0.0 <= share <= 1.0:
                raise ParameterError(f'{name} is {share}; expected a share from 0 to 1')

    def check_names(self, robot, joint_names):
        """Raise UnknownNameError when a fault names a joint that the robot does not have."""
        for name in (*self.stuck_joints, *self.effort_loss):
            if name not in joint_names:
                raise UnknownNameError(f'robot {robot!r} has no joint {name!r} to break; valid: '
                                       f'{", ".join(joint_names)}')
