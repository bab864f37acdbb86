# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recursions over independent coordinates, for robots with dependent joints.

`counterpart` returns the recursion over independent coordinates for one over the tree. Both have
the same name and arguments. Counterparts that need the inverse of the mass matrix stand in
robodyn_ros.algorithms.constraints. All others are generated. They expand their arguments to all
joints, run the recursion over the tree, and project its results.
"""

import functools
import hashlib
import inspect
import textwrap

from robodyn_ros.algorithms.centroidal import centroidal_momentum as momentum
from robodyn_ros.algorithms.constraints import (
    damping_torques,
    derivatives,
    expansion,
    forward_dynamics,
    higher_loop_derivatives,
    loops,
    manifold,
    mass_matrix,
    mixed_dynamics,
    task_space,
)
from robodyn_ros.algorithms.core import (
    aba,
    composite,
    coriolis,
    crba,
    energy,
    expand_joints,
    friction,
    gravity,
    jacobian,
    joint_wrenches,
    kinematics,
    link_motions,
    rnea,
)
from robodyn_ros.algorithms.core import manifold as of_tree
from robodyn_ros.algorithms.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    mass_matrix_derivative,
    regressor,
)
from robodyn_ros.algorithms.mass_matrix import (
    mass_matrix_factors,
    mass_matrix_inverse,
    mass_matrix_inverse_world_frame,
    mass_matrix_product,
    mass_matrix_solve,
)
from robodyn_ros.algorithms.task_space import (
    cholesky_inverse,
    coupled_compliance,
    inverse_kinematics,
    operational_space_inertia,
    task_acceleration,
    wrench_sweeps,
)
from robodyn_ros.algorithms.variants import (
    composite_inverse_dynamics,
    dense_forward_dynamics,
    factored_forward_dynamics,
    hamilton,
    hybrid_dynamics,
    inverse_dynamics_body,
    inverse_dynamics_fixed,
    inverse_dynamics_inertial,
)
from robodyn_ros.algorithms.variants import damping_torques as of_damping
from robodyn_ros.algorithms.variants import mixed_dynamics as of_free_joints
from robodyn_ros.compile import generic
from robodyn_ros.compile.batch_loops import NAMES
from robodyn_ros.compile.call import provide
from robodyn_ros.compile.kernel import Kernel, kernel, separate_kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.spatial.primitive import SEPARATE
from robodyn_ros.spatial.types import Table, Topology, Vector, Work

#: Recursions over the tree, and their counterparts in algorithms.constraints.
WRITTEN = {
    crba.mass_matrix: mass_matrix.mass_matrix,
    mass_matrix_solve.mass_solve: mass_matrix.mass_solve,
    composite.mass_solve: mass_matrix.mass_solve_by_factors,
    mass_matrix_inverse_world_frame.mass_matrix_inverse: mass_matrix.mass_matrix_inverse,
    mass_matrix_inverse.mass_matrix_inverse_in_place: mass_matrix.mass_matrix_inverse_in_place,
    mass_matrix_product.mass_product: mass_matrix.mass_product,
    mass_matrix_product.mass_matrix_diagonal: mass_matrix.mass_matrix_diagonal,
    mass_matrix_factors.joint_inertias: mass_matrix.joint_inertias,
    mass_matrix_factors.mass_factors: mass_matrix.mass_factors,
    mass_matrix_factors.factor_product: mass_matrix.factor_product,
    rnea.bias_torque: forward_dynamics.bias_torque,
    aba.forward_dynamics: forward_dynamics.forward_dynamics,
    composite.forward_dynamics: forward_dynamics.unloaded_forward_dynamics,
    factored_forward_dynamics.forward_dynamics_factored: (
        forward_dynamics.forward_dynamics_factored
    ),
    dense_forward_dynamics.forward_dynamics_dense: forward_dynamics.forward_dynamics_dense,
    joint_wrenches.forward_dynamics_wrenches: forward_dynamics.forward_dynamics_wrenches,
    wrench_sweeps.acceleration_of_wrench: forward_dynamics.acceleration_of_wrench,
    hybrid_dynamics.hybrid_dynamics: forward_dynamics.hybrid_dynamics,
    of_free_joints.mixed_dynamics: mixed_dynamics.mixed_dynamics,
    coriolis.coriolis_matrix: forward_dynamics.coriolis_matrix,
    hamilton.hamilton_rates: forward_dynamics.hamilton_rates,
    of_damping.damping_torques: damping_torques.damping_torques,
    kinematics.load_wrenches: task_space.load_wrenches,
    jacobian.jacobian: task_space.jacobian,
    jacobian.jacobian_derivative: task_space.jacobian_derivative,
    operational_space_inertia.operational_space: task_space.operational_space,
    operational_space_inertia.task_solve: task_space.task_solve,
    cholesky_inverse.by_compliances: task_space.by_compliances,
    coupled_compliance.coupled_compliance: task_space.coupled_compliance,
    task_acceleration.task_acceleration: task_space.task_acceleration,
    inverse_dynamics_derivatives.inverse_dynamics_derivatives: (
        derivatives.inverse_dynamics_derivatives
    ),
    forward_dynamics_derivatives.forward_dynamics_derivatives: (
        derivatives.forward_dynamics_derivatives
    ),
    mass_matrix_derivative.mass_matrix_derivative: derivatives.mass_matrix_derivative,
    of_tree.integrate: manifold.integrate,
    of_tree.difference: manifold.difference,
    of_tree.position_rates: manifold.position_rates,
    of_tree.make_unit: manifold.make_unit,
    friction.friction_torque: manifold.friction_torque,
    expand_joints.expand_joints: expansion.expand_joints,
}

#: Recursions over the tree whose arguments are expanded, and whose results are projected.
EXPANDED = (
    kinematics.pose,
    kinematics.velocity,
    kinematics.frame_poses,
    kinematics.apply_wrench,
    jacobian.jacobian_bias,
    rnea.inverse_dynamics,
    gravity.gravity_torque,
    energy.energy,
    regressor.regressor,
    joint_wrenches.joint_wrenches,
    link_motions.link_motions,
    momentum.centre_of_mass,
    momentum.centroidal_momentum,
    momentum.centroidal_momentum_matrix,
    momentum.centroidal_momentum_bias,
    momentum.composite_inertia,
    composite_inverse_dynamics.inverse_dynamics_composite,
    inverse_dynamics_body.inverse_dynamics_body,
    inverse_dynamics_inertial.inverse_dynamics_inertial,
    inverse_dynamics_fixed.inverse_dynamics_fixed,
    wrench_sweeps.torque_of_wrench,
)

#: Recursions with the same text over independent coordinates, of which parts are replaced.
COPIED = (inverse_kinematics.inverse_kinematics,)

HAVE_COUNTERPARTS = {*WRITTEN, *EXPANDED, *COPIED}

#: Recursions whose counterparts call further functions for closed loops.
DERIVATIVES = (
    inverse_dynamics_derivatives.inverse_dynamics_derivatives,
    forward_dynamics_derivatives.forward_dynamics_derivatives,
    mass_matrix_derivative.mass_matrix_derivative,
)

#: Code that expands an argument to all joints, by name. {k} numbers the vectors in working memory.
BEFORE = {
    'q': 'expand_positions(topology, constants, work, q)',
    'qd': 'expand(topology, work, {k}, qd)',
    'qd_r': 'expand(topology, work, {k}, qd_r)',
    'qdd': 'expand_acceleration(topology, constants, work, {k}, qd, qdd)',
    'qdd_r': 'expand_reference(topology, constants, work, {k}, qd, qd_r, qdd_r)',
    'zero': 'unaccelerated(topology, constants, work, {k}, qd)',
    'tau': 'of_joints(topology, work, {k})',
    'Y': 'all_parameters(topology, work)',
}
#: Code that projects a result of all joints to independent coordinates, by name.
AFTER = {
    'tau': 'project(topology, work, all_tau, tau)',
    'Y': 'project_rows(topology, work, all_Y, Y)',
    'A': 'project_columns(topology, work, all_A, A)',
}

MODULE = '''"""{name} over independent coordinates.

Written by robodyn_ros; not meant to be edited.
"""
from robodyn_ros.algorithms.constraints.expansion import (
    all_columns, all_parameters, expand, expand_acceleration, expand_positions, expand_reference,
    of_joints, project, project_columns, project_rows, unaccelerated)
from {module} import {name} as of_tree
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import (
    Constant, Indices, Integer, Matrix, Scalar, Stack, Table, Topology, Vector, Work)


@primitive
{head}
    """Do the same as the recursion over the tree, over independent coordinates."""
{body}
'''

COPY = '''"""{name} over independent coordinates.

Written by robodyn_ros; not meant to be edited.
"""
from {module} import *
from robodyn_ros.algorithms.constraints.manifold import difference, integrate
from robodyn_ros.algorithms.constraints.inverse_kinematics_parts import (
    hold_at_limits, jacobian_columns, place_bodies)
from robodyn_ros.spatial.primitive import primitive as recursion


{source}'''


@functools.cache
def counterpart(recursion):
    """Return the recursion over independent coordinates for one over the tree.

    `recursion` (callable): a recursion over the tree.
    Raises KeyError: for functions outside HAVE_COUNTERPARTS.
    """
    if recursion in WRITTEN:
        return WRITTEN[recursion]
    if recursion not in (*EXPANDED, *COPIED):
        raise KeyError(recursion)
    name = recursion.__name__
    text = _copied(recursion) if recursion in COPIED else _written(recursion)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return getattr(imported(f'embedded_{name}_{digest}', lambda: text), name)


def of_model(model, recursion):
    """Return a recursion, or its counterpart if a model has dependent joints.

    `recursion` (callable): a recursion over the tree.
    """
    return counterpart(recursion) if model.is_embedded else recursion


@functools.cache
def kernel_of(kernel):
    """Return the kernel over independent coordinates for a generic one.

    `kernel` (Kernel): a kernel of `generic`.
    Returns None without a counterpart. A kernel that takes no robot is returned itself.
    """
    if kernel.python in HAVE_COUNTERPARTS:
        nogil = {'nogil': True} if kernel.options.get('nogil') else {}
        return Kernel(counterpart(kernel.python), f'{kernel.name}, embedded', **nogil)
    return None if 'topology' in inspect.signature(kernel.python).parameters else kernel


def _copied(function):
    """Return the source of a recursion beside imports of its parts over other coordinates."""
    plain = inspect.unwrap(function)
    return COPY.format(
        name=plain.__name__, module=plain.__module__, source=inspect.getsource(plain)
    )


def _written(function):
    """Return the source of a recursion that expands its arguments."""
    given, passed, before, after = [], [], [], []
    per_body = function is link_motions.link_motions
    for argument, value in inspect.signature(function).parameters.items():
        given.append(f'{argument}: {NAMES[value.annotation]}')
        way = BEFORE.get(argument)
        if argument == 'A' and not per_body:
            way = 'all_columns(topology, work, A.shape[0])'
        if way is None:
            passed.append(argument)
            continue
        k = len(before)
        before.append(f'all_{argument} = {way.format(k=k)}')
        passed.append(f'all_{argument}')
        if argument in AFTER:
            after.append(AFTER[argument])
    call = textwrap.fill(f'of_tree({", ".join(passed)})', 90, subsequent_indent='        ')
    head = f'def {function.__name__}({", ".join(given)}):'
    return MODULE.format(
        name=function.__name__,
        module=function.__module__,
        head=textwrap.fill(head, 99, subsequent_indent=8 * ' '),
        body=textwrap.indent('\n'.join([*before, call, *after]), '    '),
    )


@kernel
def expand_state(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    all_q: Vector,
    all_qd: Vector,
    all_qdd: Vector,
):
    """Compute positions, rates and accelerations of all joints from the independent ones.

    `topology`: topology of the tree, see robodyn_ros.model.layout.
    `constants`: constants of the tree, see robodyn_ros.model.layout.
    `q`: independent positions.
    `qd`: independent rates.
    `qdd`: independent accelerations.
    `all_q`: written: positions of all joints.
    `all_qd`: written: rates of all joints.
    `all_qdd`: written: accelerations of all joints.
    """
    all_q[:] = expansion.expand_positions(topology, constants, work, q)
    all_qd[:] = expansion.expand(topology, work, 0, qd)
    all_qdd[:] = expansion.expand_acceleration(topology, constants, work, 1, qd, qdd)


#: Derivatives of the joints of loops, for second derivatives of the dynamics.
loop_forms = kernel(higher_loop_derivatives.loop_forms)

#: Kernels of the functions that only robots with closed loops run; other kernels call them.
OF_LOOPS = {
    function: separate_kernel(function)
    for function in SEPARATE
    if function.__module__.startswith('robodyn_ros.algorithms.constraints.')
}
loop_equations = OF_LOOPS[loops.write_equations.__wrapped__]
#: Functions that only derivatives call.
OF_DERIVATIVES = (derivatives.add_terms_of_loops, derivatives.add_rate_of_projection)


def prepare(model, for_derivatives=False):
    """Compile or load the functions for closed loops that the kernels of a model call.

    `model` (RobotModel): the model; without closed loops nothing happens.
    `for_derivatives`: whether to provide those of derivatives alone, or all others.
    """
    if model.has_loops:
        rare = [function.__wrapped__ for function in OF_DERIVATIVES]
        provide(
            kernel
            for function, kernel in OF_LOOPS.items()
            if (function in rare) == for_derivatives
        )


def kernels():
    """Return the counterparts of all generic kernels that have one."""
    found = (kernel_of(each) for each in generic.ALL if each.python in HAVE_COUNTERPARTS)
    return [*found, expand_state, loop_forms]
