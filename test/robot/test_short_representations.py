# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What Python shows of an object: one short line, its name first, with shapes of arrays."""

import enum
import importlib
import inspect

import numpy as np
import pytest

from robodyn_ros import Capsule, Robot, example
from robodyn_ros.control import (
    Histogram,
    Reason,
    Settings,
    Supervisor,
    TaskTarget,
    Trajectory,
    law_class,
)
from robodyn_ros.errors import short_repr
from robodyn_ros.formulations import FORMULATIONS, compare
from robodyn_ros.identification import (
    Excitation,
    Fourier,
    Parameters,
    Recording,
    base_parameters,
    identify,
)
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.model.dh import DHRow, describe
from robodyn_ros.model.robot_model import ReadOnly
from robodyn_ros.simulation import (
    Faults,
    Perturbation,
    Plant,
    PlantSettings,
    Runner,
    Sensor,
    SensorSettings,
)
from robodyn_ros.testing.hosting import RecordedLogger

LONGEST = 250  # characters, three lines of a terminal
FACES = (
    'robodyn_ros',
    'robodyn_ros.control',
    'robodyn_ros.simulation',
    'robodyn_ros.identification',
    'robodyn_ros.formulations',
    'robodyn_ros.model.description',
    'robodyn_ros.model.contacts',
    'robodyn_ros.model.dh',
    'robodyn_ros.model.robot_model',
    'robodyn_ros.simulation.rollout_data',
    'robodyn_ros.testing.robots',
    'robodyn_ros.testing.participant',
    'robodyn_ros.testing.hosting',
    'robodyn_ros.testing.started_node',
)


def is_record(owner):
    return hasattr(owner, '__dataclass_fields__') or hasattr(owner, '_fields')


def public_classes():
    """Return the classes of the public modules, by their names."""
    found = {}
    for face in FACES:
        module = importlib.import_module(face)
        for name in getattr(module, '__all__', vars(module)):
            value = getattr(module, name)
            if inspect.isclass(value) and value.__module__.startswith(face):
                found[f'{face}.{name}'] = value
    others = Exception, enum.Enum, ReadOnly, RecordedLogger  # known to Python, bases, of rclpy
    return {
        name: value
        for name, value in found.items()
        if value is not Reason and (not issubclass(value, others) or is_record(value))
    }


@pytest.mark.parametrize('name', public_classes())
def test_a_public_class_says_how_it_is_shown(name):
    """Records by their fields, all others by a line of their own: none by its address."""
    owner = public_classes()[name]
    if is_record(owner):
        assert short_repr in (owner.__repr__, owner.__repr__.__globals__.get('short_repr'))
    else:
        assert owner.__repr__ is not object.__repr__


@pytest.fixture(scope='module')
def shown():
    """Return {begin of the line: object}."""
    robot = Robot.from_urdf(example('franka_like'))
    rng = np.random.default_rng(1)
    n, k = robot.nv, 400
    q = rng.uniform(-1.0, 1.0, n)
    limits = robot.limits
    settings = Settings(
        period=1e-3,
        gains=np.ones((2, n)),
        effort_limits=limits.effort,
        effort_rate=np.ones(n),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )
    law = law_class('computed_torque')(robot)
    histogram = Histogram()
    histogram.add(2.5)
    plant = Plant(robot)
    efforts = np.zeros((3, 5, n))
    small = Robot.from_urdf(example('two_link'))
    parameters = Parameters(small)
    base = base_parameters(parameters)
    fourier = Fourier(np.zeros(2), np.ones((2, 2)), np.ones((2, 2)), 2.0)
    motion = fourier.at(np.arange(k) / 200.0)
    torque = parameters.regressor(*motion) @ parameters.nominal
    recording = Recording(200.0, motion[0], torque + 1e-3 * rng.normal(size=torque.shape))
    found = identify(small, recording)
    rows = [DHRow(mass=1.0), DHRow(joint='prismatic', d=0.1, mass=2.0)]
    return {
        "<Robot 'franka_like', nv = 7:": robot,
        '<derivatives of robot': robot.derivatives,
        "<frames of robot 'franka_like': 'base_link', 'link1',": robot.frames,
        "RobotModel(name='franka_like',": robot.model,
        'JointLimits(lower=[': limits,
        'ModelReport(': robot.model.report,
        'Frame(body=': robot.model.frames['tool0'],
        'Capsule(': Capsule('tool0', (0, 0, 0), (0, 0, 0.1), 0.05),
        'FullRankInertia(inertia=<array (6, 6)>,': robot.operational_space_inertia(q, 'tool0'),
        'InverseKinematics(q=[': robot.inverse_kinematics(robot.pose(q, 'tool0'), 'tool0'),
        'MassFactors(': robot.mass_operator.factors(q),
        "<Plant of 'franka_like' at t = 0 s>": plant,
        "<Runner of <Plant of 'franka_like'": Runner(plant, Sensor(n), 1000),
        '<Sensor of 7 velocities, SensorSettings(': Sensor(n),
        'PlantSettings(': PlantSettings(),
        'SensorSettings(': SensorSettings(),
        'Faults(': Faults(),
        'Perturbation(': Perturbation(),
        'Rollout(position=<array (3, 6, 7)>,': plant.rollout(
            np.tile(plant.q, (3, 1)), np.zeros((3, n)), efforts
        ),
        'Settings(period=0.001,': settings,
        "<Supervisor of 'franka_like' with ComputedTorque: WAIT_STATE>": Supervisor(
            robot, law, settings
        ),
        '<Histogram of 1 values, the largest 2.5>': histogram,
        "TaskTarget(frame='base'": TaskTarget('base', np.zeros(3)),
        'Trajectory(': Trajectory(times=np.arange(3.0), positions=np.ones((3, n))),
        "<Parameters of 'two_link', ": parameters,
        'BaseParameters(': base,
        'Fourier(': fourier,
        'Excitation(': Excitation(fourier, 3.0, 1),
        'Recording(rate=200.0, q=<array (400, 2)>': recording,
        'Identification(': found,
        'Estimate(': found.estimate,
        'Comparison(': compare(small, q[:2], q[:2], q[:2]),
        'Formulation(name=': FORMULATIONS[0],
        'DHRow(': rows[0],
        "RobotDescription(name='arm'": describe(rows, name='arm'),
        'Obstacle(': Obstacle.plane(),
        'Contacts(': Contacts([sphere('tool0', 0.1)], [Obstacle.plane()]),
    }


def test_what_python_shows_is_one_short_line(shown):
    for begin, value in shown.items():
        text = repr(value)
        assert text.startswith(begin), text
        assert '\n' not in text and len(text) <= LONGEST, (len(text), text)
        assert ' at 0x' not in text, text
