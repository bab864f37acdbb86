# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Install a robot's methods as machine code when the robot is constructed.

A method is a C function (compile/vectorcall). It calls the kernel of its case: float64 arrays of
one state. All other calls, and the first one, take the Python method.

    robot.mass_matrix(q)  ->  machine_method  ->  kernel
                                  |  no case yet, a batch, a list, a mistake
                                  v
                              Robot.mass_matrix, written in Python  ->  kernel
"""

import inspect
from collections.abc import Callable
from types import MethodType
from typing import TypeVar

import numpy as np

from robodyn_ros.algorithms.derivatives.unit_torques import memory
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import sizes
from robodyn_ros.compile import generic
from robodyn_ros.compile.vectorcall.method import machine_method
from robodyn_ros.spatial.row_products import aligned

Method = TypeVar('Method', bound=Callable)

_RECIPES = RECIPES | DERIVATIVES | FRAME_RECIPES

#: Kernels whose method is in a view, or has another name: {kernel: (view, method)}.
PLACES = {
    'mass_solve': ('mass_operator', 'solve'),
    'mass_product': ('mass_operator', 'product'),
    'mass_matrix_factors': ('mass_operator', 'factors'),
    'factor_product': ('mass_operator', 'factor_product'),
    'joint_inertias': ('mass_operator', 'joint_inertias'),
    'mass_matrix_diagonal': ('mass_operator', 'diagonal'),
    'log_det_gradient': ('mass_operator', 'log_det_gradient'),
    'mass_factor_rates': ('mass_operator', 'factor_rates'),
    'inverse_dynamics_derivatives': ('derivatives', 'inverse_dynamics'),
    'forward_dynamics_derivatives': ('derivatives', 'forward_dynamics'),
    'mass_matrix_derivative': ('derivatives', 'mass_matrix'),
    'inverse_dynamics_second_derivatives': ('derivatives', 'inverse_dynamics_second'),
    'inverse_dynamics_hessian': ('derivatives', 'inverse_dynamics_hessian'),
    'centre_of_mass': ('centroidal', 'centre_of_mass'),
    'centroidal_momentum': ('centroidal', 'momentum'),
    'centroidal_momentum_matrix': ('centroidal', 'momentum_matrix'),
    'centroidal_momentum_bias': ('centroidal', 'momentum_bias'),
    'composite_inertia': ('centroidal', 'composite_inertia'),
    'link_motions': ('links', 'motions'),
    'joint_wrenches': ('links', 'joint_wrenches'),
    'forward_dynamics_wrenches': ('links', 'forward_dynamics_wrenches'),
    'body_inertias': ('links', 'inertias'),
    'articulated_inertia_rates': ('links', 'articulated_inertia_rates'),
    'link_operators': ('links', 'operators'),
    'link_operator_rates': ('links', 'operator_rates'),
    'regressor': ('links', 'regressor'),
    'torque_of_wrench': ('task_space', 'torque_of_wrench'),
    'acceleration_of_wrench': ('task_space', 'acceleration_of_wrench'),
    'inverse_dynamics_composite': ('variants', 'inverse_dynamics_composite'),
    'forward_dynamics_factored': ('variants', 'forward_dynamics_factored'),
    'forward_dynamics_dense': ('variants', 'forward_dynamics_dense'),
    'hybrid_dynamics': ('variants', 'hybrid_dynamics'),
    'hamilton_rates': ('variants', 'hamilton_rates'),
    'damping_torques': ('variants', 'damping_torques'),
}


def place_of(robot, kernel):
    """Return the object, a robot or a view, and the name of the method that a kernel serves.

    `kernel`: name of a kernel, as in `compile.generic`.
    """
    view, method = PLACES.get(kernel, (None, kernel))
    return robot if view is None else getattr(robot, view), method


def method_of(robot, kernel):
    """Return the method that a kernel serves."""
    return getattr(*place_of(robot, kernel))


def fast_method(method: Method) -> Method:
    """Mark a method for `install`; a kernel and a recipe have its name.

    `method`: a method of Robot or of a view.
    """
    method.is_fast = True  # type: ignore[attr-defined]
    return method


def install(robot):
    """Install the fast methods of a robot and its views; overridden methods stay.

    A robot with quaternions or closed loops keeps the Python methods. They detect a quaternion of
    length zero, and a loop that cannot be closed.

    `robot` (Robot): the robot, under construction.
    """
    if robot._quaternions or robot.model.has_loops:
        return
    for name in _RECIPES:
        owner, method = place_of(robot, name)
        if not getattr(getattr(type(owner), method, None), 'is_fast', False):
            continue
        cases = robot._cases[name] = {} if name in FRAME_RECIPES else []
        otherwise = with_cases(robot, name, cases)
        vars(owner)[method] = machine_method_of(robot, name, otherwise, cases)


def machine_method_of(robot, name, otherwise, cases):
    """Return the C function of a method, which passes all but its cases to `otherwise`.

    `name`: name of the method's recipe.
    `otherwise` (callable): the Python method.
    `cases` (list or dict): [case], or {frame: case} for a method of frames; see
      compile.vectorcall.method.
    """
    recipe = _RECIPES[name]
    lengths, shapes = (
        tuple(sizes(part, robot.model).values()) for part in (recipe.inputs, recipe.outputs)
    )
    return machine_method(
        otherwise, cases, [length for (length,) in lengths], shapes, name in FRAME_RECIPES
    )


def with_cases(robot, name, cases):
    """Return the Python method, which adds its case after its first successful call.

    `name`: name of the method's kernel.
    """
    owner, title = place_of(robot, name)
    function = getattr(type(owner), title)
    method = MethodType(function, owner)
    place = len(FRAME_RECIPES[name].inputs) if name in FRAME_RECIPES else None

    def call(*given, **options):
        result = method(*given, **options)
        if place is None:
            if not cases and (case := robot._case(name)):
                cases.append(case)
            return result
        frame = given[place] if len(given) > place else None
        if isinstance(frame, str) and frame not in cases and (case := robot._case(name, frame)):
            cases[frame] = case
        return result

    call.__name__, call.__doc__, call.__wrapped__ = title, function.__doc__, method
    return call


def generic_case(robot, name, frame=None):
    """Return the case of the generic kernel: its code, and its arguments other than states.

    `frame`: name of the frame, for a method of frames.
    Returns None if the kernel is not compiled yet, for example after calls for batches only.
    """
    kernel, recipe, nv = robot._kernel(getattr(generic, name)), _RECIPES[name], robot.nv
    if not kernel.is_compiled:
        return None
    names = list(inspect.signature(kernel.python).parameters)
    first, last = names.index(next(iter(recipe.inputs))), len(names) - len(recipe.outputs)
    known = {
        'topology': robot.model.topology,
        'constants': robot.model.constants,
        'gravity': robot.model.gravity,
        'work': robot._work,
        'f_ext': robot._no_wrench,
        'zero': robot._zero,
        'diagonal': robot._zero,
        'bias': np.empty(nv),
        'M': np.empty((nv, nv)),
        'wide': aligned(memory(nv)),
        'motions': np.empty(motions(nv)),
    }
    if frame is not None:
        known['body'], known['frame'] = robot._placement(frame)
    before, after = (
        tuple(known[each] for each in part)
        for part in (names[:first], names[first + len(recipe.inputs) : last])
    )
    return kernel.vectorcall, before, after
