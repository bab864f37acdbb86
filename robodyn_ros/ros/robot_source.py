"""Where a node's robot comes from: a parameter, a file, or the topic `robot_description`."""
from pathlib import Path
from typing import Callable

from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from robodyn_ros.errors import ModelError, ParameterError
from robodyn_ros.model import selection
from robodyn_ros.robot import Robot
from robodyn_ros.ros.parameters import START, ParamSpec

ROBOT_PARAMETERS = (
    ParamSpec('robot_description', 'string', '', '', 'URDF text. Empty: `urdf_path` or, if that '
              'is empty too, the topic `robot_description`.', change=START),
    ParamSpec('urdf_path', 'string', '', '', 'URDF file.', change=START),
    ParamSpec('joints', 'string[]', (), '', 'Joints to command, in the order of every command. '
              'Empty: all that can move and are not locked, base to tip.'),
    ParamSpec('locked', 'string[]', (), '', "Joints held still, each as `name` or `name=position` "
              '[rad or m]; planar ones as `name=x y turn`, floating ones as `name=x y z qx qy qz '
              'qw`.'),
    ParamSpec('base_link', 'string', '', '', 'Link that stands still. Empty: the root.'),
    ParamSpec('gravity', 'float[]', (0.0, 0.0, -9.81), 'm/s^2', 'Gravity acceleration in the axes '
              'of the base link; another direction for a base that is mounted otherwise.',
              lower=-100.0, upper=100.0, lengths=(3,)),
)

DESCRIPTION_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class RobotSource:
    """The latest robot description, and the robot it makes under the node's parameters.

    Args:
      node: the node, which has ROBOT_PARAMETERS.
      parameters: its parameters.
      arrived: called with every description that differs from the one before.

    """

    def __init__(self, node, parameters, arrived: Callable[[str], None] = lambda _: None):
        self._parameters, self._arrived = parameters, arrived
        self._text = parameters['robot_description'] or parameters['urdf_path']
        self.topic = ''
        if not self._text:
            subscription = node.create_subscription(String, 'robot_description', self._receive,
                                                    DESCRIPTION_QOS)
            self.topic = subscription.topic_name

    @property
    def available(self) -> bool:
        """Whether there is a description."""
        return bool(self._text)

    def build(self, free_base: bool = False) -> Robot:
        """Build the robot.

        Args:
          free_base: whether its base link moves freely.

        Raises:
          ModelError: when there is no description, or it is refused, with the element's name.
          ParameterError: when `locked` cannot be read.

        """
        if not self.available:
            raise ModelError("There is no robot yet: neither of the parameters "
                             "'robot_description' and 'urdf_path' is set and nothing has come on "
                             f"'{self.topic}'.")
        values = self._parameters
        if values['urdf_path'] and not Path(values['urdf_path']).is_file():
            raise ModelError(f"There is no file '{values['urdf_path']}' (parameter 'urdf_path').")
        return Robot.from_urdf(self._text, joints=values['joints'] or None,
                               base=values['base_link'] or None, gravity=values['gravity'],
                               locked=read_locked(values['locked']), free_base=free_base)

    def _receive(self, message: String):
        if message.data != self._text:
            self._text = message.data
            self._arrived(self._text)


def read_locked(entries: tuple[str, ...]) -> dict[str, float | tuple[float, ...]]:
    """Joint name -> position [rad or m] from `name` or `name=position`; ParameterError if not."""
    try:
        return dict(map(selection.held, entries))
    except ParameterError as error:
        raise ParameterError(f"Parameter 'locked' has the entry {error}.") from None
