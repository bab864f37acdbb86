# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors in the books, their corrections, and the tests that show them."""

from typing import NamedTuple

from tools.books.jain_errata import MISPRINTS as JAIN


class Misprint(NamedTuple):
    """A place in a book, the correction, and the name of the test that proves it."""

    place: str
    correction: str
    test: str


MISPRINTS = (
    Misprint(
        'Angeles, Example 7.3.1, \\|c3dot\\|^2',
        'the bracket of a2 a3 cos theta3 has factor 1, not 2',
        'test_misprints_of_example_7_3_1',
    ),
    Misprint(
        'Angeles, Example 7.3.1, iota_2',
        'thd1 thd3 has the coefficient -m3 a3 (a1 s23 + 2 a2 s3)/2',
        'test_misprints_of_example_7_3_1',
    ),
    Misprint(
        'Angeles, Example 7.3.1, gamma_3', 'thd3^2 is thd2^2', 'test_misprints_of_example_7_3_1'
    ),
    Misprint(
        'Angeles, (7.21)',
        'the partial velocities, called n x 3, are 3 x n: as printed the sizes do not meet',
        'test_partial_velocities_of_7_21_are_three_by_n',
    ),
    Misprint(
        'Angeles, Example 7.6.2, gravity',
        'm2 c12 and m3 c123 are counted twice; a1 in row 2 is a2',
        'test_gravity_vector_of_example_7_6_2',
    ),
    Misprint(
        'Angeles, Example 7.6.1, rates',
        't21dot and t31dot are p a/2 (1, -3, 0) both',
        'test_printed_twist_rates_of_example_7_6_1_are_not_those_of_the_twists',
    ),
    Misprint(
        'Angeles, Example 7.6.1, C qd',
        'p^2 (ma^2 - I, I - ma^2/4, ma^2 - I), not ma^2/2 - I in the first component',
        'test_spatial_arm_has_the_corrected_blocks_of_example_7_6_1',
    ),
    Misprint(
        'Angeles, Example 7.6.1, Idot',
        'entries (1, 3), (2, 3), (3, 1) are ma^2/4 - I, ma^2/2, ma^2/4 - I; the printed '
        'matrix is not symmetric',
        'test_printed_inertia_rate_of_example_7_6_1_is_not_the_derivative',
    ),
    Misprint(
        'Angeles, Example 7.6.1, T^T M Tdot',
        'entries (1, 1) and (3, 1) are -1/4 and 3/4, not -3/4 and 1/2',
        'test_printed_rates_of_example_7_6_1_contradict_each_other',
    ),
    Misprint(
        'Angeles, Example 7.6.1, forces',
        'f2 adds the whole of f3, not half; f1, n1, n2 and tau1 follow',
        'test_spatial_arm_has_the_corrected_bearing_loads_of_example_7_6_1',
    ),
    Misprint(
        'Angeles, Table 7.1',
        'row {c_i}, 8n and 10n, is missing: with it 82n and 66n',
        'test_tables_7_1_and_7_2_are_the_steps_of_the_code',
    ),
    Misprint(
        'Angeles, Table 7.4, Balafoutis-Patel',
        '81n - 65 is 421 at n = 6, not 420',
        'test_published_formulas_have_the_published_worth',
    ),
    Misprint(
        'Angeles, (7.117), (7.118), section 7.6',
        'the steps of the algorithm add up to 1540 and 1137 at n = 6, not 1414/1032, '
        '1450/1068, 1596/1263',
        'test_steps_of_forward_dynamics_add_up_to_1540_and_1137',
    ),
    Misprint(
        'Angeles, section 7.2',
        "800 and 595 are Walker and Orin's counts, Luh's are 852 and 738",
        'test_published_formulas_have_the_published_worth',
    ),
    Misprint(
        'Angeles, (7.88), (7.89)',
        'no dot on t_0; the lower left block is the rigid transfer X_0, not zero',
        'test_moving_base_of_7_89_carries_its_links',
    ),
    Misprint(
        'Angeles, Algorithms 7.4.1, 7.6.1, sliding joints',
        'e_i is turned into F_(i+1); b_(i+1) e_(i+1) joins delta_i',
        'test_slide_goes_along_its_own_axis',
    ),
    Misprint(
        'Angeles, Algorithm 7.4.2, sliding joints',
        'the lever is delta_i + b_(i+1) e_(i+1)',
        'test_rrp_arm_has_the_torques_of_example_7_11',
    ),
    Misprint(
        'Angeles, (7.38a) and (7.61)',
        'the wrench is at the centre of mass, and at the operation point',
        'test_tip_wrench_is_jacobian_transpose',
    ),
    Misprint(
        'Angeles, (7.19f)',
        'd(Idot qd)/dq is d(I qd)/dq',
        'test_momentum_identities_of_lagrange_hold',
    ),
    Misprint(
        'Angeles, v = T^T M thd',
        'v = T^T M Tdot thd; as printed the sizes do not meet',
        'test_velocity_terms_need_the_rate_of_the_shaping_matrix',
    ),
    Misprint(
        'Angeles, (7.66b)',
        'i starts at 2; i = 1 asks for the twist of a link 0 and cannot be evaluated',
        'test_constraints_between_two_links_start_at_the_second',
    ),
    Misprint(
        'Angeles, (7.112)',
        'the sums run over n - j: 17 n^2 - 15 n and 10 n^2 - 10 n in all',
        'test_columns_of_p_take_34_multiplications_a_step_beyond_their_first',
    ),
    Misprint(
        'Angeles, (7.121)',
        'backward Euler is the rectangle rule at the end of the step, not the trapezoid',
        'test_backward_euler_is_not_the_trapezoidal_rule_and_stays_stable',
    ),
    Misprint(
        'Angeles, section 7.6.3',
        'a Runge-Kutta method has as many stages as its order only up to four',
        'test_a_fifth_order_runge_kutta_method_has_six_stages',
    ),
    Misprint(
        'Turney, (1.27), (1.26)',
        'E and the trace are lost, which leaves nothing to evaluate; (1.26) is for principal axes',
        'test_rate_matrix_and_pseudo_inertia_identities',
    ),
    Misprint(
        'Turney, section 5, A_i',
        'entry (3, 2) of A_i is wy wz + al_x',
        'test_rate_matrix_and_pseudo_inertia_identities',
    ),
    Misprint(
        'Turney, (5.2)',
        'K_i is about the centre of mass; x of the moment is (A K)_zy - (A K)_yz',
        'test_rate_matrix_and_pseudo_inertia_identities',
    ),
    Misprint(
        'Turney, appendix',
        'second derivatives take 8n(n^2 - 1) additions, not 16n(n^2 - 1); brackets 16 '
        'multiplications more for every thdd_j, 8n(n + 1) in all, and '
        '(16/3)n(n + 1)(n + 2) + 32n additions with both orders of a second derivative; the last '
        'lines exchange the words addition and multiplication',
        'test_plan_of_the_appendix_takes_the_steps_of_table_2',
    ),
    Misprint(
        'Turney, (3.16)',
        'w_i is w_(i-1)',
        'test_angular_acceleration_of_3_16_takes_the_rate_of_the_link_before',
    ),
    Misprint(
        'Turney, (2.7) and potential energy',
        'the energy has a plus; printed with a minus and subtracted once more, which leaves '
        'G_i right',
        'test_potential_energy_grows_against_gravity',
    ),
    Misprint(
        'Turney, (4.11)', 'the factor m is missing', 'test_the_two_sets_are_equal_term_by_term'
    ),
    Misprint(
        'Turney, end of (5.2)',
        'R n_(i+1)',
        'test_moment_of_5_2_ends_in_the_turned_moment_of_the_next_link',
    ),
    Misprint(
        'Turney, most equations',
        'the dots over theta are lost: rates and angles look alike, and nothing printed can '
        'be evaluated',
        'test_newton_euler_sets_give_the_torque_of_the_package',
    ),
    Misprint(
        'Turney, section 3',
        'C^i_jk by strobing needs C^i_jj and C^i_kk subtracted',
        'test_half_the_strobed_torque_is_not_yet_the_symbol',
    ),
    Misprint(
        'Spong, Example 6.1',
        'B = r^2 Bm + Bl, not r Bm + Bl',
        'test_geared_link_has_the_corrected_damping',
    ),
    Misprint(
        'Spong, Example 6.2',
        'the names of the two angles are exchanged',
        'test_elastic_link_hangs_its_weight_on_the_angle_of_the_link',
    ),
    Misprint(
        'Spong, (6.54)',
        'g points up in P = sum m_i g^T r_ci',
        'test_potential_energy_grows_against_gravity',
    ),
    Misprint(
        'Craig, (6.10), (6.12)',
        'terms too many: five and, of a point fixed in the frame, three',
        'test_velocity_and_acceleration_in_moving_frames_are_derivatives',
    ),
    Misprint(
        'Craig, (6.45) to (6.52)',
        'rotations and subscripts are garbled, and cannot be evaluated',
        'test_iteration_gives_the_torque_of_the_package',
    ),
    Misprint(
        'Craig, section 6.7',
        'second components of vd_C1, F1 hold g c1, not g s1; vd_C2 takes wd_2 and the centre '
        'of mass of link 2',
        'test_outward_pass_has_the_corrected_values_of_section_6_7',
    ),
    Misprint(
        'Craig, pendulum',
        'm l^2 thdd + m g l sin th = tau',
        'test_pendulum_with_the_corrected_sign_has_its_known_period',
    ),
    Misprint(
        'Craig, J of two links',
        '(2, 1) lacks + l2; the printed inverse is right',
        'test_two_link_arm_has_the_corrected_cartesian_form_in_the_tip_frame',
    ),
    Misprint('Craig, (6.105)', 'M stands for Mx', 'test_cartesian_form_of_a_spatial_arm'),
    Misprint(
        'Craig, B of two links',
        '2 x 1, times the single product thd1 thd2',
        'test_two_link_arm_has_the_printed_state_and_configuration_space_form',
    ),
    Misprint(
        'Craig, sliding joint',
        'the rate of turning of the joint is zero, not w',
        'test_rp_arm_has_the_torques_of_example_6_5',
    ),
    Misprint(
        'Craig, parallel axes',
        'the product I_xy grows by + m x y; the ENTRY -I_xy by - m x y',
        'test_solids_have_the_inertias_of_examples_6_1_and_6_2',
    ),
    *(Misprint(*each) for each in JAIN),
)
