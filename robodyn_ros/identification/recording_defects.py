# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Defects of a whole recording, such as efforts of reversed sign, told as what they look like.

A defect is a hypothesis: another recording or model. It is accepted if it explains most of the
misfit that the best parameters leave. Few hypotheses explain noise, or errors of a model, that
well. Or the described robot contradicts the recording by more than an error of masses does. Coarse
hypotheses are tried first (`coarse_defects`), then small ones on the recording that these correct
(`fine_defects`).
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.identification import signals

STILL = 1e-3  # [rad or m] range of a joint that does not move
FROZEN = 5  # equal positions before a jump
JUMP = 3.0  # times the largest step elsewhere
COARSE_STEPS = 0.5  # step of an effort over its standard deviation
SAME = 1e-6  # difference of equal efforts over the largest one
LEVEL, COVERED = 0.01, 0.8  # shares of the samples that have a value of steps, and any of them
CLIPPED = 5  # efforts at the largest value in a row
OFTEN = 0.005  # share of the samples at the largest value


@dataclass(frozen=True)
class Defect:
    """What a recording looks like, other than as it should.

    Parameters
    ----------
    kind : str
        Such as 'sign', 'factor' or 'delay'.
    joints : tuple of str
        The joints.
    sentence : str
        What it looks like, and what to change.
    size : float or None
        Factor, delay [s], offset [N m or N] or another size, if it has one.
    """

    kind: str
    joints: tuple[str, ...]
    sentence: str
    size: float | None = None

    __repr__ = short_repr


def listed(names):
    """Return names in a sentence: 'joint1, joint2'."""
    return ', '.join(names)


def sample_defects(joint_names, recording, cutoff):
    """Yield defects that the samples show without a model.

    Yields a joint that stands still or freezes, or efforts of one value or in wide steps.
    """
    smooth = signals.lowpass(recording.q, recording.rate, cutoff)
    still = np.ptp(smooth, axis=0) < STILL
    if still.any():
        names = tuple(np.array(joint_names)[still])
        yield Defect(
            'still',
            names,
            f'{listed(names)}: the position stays within {STILL:g} rad or m, so it was not moved, '
            'or its sensor is frozen; expected a motion of every joint, or a locked joint',
        )
    for j, name in enumerate(joint_names):
        if not still[j]:
            yield from _freezes(name, recording.q[:, j], recording.rate)
        yield from _steps(name, recording.tau[:, j])


def _freezes(name, q, rate):
    """Yield the longest time without a change of position that ends with a jump.

    Interpolation may have put a sample into the jump, so it is looked for in two steps.
    """
    steps = np.abs(np.diff(q))
    starts, lengths = _runs(steps == 0.0)
    ends = starts + lengths
    inside = (lengths >= FROZEN) & (ends < len(steps) - 1)
    starts, lengths, ends = starts[inside], lengths[inside], ends[inside]
    others = np.delete(steps, [*ends, *(ends + 1)])
    sizes = np.abs(q[ends + 2] - q[ends])
    jumps = sizes > (JUMP + 1.0) * others.max(initial=0.0)
    if jumps.any() and others.any():
        k = np.argmax(np.where(jumps, lengths, 0))
        yield Defect(
            'frozen',
            (name,),
            f'{name}: the position stands still for {lengths[k] / rate:.3g} s at '
            f'{starts[k] / rate:.4g} s, then jumps by {sizes[k]:.3g} rad or m, so its '
            'sensor was frozen; expected a recording without that',
            float(lengths[k] / rate),
        )


def _steps(name, tau):
    """Yield efforts that are constant, or have steps as wide as their changes.

    Interpolation has put rounding on the values, and some between them.
    """
    ordered = np.sort(tau)
    groups = np.split(
        ordered, np.flatnonzero(np.diff(ordered) > SAME * np.abs(tau).max(initial=0.0)) + 1
    )
    levels = [group for group in groups if len(group) >= LEVEL * len(tau)]
    if sum(map(len, levels)) < COVERED * len(tau):
        return
    values = np.array([np.median(level) for level in levels])
    step = np.diff(values).min(initial=np.inf)
    if len(values) == 1:
        yield Defect(
            'constant',
            (name,),
            f'{name}: the effort is {values[0]:g} in all samples; expected measured efforts',
        )
    elif step > COARSE_STEPS * tau.std():
        yield Defect(
            'steps',
            (name,),
            f'{name}: the effort has {len(values)} different values, {step:.3g} N m or N apart, '
            'and hardly more than that is moved; expected a finer resolution',
            float(step),
        )


def _runs(flags):
    """Return starts and lengths of the runs of true flags."""
    edges = np.diff(np.concatenate(([0], flags.astype(int), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return starts, ends - starts


def clipped_samples(tau):
    """Return (m, nv) +1 or -1 at samples in runs at the largest or least effort, else 0.

    `tau` (m, nv): recorded efforts [N m or N].
    """
    found = np.zeros(tau.shape, dtype=int)
    for j, column in enumerate(tau.T):
        for sign in (1, -1):
            top = (sign * column).max()
            starts, lengths = _runs(sign * column >= top - 1e-6 * abs(top))
            long = lengths >= CLIPPED
            if top > 0.0 and lengths[long].sum() >= OFTEN * len(column):
                for start, length in zip(starts[long], lengths[long]):
                    found[start : start + length, j] = sign
    return found
