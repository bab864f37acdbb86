"""Specialised kernels against the generic ones, before they serve."""
import numpy as np

from robodyn_ros.errors import KernelError, SingularityError
from robodyn_ros.kernels import generic
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.specialise import arguments, label, sizes
from robodyn_ros.recursions import scratch
from robodyn_ros.recursions.full_rank import WORST
from robodyn_ros.robot import Robot

STATES = 3
#: The generic kernels, by what they compile.
KERNELS = {kernel.python: kernel for kernel in generic.ALL}
#: Relative error allowed; for solves ROUNDING times the condition number more.
TOLERANCE, ROUNDING = 1e-11, 1e-14
ALMOST_LOST = WORST / 36.0  # (trace / 6)^2 of a 6 x 6 matrix is below its condition number


def every_kernel(robot, recipes):
    """Compare all kernels of a SpecialisedRobot, {key: Recipe}, at a few states; a KernelError
    names the first that differs.
    """
    reference = Robot(robot.model)
    for state in _states(robot):
        slack = TOLERANCE + ROUNDING * np.linalg.cond(reference.mass_matrix(state['q']))
        for key, recipe in recipes.items():
            if key in robot.kernels:
                _compare(robot, key, recipe, state, reference, slack)


def derivative(robot, name):
    """Compare a derivative, by its method, with that of Robot."""
    reference = Robot(robot.model)
    for state in _states(robot):
        given = [state[argument] for argument in DERIVATIVES[name].inputs]
        try:
            expected = getattr(reference, name)(*given)
        except SingularityError:
            continue
        slack = TOLERANCE + ROUNDING * np.linalg.cond(reference.mass_matrix(state['q']))
        for mine, theirs in zip(getattr(robot, name)(*given), expected):
            error, size = np.abs(mine - theirs).max(), np.abs(theirs).max()
            _judge(robot, name, 0, error <= slack * max(size, 1.0), error, size, given)


def _states(robot):
    rng = np.random.default_rng(0)
    for _ in range(STATES):
        q, qd, third = (rng.uniform(-1.5, 1.5, n) for n in (robot.nq, robot.nv, robot.nv))
        same = dict.fromkeys(('qdd', 'qdd_r', 'tau', 'b', 'x', 'p', 'given'), third)
        yield {'q': q, 'qd': qd, **same, 'qd_r': -third,
               'wrenches': rng.uniform(-1.0, 1.0, (len(robot.frames), 6))}


def _compare(robot, key, recipe, state, reference, slack):
    name, subject = key if isinstance(key, tuple) else (key, None)
    inputs, outputs = (sizes(shapes, robot.model) for shapes in (recipe.inputs, recipe.outputs))
    given = [state[argument][:shape[0]] for argument, shape in inputs.items()]
    got = [np.zeros(shape) for shape in outputs.values()]
    status, promised = robot._one[key](*given, *got), 0
    if name == 'operational_space_inertia':
        task = reference.operational_space_inertia(*given, subject)
        expected = task.jacobian, task.inverse, task.inertia
        largest, smallest = task.singular_values[[0, -1]]
        if status != 0 and largest >= ALMOST_LOST * smallest:
            return  # left to the careful path
        slack += ROUNDING * largest / smallest
    else:
        expected = [np.zeros(shape) for shape in outputs.values()]
        promised = _generic(recipe, subject, robot.model, dict(zip(inputs, given)),
                            dict(zip(outputs, expected)))
    for mine, theirs in zip(got, expected):
        error, size = np.abs(mine - theirs).max(), np.abs(theirs).max()
        agrees = status == promised and error <= slack * max(size, 1.0)
        _judge(robot, key, status, agrees or status == promised == 1, error, size, given)


def _generic(recipe, subject, model, given, results):
    """Run the generic kernel of a recipe; return whether it met a singular pivot."""
    given = given | (recipe.given(model, subject) if recipe.given else {})
    if recipe.before:
        given['f_ext'] = np.zeros((len(model.body_names), 6))
        _called(recipe.before, recipe.before, model, given)
    kernel = KERNELS[recipe.recursion]
    return int(bool(_called(kernel, recipe.recursion, model, given | results)))


def _called(run, recursion, model, given):
    """Call a recursion, or its kernel, with numbers."""
    own = scratch.allocate(model.topology)
    return run(*(value.astype(float) if getattr(value, 'dtype', None) == object else value
                 for value in arguments(recursion, model, scratch=own, **given)))


def _judge(robot, key, status, agrees, error, size, given):
    if not agrees:
        what = f'{key[0]} at {label(key[1])}' if isinstance(key, tuple) else key
        raise KernelError(
            f'robot {robot.name!r}: the specialised kernel of {what} differs from the generic one '
            f'by {error:.2g} of {size:.2g} (status {status}) at '
            f'{[x.tolist() for x in given]}; use Robot itself, and report this')
