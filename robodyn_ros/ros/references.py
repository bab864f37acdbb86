"""JointTrajectory messages to trajectories in the robot's joint order, stamps to delays."""
from typing import Sequence

from builtin_interfaces.msg import Time as Stamp
from rclpy.time import Time
from trajectory_msgs.msg import JointTrajectory

from robodyn_ros.control.trajectory import Trajectory
from robodyn_ros.errors import RobodynError, ShapeError, UnknownNameError
from robodyn_ros.ros.messages import DUPLICATE_JOINT, MISSING_JOINT, JointIndex
from robodyn_ros.ros.parameters import shorten

MAX_POINTS = 100_000   # of one trajectory: 100 s at 1 kHz
FIELDS = ('positions', 'velocities', 'accelerations')


class TrajectoryReader:
    """Reads JointTrajectory messages for one robot, by joint name and as a whole.

    Efforts in the points are ignored: the law computes them.
    """

    def __init__(self, joint_names: Sequence[str]):
        self._index = JointIndex(joint_names, extra=False)

    def read(self, message: JointTrajectory, ros_now: int) -> Trajectory:
        """The trajectory of a message, whose header.stamp, unless zero, says when it begins.

        Args:
          message: with exactly the robot's joints, in any order.
          ros_now: ROS time [ns].

        Raises:
          RobodynError: with a sentence, when it is not one trajectory of this robot. Its values
            are judged by the supervisor.

        """
        where, reason = self._index.locate(message.joint_names)
        if where is None:
            raise self._refusal(reason, message)
        points = message.points
        if not 1 <= len(points) <= MAX_POINTS:
            raise ShapeError(f'The trajectory has {len(points) or "no"} points; expected from 1 '
                             f'to {MAX_POINTS}.')
        fields = {field: self._field(field, points, where) for field in FIELDS}
        times = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
                 for point in points]
        return Trajectory(times=times, delay=delay(message.header.stamp, ros_now),
                          **fields)

    def _field(self, field, points, where):
        rows = [getattr(point, field) for point in points]
        sizes = {len(row) for row in rows}
        if sizes <= {0} and field != 'positions':
            return None
        if sizes != {len(where)}:
            raise ShapeError(f'The points have {sorted(sizes)[:5]} {field}; expected {len(where)} '
                             'in every point' + ('.' if field == 'positions' else ', or in none.'))
        return [[row[k] for k in where] for row in rows]

    def _refusal(self, reason, message):
        given, expected = shorten(message.joint_names), list(self._index.joint_names)
        if reason == MISSING_JOINT:
            missing = self._index.missing(message.joint_names)
            return UnknownNameError(f'The trajectory lacks the joints {missing}; expected '
                                    f'{expected}, got {given}.')
        if reason == DUPLICATE_JOINT:
            return ShapeError(f'The trajectory names a joint twice: {given}.')
        return UnknownNameError(f'The trajectory is for the joints {given} ({reason}); expected '
                                f'{expected}, in any order.')


def delay(stamp: Stamp, ros_now: int) -> float:
    """Time [s] from now to a stamp, negative if it has passed; 0 for the stamp zero.

    Args:
      stamp: of a message's header.
      ros_now: ROS time [ns].

    Raises:
      RobodynError: with a sentence, when it is no time.

    """
    if stamp.sec < 0 or stamp.nanosec >= 1_000_000_000:
        raise RobodynError(f'The message has the impossible stamp {stamp.sec} s '
                           f'{stamp.nanosec} ns; expected 0 s or more and below 1000000000 ns.')
    is_set = stamp.sec != 0 or stamp.nanosec != 0
    return 1e-9 * (Time.from_msg(stamp).nanoseconds - ros_now) if is_set else 0.0
