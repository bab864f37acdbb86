"""The ControllerState message: built once, refilled from the supervisor."""
import numpy as np

from robodyn_msgs.msg import ControllerState
from robodyn_ros.control.law import TERMS
from robodyn_ros.control.supervisor import Supervisor
from robodyn_ros.ros.messages import bound_array, set_stamp

FLAGS = ('rate_limited', 'effort_limited', 'position_guarded')


class StateWriter:
    """Fills one ControllerState again and again."""

    def __init__(self, supervisor: Supervisor, base_link: str):
        n = len(supervisor.joint_names)
        self.message = ControllerState(law=supervisor.law.name,
                                       joint_names=list(supervisor.joint_names))
        self.message.header.frame_id = base_link
        self._supervisor = supervisor

        def arrays(*fields):
            return [bound_array(self.message, field, n) for field in fields]

        self._reference = arrays('reference_position', 'reference_velocity',
                                 'reference_acceleration')
        self._q, self._qd = arrays('measured_position', 'measured_velocity')
        self._errors = arrays('position_error', 'velocity_error')
        self._terms = arrays(*TERMS)
        self._unlimited, self._effort = arrays('effort_unlimited', 'effort')

    def fill(self, nanoseconds: int) -> ControllerState:
        """The message for the cycle that has just been run; the same object every time."""
        supervisor, message = self._supervisor, self.message
        set_stamp(message.header.stamp, nanoseconds)
        message.state = int(supervisor.state)
        for row, value in zip(self._reference, supervisor.reference):
            row[:] = value
        self._q[:], self._qd[:] = supervisor.q, supervisor.qd
        for error, wanted, got in zip(self._errors, self._reference, (self._q, self._qd)):
            np.subtract(wanted, got, out=error)
        for row, value in zip(self._terms, supervisor.terms):
            row[:] = value
        self._unlimited[:], self._effort[:] = supervisor.unlimited, supervisor.command
        for flag in FLAGS:
            setattr(message, flag, getattr(supervisor, flag).tolist())
        return message
