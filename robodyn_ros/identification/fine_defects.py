# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small defects of efforts: delays, offsets, clipping, and torques that the model lacks.

Each is one more column of the linear equations, or a shift of the efforts. It is accepted if it
explains most of what the best parameters leave of a joint's effort. No column explains white
noise, and one alone seldom explains errors of the model.
"""

import numpy as np

from robodyn_ros.identification import signals
from robodyn_ros.identification.recording_defects import Defect, clipped_samples, listed

BEYOND = 0.05  # predicted effort beyond the largest recorded one, as a share of that
EXPLAINED = 0.5  # of the square of a joint's misfit
LEAST = 0.01  # effect over the effort of the joint
LEAST_SHIFT = 0.75  # samples
LONGEST_SHIFT = 0.2  # [s]
SHIFTS = 40  # to either side
RANK = 1e-9  # of the equations
UNEXPLAINED = 0.3  # misfit over effort of a joint that the model does not explain
ALIKE = 0.6  # correlation of successive misfits, 0 for noise


def fine_defects(joint_names, recording, found, rotors):
    """Return the small defects of the efforts of a recording.

    `recording` (Recording): the recording, without coarse defects.
    `rotors`: whether rotor inertias are parameters.
    """
    fit = _Fit(recording, found)
    defects = clipping(joint_names, recording, found, fit)
    defects += delays(joint_names, recording, found, fit)
    defects += offsets(joint_names, found, fit, rotors)
    # small defects are told only if they are what is wrong
    return unexplained(joint_names, fit) or defects


class _Fit:
    """Least squares of the equations, each joint scaled by its effort, with room for columns."""

    def __init__(self, recording, found):
        self.found, self.used, self.tau = found, found.used.copy(), found.tau
        self.extra = []
        self.prepare()

    def prepare(self):
        """Compute an orthonormal basis of the columns."""
        size = np.sqrt((self.tau**2 * self.used).sum(axis=0))
        self.scale = self.used / np.maximum(size, np.finfo(float).tiny)
        W = np.concatenate((self.found.W, *self.extra), axis=2) if self.extra else self.found.W
        W = (W * self.scale[:, :, None]).reshape(self.tau.size, -1)
        W = W / np.maximum(np.linalg.norm(W, axis=0), np.finfo(float).tiny)
        U, spectrum, _ = np.linalg.svd(W, full_matrices=False)
        self.Q = U[:, spectrum > RANK * spectrum[0]]

    def left(self, columns):
        """Return the scaled columns (k, nv, m) without what the model explains."""
        rows = (columns * self.scale[:, :, None]).reshape(self.tau.size, -1)
        return (rows - self.Q @ (self.Q.T @ rows)).reshape(columns.shape)

    def misfit(self):
        """Return (nv,) the squares of the misfit of each joint, over those of its effort."""
        return (self.left(self.tau[:, :, None])[:, :, 0] ** 2).sum(axis=0)

    def add(self, column):
        """Add a column (k, nv, 1)."""
        self.extra.append(column)
        self.prepare()


def clipping(joint_names, recording, found, fit):
    """Return the defects of efforts that are cut off, whose samples then do not count."""
    flat = clipped_samples(recording.tau)
    if not flat.any():
        return []
    reach = int(np.ceil(0.5 * found.rate / found.cutoff))
    near = np.cumsum(np.pad(flat != 0, ((reach + 1, reach), (0, 0))), axis=0)
    near = near[2 * reach + 1 :] > near[: -2 * reach - 1]
    keep = signals.thinned(found.rate, found.cutoff, len(recording.tau))
    fit.used &= ~near[keep]
    if not fit.used.any(axis=0).all():
        fit.used = found.used.copy()
    fit.prepare()
    # the parameters of the other samples predict those that are cut off
    rows = (found.W * fit.scale[:, :, None]).reshape(found.tau.size, -1)
    values = np.linalg.lstsq(rows, (found.tau * fit.scale).ravel(), rcond=RANK)[0]
    beyond, defects = (found.W @ values - found.tau) * np.sign(found.tau), []
    for j, name in enumerate(joint_names):
        there = (flat[keep, j] != 0) & found.used[:, j]
        cap = np.abs(recording.tau[flat[:, j] != 0, j]).max(initial=0.0)
        if there.any() and beyond[there, j].mean() > BEYOND * cap:
            defects.append(
                Defect(
                    'clipped',
                    (name,),
                    f'{name}: the effort is cut off at {cap:.4g} N m or N, where the motion needs '
                    'more; expected efforts within the range of the sensor',
                    float(cap),
                )
            )
    return defects


def delays(joint_names, recording, found, fit):
    """Return the defects of efforts that are later or earlier than positions."""
    rate = found.rate
    keep = signals.thinned(rate, found.cutoff, len(recording.tau))
    longest = min(int(LONGEST_SHIFT * rate), keep.start)
    stride = max(1, longest // SHIFTS)
    shifts = np.arange(-(longest // stride), longest // stride + 1) * stride
    known = found.filtered(recording.tau) - found.tau
    tau = signals.lowpass(recording.tau, rate, found.cutoff)
    at = np.arange(len(tau))[keep]
    shifted = np.stack([tau[at + k] - known for k in shifts], axis=2)
    names, sizes, common = [], [], 0.0
    before = fit.misfit().sum()
    best, shift = _lowest((fit.left(shifted) ** 2).sum(axis=(0, 1)), shifts)
    if best < (1.0 - EXPLAINED) * before:
        # a common part of a sample is not told; joints are compared with it
        common = shift
        fit.tau = _at(tau, at, shift) - known
        if abs(common) >= LEAST_SHIFT:
            names, sizes = list(joint_names), [common / rate]
    for j, name in enumerate(() if names else joint_names):
        squares = fit.misfit()
        alone = np.repeat(fit.tau[:, :, None], len(shifts), axis=2)
        alone[:, j] = shifted[:, j]
        best, shift = _lowest((fit.left(alone) ** 2).sum(axis=(0, 1)), shifts)
        gain = squares.sum() - best
        if abs(shift - common) >= LEAST_SHIFT and gain > EXPLAINED * squares[j]:
            names.append(name)
            sizes.append(shift / rate)
            fit.tau = fit.tau.copy()
            fit.tau[:, j] = (_at(tau, at, shift) - known)[:, j]
    if not names:
        return []
    text = ', '.join(f'{abs(1e3 * each):.3g} ms' for each in sizes)
    way = 'later' if sizes[0] > 0.0 else 'earlier'
    return [
        Defect(
            'delay',
            tuple(names),
            f'{listed(names)}: the efforts are {text} {way} than the positions '
            f'({abs(sizes[0] * rate):.2g} samples); expected both at the same time',
            float(sizes[0]),
        )
    ]


def _lowest(squares, shifts):
    """Return the least value of a curve, and its place between the nodes by a parabola."""
    k = int(np.clip(np.argmin(squares), 1, len(squares) - 2))
    a, b, c = squares[k - 1 : k + 2]
    bend = a - 2.0 * b + c
    part = 0.5 * (a - c) / bend if bend > 0.0 else 0.0
    return b - 0.25 * (a - c) * part, shifts[k] + part * (shifts[1] - shifts[0])


def _at(tau, at, shift):
    """Return efforts at shifted samples, between them by linear interpolation."""
    low = int(np.floor(shift))
    part = shift - low
    return (1.0 - part) * tau[at + low] + part * tau[at + low + 1]


def offsets(joint_names, found, fit, rotors):
    """Return the defects of constant efforts, and of inertia of rotors that the model lacks.

    `rotors`: whether inertia of rotors is estimated already.
    """
    one = np.ones_like(found.tau)
    inertia = found.filtered(found.states[2])
    defects = []
    while True:
        tau, options = fit.left(fit.tau[:, :, None])[:, :, 0], []
        squares = (tau**2).sum(axis=0)
        for kind, column in (('offset', one), ('rotor', inertia)):
            if kind == 'rotor' and rotors:
                continue
            for j in range(len(joint_names)):
                own = np.zeros((*column.shape, 1))
                own[:, j, 0] = column[:, j]
                left = fit.left(own)[:, :, 0]
                size = np.sum(left**2)
                value = np.sum(left * tau) / max(size, np.finfo(float).tiny)
                effect = abs(value) * np.linalg.norm(own[:, j, 0] * fit.scale[:, j])
                gain = value * value * size / max(squares[j], np.finfo(float).tiny)
                if effect > LEAST and gain > EXPLAINED and (kind == 'offset' or value > 0.0):
                    options.append((gain, kind, j, value, own))
        if not options:
            return defects
        _, kind, j, value, own = max(options, key=lambda each: each[0])
        defects.append(_column_defect(kind, joint_names[j], value))
        fit.add(own)


def _column_defect(kind, name, value):
    """Return the defect of an effort with a constant, or of a joint with a rotor."""
    if kind == 'offset':
        text = (
            f'the effort looks shifted by {value:.3g} N m or N; expected the zero of its sensor '
            'taken off, and friction that is the same in both directions'
        )
    else:
        text = (
            f'the effort looks like that of a rotor of {value:.3g} kg m^2 or kg that the '
            'description lacks; expected rotors in the description, or --rotors (rotors=True)'
        )
    return Defect(kind, (name,), f'{name}: {text}', float(value))


def unexplained(joint_names, fit):
    """Return the defect of joints whose efforts no parameters explain, and no noise either."""
    left = fit.left(fit.tau[:, :, None])[:, :, 0]
    squares = (left**2).sum(axis=0)
    both = fit.used[1:] & fit.used[:-1]
    alike = (left[1:] * left[:-1] * both).sum(axis=0) / np.maximum(squares, np.finfo(float).tiny)
    joints = (squares > UNEXPLAINED**2) & (alike > ALIKE)
    if not joints.any():
        return []
    names = tuple(np.array(joint_names)[joints].tolist())
    worst = 100.0 * np.sqrt(squares[joints].max())
    return [
        Defect(
            'unexplained',
            names,
            f'{listed(names)}: no parameters explain {worst:.0f} % of the effort, and it is no '
            'noise; expected efforts, positions and description of the same robot',
            worst / 100.0,
        )
    ]
