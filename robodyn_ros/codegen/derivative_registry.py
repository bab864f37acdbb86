# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Exact derivatives for one robot: recorded recursions, or differentiated recordings.

A recursion in one frame needs a few dot products for each pair of joints on a path. It is the
cheapest way for long chains. For short chains it often takes fewer operations to differentiate the
tape of the function itself. Both are recorded, and the shorter recording is kept.

The tape is a graph whose edges carry partial derivatives. An inner node is eliminated by joining
every edge into it with every edge out of it. When only inputs and outputs are left, the edges are
the Jacobian (Griewank and Walther 2008, chapter 9). Elimination in the order of the tape is
forward accumulation; in the opposite order it is reverse accumulation. The one with fewer
operations for the robot is kept.

Newton's method, which closes loops, is not differentiated. The positions of dependent joints are
leaves beside the independent ones. E has their derivatives, by the implicit function theorem.
"""

import functools
from dataclasses import replace

import numpy as np

from robodyn_ros.algorithms.constraints import expansion
from robodyn_ros.algorithms.derivatives import (
    derivatives_from_inverse,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    mass_matrix_derivative,
)
from robodyn_ros.codegen.packs import shorter_with_packs
from robodyn_ros.codegen.registry import ACCELERATION, DRIVEN, POSITION, RECIPES, SQUARE, Recipe
from robodyn_ros.codegen.regular_pivots import unchecked_joints, without_needless_checks
from robodyn_ros.codegen.specialise import (
    Recording,
    cleaned,
    closing_of,
    origin,
    record,
    recorded_input,
    run_on_tape,
    sizes,
    stored,
    with_shared_values,
    zeros,
)
from robodyn_ros.codegen.tape import ARITHMETIC, Recorded, Tape, count, needed, operands
from robodyn_ros.model.layout import AT, BALL_X, BALL_Y, BALL_Z, DOF, FIRST, KIND, Q, V
from robodyn_ros.model.normal_form import normal_form
from robodyn_ros.realtime.collector_pause import collections_paused

#: Operations of a recursion beyond which elimination is not tried. For such long chains it takes
#: seconds, and gives no shorter code.
LONG = 20_000
#: Degrees of freedom beyond which a derivative is not emitted. Code far larger than the
#: processor's caches is not faster than the generic kernel.
WRITTEN_OUT = {
    'inverse_dynamics_derivatives': 24,
    'forward_dynamics_derivatives': 16,
    'mass_matrix_derivative': 12,
}


@collections_paused()
def jacobian(tape, outputs, inputs):
    """Return the derivatives of outputs by inputs, by forward or reverse accumulation.

    `outputs` (sequence of Recorded or float): functions of the inputs.
    `inputs` (sequence of Recorded): treated as independent even if they are results.
    Returns a row for each output, by the accumulation with fewer operations.
    """
    candidates = [_eliminated(tape, outputs, inputs, backwards) for backwards in (False, True)]
    return min(
        candidates, key=lambda rows: _operations(tape, [entry for row in rows for entry in row])
    )


def _operations(tape, results):
    """Return how many operations some results take."""
    outputs = [entry.index for entry in results if isinstance(entry, Recorded)]
    return sum(count(tape, needed(tape, outputs)).values())


def _partials(tape, index):
    """Return {operand: partial derivative} of one node."""
    operation, *rest = tape.nodes[index]
    x = [tape.values[i] for i in operands(tape.nodes[index])]
    if operation == 'multiply':
        local = (x[1], x[0])
    elif operation == 'scale':
        local = (rest[0],)
    elif operation == 'cos':
        local = (-x[0].sin(),)
    elif operation == 'sin':
        local = (x[0].cos(),)
    elif operation == 'invert':
        value = tape.values[index]
        local = (-(value * value),)
    else:
        local = {
            'add': (1.0, 1.0),
            'subtract': (1.0, -1.0),
            'negate': (-1.0,),
            'shift': (1.0,),
            'from': (-1.0,),
        }.get(operation, ())
    partials = {}
    for operand, partial in zip(x, local):
        partials[operand.index] = partials.get(operand.index, 0.0) + partial
    return partials


def _eliminated(tape, outputs, inputs, backwards):
    """Return the rows of the Jacobian, by reverse (`backwards`) or forward accumulation."""
    leaves = {entry.index for entry in inputs}
    roots = [entry.index for entry in outputs if isinstance(entry, Recorded)]
    into, out_of = {}, {}
    dependent = set(leaves)  # on an input
    for index in needed(tape, roots):
        if index in leaves:
            continue
        partials = {i: p for i, p in _partials(tape, index).items() if i in dependent}
        if partials:
            dependent.add(index)
            into[index] = partials
            for operand in partials:
                out_of.setdefault(operand, {})[index] = None
    for root in roots:  # a separate node, since one output may be an inner node of another
        if root in dependent:
            into['output', root] = {root: 1.0}
            out_of.setdefault(root, {})['output', root] = None
    inner = [index for index in into if not isinstance(index, tuple)]
    for index in sorted(inner, reverse=backwards):
        _eliminate(index, into, out_of)
    return [
        [
            into.get(('output', entry.index), {}).get(leaf.index, 0.0)
            if isinstance(entry, Recorded)
            else 0.0
            for leaf in inputs
        ]
        for entry in outputs
    ]


def _eliminate(index, into, out_of):
    """Eliminate a node by joining its edges."""
    before, after = into.pop(index), out_of.pop(index, {})
    for user in after:
        edges = into[user]
        along = edges.pop(index)
        for operand, partial in before.items():
            edges[operand] = edges.get(operand, 0.0) + along * partial
            out_of[operand][user] = None
    for operand in before:
        out_of[operand].pop(index, None)


def record_shorter(eliminated, name, recipe, model, frame=None):
    """Record a derivative by its recursion and by elimination; return the shorter recording.

    Robots with dependent joints have elimination alone.

    `eliminated` (callable): records by elimination, with the same arguments (name, recipe, model).
    `frame` (None): unused; a derivative has no frame.
    Returns the recording.
    """
    if model.is_embedded:
        return eliminated(name, recipe, model)
    found = record(name, recipe, model)
    if _length(found) > LONG:
        return found
    return min((found, eliminated(name, recipe, model)), key=_length)


def eliminate_inverse(name, recipe, model):
    """Differentiate inverse dynamics by q, qd and qdd.

    Returns the recording.
    """
    recorded = record('inverse_dynamics', _with_q_of(recipe, 'inverse_dynamics'), model)
    n = model.nv
    tau = [recorded.results[f'tau[{k}]'] for k in range(n)]
    q, qd, qdd = (
        recorded_input(recorded.tape, argument, shape)
        for argument, shape in sizes(recipe.inputs, model).items()
    )
    positions = _Positions(model, recorded.tape, q)
    slopes = jacobian(recorded.tape, tau, [*qd, *qdd, *positions.leaves])
    by_qd, by_qdd, by_q = np.split(np.array(slopes, dtype=object), (n, 2 * n), axis=1)
    return _recording(
        name, recipe, model, recorded.tape, [positions.by_motion(by_q), by_qd, by_qdd]
    )


def eliminate_forward(name, recipe, model):
    """Differentiate forward dynamics by q, qd and tau.

    At the solution the derivative of inverse dynamics vanishes, d tau = 0. So dqdd/dq = -M^-1
    dtau/dq, dqdd/dqd = -M^-1 dtau/dqd, dqdd/dtau = M^-1.

    Returns the recording.
    """
    normal, tape, n = _form(model), Tape(real=recipe.real), model.nv
    q, qd, tau = (
        recorded_input(tape, argument, shape)
        for argument, shape in sizes(recipe.inputs, model).items()
    )
    inverse, qdd, torque = zeros((n, n)), zeros(n), zeros(n)
    of_inverse, bias_torque, inverse_dynamics = (
        RECIPES[each].of_model(normal)
        for each in ('mass_matrix_inverse', 'bias_torque', 'inverse_dynamics')
    )
    solve = min(
        (of_inverse.recursion, *of_inverse.others),
        key=lambda recursion: _cost(recursion, normal, len(q)),
    )
    solve = without_needless_checks(solve, unchecked_joints(model, recipe))
    status = run_on_tape(solve, normal, tape, q=q, inverse=inverse)
    run_on_tape(bias_torque.recursion, normal, tape, q=q, qd=qd, tau=torque)
    for i in range(n):
        for k in range(n):
            qdd[i] = qdd[i] + inverse[i, k] * (tau[k] - torque[k])
    # the accelerations are inputs of the inverse dynamics, whose derivatives hold them constant
    given = recorded_input(tape, 'qdd', (n,))
    run_on_tape(inverse_dynamics.recursion, normal, tape, q=q, qd=qd, qdd=given, tau=torque)
    positions = _Positions(model, tape, q)
    rows = jacobian(tape, list(torque), [*qd, *positions.leaves])
    at_solution = {given[k].index: qdd[k] for k in range(n)}
    slopes = np.array(_substituted(tape, rows, at_solution), dtype=object)
    by_qd, by_q = slopes[:, :n], positions.by_motion(slopes[:, n:])
    results = zeros((3, n, n))
    for i in range(n):
        for k in range(n):
            results[2, i, k] = inverse[i, k]
            for j in range(n):
                results[0, i, k] = results[0, i, k] - inverse[i, j] * by_q[j, k]
                results[1, i, k] = results[1, i, k] - inverse[i, j] * by_qd[j, k]
    return _recording(name, recipe, model, tape, results, bool(status))


def eliminate_mass(name, recipe, model):
    """Differentiate the mass matrix by q; the result is symmetric in the first two axes.

    Returns the recording.
    """
    recorded = record('mass_matrix', _with_q_of(recipe, 'mass_matrix'), model)
    n = model.nv
    q = recorded_input(recorded.tape, 'q', recorded.inputs['q'])
    lower = [(i, j) for i in range(n) for j in range(i + 1)]
    entries = [recorded.results[f'M[{i}, {j}]'] for i, j in lower]
    positions = _Positions(model, recorded.tape, q)
    rows = jacobian(recorded.tape, entries, positions.leaves)
    rows = positions.by_motion(np.array(rows, dtype=object))
    slopes = zeros((n, n, n))
    for (i, j), row in zip(lower, rows):
        slopes[i, j, :] = slopes[j, i, :] = row
    return _recording(name, recipe, model, recorded.tape, [slopes])


def _with_q_of(recipe, name):
    """Return the recipe of a quantity whose q has the positions of another recipe's."""
    known = RECIPES[name]
    return replace(known, inputs=known.inputs | {'q': recipe.inputs['q']}, real=recipe.real)


def _form(model):
    """Return the form of a model that is recorded."""
    return cleaned(model, True) if model.has_loops else normal_form(model)


class _Positions:
    """Positions by which a tape is differentiated.

    `q` (ndarray of Recorded): positions of the independent joints, or of all joints of closed
      loops.
    `leaves` (list of Recorded): those of the independent joints, and of the dependent joints of
      loops by which the tape is differentiated, too.
    """

    def __init__(self, model, tape, q):
        self._model = model
        names, E = model.all_position_names, zeros((0, model.nv))
        everything = zeros(len(names))
        rows = []
        if model.has_loops:
            form, E = _form(model), zeros((len(model.all_joint_names), model.nv))
            run_on_tape(expansion.expand_joints, form, tape, q=q, positions=everything, E=E)
            rows = closing_of(form, len(q)).leaf_rows
        if len(q) == len(names):  # values of the tape may depend on any of them
            q, everything = q[[names.index(name) for name in model.position_names]], q
        self._q, self._E = q, E[[row - 1 for row in rows]]
        self.leaves = [*q, *(everything[model.topology[row, Q]] for row in rows)]

    def by_motion(self, slopes):
        """Return derivatives along unit velocities, (m, nv), from those by the leaves."""
        count = len(self._q)
        along = by_motion(self._model, self._q, slopes[:, :count])
        for dependent, entries in zip(slopes[:, count:].T, self._E):
            for k, entry in enumerate(entries):
                along[:, k] = along[:, k] + dependent * entry
        return along


def by_motion(model, q, slopes):
    """Return derivatives along unit velocities from derivatives by coordinates.

    They differ only for a quaternion p, whose rate is p (omega, 0) / 2.

    `slopes` (m, nq): derivatives of m functions by the coordinates.
    """
    along = zeros((len(slopes), model.nv))
    rows = model.topology[1:]
    if model.is_embedded:  # of the joints that lead
        rows = rows[rows[:, DOF] > 0]
    at, first = (AT, FIRST) if model.is_embedded else (Q, V)
    for kind, k, j in rows[:, [KIND, at, first]].tolist():
        if kind == BALL_X:
            x, y, z, w = q[k : k + 4]
            rates = ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z))
            for axis, rate in enumerate(rates):
                for place in range(4):
                    along[:, j + axis] += slopes[:, k + place] * (0.5 * rate[place])
        elif kind not in (BALL_Y, BALL_Z):
            along[:, j] = slopes[:, k]
    return along


def _cost(recursion, model, count):
    """Return the number of operations of an inverse of the mass matrix from `count` positions."""
    tape, inverse = Tape(), zeros((model.nv, model.nv))
    run_on_tape(recursion, model, tape, q=recorded_input(tape, 'q', (count,)), inverse=inverse)
    return _operations(tape, inverse.flat)


def _substituted(tape, rows, values):
    """Return the entries of rows, recomputed with other values of some nodes."""
    wanted = [x.index for row in rows for x in row if isinstance(x, Recorded)]
    changed = dict(values)
    for index in needed(tape, wanted):
        if index not in changed:
            touched = any(
                changed.get(i) is not None and not _same(changed[i], i)
                for i in operands(tape.nodes[index])
            )
            changed[index] = _recomputed(tape, index, changed) if touched else tape.values[index]
    return [[changed[x.index] if isinstance(x, Recorded) else x for x in row] for row in rows]


def _same(value, index):
    """Return whether a value is that of a node, unchanged."""
    return isinstance(value, Recorded) and value.index == index


def _recomputed(tape, index, changed):
    """Return the value of a node for other values of its operands."""
    operation, *rest = node = tape.nodes[index]
    x = [changed[i] for i in operands(node)]
    return ARITHMETIC[operation](*rest[: len(rest) - len(x)], *x)


def _length(recording):
    """Return the number of operations of a recording."""
    return sum(recording.counts().values())


def _recording(name, recipe, model, tape, matrices, singular=False):
    """Return the recording of a derivative with these matrices as results."""
    inputs, outputs = sizes(recipe.inputs, model), sizes(recipe.outputs, model)
    recording = Recording(
        name,
        f'{name} of robot {model.name}.',
        origin(recipe.recursion),
        tape,
        inputs,
        outputs,
        stored(dict(zip(outputs, matrices))),
        singular,
    )
    return with_shared_values(recording, _form(model))


DERIVATIVES = {
    'inverse_dynamics_derivatives': Recipe(
        inverse_dynamics_derivatives.inverse_dynamics_derivatives,
        ACCELERATION,
        {'by_q': SQUARE, 'by_qd': SQUARE, 'by_qdd': SQUARE},
        recorder=functools.partial(record_shorter, eliminate_inverse),
        packed=shorter_with_packs,
    ),
    'forward_dynamics_derivatives': Recipe(
        forward_dynamics_derivatives.forward_dynamics_derivatives,
        DRIVEN,
        {'by_q': SQUARE, 'by_qd': SQUARE, 'by_tau': SQUARE},
        others=(derivatives_from_inverse.derivatives_from_inverse,),
        recorder=functools.partial(record_shorter, eliminate_forward),
        packed=shorter_with_packs,
    ),
    'mass_matrix_derivative': Recipe(
        mass_matrix_derivative.mass_matrix_derivative,
        POSITION,
        {'by_q': ('nv', 'nv', 'nv')},
        recorder=functools.partial(record_shorter, eliminate_mass),
    ),
}
