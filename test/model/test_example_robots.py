# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Real robots, read from their URDF files, against Pinocchio: placements, inertias, total mass."""

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model import layout, urdf
from robodyn_ros.model.build import build
from robodyn_ros.model.rigid_body import unpack

pin = pytest.importorskip('pinocchio', reason='Pinocchio is the referee here')


def _robots():
    """Folder of the robots in the PyPI package example-robot-data."""
    try:
        package = metadata.distribution('example-robot-data')
    except metadata.PackageNotFoundError:
        pytest.skip('example-robot-data is not installed', allow_module_level=True)
    return Path(package.locate_file('cmeel.prefix/share/example-robot-data/robots'))


ROBOTS = _robots()

# File, and the joints to command: None for all that can be, or words that their names contain.
FILES = {
    'panda': ('panda_description/urdf/panda.urdf', None),
    'ur5': ('ur_description/urdf/ur5_robot.urdf', None),
    'ur3 with gripper': ('ur_description/urdf/ur3_gripper.urdf', None),
    'ur10': ('ur_description/urdf/ur10_robot.urdf', None),
    'kinova': ('kinova_description/robots/kinova.urdf', None),
    'xarm7': ('xarm_description/urdf/xarm7.urdf', None),
    'z1': ('z1_description/urdf/z1.urdf', None),
    'so101': ('so_arm_description/urdf/so101.urdf', None),
    'double pendulum': ('double_pendulum_description/urdf/double_pendulum_continuous.urdf', None),
    'allegro hand': ('allegro_hand_description/urdf/allegro_right_hand.urdf', None),
    'baxter, both arms': ('baxter_description/urdf/baxter.urdf', ('right_', 'left_')),
    'alex, both arms': ('alex_description/urdf/alex_nub_hands.urdf', None),
    'tiago, the arm': ('tiago_description/robots/tiago.urdf', ('arm_',)),
    'tiago, everything': ('tiago_description/robots/tiago_no_hand.urdf', None),
    'tiago dual, both arms': ('tiago_description/robots/tiago_dual.urdf', ('torso', 'arm_')),
    'tiago pro': ('tiago_pro_description/robots/tiago_pro.urdf', None),
    'pr2, arms and torso': (
        'pr2_description/urdf/pr2.urdf',
        ('torso_lift', 'shoulder', 'upper_arm', 'elbow', 'forearm', 'wrist'),
    ),
    'dog with an arm': ('anymal_b_simple_description/robots/anymal-kinova.urdf', None),
    'talos, upper body': ('talos_data/robots/talos_full_v2.urdf', ('torso', 'head', 'arm_')),
    'talos, one arm': ('talos_data/robots/talos_left_arm.urdf', None),
    'g1, upper body': (
        'g1_description/urdf/g1_29dof_rev_1_0.urdf',
        ('waist', 'shoulder', 'elbow', 'wrist'),
    ),
    'icub': ('icub_description/robots/icub.urdf', None),
    'romeo': ('romeo_description/urdf/romeo_small.urdf', None),
    'human': ('human_description/robots/human.urdf', None),
    'centauro': ('centauro_description/urdf/centauro.urdf', None),
}


@pytest.fixture(scope='module', params=FILES)
def case(request):
    """Our model, and Pinocchio's with the same joints locked at the same values."""
    file, words = FILES[request.param]
    path = str(ROBOTS / file)
    description = urdf.parse(path)
    movable = [joint for joint in description.joints if joint.type != 'fixed']
    commanded = [
        joint.name
        for joint in movable
        if not joint.mimic and (words is None or any(word in joint.name for word in words))
    ]
    rng = np.random.default_rng(7)
    locked = {
        joint.name: rng.uniform(-1.0, 1.0) for joint in movable if joint.name not in commanded
    }
    model = build(description, joints=commanded, locked=locked)
    whole = pin.buildModelFromUrdf(path)
    if not locked:
        return model, whole
    reduced = pin.buildReducedModel(
        whole, [whole.getJointId(name) for name in locked], _configuration(whole, locked)
    )
    return model, reduced


def _configuration(model, values):
    """Pinocchio's configuration, where a continuous joint has a cosine and a sine."""
    q = pin.neutral(model)
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            value if joint.nq == 1 else (np.cos(value), np.sin(value))
        )
    return q


def _bodies(model, reduced):
    """Rows of our model with Pinocchio's joint: (row, joint id, R from link axes to body axes)."""
    for row, link in enumerate(model.body_names[1:], start=1):
        name = model.joint_names[model.topology[row, layout.V]]
        yield row, reduced.getJointId(name), model.frames[link].rotation


def test_joints_and_total_mass_are_those_of_pinocchio(case):
    model, reduced = case
    assert set(reduced.names[1:]) == set(model.joint_names)
    expected = sum(inertia.mass for inertia in list(reduced.inertias)[1:])
    assert model.constants[:, layout.MASS].sum() == pytest.approx(expected, rel=1e-12)


def test_parents_and_placements_are_those_of_pinocchio(case):
    model, reduced = case
    rotations = {row: R for row, _, R in _bodies(model, reduced)} | {0: np.eye(3)}
    ids = {row: joint for row, joint, _ in _bodies(model, reduced)} | {0: 0}
    for row, joint, R_BL in _bodies(model, reduced):
        parent = model.topology[row, layout.PARENT]
        assert ids[parent] == reduced.parents[joint]
        placement = reduced.jointPlacements[joint]
        R_PL = rotations[parent].T
        constants = model.constants[row]
        R = R_PL @ constants[:9].reshape(3, 3) @ R_BL
        p = R_PL @ constants[layout.OFFSET : layout.OFFSET + 3]
        np.testing.assert_allclose(R, placement.rotation, rtol=0, atol=1e-12)
        np.testing.assert_allclose(p, placement.translation, rtol=0, atol=1e-12)


def test_composite_inertia_of_every_body(case):
    model, reduced = case
    for row, joint, R_BL in _bodies(model, reduced):
        theirs = reduced.inertias[joint]
        ours = model.constants[row]
        moment = R_BL.T @ ours[layout.MOMENT : layout.MOMENT + 3]
        inertia = R_BL.T @ unpack(ours[layout.INERTIA : layout.INERTIA + 6]) @ R_BL
        assert ours[layout.MASS] == pytest.approx(theirs.mass, rel=1e-12, abs=1e-15)
        about_origin = theirs.matrix()[3:, 3:]
        np.testing.assert_allclose(
            moment, theirs.mass * theirs.lever, rtol=0, atol=1e-12 * theirs.mass
        )
        np.testing.assert_allclose(
            inertia, about_origin, rtol=0, atol=1e-12 * np.max(np.abs(about_origin))
        )


def test_every_link_is_a_frame_where_pinocchio_has_it(case):
    model, reduced = case
    data = reduced.createData()
    q = _configuration(reduced, dict.fromkeys(model.joint_names, 0.0))
    pin.framesForwardKinematics(reduced, data, q)
    placed = {0: (np.eye(3), np.zeros(3))}
    for row, (parent, *_), constants in zip(
        range(1, len(model.topology)), model.topology[1:], model.constants[1:]
    ):
        R, p = placed[parent]
        placed[row] = (R @ constants[:9].reshape(3, 3), p + R @ constants[9:12])
    compared = 0
    for frame in reduced.frames:
        if frame.type != pin.FrameType.BODY or frame.name not in model.frames:
            continue
        ours = model.frames[frame.name]
        R, p = placed[ours.body]
        theirs = data.oMf[reduced.getFrameId(frame.name, pin.FrameType.BODY)]
        np.testing.assert_allclose(R @ ours.rotation, theirs.rotation, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            p + R @ ours.translation, theirs.translation, rtol=0, atol=1e-12
        )
        compared += 1
    assert compared >= len(model.body_names)


def test_limits_damping_and_friction_are_those_of_pinocchio(case):
    model, reduced = case
    for i, name in enumerate(model.joint_names):
        joint = reduced.joints[reduced.getJointId(name)]
        v = joint.idx_v
        damping, friction = (model.joint_values(c)[i] for c in (layout.DAMPING, layout.FRICTION))
        assert damping == reduced.damping[v]
        assert friction == reduced.friction[v]
        limits = model.limits
        if np.isfinite(limits.effort[i]) and joint.nq == 1:
            assert limits.effort[i] == reduced.effortLimit[v]
            assert limits.velocity[i] == reduced.velocityLimit[v]
        if joint.nq == 1 and np.isfinite(limits.lower[i]):
            assert limits.lower[i] == reduced.lowerPositionLimit[joint.idx_q]
            assert limits.upper[i] == reduced.upperPositionLimit[joint.idx_q]


def test_what_was_accepted_has_a_positive_definite_mass_matrix(case):
    model, _ = case
    M = Robot(model).mass_matrix(np.linspace(-0.6, 0.7, model.nv))
    scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert np.linalg.eigvalsh(M / scale)[0] > 1e-6
