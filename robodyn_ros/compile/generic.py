# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recursions, compiled for any robot."""

import functools

from robodyn_ros.algorithms.centroidal import body_inertias as _body_inertias
from robodyn_ros.algorithms.centroidal import centroidal_momentum as _momentum
from robodyn_ros.algorithms.core import aba, crba, friction, gravity, kinematics, manifold, rnea
from robodyn_ros.algorithms.core import coriolis as _coriolis
from robodyn_ros.algorithms.core import energy as _energy
from robodyn_ros.algorithms.core import expand_joints as _expand_joints
from robodyn_ros.algorithms.core import jacobian as _jacobian
from robodyn_ros.algorithms.core import joint_wrenches as _joint_wrenches
from robodyn_ros.algorithms.core import link_motions as _link_motions
from robodyn_ros.algorithms.derivatives import (
    articulated_inertia_rates as _articulated_inertia_rates,
)
from robodyn_ros.algorithms.derivatives import (
    forward_dynamics_derivatives as _forward_dynamics_derivatives,
)
from robodyn_ros.algorithms.derivatives import (
    forward_dynamics_second_derivatives as _forward_dynamics_second_derivatives,
)
from robodyn_ros.algorithms.derivatives import (
    inverse_dynamics_derivatives as _inverse_dynamics_derivatives,
)
from robodyn_ros.algorithms.derivatives import (
    inverse_dynamics_hessian as _inverse_dynamics_hessian,
)
from robodyn_ros.algorithms.derivatives import (
    inverse_dynamics_second_derivatives as _inverse_dynamics_second_derivatives,
)
from robodyn_ros.algorithms.derivatives import link_operator_rates as _link_operator_rates
from robodyn_ros.algorithms.derivatives import (
    log_determinant_gradient as _log_determinant_gradient,
)
from robodyn_ros.algorithms.derivatives import mass_factor_rates as _mass_factor_rates
from robodyn_ros.algorithms.derivatives import mass_matrix_derivative as _mass_matrix_derivative
from robodyn_ros.algorithms.derivatives import regressor as _regressor
from robodyn_ros.algorithms.mass_matrix import link_operators as _link_operators
from robodyn_ros.algorithms.mass_matrix import mass_matrix_factors as _mass_factors
from robodyn_ros.algorithms.mass_matrix import mass_matrix_inverse as _mass_matrix_inverse
from robodyn_ros.algorithms.mass_matrix import (
    mass_matrix_inverse_world_frame as _mass_matrix_inverse_common,
)
from robodyn_ros.algorithms.mass_matrix import mass_matrix_product as _mass_product
from robodyn_ros.algorithms.mass_matrix import mass_matrix_solve as _mass_solve
from robodyn_ros.algorithms.task_space import cholesky_inverse as _full_rank
from robodyn_ros.algorithms.task_space import coupled_compliance as _coupled_compliance
from robodyn_ros.algorithms.task_space import inverse_kinematics as _inverse_kinematics
from robodyn_ros.algorithms.task_space import operational_space_inertia as _operational_space
from robodyn_ros.algorithms.task_space import task_acceleration as _task_acceleration
from robodyn_ros.algorithms.task_space import task_inertia as _task_inertia
from robodyn_ros.algorithms.task_space import wrench_sweeps as _wrench_sweeps
from robodyn_ros.algorithms.variants import (
    composite_inverse_dynamics as _composite_inverse_dynamics,
)
from robodyn_ros.algorithms.variants import damping_torques as _damping_torques
from robodyn_ros.algorithms.variants import dense_forward_dynamics as _dense_forward_dynamics
from robodyn_ros.algorithms.variants import factored_forward_dynamics as _factored_forward_dynamics
from robodyn_ros.algorithms.variants import hamilton as _hamilton
from robodyn_ros.algorithms.variants import hybrid_dynamics as _hybrid_dynamics
from robodyn_ros.algorithms.variants import inverse_dynamics_body as _inverse_dynamics_body
from robodyn_ros.algorithms.variants import inverse_dynamics_fixed as _inverse_dynamics_fixed
from robodyn_ros.algorithms.variants import inverse_dynamics_inertial as _inverse_dynamics_inertial
from robodyn_ros.algorithms.variants import mixed_dynamics as _mixed_dynamics
from robodyn_ros.compile.kernel import Kernel, kernel

pose = kernel(kinematics.pose)
velocity = kernel(kinematics.velocity)
apply_wrench = kernel(kinematics.apply_wrench)
jacobian = kernel(_jacobian.jacobian)
jacobian_bias = kernel(_jacobian.jacobian_bias)
jacobian_derivative = kernel(_jacobian.jacobian_derivative)
frame_poses = kernel(kinematics.frame_poses)
inverse_kinematics = kernel(_inverse_kinematics.inverse_kinematics)
inverse_dynamics = kernel(rnea.inverse_dynamics)
bias_torque = kernel(rnea.bias_torque)
gravity_torque = kernel(gravity.gravity_torque)
mass_matrix = kernel(crba.mass_matrix)
mass_matrix_inverse = kernel(_mass_matrix_inverse_common.mass_matrix_inverse)
mass_matrix_inverse_in_place = kernel(_mass_matrix_inverse.mass_matrix_inverse_in_place)
mass_solve = kernel(_mass_solve.mass_solve)
forward_dynamics = kernel(aba.forward_dynamics)
coriolis_matrix = kernel(_coriolis.coriolis_matrix)
energy = kernel(_energy.energy)
regressor = kernel(_regressor.regressor)
#: Tasks are computed in threads beside a control loop, so their kernels release the GIL.
without_gil = functools.partial(Kernel, nogil=True)
operational_space = without_gil(_operational_space.operational_space)
coupled_compliance = without_gil(_coupled_compliance.coupled_compliance)
task_acceleration = without_gil(_task_acceleration.task_acceleration)
task_solve = without_gil(_operational_space.task_solve)
task_inertia = without_gil(_task_inertia.task_inertia)
of_axes = without_gil(_full_rank.of_axes)

joint_wrenches = kernel(_joint_wrenches.joint_wrenches)
forward_dynamics_wrenches = kernel(_joint_wrenches.forward_dynamics_wrenches)
link_motions = kernel(_link_motions.link_motions)
centre_of_mass = kernel(_momentum.centre_of_mass)
centroidal_momentum = kernel(_momentum.centroidal_momentum)
centroidal_momentum_matrix = kernel(_momentum.centroidal_momentum_matrix)
centroidal_momentum_bias = kernel(_momentum.centroidal_momentum_bias)
composite_inertia = kernel(_momentum.composite_inertia)
body_inertias = kernel(_body_inertias.body_inertias)
mass_factors = kernel(_mass_factors.mass_factors)
factor_product = kernel(_mass_factors.factor_product)
joint_inertias = kernel(_mass_factors.joint_inertias)
mass_product = kernel(_mass_product.mass_product)
mass_matrix_diagonal = kernel(_mass_product.mass_matrix_diagonal)
inverse_dynamics_composite = kernel(_composite_inverse_dynamics.inverse_dynamics_composite)
inverse_dynamics_body = kernel(_inverse_dynamics_body.inverse_dynamics_body)
inverse_dynamics_inertial = kernel(_inverse_dynamics_inertial.inverse_dynamics_inertial)
inverse_dynamics_fixed = kernel(_inverse_dynamics_fixed.inverse_dynamics_fixed)
forward_dynamics_factored = kernel(_factored_forward_dynamics.forward_dynamics_factored)
forward_dynamics_dense = kernel(_dense_forward_dynamics.forward_dynamics_dense)
torque_of_wrench = kernel(_wrench_sweeps.torque_of_wrench)
acceleration_of_wrench = kernel(_wrench_sweeps.acceleration_of_wrench)
hamilton_rates = kernel(_hamilton.hamilton_rates)
hybrid_dynamics = kernel(_hybrid_dynamics.hybrid_dynamics)
damping_torques = kernel(_damping_torques.damping_torques)
mixed_dynamics = kernel(_mixed_dynamics.mixed_dynamics)
inverse_dynamics_derivatives = kernel(_inverse_dynamics_derivatives.inverse_dynamics_derivatives)
forward_dynamics_derivatives = kernel(_forward_dynamics_derivatives.forward_dynamics_derivatives)
mass_matrix_derivative = kernel(_mass_matrix_derivative.mass_matrix_derivative)
log_det_gradient = kernel(_log_determinant_gradient.log_det_gradient)
mass_factor_rates = kernel(_mass_factor_rates.mass_factor_rates)
articulated_inertia_rates = kernel(_articulated_inertia_rates.articulated_inertia_rates)
link_operators = kernel(_link_operators.link_operators)
link_operator_rates = kernel(_link_operator_rates.link_operator_rates)
inverse_dynamics_second_derivatives = kernel(
    _inverse_dynamics_second_derivatives.inverse_dynamics_second_derivatives
)
inverse_dynamics_hessian = kernel(_inverse_dynamics_hessian.inverse_dynamics_hessian)
forward_dynamics_second_derivatives = kernel(
    _forward_dynamics_second_derivatives.forward_dynamics_second_derivatives
)
integrate = kernel(manifold.integrate)
difference = kernel(manifold.difference)
position_rates = kernel(manifold.position_rates)
make_unit = kernel(manifold.make_unit)
friction_torque = kernel(friction.friction_torque)
expand_joints = kernel(_expand_joints.expand_joints)

#: Kernels that laws and services of the nodes call.
SERVING = (
    inverse_dynamics,
    gravity_torque,
    bias_torque,
    mass_matrix,
    forward_dynamics,
    mass_solve,
    mass_matrix_inverse,
    coriolis_matrix,
    energy,
    pose,
    velocity,
    jacobian,
    jacobian_bias,
    apply_wrench,
    operational_space,
    coupled_compliance,
    task_acceleration,
    task_solve,
    task_inertia,
    regressor,
)
#: Further kernels that laws and steps of the plant call.
INNER = (
    friction_torque,
    mass_matrix_inverse_in_place,
    mass_factors,
    factor_product,
    damping_torques,
    integrate,
    position_rates,
    make_unit,
)
ALL = (
    *SERVING,
    *INNER,
    link_motions,
    joint_wrenches,
    forward_dynamics_wrenches,
    centre_of_mass,
    centroidal_momentum,
    centroidal_momentum_matrix,
    composite_inertia,
    joint_inertias,
    mass_product,
    mass_matrix_diagonal,
    centroidal_momentum_bias,
    inverse_dynamics_composite,
    forward_dynamics_factored,
    forward_dynamics_dense,
    torque_of_wrench,
    acceleration_of_wrench,
    hamilton_rates,
    hybrid_dynamics,
    mixed_dynamics,
    inverse_dynamics_body,
    inverse_dynamics_inertial,
    inverse_dynamics_fixed,
    body_inertias,
    difference,
    expand_joints,
    of_axes,
    jacobian_derivative,
    frame_poses,
    inverse_kinematics,
    inverse_dynamics_derivatives,
    forward_dynamics_derivatives,
    mass_matrix_derivative,
    log_det_gradient,
    mass_factor_rates,
    articulated_inertia_rates,
    link_operators,
    link_operator_rates,
    inverse_dynamics_second_derivatives,
    inverse_dynamics_hessian,
    forward_dynamics_second_derivatives,
)
