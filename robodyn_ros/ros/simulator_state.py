"""The state that a request puts the simulated robot into."""
from sensor_msgs.msg import JointState

from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.ros.messages import MAX_NAMES
from robodyn_ros.ros.parameters import shorten


def named_state(request: JointState, plant):
    """Position and velocity (n,) of the plant with what the request names put in its place.

    Raises:
      ShapeError, UnknownNameError: with a sentence, when it does not fit the robot.

    """
    size, names = len(request.name), plant.model.joint_names
    if not 1 <= size <= MAX_NAMES:
        raise ShapeError(f'The state names {size} joints; expected 1 to {MAX_NAMES}.')
    if len(request.position) not in (0, size) or len(request.velocity) not in (0, size):
        raise ShapeError(f'The state has {size} names, {len(request.position)} positions and '
                         f'{len(request.velocity)} velocities; expected as many of each, or none.')
    place = {name: k for k, name in enumerate(names)}
    if any(name not in place for name in request.name) or len(set(request.name)) != size:
        raise UnknownNameError(f'The state names the joints {shorten(list(request.name))}; '
                               f'expected each at most once, of {", ".join(names)}.')
    where = [place[name] for name in request.name]
    position, velocity = plant.q.copy(), plant.qd.copy()
    if request.position:
        position[where] = request.position
    if request.velocity:
        velocity[where] = request.velocity
    return position, velocity
