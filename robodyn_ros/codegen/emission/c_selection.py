# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Select and record the functions of an emitted package."""

import functools
import inspect
import math
from dataclasses import dataclass, replace

from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.emission.emit_c import identifier
from robodyn_ros.codegen.registry import (
    FRAME_RECIPES,
    FURTHER_FRAME_RECIPES,
    FURTHER_RECIPES,
    JOINT_RECIPES,
    RECIPES,
    Recipe,
    at_frames,
    frame_recipes,
)
from robodyn_ros.codegen.specialise import (
    LARGEST,
    MOST_NODES,
    Recording,
    closing_of,
    final_recording,
    label,
)
from robodyn_ros.codegen.tape import RecordingTooLong, limited
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT
from robodyn_ros.spatial.rotation import rotate, rotate_symmetric
from robodyn_ros.spatial.rotational_inertia import shift_inertia

DEFAULT = (
    'inverse_dynamics',
    'forward_dynamics',
    'gravity_torque',
    'mass_matrix',
    'mass_matrix_inverse',
    'coriolis_matrix',
)
PAYLOAD = 10  # parameters: mass, first moment, and inertia about the origin of the frame
OF_ROBOT = RECIPES | FURTHER_RECIPES | DERIVATIVES
OF_FRAMES = (*FRAME_RECIPES, 'coupled_compliance', *FURTHER_FRAME_RECIPES)
QUANTITIES = (*OF_ROBOT, *OF_FRAMES, *JOINT_RECIPES)
#: Positions that functions of a robot with closed loops take.
POSITIONS = ('independent', 'all', 'both')
#: Ending of the names of functions whose q has the positions of all joints.
FROM_ALL = '_from_all'


@dataclass(frozen=True)
class Emitted:
    """One function of an emitted package.

    `name`: name in C, without prefix.
    `quantity`: name of the quantity, such as 'jacobian'.
    `subject`: name of a frame, of several frames, or names of joints.
    `recipe`: the recursion, its inputs and outputs.
    `recording`: the recorded recursion.
    """

    name: str
    quantity: str
    subject: str | tuple[str, ...] | None
    recipe: Recipe
    recording: Recording


def selected_functions(
    model,
    quantities=None,
    frames=(),
    prescribed=(),
    laws=None,
    payloads=(),
    positions='independent',
):
    """Return the functions to emit.

    `quantities` (sequence of str): names in QUANTITIES; by default DEFAULT and the quantities of
      the frames.
    `frames` (sequence of str or of tuple of str): frames for quantities of frames; a tuple
      includes the coupling of its frames.
    `prescribed` (sequence of str): joints of prescribed motion, for 'hybrid_dynamics'.
    `laws` (list of tuple): control laws to emit too, [(name, subject, Recipe)].
    `payloads` (sequence of str): frames of payloads. Each function is then also selected with
      payloads as an argument.
    `positions`: one of POSITIONS: what q of a robot with closed loops has. Functions that take the
      positions of all joints end in FROM_ALL. Laws take the independent ones alone.
    Raises UnknownNameError: for an unknown quantity, frame or joint.
    Raises ModelError: for a quantity that needs frames or prescribed joints, without any. For
      positions of all joints without closed loops, or with laws alone. If links move without
      inertia.
    """
    model.require_dynamics()
    if positions != 'independent' and not model.has_loops:
        raise ModelError(
            f'robot {model.name!r} has no closed loops, but got the positions {positions!r}; '
            "expected 'independent'"
        )
    if positions == 'all' and laws:
        raise ModelError(
            f'robot {model.name!r}: the law {laws[0][0]} takes the positions of the independent '
            "joints, but got the positions 'all'; expected 'both' or 'independent'"
        )
    chosen = []
    for name in DEFAULT if quantities is None else quantities:
        if name in OF_ROBOT:
            chosen.append((name, None, OF_ROBOT[name]))
        elif name not in QUANTITIES:
            raise UnknownNameError(
                f'robot {model.name!r}: got the quantity {name!r} to emit; '
                f'expected some of {", ".join(QUANTITIES)}'
            )
        elif name in JOINT_RECIPES:
            require_joints(model, prescribed, 'joint', f'as prescribed for {name}')
            chosen.append((name, tuple(prescribed), JOINT_RECIPES[name]))
        elif not frames:
            raise ModelError(
                f'robot {model.name!r}: {name} is a quantity of frames, but got no '
                f'frame; expected some of {", ".join(model.frames)}'
            )
    for frame in frames:
        also = [name for name in FURTHER_FRAME_RECIPES if name in (quantities or ())]
        recipes = frame_recipes(model, frame, also)
        wanted = recipes if quantities is None else [n for n in quantities if n in OF_FRAMES]
        for name in wanted:
            recipe = recipes.get(name) or (isinstance(frame, str) and FRAME_RECIPES.get(name))
            if not recipe:
                raise ModelError(
                    f'robot {model.name!r}: {name} does not fit frame(s) '
                    f'{label(frame)}; expected some of {", ".join(recipes)}'
                )
            chosen.append((name, frame, recipe))
    chosen, of_joints = chosen + list(laws or ()), len(chosen)
    loaded = [
        (f'{name}_loaded', subject, with_payloads(recipe, model, payloads))
        for name, subject, recipe in chosen
        if payloads and recipe.recorder is None
    ]
    from_all = [
        (name + FROM_ALL, subject, recipe.from_all_positions())
        for name, subject, recipe in chosen[:of_joints] + loaded[: of_joints * bool(loaded)]
    ]
    return {'independent': chosen + loaded, 'all': from_all, 'both': chosen + loaded + from_all}[
        positions
    ]


def with_payloads(recipe, model, frames):
    """Return the recipe of a recursion for a robot with payloads, which are its last input.

    Ten numbers of a payload are added to those of the body that carries it. All functions of the
    dynamics depend on these alone, so the recursion is the same.

    `recipe` (Recipe): the recipe without payloads.
    `frames` (sequence of str): a frame for each payload, all different.
    Returns the recipe with the input 'payload' (k, 10), in the axes of each frame: mass [kg],
      first moment [kg m], inertia about the origin [kg m^2]. Its entries are xx xy xz yy yz zz.
    Raises UnknownNameError: for an unknown frame.
    Raises ModelError: for a frame that is given twice.
    """
    frames = tuple(frames)
    if len(set(frames)) < len(frames):
        raise ModelError(
            f'robot {model.name!r}: got the payloads {", ".join(frames)}; expected each frame once'
        )
    recipe = recipe.of_model(model)

    def given(form, subject):
        places = at_frames(form, frames)
        own = recipe.given(form, subject) if recipe.given else {}
        return own | {'carriers': places['bodies'], 'placements': places['frames']}

    at_frames(model, frames)  # refuses unknown frames
    return replace(
        recipe,
        recursion=_carrying(recipe.recursion),
        others=tuple(map(_carrying, recipe.others)),
        inputs={**recipe.inputs, 'payload': (len(frames), PAYLOAD)},
        given=given,
        payloads=frames,
    )


def _carrying(recursion):
    """Return a recursion whose bodies carry payloads; its first arguments are these."""
    names = [*inspect.signature(recursion).parameters]
    place = names.index('constants') if 'constants' in names else None

    @functools.wraps(recursion)
    def carrying(payload, carriers, placements, *arguments):
        if place is None:
            return recursion(*arguments)
        constants = arguments[place].copy()
        for k, body in enumerate(carriers):
            if body > 0:  # on the base a payload is at rest
                _add_payload(constants[body], payload[k], placements, k)
        return recursion(*arguments[:place], constants, *arguments[place + 1 :])

    kind = inspect.Parameter.POSITIONAL_ONLY
    carrying.__signature__ = inspect.Signature(
        [inspect.Parameter(name, kind) for name in ('payload', 'carriers', 'placements', *names)]
    )
    return carrying


def _add_payload(row, payload, placements, k):
    """Add a payload to the row of a body; its frame is placed as row k of a table."""
    moment, p = rotate(placements[k], tuple(payload[1:4])), tuple(placements[k, 9:])
    inertia = rotate_symmetric(placements[k], tuple(payload[4:]))
    mass, inertia = payload[0], shift_inertia(inertia, payload[0], moment, p)
    row[MASS] += mass
    for i in range(3):
        row[MOMENT + i] += moment[i] + mass * p[i]
    for i in range(6):
        row[INERTIA + i] += inertia[i]


def require_joints(model, names, kind, use):
    """Refuse names that are not joints, and an empty list of names.

    `names` (sequence of str): names to check.
    `kind`, `use`: words of the message, such as 'passive joint' and 'for the law ...'.
    Raises UnknownNameError: without names, or for a name that is not a joint.
    """
    unknown = [joint for joint in names if joint not in model.joint_names]
    if unknown or not names:
        got = f'{kind} {unknown[0]!r}' if unknown else f'no {kind}'
        raise UnknownNameError(
            f'robot {model.name!r}: got {got} {use}; '
            f'expected some of {", ".join(model.joint_names)}'
        )


def record_all(model, chosen, real='double'):
    """Record the selected functions.

    `chosen` (list of tuple): result of `selected_functions`.
    Returns the functions, without those that do not depend on their payloads.
    Raises ModelError: if one needs more than LARGEST operations, or if two would have the same
      name in C. If too few postures have closed loops.
    """
    found = {}
    for quantity, subject, recipe in chosen:
        words = [subject] if isinstance(subject, str) else subject or ()
        name, recipe = '_'.join((quantity, *map(identifier, words))), replace(recipe, real=real)
        recording = _recorded(quantity, recipe, model, subject)
        if recipe.payloads and not _uses(recording, 'payload'):
            continue  # such as a pose, which no payload changes
        if name in found:
            raise ModelError(
                f'robot {model.name!r}: two functions would be called {name!r}; '
                'expected each quantity once, and frames that differ in more than '
                'punctuation'
            )
        found[name] = Emitted(name, quantity, subject, recipe, recording)
    return list(found.values())


def _recorded(quantity, recipe, model, subject):
    """Return a recording that is short enough to be emitted."""
    try:
        with limited(MOST_NODES, math.inf):
            recording = final_recording(quantity, recipe, model, subject)
        total = sum(recording.counts().values())
    except RecordingTooLong:
        total = f'more than {MOST_NODES}'
        if model.has_loops:
            _require_plan(quantity, recipe, model)
    if not isinstance(total, int) or total > LARGEST:
        raise ModelError(
            f'robot {model.name!r}: {quantity} takes {total} operations; '
            f'straight-line code is emitted up to {LARGEST}'
        )
    return recording


def _require_plan(quantity, recipe, model):
    """Refuse closed loops that recordings cannot close."""
    length = len(model.all_position_names if 'all positions' in recipe.inputs['q'] else [])
    try:
        closing_of(model, length)
    except RecordingTooLong:
        other = 'fewer closures' if length else 'the positions of all joints'
        raise ModelError(
            f'robot {model.name!r}: {quantity} has no straight-line code, as its loops close in '
            f'too few postures around {model.closed_posture.round(3).tolist()}; expected {other}'
        ) from None


def _uses(recording, argument):
    """Return whether results depend on an argument."""
    nodes = recording.tape.nodes
    return any(
        nodes[index][0] == 'input' and nodes[index][1].startswith(f'{argument}[')
        for index in recording.computed
    )
