# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Verify specialised kernels against their recursions before use.

The recursions run as plain Python, independent of any compiler.
"""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.algorithms.task_space.cholesky_inverse import MAX_CONDITION
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import arguments, label, sizes
from robodyn_ros.errors import KernelError, SingularityError

STATES = 3
#: Allowed relative error, plus ROUNDING times the condition number of the mass matrix.
TOLERANCE, ROUNDING = 1e-11, 1e-14
NEARBY = 0.02  # [rad or m] from the closed posture, where loops still close
OF_JOINTS = ('qdd', 'qdd_r', 'tau', 'b', 'x', 'p', 'given', 'rates', 'multipliers')
#: Condition number from which a kernel may refuse a compliance. The kernel bounds the number by a
#: product of traces, which for 6 x 6 matrices is at most 36 times as large.
REFUSABLE = MAX_CONDITION / 36.0


def every_kernel(robot, recipes):
    """Compare the kernels of a robot with their recursions, at a few states.

    `robot` (SpecialisedRobot): has the compiled kernels.
    `recipes` (dict): {key of a kernel: Recipe}.
    Raises KernelError: with the first kernel that differs.
    """
    for state in _states(robot):
        allowed = _allowed_error(robot, state)
        for key, recipe in recipes.items():
            if key in robot.kernels:
                _compare(robot, key, recipe, state, allowed)


def from_all_positions(robot, key, recipe):
    """Compare a kernel from the positions of all joints with its recursion, at a few states.

    `robot` (SpecialisedRobot): has the compiled kernel.
    `key` (tuple of str): key of the kernel.
    Returns whether it takes at least one of the states. It may leave some to the generic kernel.
    Raises KernelError: if it differs.
    """
    inputs, outputs = (sizes(shapes, robot.model) for shapes in (recipe.inputs, recipe.outputs))
    takes = False
    for state in _states(robot):
        try:
            closed = robot.expand(state['q'])[0]
        except SingularityError:  # loops that close in few postures
            continue
        allowed = _allowed_error(robot, state)
        state['q'] = closed
        given = [state[argument][: shape[0]] for argument, shape in inputs.items()]
        if not robot._one[key](*given, *(np.zeros(shape) for shape in outputs.values())):
            _compare(robot, key, recipe, state, allowed)
            takes = True
    return takes


def derivative(robot, name, method):
    """Compare a method for a derivative with its recursion, at a few states.

    `name`: name of the derivative, in DERIVATIVES.
    Raises KernelError: if they differ.
    """
    recipe = DERIVATIVES[name]
    results = sizes(recipe.outputs, robot.model)
    for state in _states(robot):
        given = {argument: state[argument] for argument in recipe.inputs}
        expected = {argument: np.zeros(shape) for argument, shape in results.items()}
        if interpreted(recipe, None, robot.model, given, expected):
            continue
        got, allowed = method(*given.values()), _allowed_error(robot, state)
        for result, reference in zip([got] if len(results) == 1 else got, expected.values()):
            error, size = np.abs(result - reference).max(), np.abs(reference).max()
            _judge(robot, name, 0, error <= allowed * max(size, 1.0), error, size, given.values())


def _allowed_error(robot, state):
    """Return the allowed relative error at a state."""
    recipe, M = RECIPES['mass_matrix'], np.zeros((robot.nv, robot.nv))
    interpreted(recipe, None, robot.model, {'q': state['q']}, {'M': M})
    return TOLERANCE + ROUNDING * np.linalg.cond(M)


def _states(robot):
    """Yield states, each with a value for every input of a recipe."""
    rng, model = np.random.default_rng(0), robot.model
    for _ in range(STATES):
        q, qd, third = (rng.uniform(-1.5, 1.5, n) for n in (robot.nq, robot.nv, robot.nv))
        if model.has_loops:  # the loops cannot close everywhere, but they do near this posture
            q = model.closed_posture + NEARBY * q
        same = dict.fromkeys(OF_JOINTS, third)
        yield {
            'q': q,
            'qd': qd,
            **same,
            'qd_r': -third,
            'wrenches': rng.uniform(-1.0, 1.0, (len(robot.frames), 6)),
        }


def _compare(robot, key, recipe, state, allowed):
    """Compare one kernel with its recursion at a state."""
    name, subject = key if isinstance(key, tuple) else (key, None)
    inputs, outputs = (sizes(shapes, robot.model) for shapes in (recipe.inputs, recipe.outputs))
    given = [state[argument][: shape[0]] for argument, shape in inputs.items()]
    got, expected = ([np.zeros(shape) for shape in outputs.values()] for _ in range(2))
    status = robot._one[key](*given, *got)
    expected_status = interpreted(
        recipe, subject, robot.model, dict(zip(inputs, given)), dict(zip(outputs, expected))
    )
    if name == 'operational_space_inertia':
        largest, *_, smallest = np.linalg.svd(expected[1], compute_uv=False)
        if status != 0 and largest >= REFUSABLE * smallest:
            return  # the Python method computes such states
        allowed += ROUNDING * largest / smallest
    for result, reference in zip(got, expected):
        error, size = np.abs(result - reference).max(), np.abs(reference).max()
        agrees = status == expected_status and error <= allowed * max(size, 1.0)
        _judge(robot, key, status, agrees or status == expected_status == 1, error, size, given)


def interpreted(recipe, subject, model, inputs, results):
    """Run the recursion of a recipe as plain Python.

    `inputs` (dict): {argument: array}.
    `results` (dict): {argument: array}, written.
    Returns 1 if it met a singular pivot, else 0.
    """
    recipe = recipe.of_model(model)
    inputs = inputs | (recipe.given(model, subject) if recipe.given else {})
    with np.errstate(all='ignore'):
        if recipe.before:
            inputs['f_ext'] = np.zeros((len(model.body_names), 6))
            _called(recipe.before, model, inputs)
        return int(bool(_called(recipe.recursion, model, inputs | results)))


def _called(recursion, model, given):
    """Call a recursion with numbers."""
    own = working_memory.allocate(model.topology)
    return recursion(
        *(
            value.astype(float) if getattr(value, 'dtype', None) == object else value
            for value in arguments(recursion, model, work=own, **given)
        )
    )


def _judge(robot, key, status, agrees, error, size, given):
    """Raise a KernelError unless a kernel agrees with its recursion."""
    if not agrees:
        what = f'{key[0]} at {label(key[1])}' if isinstance(key, tuple) else key
        raise KernelError(
            f'robot {robot.name!r}: the specialised kernel of {what} differs from its recursion '
            f'by {error:.2g} of {size:.2g} (status {status}) at '
            f'{[x.tolist() for x in given]}; do not specialise this robot, and report the error'
        )
