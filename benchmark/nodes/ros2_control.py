# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One arm on one trajectory at 1 kHz: our nodes, the plug-in, and both with ros2_control.

Needs ros2_control, robodyn_control, joint_trajectory_controller, forward_command_controller and
joint_state_topic_hardware_interface. It names those that are missing.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from benchmark import table
from benchmark.nodes.idle_prevention import Awake
from robodyn_msgs.msg import ControllerState, ControllerStatus
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF, gains
from robodyn_ros.control import plugin_files
from robodyn_ros.demonstration.experiment import processor_time, trajectory_message
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.model.sources import xacro_file
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.realtime.os_requests import RealTime
from robodyn_ros.robot import child_process
from robodyn_ros.testing.domain import private_domain
from robodyn_ros.testing.participant import LATCHED, Participant, wait_until

NEEDED = (
    'controller_manager',
    'robodyn_control',
    'joint_state_broadcaster',
    'joint_trajectory_controller',
    'forward_command_controller',
    'joint_state_topic_hardware_interface',
)
RATE, STATES = 1000, 200  # [Hz] of cycles, and of recorded states
WRITTEN = 5e-3  # [s] longest time until a cycle writes its commands
APPROACH, DURATION = 4.0, 12.0  # [s] to the centre of the motion, and of the motion
PRIORITY = 50  # of the thread that computes torque; the simulator has ten less
START = 180.0  # [s] for a start in which all kernels are compiled
ALL = QoSProfile(depth=10_000)
FORWARD = 'forward_effort_controller'
ROOT = Path(__file__).resolve().parents[2]
BEHIND = ROOT / 'config' / 'ros2_control' / 'franka_like.urdf.xacro'
NODE, PLUGIN, THEIRS = '/robodyn_controller', '/computed_torque', '/joint_trajectory_controller'
#: Arrangements.
TITLES = {
    'direct': 'node on simulator node',
    'plugin': 'a: plug-in on SimulatedRobot, held',
    'chained': 'b: plug-in under joint_trajectory_controller',
    'around': 'c: node around ros2_control, on simulator node',
    'theirs': 'd: joint_trajectory_controller (PD) on simulator node',
}


def recorded():
    """Return the recorded topics and their types."""
    from control_msgs.msg import JointTrajectoryControllerState  # comes with ros2_controllers

    return {
        'robot_states': (JointState, '/robot_joint_states'),
        'joint_states': (JointState, '/joint_states'),
        'efforts': (Float64MultiArray, '/efforts'),
        'commands': (JointState, '/robot_joint_commands'),
        'node_states': (ControllerState, f'{NODE}/controller_state'),
        'plugin_states': (ControllerState, f'{PLUGIN}/controller_state'),
        'their_states': (JointTrajectoryControllerState, f'{THEIRS}/controller_state'),
    }


def missing():
    """Return the names of the packages that are not installed."""
    absent = []
    for name in NEEDED:
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            absent.append(name)
    return absent


class Recording:
    """Messages of a topic with their times of arrival [s], decoded after the run."""

    def __init__(self, node, kind, topic):
        self._kind, self._raw, self.heard = kind, [], False
        node.create_subscription(kind, topic, self._keep, ALL, raw=True)

    def _keep(self, raw):
        self._raw.append((time.time(), raw))
        if not self.heard:  # the recording thread must not wait for other threads
            self.heard = True
            RealTime(PRIORITY - 20).apply()

    def clear(self):
        """Forget everything."""
        self._raw = []

    def read(self):
        """Return the messages, and the time at which each was received."""
        return [(time_, deserialize_message(raw, self._kind)) for time_, raw in list(self._raw)]


class Bench:
    """The processes of one arrangement, and a participant that records, as a context."""

    def __init__(self, robot, folder):
        self.robot, self.folder = robot, folder
        self._processes, self._titles, self.loads = [], {}, {}
        self.participant = Participant('benchmark')
        self.records = {
            name: Recording(self.participant.node, kind, topic)
            for name, (kind, topic) in recorded().items()
        }
        self.statuses = {
            name: self.participant.collect(ControllerStatus, f'{name}/status', LATCHED)
            for name in (NODE, PLUGIN)
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)
            process.kill()
        self.participant.close()

    def _log(self):
        return (self.folder / f'{len(self._processes)}.log').open('w')

    def node(self, name, **parameters):
        """Start one of our nodes."""
        path = self.folder / f'{name}.yaml'
        told = {'urdf_path': str(package_file(URDF)), 'update_rate': RATE, **parameters}
        path.write_text(yaml.safe_dump({'/**': {'ros__parameters': json.loads(json.dumps(told))}}))
        arguments = (f'robodyn_ros.nodes.{name}', '--ros-args', '--params-file', str(path))
        self._processes.append(
            child_process.start(*arguments, stdout=self._log(), stderr=subprocess.STDOUT)
        )
        self._titles[self._processes[-1].pid] = name

    def controllers(self, description, parameters, names):
        """Start a controller manager, and activate controllers."""
        publisher = self.participant.node.create_publisher(String, '/robot_description', LATCHED)
        publisher.publish(String(data=description))
        folder = Path(get_package_prefix('controller_manager'), 'lib', 'controller_manager')
        manager = [folder / 'ros2_control_node', '--ros-args', '--params-file', parameters]
        self._processes.append(
            subprocess.Popen(manager, stdout=self._log(), stderr=subprocess.STDOUT)
        )
        self._titles[self._processes[-1].pid] = 'controller_manager'
        spawner = [sys.executable, folder / 'spawner', *names, '--param-file', parameters]
        subprocess.run(
            spawner, check=True, timeout=START, stdout=self._log(), stderr=subprocess.STDOUT
        )

    def wait_for(self, name):
        """Wait until a controller of ours commands the arm."""
        wait_until(
            lambda: (last := self.statuses[name].last) and last.state_name in ('ACTIVE', 'HOLD'),
            f'{name} in command',
            START,
        )

    def simulator(self, start, **topics):
        """Start the simulator node at a posture."""
        self.node(
            'simulator', initial_position=start, **{'realtime.priority': PRIORITY - 10}, **topics
        )

    def controller(self, **topics):
        """Start the controller node, and wait until its kernels are compiled."""
        self.node(
            'controller',
            robot_compensates_gravity='no',
            state_timeout=0.2,
            state_publish_rate=float(STATES),
            **{'realtime.priority': PRIORITY},
            **gains(self.robot, 'computed_torque'),
            **topics,
        )
        self.wait_for(NODE)
        wait_until(
            lambda: 'specialising' not in self.statuses[NODE].last.kernels,
            'compiled kernels',
            START,
        )

    def run(self, topic, motion):
        """Send the approach and the motion, if there is a topic, and wait until it has ended."""
        if topic:
            send = self.participant.publisher(JointTrajectory, topic)
            send.publish(approached(motion, self.robot.joint_names))
        time.sleep(APPROACH + 0.5)
        for record in self.records.values():
            record.clear()
        before, begin = self._used(), time.monotonic()
        time.sleep(motion.duration - 1.0)
        length = time.monotonic() - begin
        self.loads = {name: (used - before[name]) / length for name, used in self._used().items()}

    def _used(self):
        """Return the time of processors that each program has used [s]."""
        return {name: processor_time(process) for process, name in self._titles.items()}


def approached(motion, joints):
    """Return a motion as a trajectory that begins at any posture."""
    message = trajectory_message(motion, joints)
    for point in message.points:
        point.time_from_start.sec += round(APPROACH)
    first = JointTrajectoryPoint(positions=motion.centre.tolist())
    first.velocities = first.accelerations = [0.0] * len(joints)
    first.time_from_start.sec = round(APPROACH)
    message.points = [first, *message.points]
    return message


def seconds(stamp):
    """Return a stamp in seconds."""
    return stamp.sec + 1e-9 * stamp.nanosec


def by_name(message, values, joints):
    """Return values of a JointState in the order of some joints."""
    places = [list(message.name).index(name) for name in joints]
    return tuple(np.take(values, places))


def spread(values):
    """Return median, 99th percentile and maximum [ms]."""
    return [float(x) for x in np.percentile(values, (50, 99, 100)) * 1e3] if len(values) else []


def figures(bench, name):
    """Return latencies and jitter [ms] and tracking errors [rad] of a run."""
    joints = bench.robot.joint_names
    read = {key: record.read() for key, record in bench.records.items()}
    ours = read['plugin_states' if name in ('plugin', 'chained') else 'node_states']
    measured = read['joint_states' if name == 'direct' else 'robot_states']
    stamps = _once(
        [(by_name(m, m.position, joints), seconds(m.header.stamp)) for _, m in measured]
    )
    errors = (
        [m.error.positions for _, m in read['their_states']]
        if name == 'theirs'
        else [m.position_error for _, m in ours]
    )
    result = {
        'error_rms': float(np.sqrt(np.mean(np.square(errors)))),
        'error_max': float(np.abs(errors).max()),
        'cycle': _periods(read, name, ours),
        'processor': bench.loads,
    }
    if name in ('around', 'theirs'):  # the broadcast carries the stamp of its cycle
        states = [(seconds(m.header.stamp), m) for _, m in read['joint_states']]
        begun = {at: stamps.get(by_name(m, m.position, joints)) for at, m in states}
        cycles = np.array([at for at, since in begun.items() if since])
        result['state to cycle'] = spread([at - begun[at] for at in cycles])
    if name == 'theirs':
        written = [seconds(m.header.stamp) for _, m in read['commands']]
        places = np.searchsorted(cycles, written, 'right') - 1
        result['state to command'] = spread(
            [
                at - begun[cycles[k]]
                for at, k in zip(written, places)
                if k >= 0 and at - cycles[k] < WRITTEN
            ]
        )
    if name in ('direct', 'around'):
        result |= _of_the_node(read, name, ours, stamps, joints)
    return result


def _once(pairs):
    """Return the values of keys that occur once, since repeated states cannot be matched."""
    counts = Counter(key for key, _ in pairs)
    return {key: value for key, value in pairs if counts[key] == 1}


def _periods(read, name, ours):
    """Return the deviations of the intervals between cycles from the period."""
    if name == 'direct':
        return spread(np.abs(np.diff([seconds(m.header.stamp) for _, m in ours]) - 1.0 / STATES))
    stamps = [seconds(m.header.stamp) for _, m in read['joint_states']]
    return spread(np.abs(np.diff(stamps) - 1.0 / RATE))


def _of_the_node(read, name, ours, stamps, joints):
    """Return the time from each state until the command that answers it is written.

    The node publishes which state a cycle used. Efforts are matched by their bits. A command of
    the node alone has no stamp, so its time of arrival counts.
    """
    used = {
        tuple(m.effort): (stamps.get(tuple(m.measured_position)), seconds(m.header.stamp))
        for _, m in ours
    }
    heard = (
        {tuple(m.data): at for at, m in reversed(read['efforts'])}
        if name == 'direct'
        else {
            by_name(m, m.effort, joints): seconds(m.header.stamp)
            for _, m in reversed(read['commands'])
        }
    )
    found = [
        (heard[effort], *when) for effort, when in used.items() if effort in heard and when[0]
    ]
    at, begun, cycle = np.array(found).T if found else np.empty((3, 0))
    return {
        'state to cycle': spread(cycle - begun),
        'state to command': spread(at - begun),
        'share found again': len(found) / max(1, len(used)),
    }


def behind(robot, folder, names):
    """Return description and parameters of controllers that use topics of our simulator."""
    joints = list(robot.joint_names)
    known = {
        plugin_files.BROADCASTER: ('joint_state_broadcaster/JointStateBroadcaster', {}),
        FORWARD: (
            'forward_command_controller/ForwardCommandController',
            {'joints': joints, 'interface_name': 'effort'},
        ),
        THEIRS[1:]: (
            'joint_trajectory_controller/JointTrajectoryController',
            {
                'joints': joints,
                'command_interfaces': ['effort'],
                'state_interfaces': ['position', 'velocity'],
                'gains': _pd_gains(robot),
                'state_publish_rate': float(STATES),
            },
        ),
    }
    told = {'update_rate': RATE} | {name: {'type': known[name][0]} for name in names}
    files = {'controller_manager': told} | {name: known[name][1] for name in names}
    path = folder / 'controllers.yaml'
    path.write_text(
        yaml.safe_dump({name: {'ros__parameters': each} for name, each in files.items()})
    )
    return xacro_file.expanded(str(BEHIND)), path


def _pd_gains(robot):
    """Return the demonstration's PD gains as parameters of joint_trajectory_controller."""
    flat = gains(robot, 'pd_gravity')
    return {
        joint: {kind: flat[f'gains.{joint}.{kind}'] for kind in ('p', 'd')}
        for joint in robot.joint_names
    }


def arrange(bench, name, files, start):
    """Start the processes of an arrangement; return the topic of trajectories."""
    ours = {'joint_states_topic': '/joint_states'}
    through = {
        'joint_states_topic': '/robot_joint_states',
        'joint_commands_topic': '/robot_joint_commands',
    }
    broadcaster = plugin_files.BROADCASTER
    if name == 'direct':
        bench.simulator(start, effort_command_topic='/efforts', **ours)
        bench.controller(command_topic='/efforts', **ours)
        return f'{NODE}/joint_trajectory'
    if name in ('plugin', 'chained'):
        above = [THEIRS[1:]] if name == 'chained' else []
        told = yaml.safe_load(files.parameters.read_text())
        told[PLUGIN[1:]]['ros__parameters']['state_publish_rate'] = float(STATES)
        path = bench.folder / 'plugin.yaml'
        path.write_text(yaml.safe_dump(told))
        bench.controllers(files.description, path, [broadcaster, PLUGIN[1:], *above])
        bench.wait_for(PLUGIN)
        return f'{THEIRS}/joint_trajectory' if above else ''
    bench.simulator(start, **through)
    wait_until(lambda: bench.records['robot_states'].heard, 'a state of the simulator', START)
    active = FORWARD if name == 'around' else THEIRS[1:]
    description, path = behind(bench.robot, bench.folder, [broadcaster, active])
    bench.controllers(description, path, [broadcaster, active])
    if name == 'theirs':
        return f'{THEIRS}/joint_trajectory'
    bench.controller(command_topic=f'/{FORWARD}/commands', **ours)
    return f'{NODE}/joint_trajectory'


def measure(names=tuple(TITLES)):
    """Run every arrangement in turn."""
    absent = missing()
    if absent:
        return {'missing': absent, 'runs': {}}
    lock = private_domain()
    urdf = package_file(URDF)
    robot = Robot.from_urdf(urdf)
    motion = swaying_motion(robot.limits, DURATION)
    runs, busy = {}, os.getloadavg()
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Awake()):
        files = plugin_files.plugin_files(Path(urdf).read_text(), Path(folder), True)
        for name in names:
            own = Path(folder, name)
            own.mkdir()
            with Bench(robot, own) as bench:
                topic = arrange(bench, name, files, motion.centre.tolist())
                bench.run(topic, motion)
                runs[name] = figures(bench, name)
    if lock:
        lock.close()
    return {
        'robot': robot.name,
        'missing': [],
        'runs': runs,
        'load_average': (busy, os.getloadavg()),
    }


def show(result):
    """Print a row for each arrangement."""
    if result['missing']:
        print(f'ros2_control: not measured, not installed: {", ".join(result["missing"])}')
        return
    columns = ('state to cycle', 'state to command', 'cycle')
    cells = [
        (
            TITLES[name],
            *(' / '.join(f'{x:.2f}' for x in run.get(column, [])) for column in columns),
            ', '.join(f'{part} {100.0 * used:.0f}' for part, used in run['processor'].items()),
            f'{1e3 * run["error_rms"]:.2f} / {1e3 * run["error_max"]:.2f}',
        )
        for name, run in result['runs'].items()
    ]
    table.show(
        f'{result["robot"]} at {RATE} Hz: median / p99 / maximum [ms]; errors rms / max [mrad]',
        ('', *columns, 'processor [%]', 'position error'),
        cells,
    )
