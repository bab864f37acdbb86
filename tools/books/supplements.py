# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subjects of the books beside their equations of motion: places, functions and costs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations import simulate
from robodyn_ros.formulations.angeles import (
    angeles_simulation,
    coupled_bodies,
    dissipation,
    factored_transfer,
    kane,
    minimum_time,
    moving_base,
    newton_euler,
    pointing_arm,
    statics,
    step_halving,
)
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.formulations.count import general_arm, of_general_arm
from robodyn_ros.formulations.craig import iterative_newton_euler, solids, viscous_coulomb_friction
from robodyn_ros.formulations.index import ANGELES, CRAIG, SPONG, TURNEY
from robodyn_ros.formulations.spong import properties, spong_arms
from robodyn_ros.formulations.turney import (
    concurrent_schedule,
    expanded_newton_euler,
    insignificant_terms,
    lagrange_organised,
    luh_walker_paul,
    strobing,
)

UNIT_LOAD = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


@dataclass(frozen=True)
class Supplement:
    """One subject.

    Parameters
    ----------
    functions : sequence
        Functions, or dotted names of functions outside of this folder.
    published : str
        Cost in the book.
    counted : callable
        Called with the number of joints n; returns 'multiplications, additions', or None if the
        book would count nothing.
    """

    name: str
    book: str
    section: str
    equations: str
    cost: str
    functions: tuple
    published: str = ''
    counted: Callable | None = None


def _shaping(robot, q, qd, qdd):
    noc.matrices(robot, q, qd)


def _coriolis(robot, q, qd, qdd):
    noc.coriolis_matrix(robot, q, qd)


def _moving_base(robot, q, qd, qdd):
    moving_base.mass_matrix(robot, q, moving_base.Base(2.0, np.full(3, 0.1), np.eye(3) + 0.1))


def _sample(robot, q, qd, qdd):
    iterative_newton_euler.inverse_dynamics(robot.with_gravity(strobing.NO_GRAVITY), q, qd, qdd)


def _static(robot, q, qd, qdd):
    statics.balancing_torque(robot, q, UNIT_LOAD)


def _sensed(robot, q, qd, qdd):
    load = robot.body_names[-1], UNIT_LOAD
    luh_walker_paul.inverse_dynamics(robot, q, qd, qdd, load)


def _strobed(robot, q, qd, qdd):
    strobing.mass_matrix(robot, q), strobing.coriolis_coefficients(robot, q)


def _coriolis_torque(robot, q, qd, qdd):
    factored_transfer.coriolis_torque(robot, q, qd)


def _strobed_half(robot, q, qd, qdd):
    strobing.lower_half(robot, q)


def _planned(n):
    _, plan = lagrange_organised.planned(general_arm(n), *np.full((3, n), 0.7))
    return f'{sum(plan.multiplications.values())}, {sum(plan.additions.values())}'


def _state_space(robot, q, qd, qdd):
    iterative_newton_euler.state_space(robot, q, qd)


def _steps(n):
    steps, processors = concurrent_schedule.shortest(n)
    return f'{steps[0]}, {steps[1]} steps on {max(processors)} processors'


def _less_terms(robot, q, qd, qdd):
    insignificant_terms.inverse_dynamics(robot, q, qd, qdd)


counted = of_general_arm
COMPANIONS = (
    Supplement(
        'Bearing loads of the joints',
        ANGELES,
        '7.4',
        '7.36 to 7.43',
        'O(n)',
        (newton_euler.joint_wrenches,),
        'none beyond the torques',
        counted(newton_euler.joint_wrenches),
    ),
    Supplement(
        'Vectors between DH frames in two turns, and Newton-Euler with them',
        ANGELES,
        '7.4.1',
        '7.22 to 7.24',
        'O(n)',
        (factored_transfer.inverse_dynamics, factored_transfer.transfers),
        '137n-22, 110n-14: 800, 646',
        counted(factored_transfer.inverse_dynamics),
    ),
    Supplement(
        'Coriolis torque alone',
        ANGELES,
        'Exercise 7.10',
        '',
        'O(n)',
        (factored_transfer.coriolis_torque,),
        '',
        counted(_coriolis_torque),
    ),
    Supplement(
        'Inertially isotropic links',
        ANGELES,
        'Exercise 7.12',
        '',
        'O(n)',
        (factored_transfer.isotropic_inverse_dynamics,),
    ),
    Supplement(
        'Pointing arm: energy, I and its rate',
        ANGELES,
        'Exercise 7.7',
        '',
        'O(1)',
        (pointing_arm.kinetic_energy, pointing_arm.inertia, pointing_arm.inertia_rate),
    ),
    Supplement(
        'Pairs of 2 and 3, and of 4 and 5 stages, that halve their step',
        ANGELES,
        '7.6.3',
        '',
        'O(1) a stage',
        (step_halving.simulate, step_halving.two_three, step_halving.four_five),
    ),
    Supplement(
        'Constraints, twist shaping and its rate',
        ANGELES,
        '7.5.1',
        '7.63 to 7.86',
        'O(n^2)',
        (noc.constraint_matrix, noc.twist_shaping_matrix, noc.twist_shaping_rate),
        '',
        counted(_shaping),
    ),
    Supplement(
        'C and Idot by parts',
        ANGELES,
        '7.6',
        '7.59, Example 7.6.1',
        'O(n^3)',
        (noc.coriolis_matrix, noc.mass_matrix_rate),
        '',
        counted(_coriolis),
    ),
    Supplement(
        'Moving base',
        ANGELES,
        '7.5.2',
        '7.87 to 7.90',
        'O(n^3)',
        (moving_base.mass_matrix, moving_base.bias),
        '',
        counted(_moving_base),
    ),
    Supplement(
        'Minimum time under torque limits',
        ANGELES,
        '7.5',
        'Example 7.5.1',
        'O(n) a sample',
        (minimum_time.minimum_time,),
        'an inverse dynamics and the weight a sample',
        counted(_sample),
    ),
    Supplement(
        'Simulation: Runge-Kutta pairs of 2 and 3, and of 4 and 5 stages; Gear, stiff; '
        'backward Euler',
        ANGELES,
        '7.6.3',
        '7.119 to 7.121',
        'O(n) a stage',
        (angeles_simulation.simulate, angeles_simulation.backward_euler),
        'a forward dynamics a stage',
    ),
    Supplement(
        'Friction and dissipation functions',
        ANGELES,
        '7.8',
        '7.127 to 7.138',
        'O(n)',
        (dissipation.Friction,),
    ),
    Supplement(
        'Belts, gears and cams as constraints',
        ANGELES,
        '7.9',
        'Exercise 7.4',
        'O(1)',
        (coupled_bodies.along, coupled_bodies.rolling),
    ),
    Supplement(
        'Torque that balances a wrench',
        ANGELES,
        '7.9',
        'Exercise 7.9',
        'O(n)',
        (statics.balancing_torque,),
        '',
        counted(_static),
    ),
    Supplement(
        'Inertia and Christoffel symbols by strobing',
        TURNEY,
        '3',
        '',
        'O(n^2), O(n^3)',
        (strobing.mass_matrix, strobing.coriolis_coefficients),
        'n and n(n + 1)/2 inverse dynamics',
        counted(_strobed),
    ),
    Supplement(
        'Inertia by strobing, links and torques from j on alone',
        TURNEY,
        '3, 7',
        '',
        'O(n^2)',
        (strobing.lower_half,),
        'k n(n + 1)/2',
        counted(_strobed_half),
    ),
    Supplement(
        'D_ij, D_ijk and D_i of Newton-Euler, link by link',
        TURNEY,
        '4',
        '4.1 to 4.19',
        'O(n^4)',
        (expanded_newton_euler.motion, expanded_newton_euler.coefficients),
    ),
    Supplement(
        'O(n^3) plan of the Lagrange equations, its steps counted',
        TURNEY,
        'appendix',
        '',
        'O(n^3)',
        (lagrange_organised.planned, lagrange_organised.printed),
        '5916, 4840',
        _planned,
    ),
    Supplement(
        'Wrist sensor that seeds the inward recursion',
        TURNEY,
        '3',
        '',
        'O(n)',
        (luh_walker_paul.held_load, luh_walker_paul.inverse_dynamics),
        '',
        counted(_sensed),
    ),
    Supplement(
        'Concurrent schedule',
        TURNEY,
        '6',
        'Table 5',
        'O(n)',
        (concurrent_schedule.schedule, concurrent_schedule.shortest, concurrent_schedule.printed),
        '27n+42, 27n+41: 204, 203 steps',
        _steps,
    ),
    Supplement(
        'Terms that may be left out, link by link',
        TURNEY,
        '6',
        '',
        'O(n^2) a state',
        (
            insignificant_terms.contributions,
            insignificant_terms.deletable,
            insignificant_terms.inverse_dynamics,
        ),
        '',
        counted(_less_terms),
    ),
    Supplement(
        'Runge-Kutta simulation',
        TURNEY,
        '7',
        '',
        'O(n^2) a step',
        (simulate.turney, simulate.runge_kutta),
        '4 forward dynamics a step',
    ),
    Supplement(
        'Point forces and moments as torques',
        SPONG,
        '6.1',
        '6.31',
        'O(n^2)',
        (kane.generalised_force,),
    ),
    Supplement(
        'Worked arms',
        SPONG,
        '6.1, 6.4',
        '6.1 to 6.14, 6.69 to 6.111',
        'O(1)',
        (
            spong_arms.vertical_mass,
            spong_arms.cartesian,
            spong_arms.planar_elbow,
            spong_arms.remotely_driven,
            spong_arms.five_bar,
            spong_arms.geared_link,
            spong_arms.elastic_link,
        ),
    ),
    Supplement(
        'Regressors of the worked arms',
        SPONG,
        '6.5.3',
        '6.122 to 6.133',
        'O(1)',
        (
            spong_arms.planar_elbow_regressor,
            spong_arms.absolute_regressor,
            spong_arms.remotely_driven_parameters,
            spong_arms.five_bar_parameters,
            spong_arms.cartesian_regressor,
        ),
    ),
    Supplement(
        'Skew symmetry, passivity, linearity of any robot',
        SPONG,
        '6.5',
        '6.112 to 6.119, 6.122',
        'O(n^3) a sample',
        (properties.check, properties.report),
    ),
    Supplement(
        'Bounds on the inertia matrix over the joint ranges',
        SPONG,
        '6.5.2',
        '6.120, 6.121',
        'O(n^3) a posture',
        (properties.inertia_bounds,),
    ),
    Supplement(
        'Regressor, ten parameters a link',
        SPONG,
        '6.5.3',
        '6.122',
        'O(n^2)',
        ('robot.links.Links.regressor', 'robot.links.Links.inertial_parameters'),
    ),
    Supplement(
        'Base parameters, by name',
        SPONG,
        '6.5.3',
        '6.122 to 6.133',
        'O(n^3)',
        ('identification.base_parameters.base_parameters',),
        'at most 10n; elbow: 5',
    ),
    Supplement(
        'Exciting motion within the limits',
        SPONG,
        '6.5.3',
        '',
        'O(n^3) a trial',
        ('identification.excitation.excite',),
    ),
    Supplement(
        'Parameters from a recorded motion',
        SPONG,
        '6.5.3',
        '6.122',
        'O(n^2) a sample',
        (
            'identification.identification.identify',
            'identification.least_squares.fit',
            'identification.recording.read_csv',
            'identification.joint_state_bag.read_bag',
        ),
    ),
    Supplement(
        'Nearest parameters that bodies can have',
        SPONG,
        '6.5.3',
        '',
        'O(n^3) a step',
        ('identification.consistency.consistent', 'identification.consistency.is_possible'),
    ),
    Supplement(
        'State, configuration and Cartesian space',
        CRAIG,
        '6.6, 6.9',
        '6.59 to 6.105',
        'O(n^3)',
        (
            iterative_newton_euler.state_space,
            iterative_newton_euler.configuration_space,
            iterative_newton_euler.cartesian_form,
            iterative_newton_euler.cartesian_configuration_space,
        ),
        '',
        counted(_state_space),
    ),
    Supplement(
        'Friction, viscous and Coulomb, by position',
        CRAIG,
        '6.8',
        'after 6.59, 6.104',
        'O(n)',
        (
            viscous_coulomb_friction.friction,
            viscous_coulomb_friction.inverse_dynamics,
            viscous_coulomb_friction.forward_dynamics,
        ),
    ),
    Supplement(
        'Moving frames',
        CRAIG,
        '6.2',
        '6.10, 6.15',
        'O(1)',
        (iterative_newton_euler.point_acceleration, iterative_newton_euler.angular_acceleration),
    ),
    Supplement(
        'Inertia tensors of solids, parallel axes',
        CRAIG,
        '6.3',
        '6.16 to 6.28',
        'O(1)',
        (solids.cuboid, solids.cylinder, solids.sphere, solids.about, solids.assembled),
    ),
    Supplement(
        'Euler simulation, of first order',
        CRAIG,
        '6.12',
        '6.115 to 6.117',
        'O(n) a step',
        (simulate.craig,),
        'a forward dynamics a step',
    ),
)
