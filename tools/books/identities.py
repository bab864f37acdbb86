# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The identities of chapters 1 to 18, and the tests that check them on every tree.

The trees are chains, trees and forests of 3 to 20 bodies with joints of every kind (`TREES` of the
tests). Section 4.2 is tested on robots with joints of one degree of freedom. It is also tested on
trees with all joints, in coordinates about a posture.
"""

from typing import NamedTuple


class Identity(NamedTuple):
    """An identity, its place in the book, and the names of its tests."""

    equations: str
    statement: str
    tests: tuple


def _of(equations, statement, *tests):
    return Identity(equations, statement, tests)


IDENTITIES = (
    _of(
        '1.24',
        'tilde(A) A = 0, tilde(A) B = -tilde(B) A, Jacobi, tilde(A) tilde(B) - tilde(B) '
        'tilde(A) = tilde(tilde(A) B)',
        'test_cross_products_of_spatial_vectors',
    ),
    _of(
        '1.26, 1.27',
        "bar = -tilde', bar(z)' z = 0, bar(z) z = [0; x x y]; exchanges of tilde, bar and hat",
        'test_cross_products_of_spatial_vectors',
        'test_bar_of_1_26_is_minus_tilde_transposed',
    ),
    _of('1.34, 1.35', 'cross products carried by phi', 'test_cross_products_pass_through_phi'),
    _of(
        '1.36',
        'products of the angular and linear parts',
        'test_products_of_1_36_that_vanish',
        'test_cross_products_of_spatial_vectors',
        'test_cross_products_pass_through_phi',
    ),
    _of('1.32', 'phi is a group, det phi = 1', 'test_phi_is_a_group'),
    _of(
        '1.37 to 1.45',
        'rates of phi, of its inverse and of products',
        'test_rate_of_phi_is_its_difference',
    ),
    _of('1.47', "f' V is the same at every point", 'test_power_does_not_depend_on_the_point'),
    _of(
        '2.12, 2.14, 2.17',
        'M, h and the kinetic energy from point to point',
        'test_shifted_inertia_obeys_the_parallel_axis_theorem',
        'test_momentum_and_energy_from_any_point',
    ),
    _of(
        '2.8, 2.11, Ex 2.3',
        'M symmetric, positive where J(C) is; J(x) >= J(C)',
        'test_spatial_inertia_is_symmetric_and_positive',
        'test_shifted_inertia_obeys_the_parallel_axis_theorem',
    ),
    _of(
        '2.20 to 2.38',
        'four forms, one force: the rate of momentum',
        'test_force_of_every_form_is_the_rate_of_momentum',
        'test_four_forms_give_the_same_force',
    ),
    _of(
        '2.29, Tab 2.2',
        'which b does no work, what is conserved, energy always',
        'test_properties_of_the_four_forms',
        'test_free_body_keeps_energy_and_momentum',
    ),
    _of('2.22, 2.33', 'rates of M and M_I', 'test_rates_of_inertias_by_differences'),
    _of(
        '3.36 to 3.41',
        '(1 - E) phi = 1, E^n = 0, phi~ = E phi = phi E',
        'test_phi_is_the_resolvent_of_e_phi',
    ),
    _of(
        '3.38, 8.17', 'phi(i, j) = phi(i, k) phi(k, j)', 'test_blocks_of_phi_chain_along_the_path'
    ),
    _of(
        'Lem 3.1, 3.2, 9.1, 9.2',
        "sweeps are phi x and phi' x",
        'test_sweeps_are_products_with_operators',
        'test_sweeps_stand_beside_the_operators',
    ),
    _of(
        '3.19, 3.39, 3.52',
        "V = phi' H' thd is the rate of the poses, V_nd = J thd",
        'test_velocities_are_rates_of_poses',
        'test_velocities_are_those_of_the_operators',
        'test_torques_of_forces_on_nodes',
    ),
    _of('3.52, 5.38', "(J thd)' f = thd' (J' f)", 'test_torques_of_forces_on_nodes'),
    _of(
        '8.24, 8.28',
        'numbers of bodies and their frames change nothing',
        'test_numbering_does_not_matter',
        'test_operators_of_other_body_frames',
    ),
    _of(
        '4.6, 4.20, 5.3.2, 7.14',
        "the mass matrix: H phi M phi' H', composite bodies, columns of inverse dynamics, L D L'",
        'test_composite_bodies_give_the_mass_matrix',
        'test_factors_and_inverse_of_the_mass_matrix',
    ),
    _of(
        '4.5',
        "sum of V' M V = thd' M thd",
        'test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix',
    ),
    _of('4.9, 4.10, 4.19', "M = R - E R E', and what follows", 'test_lyapunov_decomposition'),
    _of(
        '4.13 to 4.18',
        'total inertia, momentum and its velocity',
        'test_momentum_is_the_sum_over_the_bodies',
        'test_momentum_of_a_free_base',
        'test_base_moved_against_the_centroidal_velocity_stops_the_system',
    ),
    _of(
        '4.20, Rem 4.1',
        'R and the blocks of the mass matrix know what is outboard',
        'test_mass_depends_on_what_is_outboard',
    ),
    _of('4.21', 'trace', 'test_composite_bodies_give_the_mass_matrix'),
    _of(
        '9.3.2', 'blocks of unrelated bodies are zero', 'test_unrelated_bodies_have_no_common_mass'
    ),
    _of(
        '4.27, 4.32, 4.39, 5.25',
        'four routes to C',
        'test_coriolis_torque_by_four_routes',
        'test_coriolis_torque_of_every_hinge_by_four_routes',
    ),
    _of(
        '4.30 to 4.33',
        "Mdot thd - 2 C = (M_D' - M_D) thd, which does no work",
        'test_momentum_has_the_gradient_of_lagrange',
        'test_coriolis_torque_of_every_hinge_by_four_routes',
    ),
    _of(
        '4.34',
        "d(KE)/dt = thd' T",
        'test_power_is_the_rate_of_kinetic_energy',
        'test_kinetic_energy_stays_without_torques',
    ),
    _of(
        '4.35 to 4.39',
        'Christoffel symbols: symmetry, slopes of M, tree pattern; Mdot - 2 C is skew',
        'test_christoffel_symbols_give_the_coriolis_torque',
        'test_coriolis_torque_of_every_hinge_by_four_routes',
    ),
    _of(
        '4.43',
        "Hamilton's equations are Lagrange's",
        'test_hamilton_gives_the_motion_of_lagrange',
        'test_rates_of_hamilton_are_the_gradients_of_the_energy',
    ),
    _of(
        '4.44 to 4.50, Ex 4.10',
        'quasi-velocities: gamma thd = 0, the torque of Newton and '
        "Euler, beta' (Mdot beta - 2 C) = 0",
        'test_quasi_velocities_obey_the_same_dynamics',
        'test_quasi_velocities_of_every_hinge',
        'test_coriolis_forces_of_quasi_velocities_do_half_the_work_of_the_mass_matrix',
    ),
    _of(
        '4.52',
        "unit mass matrix, + A^-T gamma' beta",
        'test_diagonalising_velocities_have_unit_mass',
        'test_diagonalising_velocities_of_every_hinge',
    ),
    _of(
        '5.2, 5.11 to 5.20, 5.26, 5.51',
        'alpha of every reference is a rate; a by hinges',
        'test_acceleration_is_the_rate_of_velocity',
        'test_accelerations_of_every_reference_are_rates',
        'test_coriolis_accelerations_by_type_of_hinge',
    ),
    _of(
        '5.25, 5.61, Tab 5.1',
        'four references, one M and one C',
        'test_four_references_give_the_same_equations',
        'test_momentum_form_in_the_inertial_frame',
        'test_every_reference_gives_the_same_torque',
    ),
    _of(
        '5.36, 5.37',
        "T = M thdd + C - J' f_ext",
        'test_inverse_dynamics_are_mass_times_acceleration_and_bias',
    ),
    _of(
        '5.41',
        'gravity at the base or on every body, dU/dtheta',
        'test_gravity_at_the_base_or_on_every_body',
    ),
    _of(
        '5.42, 5.46, 5.57',
        'inverse dynamics by three routes',
        'test_inverse_dynamics_through_composite_bodies',
        'test_every_reference_gives_the_same_torque',
    ),
    _of(
        '5.42, 7.2',
        'inverse and forward dynamics undo one another',
        'test_inverse_dynamics_return_the_torques_of_forward_dynamics',
        'test_three_routes_to_forward_dynamics',
    ),
    _of(
        'Rem 5.2',
        'a steady drift changes nothing',
        'test_steady_drift_of_the_base_changes_nothing',
    ),
    _of(
        'Tab 6.1',
        'y knows accelerations outboard, z knows torques outboard',
        'test_residual_of_composite_bodies_ignores_the_base',
        'test_residual_of_articulated_bodies_ignores_the_rest',
    ),
    _of(
        '6.14 to 6.26, 9.38', 'H G = 1, projections tau and taubar, P^+', 'test_hinge_projections'
    ),
    _of('6.31', 'R >= P >= M, P >= P^+; D and the mass matrix positive', 'test_inertias_in_order'),
    _of(
        '6.35 to 6.44',
        "z = psi K T, nu = G' alpha, alpha = psi' H' nu",
        'test_accelerations_of_a_system_at_rest',
    ),
    _of(
        '6.46 to 6.50',
        'Kalman filter, smoother and covariances',
        'test_kalman_filter_is_the_articulated_body_algorithm',
        'test_smoothed_estimate_is_the_force_between_the_links',
        'test_covariances_of_states_and_of_measurements',
    ),
    _of('7.7, 9.36', "M = P - E_psi P E_psi', and with one phi", 'test_riccati_equation'),
    _of('7.10 to 7.12, 9.43 to 9.45', 'phi, psi and K H', 'test_phi_and_psi'),
    _of(
        '7.9, 7.13, 7.15, 7.16, 9.48, 10.40',
        "phi M phi', phi M psi' and psi M psi' by P",
        'test_decompositions_with_p',
    ),
    _of('9.38 to 9.40', '1 + H A K = H A G, and the like', 'test_relations_of_the_unit_factor'),
    _of(
        '7.14, 7.17, 7.18, 9.52, 9.53',
        'factors, inverse and determinant',
        'test_factors_and_inverse_of_the_mass_matrix',
        'test_innovations_factor_along_paths_equals_that_of_the_operators',
    ),
    _of(
        '7.21, 7.30 to 7.40',
        'vectors of articulated bodies, f = P (alpha - a) + z',
        'test_vectors_of_the_articulated_body_algorithm',
        'test_gravity_at_the_end_or_from_the_base',
        'test_inverse_dynamics_return_the_torques_of_forward_dynamics',
    ),
    _of('7.43', "M^-1 J' f", 'test_response_to_forces_on_nodes'),
    _of(
        '11.6, 11.8, 11.20, 11.36, 11.43, 15.23',
        'five routes to constrained motion are one',
        'test_all_routes_are_the_direct_solution',
        'test_embedded_forward_dynamics_are_the_direct_solution',
    ),
    _of(
        '11.21',
        "G_c M^-1 G_c' = Q Lambda^-1 Q', M^-1 G_c' = (1 - H psi K)' D^-1 H psi B Q'",
        'test_compliance_of_loops_needs_no_jacobian',
    ),
    _of(
        '11.11, 11.12, 11.22',
        "Y_C symmetric, positive, of rank N - n_c, Y_C G_c' = 0, Y_C = X_c M_r^-1 X_c'",
        'test_constrained_map_is_symmetric_positive_of_rank_n_minus_n_c',
    ),
    _of(
        '11.14, Ex 11.2',
        'P_ms^2 = P_ms, Y_C T_mv = Y_C T, T_mv is smallest',
        'test_squeeze_torques_move_nothing_and_move_torques_are_smallest',
    ),
    _of(
        '11.49', 'contact forces and gap accelerations', 'test_contact_forces_are_the_one_solution'
    ),
    _of(
        '12.12, 12.24',
        "M_G = X' M X = H_G Phi_G M Phi_G' H_G', its factors and inverse",
        'test_geared_mass_matrix_by_every_route',
        'test_factors_of_the_geared_mass_matrix',
    ),
    _of(
        '13.50, 13.58, 13.62',
        "M_fl = H_fl Phi_fl M_fl Phi_fl' H_fl', its parts, factors and inverse",
        'test_mass_matrix_of_flexible_links_by_every_route',
        'test_factors_of_the_flexible_mass_matrix',
    ),
    _of('14.1, 14.11', 'S in S_I in S_P in S_A', 'test_subgraphs_contain_each_other'),
    _of(
        '14.4, 14.10',
        'A by parts and by branches',
        'test_operators_of_the_whole_follow_from_the_parts',
        'test_branches_make_the_zeros',
    ),
    _of('14.24', 'M and C do not change by aggregation', 'test_aggregation_changes_no_motion'),
    _of(
        '15.5, 15.8, 15.17',
        "V = A_a' H_Ra' thd_R, M_r = X_c' M X_c, D_S = X_S' M_S(P_S) X_S",
        'test_velocities_of_all_three_models_are_one',
        'test_embedded_mass_matrix_is_the_projected_one',
        'test_joint_inertia_of_an_aggregate_is_its_projection',
    ),
    _of(
        '18.6, 18.9',
        'phi bar(V) - bar(V) phi = (phi - 1) bar(Delta) phi, and its linear parts',
        'test_identities_of_velocities',
    ),
    _of(
        '18.37, 4.30 to 4.33',
        "M_D thd = Mdot thd, [M_D - M_D'/2] thd = C; Mdot + M_D' - M_D is twice a skew difference",
        'test_gradient_of_the_momentum',
        'test_christoffel_matrix_leaves_a_skew_difference',
    ),
    _of(
        '18.44',
        "lambda - E_psi lambda E_psi' = tilde(Delta^w) P + E bar(Delta^v) P^+ E' + transpose",
        'test_lambda_by_the_lyapunov_equation',
    ),
    _of(
        '18.66, 9.53',
        'the rate of log det M is the sum of Tr(D^-1 Ddot)',
        'test_rate_of_the_determinant',
        'test_gradient_of_the_determinant',
    ),
    _of(
        '19.12, 19.20, 19.37',
        "m m' = M, l' l = M^-1, eta' eta = xi' D xi = thd' M thd",
        'test_factor_is_that_of_cholesky',
        'test_kinetic_energy_needs_no_masses',
    ),
    _of(
        '19.14, 19.18, 19.19, 19.38',
        "eta' C = 0, d(eta' eta / 2)/dt = eta' zeta, etadot + C = zeta, D xidot + C = epsilon",
        'test_diagonal_equations_of_motion',
        'test_normalised_coriolis_forces_do_no_work',
    ),
)
