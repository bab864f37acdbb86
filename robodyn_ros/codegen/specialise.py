# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Record the recursions of one robot, and compile the recordings."""

import contextlib
import functools
import hashlib
import inspect
import logging
import re
from bisect import bisect
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.algorithms.derivatives.unit_torques import memory
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions
from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.fused_sums import with_fused_sums
from robodyn_ros.codegen.loops import given_positions, loop_closing
from robodyn_ros.codegen.loops.common_subexpressions import with_common_subexpressions
from robodyn_ros.codegen.machine_scheduler import statements_in_order
from robodyn_ros.codegen.registry import FRAME_RECIPES, FURTHER_RECIPES, JOINT_RECIPES, RECIPES
from robodyn_ros.codegen.regular_pivots import unchecked_joints, without_needless_checks
from robodyn_ros.codegen.tape import (
    Recorded,
    RecordingTooLong,
    RecordingTooSlow,
    Tape,
    count,
    limited,
    needed,
)
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.model.normal_form import align, clean, normal_form, regroup
from robodyn_ros.realtime.collector_pause import collections_paused
from robodyn_ros.spatial.work import COLUMNS, WIDTH, NamedRows, starts

#: Operations beyond which no code is compiled. It would compile slowly and exceed the processor's
#: caches, so that the generic loop is as fast.
LARGEST = 100_000

#: Nodes of a tape, including unused ones, beyond which recording stops: some 100 MB.
MOST_NODES = 4 * LARGEST
#: Degrees of freedom beyond which nothing is recorded.
MOST_JOINTS = 128
MOST_SECONDS = 60.0  # of a recording


@dataclass(frozen=True)
class Recording:
    """The recording of one recursion for one robot: a tape and its results.

    `name`: name of the function.
    `title`: what it computes, in words.
    `origin`: module of the recursion.
    `tape`: the operations.
    `inputs`, `outputs`: {argument: shape}.
    `results`: {entry, such as 'tau[0]': node or constant to store}.
    `singular`: whether a pivot is zero for every state.
    """

    name: str
    title: str
    origin: str
    tape: Tape
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    results: dict[str, Recorded | float]
    singular: bool = False

    def needed(self):
        """Return the nodes of the results and of the checks."""
        nodes = [value.index for value in self.results.values() if isinstance(value, Recorded)]
        return nodes + [index for index, _ in self.tape.checks]

    def counts(self):
        """Return the numbers of operations of one call.

        Returns {'multiplications', 'additions', 'divisions', 'trigonometric': number}.
        """
        return count(self.tape, self.computed)

    @functools.cached_property
    def computed(self):
        """The nodes on which results and checks depend, in order."""
        return needed(self.tape, self.needed())


class RecordingWork(NamedRows):
    """Working memory of a recursion that is recorded: it names values on the tape when written.

    Reading an entry before it is written raises a KeyError.

    `size`: number of rows.
    `replaced` (dict): {function: replacement} for functions that cannot be recorded.
    """

    def __init__(self, tape, size, replaced=None):
        super().__init__(_RecordedEntries(tape))
        self.tape, self.replaced, self._size = tape, replaced or {}, size
        self._plain = None

    def view(self, _):
        """Return plain memory, for data behind the rows of bodies; the same at every call."""
        if self._plain is None:
            self._plain = zeros((self._size * WIDTH,))
        return self._plain

    def close(self):
        """Note on the tape that the positions of all joints are known from here on."""
        if self.tape.positions_known is None:
            self.tape.positions_known = len(self.tape.nodes)

    def close_as_given(self):
        """Note that all nodes follow from given positions, except for the checks so far."""
        self.tape.positions_known, self.tape.exact_checks = 0, len(self.tape.checks)


class _RecordedEntries:
    """Entries (row, column) of recorded working memory."""

    _starts = sorted(starts(COLUMNS))

    def __init__(self, tape):
        self.tape, self._entries = tape, {}

    def __getitem__(self, place):
        return self._entries[place]

    def __setitem__(self, place, value):
        self._entries[place] = value
        if isinstance(value, Recorded):
            negated = value.positive
            self._name(place, *((value, '') if negated is None else (negated, 'minus_')))

    def _name(self, place, value, sign):
        if value.index in self.tape.names or self.tape.nodes[value.index][0] == 'input':
            return
        body, column = place
        start, name = self._starts[bisect(self._starts, column, key=itemgetter(0)) - 1]
        # an entry may be written again, as in a sum, so the node number makes its name unique
        self.tape.names[value.index] = f'{sign}{name}_{body}_{column - start}_{value.index}'


def final_recording(name, recipe, model, subject=None):
    """Record a quantity as it is compiled and emitted.

    Returns the tape and the results.
    """
    return with_fused_sums((recipe.recorder or record)(name, recipe, model, subject))


def record(name, recipe, model, subject=None):
    """Run a recursion once on recording scalars, with the constants of one robot in normal form.

    Returns the tape and the results.
    """
    recipe = recipe.of_model(model)
    regular = unchecked_joints(model, recipe)
    return _shortest(
        functools.partial(record_as_is, name, recipe, form, subject, regular)
        for form in _normal_forms(model, recipe)
    )


def _normal_forms(model, recipe):
    """Return the forms of a model; the form with the shortest recording is compiled."""
    forms = [normal_form(model, recipe.regrouped)] if recipe.aligned else []
    if recipe.given or not recipe.aligned:  # rotated frames change the requested quantity
        forms.append(cleaned(model, recipe.regrouped))
    return forms


@functools.lru_cache(maxsize=4)  # all quantities of a robot are recorded in turn
def cleaned(model, regrouped):
    """Return a model after the steps of the normal form that rotate no frame.

    `regrouped`: whether inertias move between bodies.
    """
    return regroup(clean(model)) if regrouped else clean(model)


def counts(model, name, subject=None):
    """Return the operations of one quantity after each step of the normal form.

    `subject` (str or tuple of str): name of a frame, or names of joints of prescribed motion, for
      a quantity of these.
    Returns {step: {kind: number}}. The steps are 'as described', 'cleaned', 'aligned' and
      'regrouped'. The last entry, 'compiled', is the variant in use.
    """
    recipe = (RECIPES | FURTHER_RECIPES | FRAME_RECIPES | JOINT_RECIPES)[name].of_model(model)
    regular = unchecked_joints(model, recipe)
    models = {'as described': model, 'cleaned': clean(model)}
    models['aligned'] = align(models['cleaned']) if recipe.aligned else models['cleaned']
    models['regrouped'] = regroup(models['aligned']) if recipe.regrouped else models['aligned']
    known = {}

    def counted(form):
        given = recipe.given(form, subject) if recipe.given else {}
        numbers = form.topology, form.constants, form.gravity, *given.values()
        key = tuple(np.asarray(each).tobytes() for each in numbers)
        if key not in known:
            known[key] = record_as_is(name, recipe, form, subject, regular).counts()
        return known[key]

    found = {step: counted(form) for step, form in models.items()}
    shortest = min(map(counted, _normal_forms(model, recipe)), key=lambda each: sum(each.values()))
    return found | {'compiled': shortest}


def record_as_is(name, recipe, model, subject=None, regular=frozenset()):
    """Record a quantity without the normal form of the model.

    `regular` (collection of int): bodies of joints whose pivots need no check, see
      `regular_pivots`.
    Returns the shortest of the recordings of the recipe's recursions.
    Raises RecordingTooLong: if none stays within the limits.
    """
    return _shortest(
        functools.partial(_record, name, recipe, recursion, model, subject, regular)
        for recursion in (recipe.recursion, *recipe.others)
    )


def _shortest(recorders):
    """Return the shortest of several recordings; RecordingTooLong if all are too long."""
    found = []
    for recorder in recorders:
        with contextlib.suppress(RecordingTooLong):
            found.append(recorder())
    if not found:
        raise RecordingTooLong
    return min(found, key=_length) if len(found) > 1 else found[0]


def _length(recording):
    """Return the number of operations of a recording."""
    return sum(recording.counts().values())


def _record(name, recipe, recursion, model, subject, regular=frozenset()):
    """Return the recording of one recursion."""
    recursion = without_needless_checks(recursion, regular)
    tape = Tape(recipe.columns, recipe.real)
    inputs, outputs = (sizes(shapes, model) for shapes in (recipe.inputs, recipe.outputs))
    given = {argument: recorded_input(tape, argument, shape) for argument, shape in inputs.items()}
    results = {argument: zeros(shape) for argument, shape in outputs.items()}
    if recipe.given:
        given |= {
            argument: value.astype(object) if getattr(value, 'dtype', None) == float else value
            for argument, value in recipe.given(model, subject).items()
        }
    if recipe.before:
        given['f_ext'] = zeros((len(model.body_names), 6))
        run_on_tape(recipe.before, model, tape, **given)
    status = run_on_tape(recursion, model, tape, **given, **results)
    where = f' at {label(subject)}' if subject else ''
    return with_shared_values(
        Recording(
            name,
            f'{name} of robot {model.name}{where}.',
            origin(recursion),
            tape,
            inputs,
            outputs,
            stored(results),
            bool(status),
        ),
        model,
    )


def label(subject):
    """Return a subject as text.

    `subject` (str, tuple of str or None): a name, or several.
    """
    return subject if isinstance(subject, str) else ', '.join(subject or ())


def with_shared_values(recording, model):
    """Return a recording in which equal values share a node, see `common_subexpressions`.

    `model` (RobotModel): the model that is recorded.
    """
    if not model.has_loops:
        return recording
    return with_common_subexpressions(recording, closing_of(model, recording.inputs['q'][0]))


def closing_of(model, length, real='double'):
    """Return how recordings close the loops of a robot.

    `length`: number of positions in the input q: of all joints, or of the independent ones.
    Raises RecordingTooLong: if there are not enough closed and regular postures.
    """
    is_given = length == len(model.all_position_names)
    return (given_positions if is_given else loop_closing).plan(model, real)


# All that is recorded is in use, and a search for garbage takes as long as a long recording.
@collections_paused()
def run_on_tape(recursion, model, tape, **given):
    """Run a recursion on recording scalars.

    `tape` (Tape): receives the operations.
    `**given`: arguments of the recursion. All others are those of the model, or zero.
    Returns the status of the recursion.
    """
    closing = closing_of(model, len(given['q']), tape.real) if model.has_loops else None
    replaced = closing.replacements() if closing else {}
    work = RecordingWork(tape, working_memory.rows(model.topology), replaced)
    return recursion(*arguments(recursion, model, work=work, **given))


def arguments(recursion, model, **given):
    """Return the arguments of a recursion in order.

    `**given`: arguments by name. All others are those of the model, or zero.
    """
    nb, nv = len(model.body_names), model.nv
    carried, links = model.link_placements()
    known = {
        'topology': model.topology,
        'constants': model.constants.astype(object),
        'gravity': model.gravity.astype(object),
        'f_ext': zeros((nb, 6)),
        'diagonal': zeros(nv),
        'zero': zeros(nv),
        'M': zeros((nv, nv)),
        'F': zeros((nv, nv)),
        'tau': zeros(nv),
        'com': zeros(3),
        'carried': carried,
        'links': links.astype(object),
        'bias': zeros(nv),
        'spare': zeros((6, nv)),
        'factor': zeros((6, 6)),
        'qdd': zeros(nv),
        'rows': zeros((nv + 2, nv)),
        'factors': zeros((nv, nv)),
        'wide': zeros(memory(nv)),
        'motions': zeros(motions(nv)),
    }
    known |= given
    return [known[name] for name in inspect.signature(recursion).parameters]


def sizes(shapes, model):
    """Return the shapes of a recipe as numbers.

    `shapes` (dict): {argument: shape}, see Recipe.
    """
    known = {
        'nq': model.nq,
        'all positions': len(model.all_position_names),
        'nv': model.nv,
        'bodies': len(model.body_names) - 1,
        '6 bodies': 6 * (len(model.body_names) - 1),
        '10 bodies': 10 * (len(model.body_names) - 1),
        'nb': len(model.body_names),
    }
    return {name: tuple(known.get(size, size) for size in shape) for name, shape in shapes.items()}


def recorded_input(tape, argument, shape):
    """Return an array of new inputs of a tape.

    `argument`: name of the array.
    """
    array = zeros(shape)
    for place in np.ndindex(shape):
        array[place] = tape.input(_entry(argument, place))
    return array


def stored(results):
    """Return the entries of arrays by name.

    `results` (dict): {argument: array}.
    """
    return {
        _entry(argument, place): array[place]
        for argument, array in results.items()
        for place in np.ndindex(array.shape)
    }


def origin(recursion):
    """Return the module of a recursion, without the name of the package."""
    return recursion.__module__.removeprefix('robodyn_ros.')


def zeros(shape):
    """Return an array of zeros that can hold recording scalars."""
    return np.full(shape, 0.0, dtype=object)


def _entry(argument, place):
    """Return the name of an entry of an array, such as 'tau[0]'."""
    return f'{argument}[{", ".join(map(str, place))}]'


@dataclass(frozen=True)
class Specialised:
    """The two kernels of one recursion for one robot; both take its inputs, then its outputs.

    `one`: for one state; returns a status, see codegen/emit_python.py.
    `rows`: for states `first` to `last`, a multiple of LANES, in arrays with one more axis in
      front. It returns `last`, or the first row of a refused block, and releases the GIL.
    """

    one: Kernel
    rows: Kernel


def specialise(model, name, recipe, subject=None):
    """Return the kernels of one recursion for one robot, not yet compiled.

    Their source is in the kernel cache, under a hash of the robot. If it is there, nothing is
    recorded.

    Returns None for more than LARGEST operations, or if recording takes too much time or memory.
    """
    if model.nv > MOST_JOINTS:
        return _refused(model)
    recipe = recipe.of_model(model)
    what = ' '.join(part for part in (model.name, name, label(subject)) if part)
    shapes = recipe.inputs, recipe.outputs, recipe.regrouped
    packed = (recipe.packed.__name__,) if recipe.packed else ()
    parts = what, name, subject, origin(recipe.recursion), shapes, *packed
    key = hashlib.sha256(repr(parts).encode())
    given = recipe.given(model, subject) if recipe.given else {}
    for numbers in (model.topology, model.constants, model.gravity, *given.values()):
        key.update(np.asarray(numbers).tobytes())
    stem = f'{re.sub(r"[^a-zA-Z0-9]", "_", what)[:100]}_{key.hexdigest()[:16]}'

    def text():
        try:
            with limited(MOST_NODES, MOST_SECONDS):
                recording = final_recording(name, recipe, model, subject)
                shorter = recipe.packed and recipe.packed(name, recipe, model, recording)
        except RecordingTooLong:
            return emit_python.refuse_unfinished(what, f'more than {MOST_NODES} nodes')
        small = sum(recording.counts().values()) <= LARGEST
        return emit_python.write(recording, shorter) if small else emit_python.refuse(recording)

    try:
        module = imported(stem, text)
    except RecordingTooSlow:  # not cached, since the machine may be less busy next time
        return _refused(model)
    if module.one is None:
        return _refused(model)
    # the order of operations is fixed, and Numba's fastmath would break the rounding of angles
    plain = {
        'has_vectorcall': False,
        'fastmath': False,
        'context': functools.partial(statements_in_order, module.statements),
    }
    return Specialised(
        Kernel(module.one, what, **plain),
        Kernel(module.rows, f'{what} of batches', nogil=True, **plain),
    )


def _refused(model):
    """Warn that there is no code for a quantity; return None."""
    _warn_once(model.name)


@functools.cache
def _warn_once(robot):
    logging.getLogger(__name__).warning(
        'Robot %r: the code of some quantities would be too long; '
        'the kernels for any robot are used.',
        robot,
    )
