"""Specialised kernels against the generic ones, before they serve."""
import numpy as np

from robodyn_ros.errors import KernelError, SingularityError
from robodyn_ros.kernels.specialise import (
    FURTHER_RECIPES, RECIPES, frame_recipes, label, sizes)
from robodyn_ros.recursions.full_rank import WORST
from robodyn_ros.robot import Robot

STATES = 3
#: Relative error allowed; for solves ROUNDING times the condition number more.
TOLERANCE, ROUNDING = 1e-11, 1e-14
ALMOST_LOST = WORST / 36.0  # (trace / 6)^2 of a 6 x 6 matrix is below its condition number
STEP = 1e-5  # of the differences that derivatives are compared with, whose error is SLOPE at most
SLOPE = 1e-5


def every_kernel(robot, frames):
    """Compare all kernels of a SpecialisedRobot at a few states; a KernelError names the first
    that differs.
    """
    reference = Robot(robot.model)
    for state in _states(robot):
        slack = TOLERANCE + ROUNDING * np.linalg.cond(reference.mass_matrix(state['q']))
        for name, recipe in (RECIPES | FURTHER_RECIPES).items():
            _compare(robot, name, recipe, state, reference, slack)
        for frame in frames:
            for name, recipe in frame_recipes(robot.model, frame).items():
                _compare(robot, (name, frame), recipe, state, reference, slack)


def derivative(robot, name, shapes):
    """Compare a derivative along one direction with the difference of two values."""
    value = {'inverse_dynamics_derivatives': 'inverse_dynamics',
             'forward_dynamics_derivatives': 'forward_dynamics',
             'mass_matrix_derivative': 'mass_matrix'}[name]
    rng = np.random.default_rng(1)
    for state in _states(robot):
        given = [state[argument] for argument in RECIPES[value].inputs]
        results = [np.empty(shape) for shape in shapes]
        try:
            for argument in range(len(given)):
                direction = rng.uniform(-1.0, 1.0, robot.nv)
                before, after = (
                    getattr(Robot(robot.model), value)(*_moved(robot, given, argument, x))
                    for x in (-STEP * direction, STEP * direction))
                expected = (after - before) / (2.0 * STEP)
                status = robot._one[name](*given, *results)
                size = np.abs(before).max() + np.abs(results[argument]).max()
                error = np.abs(results[argument] @ direction - expected).max()
                _judge(robot, name, status, error <= SLOPE * max(size, 1.0), error, size, given)
        except SingularityError:
            return


def _moved(robot, given, argument, change):
    """The arguments with one of them moved, the first one as configurations move."""
    x = given[argument]
    moved = robot.integrate(x, change, 1.0) if argument == 0 else x + change
    return [*given[:argument], moved, *given[argument + 1:]]


def _states(robot):
    rng = np.random.default_rng(0)
    for _ in range(STATES):
        q, qd, third = (rng.uniform(-1.5, 1.5, n) for n in (robot.nq, robot.nv, robot.nv))
        yield {'q': q, 'qd': qd, 'qdd': third, 'tau': third, 'b': third, 'x': third}


def _compare(robot, key, recipe, state, reference, slack):
    if key not in robot.kernels:
        return
    name, frame = key if isinstance(key, tuple) else (key, None)
    given = [state[argument] for argument in recipe.inputs]
    got, expected = ([np.zeros(shape) for shape in sizes(recipe.outputs, robot.model).values()]
                     for _ in range(2))
    status, promised = robot._one[key](*given, *got), 0
    try:
        if name == 'operational_space':
            reference._task(*given, frame, *expected)
        elif name == 'coupled_compliance':
            reference._tasks(*given, frame, *expected)
        elif name == 'operational_space_inertia':
            task = reference.operational_space_inertia(*given, frame)
            expected = task.jacobian, task.inverse, task.inertia
            largest, smallest = task.singular_values[[0, -1]]
            if status != 0 and largest >= ALMOST_LOST * smallest:
                return  # left to the careful path
            slack += ROUNDING * largest / smallest
        elif name == 'mass_matrix_factors':
            factors = reference.mass_matrix_factors(*given)
            expected = factors.L.T, factors.D
        else:
            expected[0][...] = getattr(reference, name)(*given, *([frame] if frame else []))
    except SingularityError:
        promised = 1
    for mine, theirs in zip(got, expected):
        error, size = np.abs(mine - theirs).max(), np.abs(theirs).max()
        agrees = status == promised and error <= slack * max(size, 1.0)
        _judge(robot, key, status, agrees, error, size, given)


def _judge(robot, key, status, agrees, error, size, given):
    if not agrees:
        what = f'{key[0]} at {label(key[1])}' if isinstance(key, tuple) else key
        raise KernelError(
            f'robot {robot.name!r}: the specialised kernel of {what} differs from the generic one '
            f'by {error:.2g} of {size:.2g} (status {status}) at '
            f'{[x.tolist() for x in given]}; use Robot itself, and report this')
