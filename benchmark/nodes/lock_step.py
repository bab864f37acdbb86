# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed of lock step against real time: without ROS, in one process, in two processes.

A seven-joint arm follows a trajectory at 1 kHz under the computed torque law. The variants take
turns, so that other work of the machine disturbs all of them alike. Each has its own interpreter:
threads of the others' nodes would take its lock. The first two have no supervisor.
"""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.reference.path import Path as Reference
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.ros.controller.controller_parameters import (
    CONTROLLER_PARAMETERS,
    control_settings,
)
from robodyn_ros.ros.controller.law_parameters import gain_parameters
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.specialised_step import specialised_step
from robodyn_ros.testing.domain import move_to_own_domain
from robodyn_ros.testing.hosting import ros_arguments

ARM = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
TARGET = (0.3, -0.2, 0.2, -1.5, 0.1, 1.2, 0.2)
ROUNDS, STEPS = 7, 1000
#: Turns in one process are as much longer. A thousand steps take milliseconds there, in which a
#: processor still wakes.
LONGER = 10
WAYS = (
    'plant and law, one compiled loop',
    'plant and law, in turn from Python',
    'without ROS, code of the robot',
    'without ROS',
    'one process, code of the robot',
    'one process',
    'two processes',
    'two processes, every message acknowledged',
    'two processes on one processor',
    'two processes on one processor, code of the robot',
)
APART = WAYS[6]

#: Starts a node that asks for each message to be acknowledged.
ACKNOWLEDGED = """
import runpy, sys
from robodyn_ros.ros.transport import lock_step_transport as transport
transport.Mailbox.__init__.__defaults__ = (transport.QOS,)
runpy.run_module(f'robodyn_ros.nodes.{sys.argv.pop(1)}', run_name='__main__', alter_sys=True)
"""


class CompiledLoop:
    """Plant and law without a supervisor, by Plant.rollout, with the code of the robot."""

    def __init__(self):
        robot = Robot.from_urdf(ARM).specialised()
        self._law, self._plant, self._step = ComputedTorque(robot), Plant(robot), 0
        self._gains = np.outer([100.0, 20.0], np.ones(robot.nv))
        rest = np.zeros((1, robot.nv))
        start = np.array([self._plant.q, *np.zeros((2, robot.nv))])
        way = Reference.through(Trajectory([60.0], np.array([TARGET]), rest, rest), start)
        self._references = np.empty(((ROUNDS + 1) * LONGER * STEPS, *start.shape))
        for k, reference in enumerate(self._references):
            way.sample(1e-3 * k, reference)

    def advance(self, steps):
        """Take steps."""
        references = self._references[self._step : self._step + steps]
        self._move(references)
        self._step += steps

    def _move(self, references):
        plant, efforts = self._plant, np.zeros_like(references[:, 0])
        states = plant.rollout(
            plant.q, plant.qd, efforts, 1e-3, self._gains, references, self._law
        )
        plant.set_state(states.position[0, -1], states.velocity[0, -1])

    def close(self):
        """Nothing is held."""


class LoopInPython(CompiledLoop):
    """The same, bit for bit, called from Python in turn."""

    def _move(self, references):
        plant, law, terms = self._plant, self._law, np.zeros((len(TERMS), len(TARGET)))
        for reference in references:
            terms.fill(0.0)
            law.torques(plant.q, plant.qd, reference, self._gains, terms)
            plant.step(terms.sum(axis=0), 1e-3)


class WithoutRos:
    """Plant and supervisor, called in turn."""

    def __init__(self):
        robot, self._step = Robot.from_urdf(ARM), 0
        law = ComputedTorque(robot)
        specs = (*CONTROLLER_PARAMETERS, *gain_parameters(robot.joint_names, ComputedTorque))
        values = {spec.name: spec.convert(spec.default) for spec in specs}
        settings = control_settings(values | {'robot_compensates_gravity': 'no'}, robot, law)
        self._supervisor, self._plant = Supervisor(robot, law, settings), Plant(robot)
        self._specialise(robot.model)
        self.advance(10)
        assert self._supervisor.activate(self._now) == ''
        rest = np.zeros((1, 7))
        way = Trajectory([60.0], np.array([TARGET]), rest, rest)
        assert self._supervisor.follow(way, self._now) == ''

    def _specialise(self, model):
        """Replace a method, so that the kernels for any robot stay in use."""

    @property
    def _now(self):
        return 1e-3 * self._step

    def advance(self, steps):
        """Take steps."""
        supervisor, plant = self._supervisor, self._plant
        for _ in range(steps):
            supervisor.accept_state(np.array((plant.q, plant.qd)), self._now)
            supervisor.tick(self._now)
            plant.step(supervisor.command, 1e-3)
            self._step += 1

    def close(self):
        """Do nothing; there is nothing to close."""


class WithCodeOfTheRobot(WithoutRos):
    """Plant and supervisor with the kernels that are compiled for this robot."""

    def _specialise(self, model):
        self._supervisor.replace_kernels(specialised_kernels(model, ComputedTorque))
        self._plant.replace_kernel(specialised_step(model))


class OneProcess:
    """Both nodes in one process."""

    has_own_code = False

    def __init__(self):
        from robodyn_ros.testing.robots import ControlledRobot

        move_to_own_domain()  # the other variant has nodes of the same names
        self._arm = ControlledRobot(ARM, lock_step__specialise=self.has_own_code)
        self._arm.go_to(TARGET, 60.0)

    def advance(self, steps):
        """Take steps."""
        self._arm.step(steps)

    def close(self):
        """End the nodes."""
        self._arm.close()


class OneProcessWithCodeOfTheRobot(OneProcess):
    """Both nodes in one process, with the kernels that are compiled for this robot."""

    has_own_code = True


class TwoProcesses:
    """Each node in a process of its own, over the middleware."""

    namespace = '/apart'  # the other nodes have the same names
    parameters = {}

    @staticmethod
    def program(name):
        """Return the arguments of Python that start a node."""
        return '-m', f'robodyn_ros.nodes.{name}'

    def __init__(self):
        from diagnostic_msgs.msg import DiagnosticArray

        from robodyn_msgs.msg import ControllerStatus
        from robodyn_msgs.srv import Advance
        from robodyn_ros.testing.participant import Inbox, Participant

        both = {'urdf_path': ARM, 'trigger': 'lock_step', 'specialise': False, **self.parameters}
        given = {'simulator': both, 'controller': {**both, 'robot_compensates_gravity': "'no'"}}
        self._kind, self._participant = Advance, Participant(f'benchmark_of{self.namespace[1:]}')
        self._processes = [
            subprocess.Popen(
                [sys.executable, *self.program(name), '--ros-args', *ros_arguments(values)]
                + ['--remap', f'__ns:={self.namespace}', '--log-level', 'warn']
            )
            for name, values in given.items()
        ]
        self._reports, self._statuses = Inbox(), Inbox()
        subscribe = self._participant.node.create_subscription
        subscribe(DiagnosticArray, '/diagnostics', self._reports, 10)
        subscribe(
            ControllerStatus, f'{self.namespace}/robodyn_controller/status', self._statuses, 10
        )
        deadline = time.monotonic() + 180.0
        while not self._request(1).success:
            assert time.monotonic() < deadline, 'the nodes do not start'
            time.sleep(0.2)

    def _request(self, steps):
        request = self._kind.Request()
        request.duration.sec, request.duration.nanosec = divmod(steps * 10**6, 10**9)
        return self._participant.call(
            self._kind, f'{self.namespace}/robodyn_simulator/advance', request, timeout=180.0
        )

    def advance(self, steps):
        """Take steps."""
        response = self._request(steps)
        assert response.success, response.message

    def shares(self):
        """Return the median times of both nodes in a step, without the middleware [us].

        The simulator reports those of the last second, so reports come while it steps.
        """
        self._reports.clear()
        self._statuses.clear()
        self.advance(6 * STEPS)
        turns = [
            float(pair.value)
            for report in self._reports.messages
            for part in report.status
            if part.name == 'robodyn_simulator: loop'
            for pair in part.values
            if pair.key == 'tick_p50' and float(pair.value) > 0.0
        ]
        cycles = [status.tick_p50 for status in self._statuses.messages if status.tick_p50 > 0.0]
        return {'simulator': float(np.median(turns)), 'controller': float(np.median(cycles))}

    def close(self):
        """End the processes."""
        for process in self._processes:
            process.terminate()
            process.wait()
        self._participant.close()


class Acknowledged(TwoProcesses):
    """As reliable readers: the middleware acknowledges each message."""

    namespace = '/acknowledged'

    @staticmethod
    def program(name):
        return '-c', ACKNOWLEDGED, name


class OnOneProcessor(TwoProcesses):
    """Both bound to the first processor, so that neither wakes a sleeping one."""

    namespace = '/bound'
    parameters = {'realtime.cpus': f'[{min(os.sched_getaffinity(0))}]'}


class OnOneProcessorWithCodeOfTheRobot(OnOneProcessor):
    """The same, with the kernels that are compiled for this robot."""

    namespace = '/bound_and_own'
    parameters = {**OnOneProcessor.parameters, 'lock_step.specialise': True}


class InOwnProcess:
    """A variant in an interpreter of its own.

    Parameters
    ----------
    kind : type
        The variant.
    """

    _made = None  # the variant, in that interpreter

    def __init__(self, kind):
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context('spawn'))
        self._pool.submit(self._make, kind).result()

    def advance(self, steps):
        """Take steps."""
        self._pool.submit(self._call, 'advance', steps).result()

    def close(self):
        """End the variant and its interpreter."""
        self._pool.submit(self._call, 'close').result()
        self._pool.shutdown()

    @classmethod
    def _make(cls, kind):
        cls._made = kind()

    @classmethod
    def _call(cls, name, *arguments):
        getattr(cls._made, name)(*arguments)


KINDS = (
    CompiledLoop,
    LoopInPython,
    WithCodeOfTheRobot,
    WithoutRos,
    OneProcessWithCodeOfTheRobot,
    OneProcess,
    TwoProcesses,
    Acknowledged,
    OnOneProcessor,
    OnOneProcessorWithCodeOfTheRobot,
)


def measure():
    """Return the speed of each variant, from rounds in turn [simulated s / s]."""
    move_to_own_domain()
    ways, speeds = [], {name: [] for name in WAYS}
    try:
        for kind in KINDS:
            is_apart = issubclass(kind, TwoProcesses)
            ways.append(kind() if is_apart else InOwnProcess(kind))
        for way in ways:
            way.advance(STEPS // 10)
        for _ in range(ROUNDS):
            for name, way in zip(WAYS, ways):
                steps = STEPS if isinstance(way, TwoProcesses) else LONGER * STEPS
                begin = time.perf_counter()
                way.advance(steps)
                speeds[name].append(1e-3 * steps / (time.perf_counter() - begin))
        shares = ways[WAYS.index(APART)].shares()
    finally:
        for way in ways:
            way.close()
    found = {
        name: {'best': max(values), 'median': float(np.median(values))}
        for name, values in speeds.items()
    }
    return found | {'step of two processes [us]': shares}


def show(result):
    """Show the speeds as a table."""
    table.show(
        'Lock step, seven joints at 1 kHz: simulated seconds per second',
        ('way', 'best', 'median'),
        [(name, f'{result[name]["best"]:.1f}', f'{result[name]["median"]:.1f}') for name in WAYS],
    )
    shares, step = result['step of two processes [us]'], 1e3 / result[APART]['median']
    rest = step - sum(shares.values())
    table.show(
        'A step of two processes: microseconds',
        ('part', 'median'),
        [
            ('simulator: reads the answer, steps, sends the state', f'{shares["simulator"]:.0f}'),
            ('controller: a cycle of supervisor and law', f'{shares["controller"]:.0f}'),
            ('two messages and the wake-ups of two threads', f'{rest:.0f}'),
            ('all', f'{step:.0f}'),
        ],
    )
