# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Transform a model to an equivalent one that needs less arithmetic.

The steps regroup inertias and rotate frames. Each returns a model with the same joints, torques
and mass matrix.
"""

import functools
from dataclasses import replace
from math import sqrt

import numpy as np

from robodyn_ros.model.arithmetic import arctangent, product
from robodyn_ros.model.canonical import canonical, without_rounding
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Y,
    BALL_Z,
    HELICAL,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PRISMATIC,
    REVOLUTE,
    ROTATION,
    ZERO,
)
from robodyn_ros.spatial.rotation import rotate, rotate_symmetric
from robodyn_ros.spatial.rotational_inertia import add_symmetric, shift_inertia

EXACT = 1e-12  # direction cosines this close to 0 or +-1 become exact
COSINES, PLACES = slice(ROTATION, ROTATION + 9), slice(OFFSET, OFFSET + 3)
#: Columns of constants of the same kind.
KINDS = (
    COSINES,
    PLACES,
    slice(MASS, MASS + 1),
    slice(MOMENT, MOMENT + 3),
    slice(INERTIA, INERTIA + 6),
)


@functools.lru_cache(maxsize=4)  # all quantities of a robot are recorded in turn
def normal_form(model, regrouped=True):
    """Return a model after all steps of the normal form.

    After each step, constants that differ by rounding only are made equal.

    `regrouped`: whether the last step, `regroup`, is included.
    """
    model = align(clean(model))
    return regroup(model) if regrouped else model


def clean(model):
    """Make direction cosines and offsets exact that differ from 0 or +-1 by less than EXACT.

    This applies to the placements of bodies on their parents and of frames on their bodies. For
    offsets only 0 counts. `cleaned_cosines` lists the changes.

    Returns equivalent robot.
    """
    constants = model.constants.copy()
    for row in constants[1:]:
        row[ROTATION : ROTATION + 9] = _cleaned(row[ROTATION : ROTATION + 9])
        row[OFFSET : OFFSET + 3] = _small_as_zero(row[OFFSET : OFFSET + 3])
    return _with_equal_constants(model, constants, model.frames)


def _with_equal_constants(model, constants, frames):
    """Return the model with canonical constants of its bodies, then of its frames."""
    for kind in KINDS:
        constants[1:, kind] = canonical(
            constants[1:, kind], (1.0,) if kind is COSINES else (), absolute=kind is COSINES
        )
    cosines = canonical(
        [_cleaned(frame.rotation) for frame in frames.values()],
        (1.0, *constants[1:, COSINES].flat),
        absolute=True,
    )
    places = canonical(
        [_small_as_zero(frame.translation) for frame in frames.values()], constants[1:, PLACES]
    )
    frames = {
        name: replace(frame, rotation=R, translation=p)
        for (name, frame), R, p in zip(frames.items(), cosines, places)
    }
    return replace(model.with_constants(constants), frames=frames)


def cleaned_cosines(model):
    """Return the direction cosines that `clean` changes."""
    placed = {name: _rotation(model, i) for i, name in enumerate(model.body_names) if i}
    placed |= {f'frame {name}': frame.rotation for name, frame in model.frames.items()}
    return [
        (name, int(row), int(column), float(R[row, column]))
        for name, R in placed.items()
        for row, column in np.argwhere(_cleaned(R) != R)
    ]


def regroup(model):
    """Move inertial parameters without effect on a joint to its parent; remove those of the base.

    Three quantities of a body act on a revolute joint as if they were those of the parent. They
    are its mass, its first moment along the axis, and an inertia (J, J, 0). So they move to the
    parent, and Iyy becomes zero: the base parameters of Gautier and Khalil 1990. For a prismatic
    joint this holds for the whole inertia. On helical and spherical joints all parameters act.

    Torques, mass matrix and forward dynamics stay the same, and potential energy changes by a
    constant. Momentum and energies of single bodies lose their meaning.

    Returns equivalent robot.
    """
    constants = model.constants.copy()
    for i in range(len(constants) - 1, 0, -1):
        row, parent = constants[i], model.topology[i, PARENT]
        if model.topology[i, KIND] not in (REVOLUTE, PRISMATIC):
            continue
        if model.topology[i, KIND] == PRISMATIC:
            mass, moment = 0.0, (0.0, 0.0, 0.0)
            inertia = tuple(row[INERTIA : INERTIA + 6])
            shift = (0.0, 0.0, 0.0)
        else:
            mass, moment = row[MASS], (0.0, 0.0, row[MOMENT + 2])
            across = row[INERTIA + 3]
            inertia = (across, 0.0, 0.0, across, 0.0, 0.0)
            shift = tuple(row[OFFSET : OFFSET + 3])
        row[MASS] -= mass
        row[MOMENT : MOMENT + 3] -= moment
        row[INERTIA : INERTIA + 6] -= inertia
        if parent > 0:
            turned = rotate(constants[i], moment, ROTATION)
            inertia = rotate_symmetric(constants[i], inertia, ROTATION)
            moved = shift_inertia(inertia, mass, turned, shift)
            carrier = constants[parent]
            carrier[MASS] += mass
            carrier[MOMENT : MOMENT + 3] += np.array(turned) + mass * np.array(shift)
            carrier[INERTIA : INERTIA + 6] = add_symmetric(carrier[INERTIA : INERTIA + 6], moved)
    return _with_equal_constants(model, constants, model.frames)


def align(model):
    """Rotate and shift the frame of every body on its joint axis, to the simplest placement.

    x of a body lies along the common normal of its joint and that of its longest branch. The
    origin of a revolute body is the foot of the common normal with the joint of its parent. A
    placement is then a rotation about x, an offset without a y component, and a constant added to
    the joint coordinate. In the last body of a branch the first moment lies along x. Frames of the
    user and bodies of a spherical joint do not move.

    Returns equivalent robot.
    """
    count = len(model.body_names)
    branch = _longest_branches(model.topology)
    turns, slides = [(1.0, 0.0)] * count, np.zeros(count)
    for i in range(1, count):
        child, kind = branch[i], model.topology[i, KIND]
        if kind in (BALL_X, BALL_Y, BALL_Z):
            continue
        if kind != PRISMATIC:
            slides[i] = _foot(model, i, slides, child)
        if child:
            u, p = _rotation(model, child)[:, 2], model.constants[child, OFFSET : OFFSET + 3]
            normal = np.array((-u[1], u[0]))  # z x u
            if _length(normal) < EXACT:
                normal = p[:2]
        else:
            normal = model.constants[i, MOMENT : MOMENT + 2]
        length = _length(normal)
        if length > EXACT:
            turns[i] = normal[0] / length, normal[1] / length
    return _with_frames_on_axes(model, turns, slides)


def _length(normal):
    """Return the length of a vector of two entries."""
    return sqrt(normal[0] * normal[0] + normal[1] * normal[1])


def _longest_branches(topology):
    """Return for each body the child with the most descendants, or 0."""
    depth, branch = np.zeros(len(topology), dtype=int), np.zeros(len(topology), dtype=int)
    for i in range(len(topology) - 1, 0, -1):
        parent = topology[i, PARENT]
        if depth[i] + 1 > depth[parent]:
            depth[parent], branch[parent] = depth[i] + 1, i
    return branch


def _rotation(model, i):
    """Return the rotation matrix of a body on its parent, a view of the constants."""
    return model.constants[i, ROTATION : ROTATION + 9].reshape(3, 3)


def _foot(model, i, slides, child):
    """Return where the common normal with the parent's joint axis meets the axis of joint i.

    At the base, the child's joint takes the place of the parent's.
    """
    if model.topology[i, PARENT] > 0:
        # parent's axis in the frame of i: direction v, through the point c
        R = _rotation(model, i)
        v, c = R[2], -product(R.T, model.constants[i, OFFSET : OFFSET + 3])
    elif child:
        v, c = _rotation(model, child)[:, 2], model.constants[child, OFFSET : OFFSET + 3]
    else:
        return 0.0
    across = 1.0 - v[2] * v[2]
    # parallel axes: at the height of the parent's origin, so that the offset is normal to them
    if across < EXACT:
        return c[2] + slides[model.topology[i, PARENT]] * v[2]  # zero on the base
    return c[2] - v[2] * (v[0] * c[0] + v[1] * c[1]) / across


def _with_frames_on_axes(model, turns, slides):
    """Return the model with each frame rotated about its z axis, and moved along it.

    `turns` (sequence of tuple): cosine and sine of the angle of each body.
    `slides` (nb,): displacement of each body [m].
    """
    constants = model.constants.copy()
    rotations = [_about_z(*turn) for turn in turns]
    for i in range(1, len(constants)):
        row, parent = constants[i], model.topology[i, PARENT]
        G, P = rotations[i], rotations[parent]
        z = np.array((0.0, 0.0, 1.0))
        R = _rotation(model, i)
        p = product(P.T, row[OFFSET : OFFSET + 3] - slides[parent] * z + R[:, 2] * slides[i])
        R = product(product(P.T, R), G)
        # R = (rotation about x) (rotation about z); the latter is a constant of the coordinate
        if model.topology[i, KIND] in (REVOLUTE, HELICAL):
            c, s = _zero(R)
            row[ZERO] += arctangent(s, c)
            R = product(R, _about_z(c, -s))
        row[ROTATION : ROTATION + 9] = _cleaned(R).ravel()
        row[OFFSET : OFFSET + 3] = _small_as_zero(p)
        mass, h = row[MASS], row[MOMENT : MOMENT + 3].copy()
        back = -slides[i] * z
        inertia = shift_inertia(tuple(row[INERTIA : INERTIA + 6]), mass, tuple(h), tuple(back))
        h = product(G.T, h + mass * back)
        row[INERTIA : INERTIA + 6] = without_rounding(
            rotate_symmetric(G.T.reshape(1, 9)[0], inertia)
        )
        row[MOMENT : MOMENT + 3] = without_rounding(h)
    frames = {
        name: replace(
            frame,
            rotation=product(rotations[frame.body].T, frame.rotation),
            translation=product(
                rotations[frame.body].T, frame.translation - (0.0, 0.0, slides[frame.body])
            ),
        )
        for name, frame in model.frames.items()
    }
    return _with_equal_constants(model, constants, frames)


def _zero(R):
    """Return cosine and sine of the angle about z after which R is a rotation about x.

    For parallel axes this rotation is the identity.
    """
    length = _length(R[0, :2])
    return (R[0, 0] / length, -R[0, 1] / length) if length > 0.5 else (1.0, 0.0)


def _about_z(c, s):
    """Return the rotation matrix about z of a cosine and a sine."""
    return _cleaned(np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))))


def _cleaned(R):
    """Return the matrix with direction cosines within EXACT of 0 or +-1 made exact."""
    nearest = np.round(R) + 0.0  # + 0.0 turns -0.0 into 0.0
    return np.where(np.abs(R - nearest) < EXACT, nearest, R)


def _small_as_zero(p):
    """Return a vector with entries below EXACT set to zero."""
    return np.where(np.abs(p) < EXACT, 0.0, p)
