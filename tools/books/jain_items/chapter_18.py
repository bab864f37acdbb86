# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's chapter 18."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        158,
        '18.1, 18.2.1',
        'Lem 18.1 to 18.3, Ex 18.1 to 18.3 (18.1 to 18.14)',
        'Rates of spatial operators, in fixed axes',
        'n^3',
        functions=(
            'formulations.jain.sensitivities.fixed_axes.moving_operators',
            'formulations.jain.sensitivities.operator_rates.operator_rates',
            'formulations.jain.sensitivities.operator_rates.phi_rate',
            'formulations.jain.sensitivities.operator_rates.coriolis_accelerations',
        ),
        tests=(
            'test_fixed_axes_change_no_motion',
            'test_identities_of_velocities',
            'test_rates_of_components',
            'test_rates_of_operators',
            'test_coriolis_accelerations_by_operators',
            'test_exercise_18_9d_has_bars',
        ),
        correction='(18.9d) has bars',
    ),
    Item(
        159,
        '18.2.2',
        'Ex 18.4, 18.5 (18.15 to 18.22)',
        'Body frames away from the hinges',
        'n^3',
        functions=(
            'formulations.jain.sensitivities.offset_rates.offset_operators',
            'formulations.jain.sensitivities.offset_rates.offset_velocities',
            'formulations.jain.sensitivities.offset_rates.offset_rates',
        ),
        tests=(
            'test_rates_of_operators_of_other_body_frames',
            'test_rate_of_one_weight_between_other_frames',
        ),
    ),
    Item(
        160,
        '18.2.3',
        'Lem 18.4, Ex 18.6 (18.23, 18.24)',
        'Rate of the mass matrix, by composite bodies',
        'n^2',
        functions=(
            'formulations.jain.sensitivities.mass_matrix_rate.mass_matrix_rate',
            'formulations.jain.sensitivities.operator_rates.operator_rates',
        ),
        tests=(
            'test_rate_of_the_mass_matrix',
            'test_rates_of_operators',
            'test_second_delta_of_18_23_is_the_linear_one',
        ),
        correction='(18.23): E bar(Delta^v)',
    ),
    Item(
        161,
        '18.3',
        'Lem 18.5 to 18.7, Ex 18.7, 18.8 (18.26 to 18.34)',
        'Operators by one coordinate: the rate at a unit velocity',
        'n^3',
        functions=(
            'formulations.jain.sensitivities.operator_sensitivities.operator_sensitivities',
            'formulations.jain.sensitivities.operator_sensitivities.phi_sensitivity',
        ),
        tests=(
            'test_sensitivities_of_operators',
            'test_velocities_of_18_31b_are_of_the_parents',
            'test_terms_of_18_33c',
        ),
        correction="(18.31b): V_S^w; (18.33c): bar(H'(i)), and j <= i",
    ),
    Item(
        162,
        '18.4.1, 18.4.2',
        'Lem 18.8, 18.9 (18.35, 18.36)',
        'Mass matrix by one coordinate',
        'n^2',
        functions=(
            'formulations.jain.sensitivities.mass_matrix_sensitivity.mass_matrix_sensitivity',
            'robot.derivatives.Derivatives.mass_matrix',
        ),
        tests=(
            'test_sensitivities_of_the_mass_matrix',
            'test_inboard_coordinates_change_no_block',
            'test_sensitivities_are_those_of_the_package',
        ),
    ),
    Item(
        163,
        '18.4.2',
        'Remark 18.1 (18.37)',
        "Gradient of the momentum, and Christoffel's matrix",
        'n^2',
        functions=(
            'formulations.jain.sensitivities.momentum_gradient.momentum_gradient',
            'formulations.jain.sensitivities.momentum_gradient.coriolis_matrix',
            'robot.robot.Robot.coriolis_matrix',
        ),
        tests=(
            'test_gradient_of_the_momentum',
            'test_christoffel_matrix_leaves_a_skew_difference',
            'test_sensitivities_are_those_of_the_package',
        ),
    ),
    Item(
        164,
        '18.4.3',
        'Lem 18.10 (18.38)',
        'Gradient of the kinetic energy, three routes',
        'n',
        functions=(
            'formulations.jain.sensitivities.kinetic_energy_gradient.by_momentum',
            'formulations.jain.sensitivities.kinetic_energy_gradient.by_forces',
            'formulations.jain.sensitivities.kinetic_energy_gradient.by_articulated_bodies',
        ),
        tests=(
            'test_gradient_of_the_kinetic_energy',
            'test_printed_forms_of_the_kinetic_energy_gradient',
        ),
    ),
    Item(
        165,
        '18.4.4',
        'Ex 18.9 (18.39 to 18.41)',
        'Coriolis torque: Newton and Euler, Lagrange',
        'n^2',
        functions=(
            'formulations.jain.sensitivities.coriolis_torque.of_inertial_derivatives',
            'formulations.jain.sensitivities.coriolis_torque.by_operators',
            'formulations.jain.sensitivities.coriolis_torque.of_lagrange',
        ),
        tests=('test_coriolis_torque_by_all_routes',),
    ),
    Item(
        166,
        '18.5',
        'Alg 18.1, Lem 18.11 to 18.13, Ex 18.10 (18.42 to 18.51)',
        'Rates of articulated-body quantities',
        'n',
        functions=(
            'formulations.jain.sensitivities.articulated_rates.articulated_rates',
            'formulations.jain.sensitivities.articulated_operator_rates.lambda_operator',
            'formulations.jain.sensitivities.articulated_operator_rates.articulated_operator_rates',
        ),
        tests=(
            'test_rates_of_articulated_quantities',
            'test_lambda_is_the_rate_that_the_parent_sees',
            'test_rates_of_articulated_operators',
            'test_lambda_by_the_lyapunov_equation',
            'test_last_term_of_18_49_is_subtracted',
        ),
        correction='(18.49): the last term is subtracted',
    ),
    Item(
        167,
        '18.6',
        'Lem 18.14, Remark 18.2 (18.52 to 18.60)',
        'Articulated bodies by one coordinate',
        'n',
        functions=(
            'formulations.jain.sensitivities.articulated_sensitivities.lambda_sensitivities',
            'formulations.jain.sensitivities.articulated_sensitivities.inertia_sensitivities',
        ),
        tests=(
            'test_lambda_by_one_coordinate',
            'test_inertias_by_one_coordinate',
            'test_bars_of_18_54',
            'test_first_slide_of_18_55_has_a_bar',
            'test_congruence_of_18_56_is_of_turning_hinges',
        ),
        correction='(18.54f), (18.54g), (18.55): bar(H^v) on the left; (18.56): turning i only',
    ),
    Item(
        168,
        '18.7',
        'Ex 18.11 to 18.14 (18.61 to 18.65)',
        'Rates of the innovations factors',
        'n^2',
        functions=(
            'formulations.jain.sensitivities.innovations_rates.innovations_factor_rate',
            'formulations.jain.sensitivities.innovations_rates.inverse_factor_rate',
            'formulations.jain.sensitivities.innovations_rates.by_operators',
        ),
        tests=(
            'test_rates_of_innovations_factors',
            'test_sensitivities_of_innovations_factors',
            'test_rate_of_18_62',
            'test_bars_of_18_64_and_18_65',
        ),
        correction='(18.64), (18.65): bar(H^v)',
    ),
    Item(
        169,
        '18.7',
        'Ex 18.15 (18.66 to 18.68)',
        "Gradient of log det M (Fixman's force)",
        'n',
        functions=(
            'formulations.jain.sensitivities.determinant_gradient.by_sensitivities',
            'formulations.jain.sensitivities.determinant_gradient.of_turning_joints',
            'formulations.jain.sensitivities.determinant_gradient.by_compliances',
        ),
        tests=(
            'test_gradient_of_the_determinant',
            'test_rate_of_the_determinant',
            'test_gradient_of_the_determinant_of_turning_joints',
            'test_traces_of_18_67_and_18_68_are_of_square_matrices',
        ),
        correction='(18.67), (18.68): tilde(H^w)',
    ),
)
