"""Messages to arrays by joint name, and arrays into messages that are built once and refilled.

Sizes are checked before anything loops over what came over the wire; a message is accepted whole
or refused whole with a reason. Values are judged elsewhere: finite numbers, limits and jumps are
the supervisor's business.
"""
from array import array
from typing import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

MAX_NAMES = 1000   # in one message; a robot with its hands and its whole line has fewer joints

# Reasons for refusing a message.
EMPTY, TOO_MANY_NAMES, WRONG_LENGTH = 'EMPTY', 'TOO_MANY_NAMES', 'WRONG_LENGTH'
DUPLICATE_JOINT, MISSING_JOINT, UNKNOWN_JOINT = 'DUPLICATE_JOINT', 'MISSING_JOINT', 'UNKNOWN_JOINT'
EMPTY_VELOCITY = 'EMPTY_VELOCITY'


class JointIndex:
    """Where a robot's joints stand in the name list of a message, whatever its order.

    Args:
      joint_names: the robot's joints, in its order.
      extra: whether the list may hold further joints, which are then ignored.

    """

    def __init__(self, joint_names: Sequence[str], extra: bool = True):
        self.joint_names = tuple(joint_names)
        self._extra = extra
        self._names: list[str] = []
        self._known: dict[tuple[str, ...], tuple[np.ndarray | None, str]] = {}
        self._current: tuple[np.ndarray | None, str] = (None, EMPTY)

    def locate(self, names: list[str]) -> tuple[np.ndarray | None, str]:
        """Position of every joint of the robot in `names` (n,), and ''; or None and the reason.

        One comparison of lists while the names stay the same, a look-up among the last few lists
        when they alternate (two publishers), else O(n).
        """
        if names == self._names:
            return self._current
        if not names:
            return None, EMPTY
        if len(names) > MAX_NAMES:
            return None, TOO_MANY_NAMES
        key = tuple(names)
        if key not in self._known:
            if len(self._known) >= 8:
                self._known.clear()
            self._known[key] = self._search(key)
        self._names, self._current = list(names), self._known[key]
        return self._current

    def missing(self, names: Sequence[str]) -> list[str]:
        """Joints of the robot that the list lacks, for a message to people."""
        return [name for name in self.joint_names if name not in set(names[:MAX_NAMES])]

    def _search(self, names):
        place = {name: k for k, name in enumerate(names)}
        if len(place) != len(names):
            return None, DUPLICATE_JOINT
        if any(name not in place for name in self.joint_names):
            return None, MISSING_JOINT
        if not self._extra and len(names) != len(self.joint_names):
            return None, UNKNOWN_JOINT
        return np.array([place[name] for name in self.joint_names], dtype=np.intp), ''


class JointStateReader:
    """Positions and velocities of a JointState in the robot's order.

    Attributes:
      q: (n,) positions of the last accepted message [rad | m]; a new array for each.
      qd: (n,) velocities of the last accepted message [rad/s | m/s]; a new array for each.

    """

    def __init__(self, joint_names: Sequence[str]):
        self.index = JointIndex(joint_names)
        self.q = np.zeros(len(joint_names))
        self.qd = np.zeros(len(joint_names))

    def read(self, message: JointState) -> str:
        """Take a message over; '' or the reason of a refusal, which leaves q and qd alone."""
        names = message.name
        size = len(names)
        if size > MAX_NAMES:
            return TOO_MANY_NAMES
        if len(message.position) != size or len(message.velocity) not in (0, size):
            return WRONG_LENGTH
        where, reason = self.index.locate(names)
        if where is None:
            return reason
        if not message.velocity:
            return EMPTY_VELOCITY
        self.q = np.frombuffer(message.position)[where]
        self.qd = np.frombuffer(message.velocity)[where]
        return ''


def bound_array(message, field: str, size: int) -> np.ndarray:
    """A (size,) array over the very buffer of a float64[] field: filling it fills the message.

    With ROS_PYTHON_CHECK_FIELDS unset the field's setter copies, with '1' it keeps a reference;
    the getter gives the message's own buffer in both cases.
    """
    setattr(message, field, array('d', bytes(8 * size)))
    return np.frombuffer(getattr(message, field))


def set_stamp(stamp: Time, nanoseconds: int):
    """Fill a stamp from a clock reading [ns]."""
    stamp.sec, stamp.nanosec = divmod(nanoseconds, 1_000_000_000)


class EffortArray:
    """Float64MultiArray in the robot's joint order, as a ForwardCommandController reads it.

    It carries neither names nor a stamp.
    """

    type = Float64MultiArray

    def __init__(self, joint_names: Sequence[str]):
        self.message = Float64MultiArray()
        self._effort = bound_array(self.message, 'data', len(joint_names))

    def fill(self, effort: np.ndarray, _nanoseconds: int) -> Float64MultiArray:
        """The message with these efforts (n,) [N m | N]; the same object every time."""
        self._effort[:] = effort
        return self.message


class EffortJointState:
    """JointState with names and efforts; position and velocity stay empty, which means no command.

    That is what joint_state_topic_hardware_interface/JointStateTopicSystem exchanges.
    """

    type = JointState

    def __init__(self, joint_names: Sequence[str]):
        self.message = JointState(name=list(joint_names))
        self._effort = bound_array(self.message, 'effort', len(joint_names))

    def fill(self, effort: np.ndarray, nanoseconds: int) -> JointState:
        """The message with these efforts (n,) [N m | N] and stamp [ns]; the same object always."""
        self._effort[:] = effort
        set_stamp(self.message.header.stamp, nanoseconds)
        return self.message


EFFORT_WRITERS = {'float64_multi_array': EffortArray, 'joint_state': EffortJointState}
