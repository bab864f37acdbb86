# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `dir()` and the completion of an editor or a notebook offer: all that is public."""

import importlib
import re
import subprocess
import sys

import numpy as np
import pytest

import robodyn_ros
from robodyn_ros import Robot, example
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.simulation.elastic.elastic_plant import ElasticPlant
from support.processes import ROOT

API = (ROOT / 'doc' / 'api' / 'robot.md').read_text()
MECHANISM = ROOT / 'config' / 'mechanisms' / 'gripper'


def robots():
    """Return robots of each class, with machine code and without."""
    arm = Robot.from_urdf(example('franka_like'))
    return {
        'fast': arm,
        'specialised': Robot.from_urdf(example('two_link')).specialised(['tool0']),
        'free': Robot.from_urdf(example('two_link'), free_base=True),
        'closed': Robot.from_urdf(f'{MECHANISM}.urdf', closures=f'{MECHANISM}.yaml'),
    }


@pytest.fixture(scope='module', params=['fast', 'specialised', 'free', 'closed'])
def robot(request):
    return robots()[request.param]


def documented_classes():
    """Return the classes that the page of the interface shows."""
    for path in re.findall(r'autoclass:: (\S+)', API):
        module, _, name = path.rpartition('.')
        yield getattr(importlib.import_module(module), name)


def documented(kind):
    """Return the names of a class that are public and have a docstring."""
    return {
        name
        for name in dir(kind)
        if not name.startswith('_') and getattr(getattr(kind, name), '__doc__', None)
    }


def test_every_name_of_a_robot_and_its_views_resolves(robot):
    for owner in (robot, *(getattr(robot, view) for view in robot._views())):
        names = dir(owner)
        assert len(names) == len(set(names)) > 0
        for name in names:
            assert not name.startswith('_')
            getattr(owner, name)


def test_every_documented_quantity_is_listed(robot):
    shown = {kind: documented(kind) for kind in documented_classes()}
    views = {kind: name for name, kind in Robot._views(robot).items()}
    assert {Robot, *views} <= set(shown)
    assert shown[Robot] <= set(dir(robot)) and len(shown[Robot]) > 15
    for kind, view in views.items():
        assert shown[kind] <= set(dir(getattr(robot, view)))
    attributes = re.search(r'Attributes\n +-+\n(.*)', Robot.__doc__, re.S)[1]
    assert set(views.values()) == set(re.findall(r'^ {4}(\w+) :', attributes, re.M))
    assert set(views.values()) <= set(dir(robot))


def test_the_quantities_of_the_pages_are_listed():
    """Such as robot.centroidal.momentum_matrix(q)."""
    robot = robots()['fast']
    pages = ''.join(
        (ROOT / 'doc' / page).read_text() for page in ('start/python.md', 'start/coming_from.md')
    )
    calls = set(re.findall(r'\brobot\.(\w+)(?:\.(\w+))?\(', pages))
    assert len(calls) > 40
    for first, second in calls:
        assert first in dir(robot), first
        if second and first in robot._views():
            assert second in dir(getattr(robot, first)), (first, second)


def test_fields_that_are_computed_at_first_use_are_listed_before():
    """A full rank inertia computes them then; listing them computes nothing."""
    robot = robots()['fast']
    task = robot.operational_space_inertia(np.linspace(0.3, 0.9, robot.nq), 'tool0')
    assert 'singular_values' not in vars(task)
    names = dir(task)
    assert 'singular_values' not in vars(task)
    assert not [name for name in names if name.startswith('_')]
    assert {'rank', 'singular_values', 'consistent_inverse', 'axes', 'damping'} <= set(names)
    for name in names:
        getattr(task, name)


def test_a_plant_of_springs_lists_what_it_passes_on():
    spring = {'joint1': ElasticJoint(stiffness=1e4, damping=8.0, motor_inertia=0.6)}
    plant = ElasticPlant(Robot.from_urdf(example('two_link')), spring)
    for name in ('t', 'faults', 'apply_wrench'):
        assert name in dir(plant)
    for name in dir(plant):
        getattr(plant, name)


def test_the_package_lists_what_is_not_imported_yet():
    """In a new process, before anything is used."""
    code = (
        'import robodyn_ros as r; names = dir(r); '
        'assert set(r.__all__) | {"verbose"} <= set(names), names; '
        'assert not {"importlib", "TYPE_CHECKING", "_PLACES"} & set(names), names; '
        '[getattr(r, name) for name in names]'
    )
    subprocess.run([sys.executable, '-c', code], check=True, cwd=ROOT)
    assert 'Robot' in dir(robodyn_ros)
