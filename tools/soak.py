# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long runs of both nodes: traffic, kills, malformed messages, parameters, and how fast a stop is.

    python -m tools.soak                         every part, at the length of an acceptance run
    python -m tools.soak stop malformed --scale 0.001 --seed 4 --record

Parts: `fuzz` (10^6 inputs for each target of tools.fuzz), `traffic` (an hour of computed torque
under valid references and 1 % of garbage), `kills` (1000 by SIGKILL), `malformed` (10^6 changed
messages, for every subscription and service in turn), `parameters` (10^4 changes), `stop` (1000
calls of ~/stop under each load). `--scale` shortens all of them. What came of a run is added to
tools/soak_runs.csv by `--record`, and doc/faults.md has the table.
"""

import argparse
import contextlib
import csv
import importlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from tools import fuzz
from tools.fuzz import mutated
from tools.raw_requests import RawRequests

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / 'tools' / 'soak_runs.csv'
COLUMNS = ('part', 'seed', 'count', 'result', 'failures')
URDF = ROOT / 'config' / 'urdf' / 'two_link.urdf'
JOINTS, LIMITS = ('joint1', 'joint2'), (100.0, 50.0)
NAME, COMMANDS = '/robodyn_controller', '/forward_effort_controller/commands'
START, SOON = 240.0, 30.0  # [s] for a node that compiles, and for anything else
STANDING = ('HOLD', 'ACTIVE')
DOMAIN = '151'
MOST_GROWTH = 1.0  # [MB] in an hour of traffic
INPUTS = 1_000_000  # of each target of tools.fuzz


class Node:
    """A node of this package as a process of its own."""

    def __init__(self, name, folder, **parameters):
        given = [
            argument
            for key, value in {'urdf_path': URDF, 'specialise': 'false', **parameters}.items()
            for argument in ('-p', f'{key}:={value}')
        ]
        self.log = Path(folder) / f'{name}-{time.monotonic_ns()}.log'
        environment = {**os.environ, 'ROS_LOG_DIR': str(folder)}
        command = [sys.executable, '-m', f'robodyn_ros.nodes.{name}', '--ros-args', *given]
        with self.log.open('w') as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
            )

    def memory(self):
        """Return resident memory [MB], threads and open files."""
        place = Path(f'/proc/{self.process.pid}')
        status = (place / 'status').read_text()
        kilobytes, threads = (
            int(re.search(rf'^{key}:\s+(\d+)', status, re.MULTILINE)[1])
            for key in ('VmRSS', 'Threads')
        )
        return kilobytes / 1024.0, threads, len(os.listdir(place / 'fd'))

    def end(self, number=signal.SIGINT):
        """End the node; return its exit code."""
        self.process.send_signal(number)
        try:
            return self.process.wait(SOON)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Watcher:
    """Our own participant: what the controller says and commands, and what we send to it."""

    def __init__(self):
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from std_msgs.msg import Float64MultiArray

        from robodyn_msgs.msg import ControllerStatus

        rclpy.init()
        self.rclpy, self.node = rclpy, rclpy.create_node('soak')
        self.state, self.efforts, self.beyond, self.figures = '', 0, 0, {}
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(ControllerStatus, f'{NAME}/status', self._status, latched)
        self.node.create_subscription(Float64MultiArray, COMMANDS, self._effort, 100)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._diagnose, 10)
        self.publishers, self.clients = {}, {}
        self.closing = False
        self.thread = threading.Thread(target=self._spin)
        self.thread.start()

    def _spin(self):
        with contextlib.suppress(self.rclpy.executors.ExternalShutdownException):
            while not self.closing:
                self.rclpy.spin_once(self.node, timeout_sec=0.05)

    def _status(self, message):
        self.state = message.state_name

    def _effort(self, message):
        self.efforts += 1
        good = len(message.data) == 2 and all(
            abs(effort) <= limit for effort, limit in zip(message.data, LIMITS)
        )
        self.beyond += not good  # NaN is not good either

    def _diagnose(self, message):
        for status in message.status:
            if status.name.startswith(NAME.strip('/')):
                self.figures |= {pair.key: pair.value for pair in status.values}

    def wait(self, condition, seconds=SOON):
        """Return whether a condition became true in time."""
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.005)
        return condition()

    def send(self, kind, topic, message):
        """Publish a message, or bytes as they are."""
        if topic not in self.publishers:
            self.publishers[topic] = self.node.create_publisher(kind, topic, 10)
        self.publishers[topic].publish(message)

    def call(self, kind, name, request=None, seconds=SOON):
        """Call a service; return its response, None where none came in time."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        if not self.clients[name].wait_for_service(seconds):
            return None
        future = self.clients[name].call_async(request or kind.Request())
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        return future.result() if done.wait(seconds) else None

    def close(self):
        """End the thread and the participant."""
        self.closing = True
        self.thread.join()
        self.node.destroy_node()
        self.rclpy.shutdown()


class Arm:
    """The simulated arm and its controller, watched."""

    def __init__(self, folder, watcher, seed, given=()):
        self.folder, self.watcher, self.rng = folder, watcher, random.Random(seed)
        self.failures, self.given = [], dict(given)
        self.simulator = self.make_simulator()
        self.controller = self.make_controller()
        self.expect(watcher.wait(lambda: watcher.state in STANDING, START), 'it did not stand')

    def make_controller(self):
        """Start a controller that becomes active by itself."""
        given = {
            'law': 'computed_torque',
            'autostart': 'true',
            'robot_compensates_gravity': "'no'",
        }
        return Node('controller', self.folder, **given, **self.given)

    def make_simulator(self):
        """Start the arm."""
        topics = {'joint_states_topic': 'joint_states', 'effort_command_topic': COMMANDS}
        return Node('simulator', self.folder, **topics)

    def expect(self, condition, sentence):
        """Note a failure."""
        if not condition:
            self.failures.append(f'{sentence}, state {self.watcher.state}')

    def expect_good(self):
        """Both processes live, the arm is commanded within its limits, nothing was raised."""
        for node in (self.simulator, self.controller):
            self.expect(node.process.poll() is None, f'{node.log.name} has ended')
            self.expect('Traceback' not in node.log.read_text(errors='replace'), node.log.name)
        self.expect(self.watcher.beyond == 0, f'{self.watcher.beyond} efforts beyond a limit')
        before = self.watcher.efforts
        self.expect(self.watcher.wait(lambda: self.watcher.efforts > before), 'it is silent')

    def close(self):
        """End both nodes."""
        for node in (self.controller, self.simulator):
            self.expect(node.end() == 0, f'{node.log.name} did not end well')

    def recover(self):
        """Reset a stop or a fault, and enable."""
        from std_srvs.srv import SetBool, Trigger

        self.watcher.call(Trigger, f'{NAME}/reset')
        self.watcher.call(SetBool, f'{NAME}/enable', SetBool.Request(data=True))
        self.expect(self.watcher.wait(lambda: self.watcher.state in STANDING), 'no recovery')

    def trajectory(self, points=3):
        """Return a trajectory near the middle of the range."""
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        found = JointTrajectory(joint_names=list(JOINTS))
        for k in range(points):
            positions = [self.rng.uniform(-0.3, 0.3) for _ in JOINTS]
            point = JointTrajectoryPoint(positions=positions)
            point.time_from_start.sec = k + 1
            found.points.append(point)
        return found


def topics():
    """Return {topic: message type} of what the controller hears, with a good message of each."""
    from geometry_msgs.msg import WrenchStamped
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Bool, String
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    point = JointTrajectoryPoint(positions=[0.1, 0.2], velocities=[0.0, 0.0])
    point.time_from_start.sec = 1
    trajectory = JointTrajectory(joint_names=list(JOINTS), points=[point] * 3)
    state = JointState(name=list(JOINTS), position=[0.1, 0.2], velocity=[0.0, 0.0])
    return {
        f'{NAME}/joint_trajectory': (JointTrajectory, trajectory),
        f'{NAME}/reference': (JointTrajectory, trajectory),
        f'{NAME}/emergency_stop': (Bool, Bool(data=False)),
        'robot_description': (String, String(data=URDF.read_text())),
        'joint_states': (JointState, state),
        '/robodyn_simulator/external_wrench': (WrenchStamped, WrenchStamped()),
    }


def heard(watcher):
    """Return those topics that somebody subscribes to with the type given."""
    from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

    known = {
        watcher.node.resolve_topic_name(topic): (kind, message)
        for topic, (kind, message) in topics().items()
    }
    there = {
        name: types
        for name, types in watcher.node.get_topic_names_and_types()
        if not topic_or_service_is_hidden(name)
    }
    return {
        name: (kind, message)
        for name, (kind, message) in known.items()
        if any(part.endswith('/' + kind.__name__) for part in there.get(name, ()))
    }


def served(watcher):
    """Return {absolute name: type} of the services of both nodes.

    Not of ~/change_state: a request that is well formed by chance would rightly end the node.
    """

    def load(text):
        package, folder, name = text.split('/')
        return getattr(importlib.import_module(f'{package}.{folder}'), name)

    return {
        name: load(types[0])
        for node in ('robodyn_controller', 'robodyn_simulator')
        for name, types in watcher.node.get_service_names_and_types_by_node(node, '/')
        if not name.endswith('/change_state')
    }


# ------------------------------------------------------------------------------------------ parts


def traffic(arm, count):
    """Computed torque for `count` seconds under valid references and 1 % of garbage."""
    from rclpy.serialization import serialize_message
    from trajectory_msgs.msg import JointTrajectory

    topic = f'{NAME}/joint_trajectory'
    settled, sent, end = None, 0, time.monotonic() + count
    begin = time.monotonic()
    while time.monotonic() < end:
        message = arm.trajectory(arm.rng.randrange(1, 30))
        if arm.rng.random() < 0.01:
            message = mutated(arm.rng, serialize_message(message))
        arm.watcher.send(JointTrajectory, topic, message)
        sent += 1
        time.sleep(0.05)
        if settled is None and time.monotonic() - begin > min(30.0, 0.25 * count):
            settled = arm.controller.memory()
    last = arm.controller.memory()
    growth = last[0] - settled[0]
    arm.expect(growth < MOST_GROWTH, f'memory grew by {growth:.2f} MB')
    arm.expect(last[1:] == settled[1:], 'threads or files were added')
    figures = arm.watcher.figures
    return (
        f'{sent} references in {count:.0f} s; memory {growth:+.2f} MB, threads '
        f'{last[1] - settled[1]:+d}, files {last[2] - settled[2]:+d}; '
        f'{arm.watcher.efforts} efforts, none beyond a limit; cycles '
        f'{figures.get("cycles", "?")}, missed {figures.get("missed", "?")}'
    )


def kills(arm, count):
    """Kill one of the nodes, start it again, wait until the arm is held."""
    longest = 0.0
    for k in range(count):
        begin, arm.watcher.state = time.monotonic(), ''
        if k % 2:
            arm.controller.end(signal.SIGKILL)
            arm.controller = arm.make_controller()
        else:
            arm.simulator.end(signal.SIGKILL)
            arm.simulator = arm.make_simulator()
            arm.watcher.wait(lambda: arm.watcher.state == 'STALE', 2.0)
        arm.expect(
            arm.watcher.wait(lambda: arm.watcher.state in STANDING, START), f'kill {k}: no HOLD'
        )
        longest = max(longest, time.monotonic() - begin)
    return f'held again each time, after {longest:.1f} s at most'


def malformed(arm, count):
    """Changed messages on every subscription, as bytes, and changed requests to every service.

    A request is sent if it can be decoded: Fast CDR 2.2 reads beyond the end of one that cannot.
    """
    from rclpy.serialization import deserialize_message, serialize_message

    found = heard(arm.watcher)
    good = {name: serialize_message(message) for name, (_, message) in found.items()}
    with contextlib.ExitStack() as stack:
        asked, kinds = {}, {}
        for name, kind in served(arm.watcher).items():
            asked[name] = RawRequests(arm.watcher.node, kind, name)
            stack.callback(asked[name].close)
            kinds[name] = kind.Request
            good[name] = asked[name].good
        order, refused = sorted(good), 0
        for k in range(count):
            name = order[k % len(order)]
            data = mutated(arm.rng, good[name])
            if name in asked:
                try:
                    data = serialize_message(deserialize_message(data, kinds[name]))
                except Exception:  # as the middleware says it: RCLError, UnicodeDecodeError
                    refused += 1
                    continue
            if k % 1000 == 999:
                time.sleep(0.2)  # the queues are short: what is not taken is not tried
            elif k % 10 == 9:
                time.sleep(0.002)
            if name in asked:
                asked[name].publish(data)
                continue
            try:
                arm.watcher.send(found[name][0], name, data)
            except RuntimeError:
                refused += 1
        time.sleep(1.0)
    arm.recover()
    return (
        f'on {len(found)} topics and {len(asked)} services; {refused} not sent, being no request '
        f'or too long; alive and standing afterwards'
    )


def parameters(arm, count):
    """Live parameters set at random, good and bad values alike."""
    from rcl_interfaces.msg import Parameter as Message
    from rcl_interfaces.msg import ParameterType, ParameterValue
    from rcl_interfaces.srv import SetParametersAtomically

    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS

    names = [spec.name for spec in CONTROLLER_PARAMETERS]
    numbers = (0.0, 1.0, -1.0, 1e9, 1e-9, float('nan'), float('inf'), 1e308)
    accepted = 0
    for _ in range(count):
        kind = arm.rng.randrange(6)
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE)
        value.double_value = arm.rng.choice(numbers) * arm.rng.random()
        if kind == 0:
            value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='x' * 50)
        elif kind < 4:
            value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY)
            value.double_array_value = [
                arm.rng.choice(numbers) * arm.rng.random() for _ in range(arm.rng.choice((0, 2)))
            ]
        message = Message(name=arm.rng.choice(names), value=value)
        answer = arm.watcher.call(
            SetParametersAtomically,
            f'{NAME}/set_parameters_atomically',
            SetParametersAtomically.Request(parameters=[message]),
        )
        arm.expect(answer is not None, f'no answer to {message.name}')
        accepted += bool(answer and answer.result.successful)
    return f'{accepted} accepted, the others refused with a sentence'


def stop(arm, count):
    """Calls of ~/stop under each load: how long the answer takes."""
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter
    from rclpy.serialization import serialize_message
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String
    from std_srvs.srv import Trigger
    from trajectory_msgs.msg import JointTrajectory

    topic = f'{NAME}/joint_trajectory'
    largest = serialize_message(arm.trajectory(40_000))
    huge = largest * 5
    requests = [Parameter('law', value='pd').to_parameter_msg()] * 900
    states = JointState(name=['x'] * 1000, position=[0.0] * 1000, velocity=[0.0] * 1000)
    setting = SetParametersAtomically.Request(parameters=requests)
    loads = {
        'nothing': lambda: None,
        'largest trajectory, 10 Hz': lambda: arm.watcher.send(JointTrajectory, topic, largest),
        '8 MB trajectory, 10 Hz': lambda: arm.watcher.send(JointTrajectory, topic, huge),
        'states of 1000 joints, 100 Hz': lambda: arm.watcher.send(
            JointState, 'joint_states', states
        ),
        '900 parameters, 10 Hz': lambda: arm.watcher.call(
            SetParametersAtomically, f'{NAME}/set_parameters_atomically', setting
        ),
        'descriptions, 10 Hz': lambda: arm.watcher.send(
            String, 'robot_description', String(data=URDF.read_text() + ' ')
        ),
    }
    told = []
    for name, load in loads.items():
        over, period = threading.Event(), 0.01 if '100 Hz' in name else 0.1
        rss, missed = arm.controller.memory()[0], arm.watcher.figures.get('missed')

        def repeat(load=load, over=over, period=period):
            while not over.wait(period):
                load()

        thread = threading.Thread(target=repeat)
        thread.start()
        times = []
        for _ in range(count):
            begin = time.monotonic()
            arm.expect(arm.watcher.call(Trigger, f'{NAME}/stop') is not None, f'{name}: no answer')
            times.append(1e3 * (time.monotonic() - begin))
            time.sleep(0.02)
        over.set()
        thread.join()
        arm.recover()
        growth = arm.controller.memory()[0] - rss
        median, p99, worst = np.percentile(times, (50, 99, 100))
        told.append(
            f'{name}: p50 {median:.1f}, p99 {p99:.1f}, worst {worst:.1f} ms, memory '
            f'{growth:+.1f} MB, missed {missed} to {arm.watcher.figures.get("missed")}'
        )
    return '; '.join(told)


PARTS = {
    'traffic': (traffic, 3600),
    'kills': (kills, 1000),
    'malformed': (malformed, 1_000_000),
    'parameters': (parameters, 10_000),
    'stop': (stop, 1000),
}


def soak(part, count, seed, given=()):
    """Run one part with these parameters of the controller; return its row."""
    with tempfile.TemporaryDirectory(prefix='robodyn-soak-') as folder:
        watcher = Watcher()
        with contextlib.closing(watcher):
            arm = Arm(folder, watcher, seed, given)
            result = ''
            try:
                result = PARTS[part][0](arm, count)
                arm.expect_good()
            finally:
                arm.close()
                if arm.failures:
                    for log in Path(folder).glob('*.log'):
                        print(f'-- {log.name}', *log.read_text().splitlines()[-15:], sep='\n')
    row = {'part': part, 'seed': seed, 'count': count, 'result': result}
    return row | {'failures': '; '.join(arm.failures)}


def runs():
    """Return the rows of the runs so far."""
    with RUNS.open(newline='') as file:
        return list(csv.DictReader(file))


def main(args=None):
    """Run the parts; exit code 1 where one failed."""
    parser = argparse.ArgumentParser(
        prog='soak', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('parts', nargs='*', metavar='PART', help=f'fuzz, {", ".join(PARTS)}')
    parser.add_argument('--scale', type=float, default=1.0, help='of every length (%(default)s)')
    parser.add_argument('--seed', type=int, default=1, help='of what is sent (%(default)s)')
    parser.add_argument('--record', action='store_true', help='add the run to tools/soak_runs.csv')
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='NAME=VALUE',
        help='a parameter of the controller, as update_rate=200 on a busy machine',
    )
    parser.add_argument('--domain', default=DOMAIN, help='ROS domain of the run (%(default)s)')
    options = parser.parse_args(args)
    given = dict(each.split('=', 1) for each in options.set)
    known = ('fuzz', *PARTS)
    unknown = set(options.parts) - set(known)
    if unknown:
        parser.error(f'no part {", ".join(unknown)}; expected some of {", ".join(known)}')
    # beyond those that tests reserve, so that neither hears the other
    os.environ |= {'ROS_DOMAIN_ID': options.domain, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    failed = False
    for part in options.parts or known:
        if part == 'fuzz':
            count = ['--count', str(max(1, round(INPUTS * options.scale)))]
            failed = bool(fuzz.main([*count, '--seed', str(options.seed)])) or failed
            continue
        row = soak(part, max(1, round(PARTS[part][1] * options.scale)), options.seed, given)
        row['result'] += ''.join(f'; {key} {value}' for key, value in given.items())
        print(json.dumps(row, indent=1), flush=True)
        failed = failed or bool(row['failures'])
        if options.record:
            with RUNS.open('a', newline='') as file:
                csv.DictWriter(file, COLUMNS, lineterminator='\n').writerow(row)
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
