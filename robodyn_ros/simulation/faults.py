# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Defects of a simulated robot, for tests of controllers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from robodyn_ros.errors import ParameterError, require_names, short_repr


@dataclass(frozen=True)
class Faults:
    """Defects of a simulated robot; none by default.

    Parameters
    ----------
    stuck_joints : tuple of str
        Joints that cannot move.
    effort_loss : mapping of str to float
        Lost share of the effort, from 0 to 1, of the motor of each named joint.
    frozen_sensor : bool
        Whether the sensor repeats its last reading.
    dropped_states : float
        Share of the readings, 0 to 1, that are lost.

    Raises
    ------
    ParameterError
        For a share outside 0 to 1.
    """

    stuck_joints: tuple[str, ...] = ()
    effort_loss: Mapping[str, float] = field(default_factory=dict)
    frozen_sensor: bool = False
    dropped_states: float = 0.0

    __repr__ = short_repr

    def __post_init__(self):
        shares = {f'effort_loss of {name!r}': share for name, share in self.effort_loss.items()}
        for name, share in {**shares, 'dropped_states': self.dropped_states}.items():
            if not 0.0 <= share <= 1.0:
                raise ParameterError(f'{name} is {share}; expected a share from 0 to 1')

    def check_names(self, robot, joint_names):
        """Require that the robot has every joint that a fault names.

        Parameters
        ----------
        robot : str
            Name of the robot.
        joint_names : sequence of str
            Names of its joints.

        Raises
        ------
        UnknownNameError
            For the first name that the robot does not have.
        """
        named = (*self.stuck_joints, *self.effort_loss)
        require_names(f'robot {robot!r}', 'joint', named, joint_names, ' to break')
