"""Methods of a robot that go over to machine code once they have been called.

The first call of a method checks, allocates and calls in Python, as it is written. From then on
one state in float64 arrays goes straight to the kernel, and everything else where it went before.
"""
import functools
import inspect
from types import MethodType

import numpy as np

from robodyn_ros.kernels import generic
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.method import machine_method
from robodyn_ros.kernels.recipes import FRAME_RECIPES, RECIPES
from robodyn_ros.kernels.specialise import sizes
from robodyn_ros.recursions.mass_matrix_inverse_common import motions
from robodyn_ros.recursions.matrices import wide

_RECIPES = RECIPES | DERIVATIVES | FRAME_RECIPES


def quickened(careful):
    """Decorate a method of states that has the name of its kernel and of its recipe."""
    name = careful.__name__

    @functools.wraps(careful)
    def first(self, *given, **options):
        result = careful(self, *given, **options)
        if _is_its_own(self, name, method):
            go_over(self, name, careful)
        return result

    method = _kept(careful, first)
    return method


def quickened_at_frames(careful):
    """Decorate the same with a frame behind the states; each frame goes over by itself."""
    name, place = careful.__name__, len(FRAME_RECIPES[careful.__name__].inputs)

    @functools.wraps(careful)
    def first(self, *given, **options):
        result = careful(self, *given, **options)
        frame = given[place] if len(given) > place else None
        if isinstance(frame, str) and _is_its_own(self, name, method):
            case, cases = self._case(name, frame), self._cases.setdefault(name, {})
            if case and not cases:
                _replace(self, name, MethodType(first, self), cases, of_frame=True)
            if case:
                cases[frame] = case
        return result

    method = _kept(careful, first)
    return method


def careful_one(method):
    """The method as it is written, of a bound one."""
    return MethodType(getattr(method, '__wrapped__', method.__func__), method.__self__)


def go_over(robot, name, careful):
    """Put a method of states in the place of a careful one, a function of robots."""
    case = robot._case(name)
    if case:
        _replace(robot, name, MethodType(careful, robot), case)


def _kept(careful, first):
    """The method of the class: whoever keeps it gets what it has gone over to."""
    @functools.wraps(careful)
    def method(self, *given, **options):
        return (vars(self).get(careful.__name__) or MethodType(first, self))(*given, **options)
    return method


def generic_case(robot, name, frame=None):
    """What `machine_method` calls for any robot: the kernel, with what is not a state of it; None
    if it is not there yet, as when all that has been asked for is a batch.
    """
    kernel, recipe, nv = getattr(generic, name), _RECIPES[name], robot.nv
    if not kernel.is_compiled:
        return None
    names = list(inspect.signature(kernel.python).parameters)
    first, last = names.index(next(iter(recipe.inputs))), len(names) - len(recipe.outputs)
    known = {'topology': robot.model.topology, 'constants': robot.model.constants,
             'gravity': robot.model.gravity, 'scratch': robot._scratch,
             'f_ext': robot._no_wrench, 'zero': robot._zero, 'diagonal': robot._zero,
             'bias': np.empty(nv), 'M': np.empty((nv, nv)), 'wide': np.empty(wide(nv)),
             'motions': np.empty(motions(nv))}
    if frame is not None:
        known['body'], known['frame'] = robot._placement(frame)
    before, after = (tuple(known[each] for each in part) for part in (
        names[:first], names[first + len(recipe.inputs):last]))
    return kernel.quick, before, after


def _is_its_own(robot, name, method):
    """Whether no subclass has a method of its own there, and states are only to be looked at: a
    quaternion without direction is found in Python.
    """
    return getattr(type(robot), name) is method and not robot._quaternions


def _replace(robot, name, otherwise, cases, of_frame=False):
    recipe = _RECIPES[name]
    lengths, shapes = (tuple(sizes(part, robot.model).values())
                       for part in (recipe.inputs, recipe.outputs))
    vars(robot)[name] = machine_method(otherwise, cases, [length for length, in lengths], shapes,
                                       of_frame)
