# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot with payloads: those of a robot that was built with them."""

import json

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import emit
from robodyn_ros.codegen.emission import c_package
from robodyn_ros.codegen.emission.c_selection import OF_ROBOT
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.control.laws.law_recipes import COMPANIONS
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.robot.dispatch import method_of
from support.c_libraries import EXACT, call, emitted, shared
from support.processes import ROOT
from support.referees.tape_results import by_the_tape
from support.robots.families import FAMILIES, MIXED, states
from support.robots.fingers import GRIPPER as FINGERS
from support.robots.mechanisms import gripper
from support.robots.real_robots import robot

STYLE = Style('arm')
#: Recorded by the general route: derivatives have recorders of their own.
QUANTITIES = tuple(name for name, recipe in OF_ROBOT.items() if recipe.recorder is None)
#: Functions of the motion and of friction alone.
UNLOADED = {'regressor', 'link_motions', 'friction_torque'}
INVERTING = 1e-10  # forward dynamics and factors lose digits with the condition of M


def bodies(count, seed):
    """Return the masses, centres and inertias of random rigid bodies."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        moments = rng.uniform(0.01, 0.05, 3)
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        inertia = axes @ np.diag(moments.sum() - moments) @ axes.T
        yield rng.uniform(0.5, 3.0), rng.uniform(-0.3, 0.3, 3), inertia


def parameters(mass, com, inertia):
    """Return the ten numbers of a body about the origin of its frame, by the parallel axes."""
    about = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return [mass, *(mass * com), *about[np.triu_indices(3)]]


def carrying(owner, frames, seed):
    """Return a robot with a body on each frame, and the payloads as an argument."""
    loaded, rows = owner, []
    for frame, (mass, com, inertia) in zip(frames, bodies(len(frames), seed)):
        loaded = loaded.with_payload(frame, mass, com, inertia)
        rows.append(parameters(mass, com, inertia))
    return loaded, np.array(rows)


def close(found, expected, tolerance=1e-12):
    """Compare a result, relative to its largest entry."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * scale)


def motion(one, owner, seed):
    """Return inputs at a generic state, but the payload."""
    ((q, qd, third),) = states(owner, 1, seed)
    if owner.model.has_loops:  # they close near this posture
        q = owner.model.closed_posture + 0.05 * q
    known, rng = {'q': q, 'qd': qd}, np.random.default_rng(seed)
    return {
        name: known.get(name, rng.uniform(-1.0, 1.0, shape))
        for name, shape in one.recording.inputs.items()
        if name != 'payload'
    }


OWNERS = {
    'franka_like': lambda: robot('franka_like').robot,
    'tree': lambda: FAMILIES['tree'].robot,
    'sliding_chain': lambda: FAMILIES['sliding_chain'].robot,
    'mixed_chain': lambda: MIXED['mixed_chain'].robot,
    'fingers': lambda: Robot.from_urdf(FINGERS),
    'gripper': lambda: gripper().robot(),
}
#: Functions that every robot has, also with dependent joints and with spherical ones.
BASIC = ('inverse_dynamics', 'gravity_torque', 'mass_matrix', 'forward_dynamics', 'energy')


@pytest.mark.parametrize('name', OWNERS)
def test_a_payload_is_that_of_a_robot_that_was_built_with_it(name):
    """Any robot, with a body on the last moving link and another one half-way to it."""
    owner = OWNERS[name]()
    moving = [each for each in owner.model.body_names[1:] if each in owner.model.frames]
    frames = moving[-1], moving[len(moving) // 2 - 1]
    found, _ = emitted(owner.model, STYLE, BASIC, payloads=frames)
    assert [one.name for one in found] == [*BASIC, *(f'{each}_loaded' for each in BASIC)]
    for seed in range(3):
        loaded, payload = carrying(owner, frames, seed)
        for one in found[len(BASIC) :]:
            given, quantity = motion(one, owner, seed), one.quantity.removesuffix('_loaded')
            (result,) = by_the_tape(one, [*given.values(), payload])
            expected = method_of(loaded, quantity)(*given.values())
            bare = method_of(owner, quantity)(*given.values())
            close(result, expected, INVERTING if quantity == 'forward_dynamics' else 1e-12)
            assert np.abs(np.subtract(expected, bare)).max() > 1e-3
            (result,) = by_the_tape(one, [*given.values(), np.zeros_like(payload)])
            close(result, bare, INVERTING if quantity == 'forward_dynamics' else 1e-12)


@pytest.fixture(scope='module')
def arm(tmp_path_factory):
    """Return an arm, its functions with payloads on two frames, and their library."""
    owner, folder = robot('franka_like').robot, tmp_path_factory.mktemp('payload')
    frames = 'tool0', 'link4'
    found, texts = emitted(
        owner.model, STYLE, ['gravity_torque'], laws=['computed_torque'], payloads=frames
    )
    c_package.write(folder, texts)
    library = shared(folder, STYLE, [*EXACT, '-O0'], 'gcc')
    return owner, frames, {one.name: one for one in found}, library


def test_all_functions_but_those_of_motion_and_friction_have_a_payload(tmp_path):
    """And the known answers, which recursions in Python computed, hold in C."""
    owner = robot('two_link').robot
    found, texts = emitted(
        owner.model, STYLE, QUANTITIES, laws=['computed_torque'], payloads=['tool0']
    )
    loaded = {one.quantity.removesuffix('_loaded') for one in found if one.recipe.payloads}
    rest = {one.quantity for one in found if not one.recipe.payloads}
    assert rest - loaded == UNLOADED and loaded <= rest
    c_package.write(tmp_path, texts)
    assert shared(tmp_path, STYLE, [*EXACT, '-O0'], 'gcc').arm_self_test() == 0


def test_laws_compensate_a_payload(arm):
    """Each term is that of the law in Python, made for the robot with its payloads."""
    owner, frames, found, library = arm
    for seed in range(3):
        loaded, payload = carrying(owner, frames, seed)
        for name in ('computed_torque', 'gravity_compensation'):
            law, one = law_class(name)(loaded), found[f'{name}_loaded']
            given = motion(one, owner, seed)
            terms, gains = np.zeros((6, owner.nv)), given.get('gains')
            law.torques(given['q'], given['qd'], given.get('reference'), gains, terms)
            status, (mine,) = call(library, STYLE, one, [*given.values(), payload])
            assert status == 0
            close(mine, terms)
            _, (bare,) = call(library, STYLE, found[name], [*given.values()])
            assert np.abs(bare - mine).max() > 0.1


def test_a_payload_that_is_not_finite_is_refused(arm):
    _, frames, found, library = arm
    one = found['gravity_torque_loaded']
    for place in range(10 * len(frames)):
        payload = np.zeros(10 * len(frames))
        payload[place] = np.inf
        status, (tau,) = call(library, STYLE, one, [np.zeros(7), payload])
        assert status == -1 and np.isnan(tau).all()


def test_command_prints_functions_with_payloads(tmp_path, capsys):
    """`--payload` names the frames, which header and manifest tell."""
    urdf = str(ROOT / 'config' / 'urdf' / 'two_link.urdf')
    words = [urdf, '--output', str(tmp_path), '--laws', 'computed_torque']
    assert emit.main([*words, '--payload', 'tool0']) == 0
    assert 'arm_computed_torque_loaded' in capsys.readouterr().out
    told = json.loads((tmp_path / 'manifest.json').read_text())
    assert told['payloads'] == ['tool0']
    assert told['functions']['arm_gravity_torque_loaded']['arguments']['payload'] == [1, 10]
    header = (tmp_path / 'include' / 'arm_dynamics' / 'arm_dynamics.h').read_text()
    for name in {'computed_torque', *COMPANIONS} - UNLOADED:
        assert f'int arm_{name}_loaded(' in header
    for frames, sentence in ((['hand'], "no frame 'hand'"), (['link1'] * 2, 'each frame once')):
        assert emit.main([*words, '--payload', *frames]) == 1
        assert sentence in capsys.readouterr().err
