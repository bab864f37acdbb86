# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run in lock step over topics, and the same run by direct calls."""

import itertools
import threading

import numpy as np
from rclpy.qos import QoSProfile
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import LockStepCommand, LockStepState
from robodyn_msgs.srv import Advance
from robodyn_ros import Robot
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.ros.controller.controller_parameters import (
    CONTROLLER_PARAMETERS,
    control_settings,
)
from robodyn_ros.ros.controller.law_parameters import gain_parameters
from robodyn_ros.ros.simulator import simulated_plant
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.simulation.lock_step import LockStep
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.specialised_step import specialised_step
from support.nodes.node_harness import COLD, ROOT, ControllerProbe, wait_until

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
SIMULATOR = '/robodyn_simulator'
ALL = QoSProfile(depth=5000)
TARGET = (0.3, -0.2, 0.2, -1.5, 0.1, 1.2, 0.2)
SECONDS = 2.0  # of simulated time
NUMBERS = itertools.count()


class Run:
    """A simulator in lock step, a controller if wanted, and every state that was sent."""

    def __init__(self, start, graph, controller=True, on_silence='hold', **parameters):
        space = f'/lock_step_{next(NUMBERS)}'  # so that tests get no messages of each other
        topics = {
            'lock_step__state_topic': f'{space}/state',
            'lock_step__command_topic': f'{space}/command',
        }
        both = {'urdf_path': str(ARM), 'trigger': 'lock_step', **topics}
        self.graph = graph
        self.inbox = graph.collect(LockStepState, topics['lock_step__state_topic'], ALL)
        self.answers = graph.node.create_publisher(
            LockStepCommand, topics['lock_step__command_topic'], ALL
        )
        self.simulator = start('simulator', **both, **parameters)
        # before any response: discovery may be later for us than for the controller
        wait_until(lambda: self.inbox.messages, 'the first state', COLD)
        if controller:
            self.controller = start(
                'controller',
                **both,
                robot_compensates_gravity="'no'",
                lock_step__on_silence=on_silence,
            )
            self.probe = ControllerProbe(graph)
            self.probe.wait_for('HOLD', 'ACTIVATED', COLD)
        # of nothing, which is refused: the very first answer of a service may get lost
        graph.call(Advance, f'{SIMULATOR}/advance', timeout=COLD, again=True)

    def begin(self):
        """Reset the simulator, and wait for the controller to begin anew."""
        assert self.graph.call(Trigger, f'{SIMULATOR}/reset', again=True).success
        self.probe.statuses.clear()
        self.probe.wait_for('HOLD', 'ACTIVATED', COLD)

    def advance(self, nanoseconds, timeout=COLD):
        """Return the response of ~/advance."""
        request = Advance.Request()
        request.duration.sec, request.duration.nanosec = divmod(nanoseconds, 1_000_000_000)
        return self.graph.call(Advance, f'{SIMULATOR}/advance', request, timeout)

    def follow(self):
        """Send a trajectory while the simulation stands, and wait until it is taken."""
        message = JointTrajectory(joint_names=[f'joint{k}' for k in range(1, 8)])
        message.points.append(
            JointTrajectoryPoint(positions=TARGET, velocities=[0.0] * 7, accelerations=[0.0] * 7)
        )
        message.points[0].time_from_start.sec = round(SECONDS)
        publisher = self.graph.node.create_publisher(
            JointTrajectory, '/robodyn_controller/joint_trajectory', 1
        )
        wait_until(publisher.get_subscription_count, 'a subscriber')
        publisher.publish(message)
        self.probe.wait_for('ACTIVE', 'FOLLOWING')

    def states(self, response):
        """Return {step: bits of position and velocity} up to where a response stands."""

        def found():
            return {
                message.step: np.array([message.position, message.velocity]).tobytes()
                for message in self.inbox.messages
                if message.epoch == response.epoch
            }

        wait_until(lambda: response.step in found(), 'the last state')
        return found()

    def repeats(self):
        """Return how many messages were sent again."""
        return sum(message.repeat for message in self.inbox.messages)

    def tracked(self, beside=lambda: None):
        """Run the whole trajectory, in four calls; beside() runs in a thread meanwhile."""
        self.follow()
        thread = threading.Thread(target=beside)
        thread.start()
        for _ in range(4):  # no more states in one than the queues hold
            response = self.advance(round(0.25e9 * SECONDS))
            assert response.success, response.message
            self.states(response)
        thread.join()
        return self.states(response)


def alone(urdf=ARM, target=TARGET, specialised=False, **parameters):
    """Return the same run by direct calls, without any message: {step: bits}."""
    robot = Robot.from_urdf(urdf)
    specs = (*CONTROLLER_PARAMETERS, *gain_parameters(robot.joint_names, ComputedTorque))
    law, settings = ComputedTorque(robot), defaults(specs) | {'robot_compensates_gravity': 'no'}
    supervisor = Supervisor(robot, law, control_settings(settings, robot, law))
    values = defaults(SIMULATOR_PARAMETERS) | parameters
    simulated = simulated_plant.simulated_robot(values, robot)
    sensor = simulated_plant.make_sensor(values, simulated)
    plant = simulated_plant.make_plant(values, simulated)
    if specialised:
        supervisor.replace_kernels(specialised_kernels(robot.model, ComputedTorque))
        plant.replace_kernel(specialised_step(simulated.model, values['integrator']))
    run = LockStep(Runner(plant, sensor, 1000), 1000, ('a',), 1)
    run.goal, states, none = round(1000 * SECONDS), {}, np.full(robot.nv, np.nan)
    while True:
        now, measured = 1e-9 * run.time, np.array([sensor.position, sensor.velocity])
        states[run.step] = measured.tobytes()
        supervisor.accept_state(measured, now)
        supervisor.tick(now)
        effort = supervisor.command.copy() if supervisor.publishing else none
        run.answer('a', 1, run.step, effort)
        if run.step == 0:
            rest, way = np.zeros((1, robot.nv)), np.array([target])
            assert supervisor.activate(now) == ''
            assert supervisor.follow(Trajectory([SECONDS], way, rest, rest), now) == ''
        if not run.advance():
            return states


def defaults(specs):
    """Return the default of every parameter, as a node has it."""
    return {spec.name: spec.convert(spec.default) for spec in specs}
