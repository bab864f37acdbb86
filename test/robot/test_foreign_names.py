# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A name of Pinocchio, MuJoCo or Drake is answered with ours, which gives the same."""

import importlib
import re

import numpy as np
import pytest

import robodyn_ros
import robodyn_ros.simulation
from robodyn_ros import Robot, example, se3
from robodyn_ros.errors import FOREIGN_NAMES
from support.compare import EXACT, solve_tolerance
from support.processes import ROOT

NAMES = [(library, name) for library, names in FOREIGN_NAMES.items() for name in names]
#: What versions of MuJoCo until 3.3 had.
FORMER = {'qM'}
#: Of Pinocchio's C++ alone.
COMPILED = {'ComputeRNEASecondOrderDerivatives'}
PLACES = {
    'Pinocchio': (('pinocchio', ''), ('pinocchio', 'Model'), ('pinocchio', 'Data')),
    'MuJoCo': (('mujoco', ''), ('mujoco', 'MjModel'), ('mujoco', 'MjData')),
    'Drake': (
        ('pydrake.multibody.plant', 'MultibodyPlant'),
        ('pydrake.multibody.inverse_kinematics', ''),
    ),
}


@pytest.fixture(scope='module')
def space():
    """Return what the expressions name, at a random state."""
    robot = Robot.from_urdf(example('franka_like'))
    q, q2, qd, qdd, tau = np.random.default_rng(5).uniform(-1, 1, (5, robot.nv))
    wrench = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    return {
        'robodyn_ros': robodyn_ros,
        'robot': robot,
        'q': q,
        'q2': q2,
        'qd': qd,
        'qdd': qdd,
        'tau': tau,
        'dt': 1e-3,
        'frame': 'link7',
        'seen_from': 'link2',
        'reference': 'world_aligned',
        'wrench': wrench,
        'twist': wrench,
        'pose': se3.exp(wrench),
        'path': example('franka_like'),
    }


@pytest.mark.parametrize('library, name', NAMES)
def test_every_answer_works_on_a_robot(library, name, space):
    ours = FOREIGN_NAMES[library][name]
    if name == 'from_xml_path':
        pytest.importorskip('mujoco')
        space = space | {'path': '<mujoco><worldbody/></mujoco>'}
    value = eval(ours, dict(space))
    if name in ('buildModelFromUrdf', 'from_xml_path'):
        assert isinstance(value, Robot)
    elif name == 'mj_factorM':
        assert np.isfinite(value.L).all()
    elif name == 'InverseKinematics':
        assert value.q.shape == space['q'].shape
    elif name != 'mj_step':  # which returns nothing
        for part in value if isinstance(value, tuple) else (value,):
            assert np.isfinite(np.asarray(part, float)).all()


@pytest.mark.parametrize(
    'library, name', [each for each in NAMES if each[1] not in FORMER | COMPILED]
)
def test_the_other_library_has_the_name(library, name):
    """Where it is installed."""
    places = PLACES[library]
    pytest.importorskip(places[0][0])
    for module, owner in places:
        found = importlib.import_module(module)
        if hasattr(getattr(found, owner) if owner else found, name):
            return
    raise AssertionError(f'{library} has no {name}')


@pytest.mark.parametrize('library, name', NAMES)
def test_robots_views_and_the_package_answer_with_ours(library, name, space):
    """In the sentence of the AttributeError, so that hasattr() stays false."""
    ours = FOREIGN_NAMES[library][name]
    sentence = re.escape(f"has no '{name}'; expected {ours}, which is {name} of {library}")
    robot = space['robot']
    assert not hasattr(robot, name)
    with pytest.raises(AttributeError, match=sentence):
        getattr(robot, name)
    for owner in (robot.centroidal, robot.links):
        if not hasattr(owner, name):
            with pytest.raises(AttributeError, match=sentence):
                getattr(owner, name)
    if name != 'InverseKinematics':  # the package has a class of that name
        sentence = sentence.replace("has\\ no\\ '", "has\\ no\\ attribute\\ '")
        with pytest.raises(AttributeError, match=sentence):
            getattr(robodyn_ros, name)


def test_another_unknown_name_of_the_package_is_refused_as_usual():
    with pytest.raises(AttributeError, match="has no attribute 'xyzzy'$"):
        robodyn_ros.xyzzy  # noqa: B018


def test_a_name_is_of_one_library_only():
    """Else a sentence would name the wrong one."""
    names = [name for _, name in NAMES]
    assert len(names) == len(set(names)) > 90


def test_the_page_and_the_sentences_say_the_same():
    """Every function of the page has an answer, which is the method of its row."""
    page = (ROOT / 'doc' / 'start' / 'coming_from.md').read_text()
    rows = re.findall(r'^\| [^|`]+ \| `([^`]+)` \| `([^`]+)` \|$', page, re.M)
    assert len(rows) > 40
    known = {name: ours for names in FOREIGN_NAMES.values() for name, ours in names.items()}
    unknown = set()
    for ours, theirs in rows:
        called = re.findall(r'\b(?:pin|mujoco|MultibodyPlant|inverse_kinematics|d)\.(\w+)', theirs)
        wanted = re.search(r'\b(?:robot|se3)\.(\w+(?:\.\w+)?)', ours)[1]
        if not any(wanted in known.get(name, '') for name in called or [theirs]):
            unknown.add(wanted)
    assert unknown == {'mass_matrix_inverse'}  # that of crba, by NumPy


def pinocchio_values(space):
    """Return what Pinocchio computes, for names without a row on the page."""
    pin = pytest.importorskip('pinocchio')
    model = pin.buildModelFromUrdf(str(space['path']))
    model.armature[:] = 0.0
    data = model.createData()
    q, qd = space['q'], space['qd']
    frame = model.getFrameId(space['frame'])
    inverse = np.triu(pin.computeMinverse(model, data, q))
    pin.ccrba(model, data, q, qd)
    pin.computeJointJacobians(model, data, q)
    return {
        'computeMinverse': inverse + np.triu(inverse, 1).T,
        'computePotentialEnergy': pin.computePotentialEnergy(model, data, q),
        'computeMechanicalEnergy': pin.computeMechanicalEnergy(model, data, q, qd),
        'computeTotalMass': pin.computeTotalMass(model),
        'ccrba': data.Ag,
        'computeCentroidalMomentum': pin.computeCentroidalMomentum(model, data, q, qd).vector,
        'computeJointJacobians': pin.getFrameJacobian(model, data, frame, pin.WORLD),
        'difference': pin.difference(model, q, space['q2']),
        'upperPositionLimit': model.upperPositionLimit,
        'lowerPositionLimit': model.lowerPositionLimit,
    }


def test_names_without_a_row_on_the_page_give_the_same(space):
    tolerance = 10 * solve_tolerance(space['robot'].mass_matrix(space['q']))
    assert tolerance >= EXACT
    for name, expected in pinocchio_values(space).items():
        ours = np.asarray(eval(FOREIGN_NAMES['Pinocchio'][name], dict(space)))
        scale = max(1.0, np.abs(expected).max())
        assert np.abs(ours - expected).max() <= tolerance * scale, name
