# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laws by name: the built-in ones, and one that another package brings along."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from robodyn_ros import Robot
from robodyn_ros.control import ControlLaw, law_class, law_names
from robodyn_ros.control.laws import law_registry
from robodyn_ros.errors import RobodynError, UnknownNameError
from support.patience import PATIENCE

ROOT = Path(__file__).parents[3]
TWO_LINK = ROOT / 'config' / 'urdf' / 'two_link.urdf'
BUILT_IN = [
    'gravity_compensation',
    'pd',
    'pd_gravity',
    'computed_torque',
    'passivity',
    'adaptive_computed_torque',
    'operational_space',
    'diagonal_damping',
    'underactuated_computed_torque',
    'underactuated_operational_space',
    'elastic_joint',
    'floating_base_computed_torque',
]

RUN_THE_ADDED_LAW = """
import json, sys
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, law_class, law_names

robot = Robot.from_urdf(sys.argv[1])
law = law_class('hand_guiding')(robot)
settings = Settings(period=1e-3, gains=[[0.0, 0.0], [3.0, 2.0]], effort_limits=[80.0] * 2,
                    effort_rate=[1e6] * 2, velocity_limits=[5.0] * 2,
                    lower=[-3.0] * 2, upper=[3.0] * 2)
supervisor = Supervisor(robot, law, settings)
q, qd = np.array([0.3, 0.5]), np.array([1.0, -2.0])
supervisor.measure(q, qd, 0.0)
refusal = supervisor.activate(0.0)
states = [supervisor.tick(now).name for now in (0.001, 0.002)]
print(json.dumps({'names': law_names(), 'module': type(law).__module__, 'refusal': refusal,
                  'states': states, 'torque': supervisor.command.tolist(),
                  'other': supervisor.terms[5].tolist(),
                  'gravity': robot.gravity_torque(q).tolist()}))
"""


def test_built_in_laws_are_always_there():
    """With or without metadata of an installed package."""
    assert list(law_names())[: len(BUILT_IN)] == BUILT_IN
    assert [law_class(name).name for name in BUILT_IN] == BUILT_IN
    declared = re.findall(
        r"'(\w+) = (robodyn_ros\.control\.[\w.]+):(\w+)'", (ROOT / 'setup.py').read_text()
    )
    assert declared == [
        (law.name, law.__module__, law.__name__) for law in law_registry.BUILT_IN.values()
    ]


@pytest.mark.parametrize('name', ['', 'pid', 'PD', 'computed torque', 'x' * 10000])
def test_unknown_name_lists_the_valid_ones(name):
    """And is itself cut to a bearable length."""
    with pytest.raises(UnknownNameError, match='one of gravity_compensation, pd, pd_g') as caught:
        law_class(name)
    assert len(str(caught.value)) < 400


def install(monkeypatch, name, value):
    """Let an installed package declare one entry point."""
    entry = importlib.metadata.EntryPoint(name, value, law_registry.GROUP)
    monkeypatch.setattr(importlib.metadata, 'entry_points', lambda group: [entry])


def test_built_in_law_cannot_be_replaced_from_outside(monkeypatch):
    """A name that is ours stays ours."""
    install(monkeypatch, 'pd', 'os:getcwd')
    assert law_class('pd').__module__ == 'robodyn_ros.control.laws.pd'
    assert law_names() == tuple(BUILT_IN)


@pytest.mark.parametrize(
    ('value', 'sentence'),
    [
        (
            'no_such_module:Law',
            'its package fails to load no_such_module:Law: ModuleNotFoundError',
        ),
        ('os:NoSuchName', 'fails to load os:NoSuchName: AttributeError'),
        ('os:getcwd', 'expected a subclass of robodyn_ros.control.ControlLaw'),
        ('collections:OrderedDict', 'expected a subclass of robodyn_ros.control.ControlLaw'),
    ],
)
def test_package_that_brings_no_law_is_named(monkeypatch, value, sentence):
    """The sentence says which entry point, and what is wrong with it."""
    install(monkeypatch, 'theirs', value)
    with pytest.raises(RobodynError, match='control law theirs: ') as caught:
        law_class('theirs')
    assert sentence in str(caught.value)


def test_law_without_torques_reports_it():
    """The protocol is not silently empty."""
    with pytest.raises(NotImplementedError):
        ControlLaw(Robot.from_urdf(TWO_LINK)).torques(None, None, None, None, None)


@pytest.mark.slow
def test_another_package_adds_a_law_by_its_entry_point(tmp_path):
    """Installed by pip beside the project, found by name, and driven by a supervisor."""
    pytest.importorskip('pip', reason='the package is installed by pip')
    source, target = tmp_path / 'source', tmp_path / 'target'
    shutil.copytree(ROOT / 'test' / 'example_law_package', source)
    subprocess.run(
        [
            sys.executable,
            '-m',
            'pip',
            'install',
            '--quiet',
            '--no-deps',
            '--no-index',
            '--no-build-isolation',
            '--disable-pip-version-check',
            '--target',
            str(target),
            str(source),
        ],
        check=True,
        timeout=PATIENCE,
        capture_output=True,
    )
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(target), str(ROOT)])}
    run = subprocess.run(
        [sys.executable, '-c', RUN_THE_ADDED_LAW, str(TWO_LINK)],
        env=environment,
        cwd=tmp_path,
        timeout=PATIENCE,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result['names'] == [*BUILT_IN, 'hand_guiding'] and result['module'] == 'example_law'
    assert result['refusal'] == '' and result['states'] == ['ACTIVE', 'ACTIVE']
    assert result['other'] == [-3.0, 4.0]
    expected = [g + o for g, o in zip(result['gravity'], result['other'])]
    assert result['torque'] == pytest.approx(expected, abs=1e-12)
