# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Show a robot in the browser: sliders of its joints, gravity torques, inertia of the end
effector.

    robodyn_ros view arm.urdf
    robodyn_ros view arm.urdf --play motion.csv    a trajectory as for play, or a rosbag2
    robodyn_ros view arm.urdf --live               follows /joint_states

The page is for this machine alone unless --host says otherwise. Ctrl-C ends the command.
"""

import argparse
import contextlib
import sys
import webbrowser

from robodyn_ros.console.robot_arguments import (
    RobotParser,
    add_robot,
    model_of,
    refuse,
    source_of,
    within,
)
from robodyn_ros.errors import RobodynError
from robodyn_ros.model.sources.geometry import ELEMENTS
from robodyn_ros.nodes.start import require
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.rosbag2_messages import messages_of_ros
from robodyn_ros.view.page import Page
from robodyn_ros.view.playback import read_motion
from robodyn_ros.view.scales import scales_of
from robodyn_ros.view.scene import Scene
from robodyn_ros.view.torque_arrows import TorqueArrows

TOPIC = '/joint_states'


def main(args=None):
    """Serve the page.

    Returns the exit code: 1 if that fails, else 0.
    """
    options = _parser().parse_args(args)
    require('viser', 'trimesh', *(['rclpy', 'sensor_msgs'] if options.live else []))
    try:
        with contextlib.ExitStack() as stack:
            _serve(options, stack)
    except KeyboardInterrupt:
        return 0
    except (RobodynError, OSError) as error:
        return refuse(error)
    return 0


def _serve(options, stack):
    """Serve the page until a signal, or the last visitor, ends it; the stack closes all
    resources."""
    source = source_of(options)
    robot, described = Robot(model_of(options, source)), source.description()
    joints, frame = described.joints, options.frame or _last_link(robot, described)
    robot.model.frame(frame)
    motion, follower, notes = None, None, []
    if options.play:
        motion = read_motion(options.play, robot, options.topic, messages_of_ros())
    elif options.live:
        robot.model.refuse_quaternions('a topic of joint states')
        from robodyn_ros.ros.common.joint_state_follower import JointStateFollower

        follower = JointStateFollower(robot.joint_names, options.live)
        stack.callback(follower.close)
    page = Page(
        robot,
        Scene(robot, source.shapes(options.shapes, notes=notes), joints),
        TorqueArrows(robot, joints),
        scales_of(robot, frame),
        frame,
        source.folder,
        options.host,
        options.port,
    )
    stack.callback(page.close)
    if motion:
        page.add_motion(motion)
    for note in (*notes, *page.notes):
        print(f'Note: {note}.', file=sys.stderr)
    print(f'Robot {robot.name!r} is shown at {page.address}', flush=True)
    if options.open:
        webbrowser.open(page.address)
    page.play(
        follower.newest if follower else lambda: None,
        (lambda: page.is_left) if options.once else lambda: False,
    )


def _last_link(robot, described):
    """Return the last link of the description that the robot has, usually the end effector."""
    return [
        link.name for link in described.links if link.name in robot.frames and not link.is_rotor
    ][-1]


def _parser():
    """Return the parser of the command line."""
    parser = RobotParser(
        prog='robodyn_ros view',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument('--frame', help='frame of the end effector; the last link by default')
    parser.add_argument(
        '--shapes', choices=ELEMENTS, default=ELEMENTS[0], help='what is drawn (%(default)s)'
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        '--play', metavar='FILE', help='CSV, JSON or YAML file of a trajectory, or a rosbag2'
    )
    source.add_argument(
        '--live',
        nargs='?',
        const=TOPIC,
        metavar='TOPIC',
        help=f'follow the joint states on a ROS topic ({TOPIC})',
    )
    parser.add_argument(
        '--topic', default=TOPIC, help='joint states of a bag that is played (%(default)s)'
    )
    parser.add_argument(
        '--host', default='127.0.0.1', help='address to serve at (%(default)s: this machine alone)'
    )
    parser.add_argument(
        '--port',
        type=within(int, 0, 65535),
        default=8080,
        help='first port to try; the next free one is used (%(default)s)',
    )
    parser.add_argument('--open', action='store_true', help='open the page in the browser')
    parser.add_argument('--once', action='store_true', help='end when the last visitor leaves')
    return parser


if __name__ == '__main__':
    sys.exit(main())
