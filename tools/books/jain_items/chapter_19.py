# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's chapter 19."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        171,
        '19.1',
        'Lem 19.1, 19.2 (19.1 to 19.11)',
        'Global diagonalisation, and the curvature that forbids it',
        'n^5',
        functions=(
            'formulations.jain.diagonalised.curvature.riemann_symbols',
            'formulations.jain.diagonalised.curvature.is_flat',
        ),
        tests=(
            'test_mass_on_a_plane_is_flat_on_a_sphere_it_is_not',
            'test_flat_mass_matrix_has_coordinates_without_coriolis_forces',
            'test_symmetries_of_the_curvature',
            'test_count_of_independent_symbols_of_lemma_19_2',
        ),
        correction='Lemma 19.2: N^2 (N^2 - 1)/12 symbols',
    ),
    Item(
        172,
        '19.2, 19.3',
        'Lem 19.3 to 19.6 (19.12 to 19.23)',
        'Diagonalisation in velocities: m, l',
        'n^2',
        functions=(
            'formulations.jain.diagonalised.innovations_factors.factor',
            'formulations.jain.diagonalised.innovations_factors.inverse_factor',
        ),
        tests=(
            'test_factor_is_that_of_cholesky',
            'test_diagonal_equations_of_motion',
            'test_diagonal_equations_of_motion_of_pinocchio',
            'test_normalised_coriolis_forces_do_no_work',
            'test_kinetic_energy_needs_no_masses',
        ),
    ),
    Item(
        173,
        '19.3.1',
        'Tables 19.1, 19.2',
        'Diagonal velocities and forces, both ways',
        'n',
        functions=(
            'formulations.jain.diagonalised.coordinate_maps.velocities_of_rates',
            'formulations.jain.diagonalised.coordinate_maps.velocities_of_xi',
            'formulations.jain.diagonalised.coordinate_maps.forces_of_torques',
            'formulations.jain.diagonalised.coordinate_maps.torques_of_forces',
        ),
        tests=('test_factor_is_that_of_cholesky', 'test_gain_of_table_19_2_has_the_root'),
        correction='Table 19.2: z^+ = z + G D^1/2 zeta',
    ),
    Item(
        174,
        '19.4.1',
        'Lem 19.7, 19.8, Ex 19.1, 19.3, 19.4 (19.24 to 19.28, 19.33 to 19.35)',
        'Rates and sensitivities of m and l',
        'n^3',
        functions=(
            'formulations.jain.diagonalised.innovations_factors.factor_rate',
            'formulations.jain.diagonalised.innovations_factors.inverse_factor_rate',
            'formulations.jain.diagonalised.innovations_factors.root_rate',
        ),
        tests=(
            'test_rates_and_sensitivities_of_the_factors',
            'test_rates_of_the_factors_take_bar',
            'test_map_of_19_28_leads_to_six_numbers_a_body_only_with_h',
        ),
        correction="(19.28): H' xi; (19.33) to (19.35): bar; (19.35): phi G D",
    ),
    Item(
        175,
        '19.4.2',
        'Alg 19.1, Lem 19.9, Ex 19.2 (19.29 to 19.32)',
        'Coriolis vector of the normalised equations',
        'n',
        functions=(
            'formulations.jain.diagonalised.normalised_coriolis.coriolis_vector',
            'formulations.jain.diagonalised.normalised_coriolis.coriolis_vector_of_any_hinge',
            'formulations.jain.diagonalised.innovations_factors.coriolis_vector',
        ),
        tests=(
            'test_coriolis_vector_by_four_routes',
            'test_coriolis_vector_is_that_of_quasi_velocities',
            'test_signs_of_19_29',
            'test_algorithm_19_1_adds_slides_to_turns',
            'test_pins_have_the_simpler_forms_of_19_32',
            'test_sections_19_2_to_19_4_are_for_hinges_of_one_freedom',
        ),
        correction='(19.29): signs; Alg 19.1: S = X + Z',
    ),
    Item(
        176,
        '19.4.3',
        'Lem 19.10',
        'Decoupled rate control',
        'n',
        functions=(
            'formulations.jain.diagonalised.decoupled_control.damping_torque',
            'algorithms.variants.damping_torques.damping_torques',
            'robot.variants.Variants.damping_torques',
            'control.laws.diagonal_damping.DiagonalDamping',
        ),
        tests=(
            'test_recursion_is_that_of_the_operators',
            'test_every_diagonal_velocity_decays_at_its_own_rate',
            'test_power_is_always_negative',
            'test_damping_takes_energy_at_its_rate',
            'test_every_diagonal_velocity_decays_by_itself',
        ),
    ),
    Item(
        177,
        '19.5',
        'Alg 19.2, Lem 19.11 (19.36 to 19.39)',
        'Un-normalised diagonal equations',
        'n',
        functions=(
            'formulations.jain.diagonalised.unnormalised_coriolis.coriolis_vector',
            'formulations.jain.sensitivities.articulated_rates.articulated_rates',
        ),
        tests=(
            'test_diagonal_equations_of_motion',
            'test_axes_of_single_freedoms_stand_still_on_both_sides',
            'test_algorithm_19_2_takes_the_velocity_of_the_child',
            'test_energy_of_19_37_is_of_velocities',
        ),
        correction='(19.37): no dots; Alg 19.2: velocity of the child',
    ),
    Item(
        178,
        '19.5.1',
        'Alg 19.3 (19.40 to 19.42)',
        'Forward dynamics in two sweeps, and motion in xi or eta',
        'n',
        functions=(
            'formulations.jain.diagonalised.two_sweep_dynamics.xi_rates',
            'formulations.jain.diagonalised.diagonal_motion.motion',
        ),
        tests=(
            'test_two_sweeps_give_the_motion_of_the_package',
            'test_energy_stays_to_the_order_of_the_rule',
            'test_motion_is_that_of_the_package',
            'test_motion_is_the_same_in_all_velocities',
            'test_two_sweeps_of_19_42_need_the_slides',
            'test_root_of_step_4_of_algorithm_19_3',
        ),
        correction='(19.42) lacks slides; step 4: eta = D^1/2 xi',
    ),
)
