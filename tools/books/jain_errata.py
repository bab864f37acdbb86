# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors in the text of Jain: place, correction, and the test that shows it."""

MISPRINTS = (
    (
        'Jain, Ex 1.1',
        'a is the rate of v and alpha that of omega; the definitions exchange them',
        'test_velocity_and_acceleration_of_points',
    ),
    (
        'Jain, (1.26)',
        "bar(z) = -tilde(z)', not -hat(z)'",
        'test_bar_of_1_26_is_minus_tilde_transposed',
    ),
    (
        'Jain, (1.36a)',
        'bar(X^v) Y^w = 0 and tilde(X^v) Y^v = 0; tilde(X^v) Y^w is not 0',
        'test_products_of_1_36_that_vanish',
    ),
    (
        'Jain, solution 2.14',
        '+ bar(V_I) M_I V_I, as in (2.38)',
        'test_four_forms_give_the_same_force',
    ),
    (
        'Jain, (3.2), (3.4)',
        'S(omega) R: the rotation is left out',
        'test_rate_of_a_transform_has_its_rotation',
    ),
    ('Jain, (4.13)', "M_S = E R E'", 'test_total_inertia_is_e_r_e_transposed'),
    ('Jain, (4.17)', 'the sum runs to n, not to n - 1', 'test_sum_of_4_17_runs_to_the_base'),
    (
        'Jain, (4.19), (9.17)',
        "H R H' + H phi~ R H' + H R phi~' H': tildes on phi, or A, alone",
        'test_mass_matrix_of_4_19_has_its_tilde_on_phi_alone',
    ),
    (
        'Jain, (4.23)',
        'the second line ends in m(k) p(k)',
        'test_first_moment_of_4_23_ends_in_m_times_p',
    ),
    (
        'Jain, (4.52), solution 4.11',
        "+ A^-T gamma' beta",
        'test_diagonalising_velocities_have_unit_mass',
    ),
    (
        'Jain, section 5.2.2',
        "the torque of external forces is subtracted, T - J' f_ext",
        'test_inverse_dynamics_are_mass_times_acceleration_and_bias',
    ),
    (
        'Jain, (5.53), (5.55)',
        "the rate is that of H_I'; the last terms have a factor thd",
        'test_rate_of_inertial_hinges_has_its_factor',
    ),
    (
        'Jain, (5.61)',
        "the bracket has the rate of H_I', not H_I'",
        'test_momentum_form_in_the_inertial_frame',
    ),
    ('Jain, (6.36)', 'K is 6 x r, not in R^6', 'test_gain_of_6_36_has_a_column_for_every_freedom'),
    ('Jain, (6.49)', 'H z, not H* z', 'test_prediction_of_6_49_is_measured_with_h'),
    (
        'Jain, table 7.1',
        "the recursions add M(k + 1); P^+(k) = taubar(k) P(k) taubar'(k)",
        'test_inertia_recursions_of_table_7_1_add_the_inertia_of_the_parent',
    ),
    (
        'Jain, (7.18)',
        'psi in both factors, (9.51)',
        'test_inverse_of_7_18_has_psi_in_both_factors',
    ),
    (
        'Jain, (7.29), (7.30)',
        "P a, not P alpha; psi', not psi",
        'test_vectors_of_the_articulated_body_algorithm',
    ),
    (
        'Jain, Algorithm 7.3',
        "returns + M^-1 J' f_c; by (7.43), (7.44) zeta would add phi f_c",
        'test_response_to_forces_on_nodes',
    ),
    ('Jain, remark 8.2', 'the matrices have lost columns', 'test_structure_of_remark_8_2'),
    (
        'Jain, Algorithm 9.3',
        'A(l, j), where phi(l, j) is printed',
        'test_mass_matrix_of_algorithm_9_3_is_carried_by_its_own_weights',
    ),
    ('Jain, (9.29)', 'k = n .. 1', 'test_scatter_of_9_29_starts_at_the_base'),
    (
        'Jain, (11.6)',
        'one letter stands for U, dU/dt and dU/dt - Gdot_c thd; the right side is the last',
        'test_right_side_of_11_6_is_the_rate_without_accelerations',
    ),
    (
        'Jain, lemma 11.2',
        "Omega = psi' H' D^-1 H psi, not D^-1 psi H",
        'test_omega_of_lemma_11_2_has_its_h_beside_d',
    ),
    (
        'Jain, (11.22)',
        "the outer factors are c = D^-1/2 b: [1 - c (c' c)^-1 c']",
        'test_constrained_map_of_11_22_has_c_and_not_b',
    ),
    (
        'Jain, Algorithm 11.2, step 3',
        "f_c = + Q' lambda in algorithm 7.3 as that is printed",
        'test_forces_of_algorithm_11_2_have_the_sign_of_lambda',
    ),
    (
        'Jain, (11.30)',
        '[alpha_1f; alpha_2f], in the order of Q',
        'test_free_accelerations_of_11_30_stand_in_the_order_of_q',
    ),
    (
        'Jain, (11.47)',
        "its right side is thdd, (N,), not d'', (n_c,); the F that may be singular is in (11.48)",
        'test_right_side_of_11_47_is_an_acceleration_of_the_hinges',
    ),
    (
        'Jain, (12.14)',
        'Phi_G(k, k - 1), not Phi_G(k + 1, k)',
        'test_composite_recursion_of_12_14_comes_from_the_link_outboard',
    ),
    (
        'Jain, (12.16)',
        'the second term is lower, the last upper triangular',
        'test_second_term_of_12_16_is_lower_triangular',
    ),
    (
        'Jain, (12.20), Algorithm 12.5',
        "H_m', H_l' where they follow an inertia; mu is mu(k)",
        'test_axes_of_12_20_are_columns',
    ),
    (
        'Jain, (12.25), (12.27)',
        'thdd_l(k) takes alpha^+(k), not alpha^+(k + 1)',
        'test_accelerations_of_12_27_are_those_at_the_hinge_itself',
    ),
    (
        'Jain, (13.28), (13.30), (13.36), (13.52)',
        'body k hangs on node O_k^+ of body k + 1: so A_fl(k) has Pi of O_(k-1)^+',
        'test_node_of_13_30_is_where_the_body_hangs',
    ),
    (
        'Jain, (13.31)',
        'Pi_B is 6 x n_md, not 6 x (n_md + r)',
        'test_modal_map_of_13_31_has_a_column_for_every_mode',
    ),
    (
        'Jain, (13.32)',
        'alpha_fl = [etaddot; alpha], not etadot',
        'test_acceleration_of_13_32_has_the_second_rate_of_the_modes',
    ),
    (
        'Jain, (13.47) to (13.50), (13.63)',
        'K vartheta, the deformation and not its rate',
        'test_strain_of_13_47_comes_from_the_deformation',
    ),
    (
        'Jain, (13.66)',
        'the hinge is at the inboard node, the modes are at the outboard one, by algorithm 13.5',
        'test_two_stages_of_13_66_have_the_modes_outside',
    ),
    (
        'Jain, (13.70)',
        "Gamma is singular: L - U Gamma (1 + O Gamma)^-1 U'",
        'test_articulated_weight_of_13_70_is_singular',
    ),
    (
        'Jain, (14.7)',
        "the second E_S of X and the last of Y is E_S'",
        'test_connector_of_14_7_is_transposed_inside',
    ),
    (
        'Jain, lemma 14.6',
        'the root of the smallest sub-tree stays in S_A where it is in S',
        'test_root_of_lemma_14_6_stays_where_it_belongs_to_s',
    ),
    (
        'Jain, (14.20), (14.21)',
        "H_S and a_S of the aggregated model are underlined: H_S A_S and A_S' a_S",
        'test_operators_of_an_aggregated_tree',
    ),
    (
        'Jain, (14.29), (15.14), (15.15)',
        'A(j, c) stands in the rows of the body that carries c, of (l, k, j) the third',
        'test_child_of_15_14_hangs_on_its_own_parent',
    ),
    (
        'Jain, (15.22)',
        "H_RS is underlined: X_S' H_S A_S",
        'test_joint_map_of_15_22_is_that_of_the_aggregate',
    ),
    (
        'Jain, (16.6)',
        'taubar_p = 1 - G_p H_p, and K_p = E_phi G_p: K_p taubar_p has no size',
        'test_gain_of_16_6_is_taken_over_by_e_phi',
    ),
    (
        'Jain, (16.8)',
        "M = P - E_psi P E_phi', as in (7.7): psi on one side",
        'test_riccati_equation_of_16_8_has_psi_on_one_side',
    ),
    (
        'Jain, (16.15c)',
        "H_a [P (alpha - H_a' thdd_a - a) + z]: z stands outside P",
        'test_torque_of_16_15_takes_the_acceleration_inside_p',
    ),
    (
        'Jain, (16.17b)',
        'alpha(n + 1) = 0, not alpha^+(n + 1)',
        'test_scatter_of_16_17_starts_below_the_base',
    ),
    (
        'Jain, exercise 16.2',
        "J_a = B' phi' H_a'",
        'test_jacobian_of_exercise_16_2_has_both_operators_transposed',
    ),
    (
        'Jain, (17.2)',
        'alpha(n) = nu + a(n), not nu + alpha(n)',
        'test_base_of_17_2_accelerates_with_what_its_bodies_leave',
    ),
    (
        'Jain, (17.7)',
        'a_d(k) = -a(k), of the same hinge',
        'test_dual_bias_of_17_7_belongs_to_its_own_hinge',
    ),
    (
        'Jain, algorithm 17.2, epsilon',
        'epsilon_d takes z_d^+; with z_d it is zero',
        'test_innovations_of_algorithm_17_2_take_z_before_its_correction',
    ),
    (
        'Jain, algorithm 17.2, start',
        'z_d(n) = - T(n), and outwards alpha(1) = - [S + M]^-1 [z_d + b], not 0',
        'test_sweep_of_algorithm_17_2_starts_with_the_acceleration_of_the_tip',
    ),
    (
        'Jain, (17.16)',
        "- phi' H' thd: the rate of the hinge is subtracted, as in (17.28b)",
        'test_recursion_of_17_16_subtracts_the_hinge',
    ),
    (
        'Jain, (17.18)',
        'V(k) of the new base and the rates of the same hinges, as in (17.14)',
        'test_velocities_of_17_18_are_those_of_the_link_and_of_the_same_hinges',
    ),
    (
        'Jain, (18.9d)',
        'bars: phi bar(V) - bar(V) phi = (phi - 1) bar(Delta) phi',
        'test_exercise_18_9d_has_bars',
    ),
    (
        'Jain, (18.23)',
        'E bar(Delta^v), as in (18.13), where Delta^w is printed',
        'test_second_delta_of_18_23_is_the_linear_one',
    ),
    ('Jain, (18.31b)', 'of V_S^w, not of V^w', 'test_velocities_of_18_31b_are_of_the_parents'),
    (
        'Jain, (18.33c)',
        "bar(H'(i)) in the first term, j <= i and not k >= i in the second",
        'test_terms_of_18_33c',
    ),
    (
        'Jain, (18.49)',
        '- P tilde(V_S^w): the last term is subtracted',
        'test_last_term_of_18_49_is_subtracted',
    ),
    (
        'Jain, (18.54f), (18.54g)',
        'bar(H^v), not tilde, where it stands on the left',
        'test_bars_of_18_54',
    ),
    (
        'Jain, (18.55)',
        'bar(H^v), not tilde, before P^+; (i) at the end of the line is one too many',
        'test_first_slide_of_18_55_has_a_bar',
    ),
    (
        'Jain, (18.56)',
        "psi P_i(i) psi' holds for hinges i that turn; others need (18.55)",
        'test_congruence_of_18_56_is_of_turning_hinges',
    ),
    (
        'Jain, (18.64), (18.65)',
        'bar(H^v), as in (18.61), not tilde',
        'test_bars_of_18_64_and_18_65',
    ),
    (
        'Jain, (18.67), (18.68)',
        'tilde(H^w), a square matrix, in place of H^w',
        'test_traces_of_18_67_and_18_68_are_of_square_matrices',
    ),
    (
        'Jain, Lemma 19.2',
        'N^2 (N^2 - 1)/12 of the symbols are independent, not N (N + 1)/2',
        'test_count_of_independent_symbols_of_lemma_19_2',
    ),
    (
        'Jain, (19.28)',
        "H' (1 + H phi K)' thd = tau' V: the left side lacks H'",
        'test_map_of_19_28_leads_to_six_numbers_a_body_only_with_h',
    ),
    (
        'Jain, (19.29), (19.30)',
        "- E_psi lambda + lambda E_psi' in the bracket that is halved; (19.32) is right",
        'test_signs_of_19_29',
    ),
    (
        'Jain, (19.33), (19.34), (19.35)',
        'bar, not tilde, of linear velocities',
        'test_rates_of_the_factors_take_bar',
    ),
    ('Jain, (19.35)', 'phi G D, not phi G', 'test_rates_of_the_factors_take_bar'),
    ('Jain, (19.37)', "xi' D xi / 2, without dots", 'test_energy_of_19_37_is_of_velocities'),
    (
        'Jain, table 19.2',
        'z^+ = z + G D^1/2 zeta; T = m zeta runs inward, too',
        'test_gain_of_table_19_2_has_the_root',
    ),
    (
        'Jain, algorithm 19.1',
        "S = X + Z, and Z - Z' beside X - X' in y",
        'test_algorithm_19_1_adds_slides_to_turns',
    ),
    (
        'Jain, algorithm 19.2',
        'bar(Delta^v) P^+ of a child takes the velocity of the child',
        'test_algorithm_19_2_takes_the_velocity_of_the_child',
    ),
    (
        'Jain, (19.41), (19.42)',
        'the sweep of (19.42) lacks phi bar(Delta^v) P^+ V, which (19.41) has',
        'test_two_sweeps_of_19_42_need_the_slides',
    ),
    ('Jain, algorithm 19.3, step 4', 'eta = D^1/2 xi', 'test_root_of_step_4_of_algorithm_19_3'),
    (
        'Jain, (A.29)',
        'Tr(A^-1 dA/dt), not A^-T: the same for symmetric A alone',
        'test_trace_of_a_29_has_the_inverse_and_not_its_transpose',
    ),
    ('Jain, (B.1)', 'R33 is cos gamma, not 1', 'test_entry_33_of_b_1_is_the_cosine_of_gamma'),
    ('Jain, (B.42)', '- |omega|^2 q / 4', 'test_second_rate_of_b_42_turns_towards_the_quaternion'),
    (
        'Jain, (B.37), (B.40)',
        'the factor 2 is of both terms',
        'test_both_terms_of_b_37_are_doubled',
    ),
    ('Jain, (B.43)', '+ |omega|^2 e_q / 2', 'test_square_of_b_43_is_added'),
    (
        'Jain, solution B.18',
        '(a - b) x (a + b), as in (B.49)',
        'test_rotations_of_b_49_take_one_vector_to_the_other',
    ),
)
