# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's chapter 13: flexible links."""

from tools.books.jain_items.item import Item

_FLEXIBLE = 'formulations.jain.flexible'

ITEMS = (
    Item(
        114,
        '13.1.1, 13.1.2',
        '13.1 to 13.11',
        'Nodes of a flexible body, the lumped form',
        'nodes',
        functions=(
            f'{_FLEXIBLE}.nodal_body.NodalBody',
            f'{_FLEXIBLE}.nodal_body.NodalBody.velocities',
            f'{_FLEXIBLE}.nodal_body.NodalBody.forces',
        ),
        tests=(
            'test_nodal_equations_give_the_modal_ones',
            'test_force_of_nodes_with_inertia_is_that_of_the_whole_body',
        ),
    ),
    Item(
        115,
        '13.1.3',
        '13.12 to 13.19',
        'Bodies joined at their nodes',
        functions=(
            f'{_FLEXIBLE}.nodal_body.NodalBody.interaction',
            f'{_FLEXIBLE}.nodal_body.NodalBody.lumped',
            f'{_FLEXIBLE}.modal_body.Interface',
            'model.extended.flexible_links.with_flexible_links',
        ),
        tests=(
            'test_nodal_equations_give_the_modal_ones',
            'test_lumped_links_move_as_links_with_all_their_modes',
            'test_interfaces_move_as_their_poses',
            'test_frequencies_are_those_of_euler_and_bernoulli',
        ),
    ),
    Item(
        116,
        '13.2, 13.2.1',
        '13.20 to 13.27, 13.39',
        'Modes, modal mass and stiffness matrix',
        'nodes n_md^2',
        functions=(
            f'{_FLEXIBLE}.modal_body.ModalBody',
            f'{_FLEXIBLE}.modal_body.ModalBody.mass',
            f'{_FLEXIBLE}.nodal_body.NodalBody.modal',
        ),
        tests=(
            'test_modal_integrals_of_a_uniform_beam_are_closed_forms',
            'test_rigid_links_are_those_of_chapter_5',
            'test_sizes_and_modes_that_do_not_meet_are_refused',
        ),
        correction='after (13.27): a rigid body has n_md = 0',
    ),
    Item(
        117,
        '13.2',
        '',
        'Modes of uniform beams, Craig-Bampton sets',
        'nodes n_md^2',
        functions=(
            f'{_FLEXIBLE}.beam.uniform_beam',
            f'{_FLEXIBLE}.beam.natural_frequencies',
            f'{_FLEXIBLE}.craig_bampton.craig_bampton',
        ),
        tests=(
            'test_uniform_beam_is_orthogonal_with_the_frequencies_of_euler_and_bernoulli',
            'test_pinned_beam_has_the_frequencies_of_its_closed_form',
            'test_mass_at_the_tip_lowers_the_frequencies_as_in_closed_form',
            'test_two_half_beams_are_the_whole_and_need_a_loaded_tip',
            'test_craig_bampton_sets_join_to_the_whole_of_their_finite_elements',
            'test_sets_in_another_order_are_refused',
        ),
    ),
    Item(
        118,
        '13.2.2',
        '13.28 to 13.31',
        'Velocities across flexible bodies',
        'n',
        functions=(
            f'{_FLEXIBLE}.flexible_tree.flexible_tree',
            f'{_FLEXIBLE}.flexible_tree.velocities',
        ),
        tests=(
            'test_node_of_13_30_is_where_the_body_hangs',
            'test_modal_map_of_13_31_has_a_column_for_every_mode',
            'test_bias_of_flexible_links_is_that_of_lagrange',
        ),
        correction='(13.28), (13.30): node O_k^+ of body k + 1; Pi_B is 6 x n_md',
    ),
    Item(
        119,
        '13.2.3',
        '13.32 to 13.35',
        'Accelerations across flexible bodies',
        'n',
        functions=(
            f'{_FLEXIBLE}.flexible_tree.coriolis_accelerations',
            f'{_FLEXIBLE}.nodal_body.NodalBody.accelerations',
        ),
        tests=(
            'test_bias_of_flexible_links_is_that_of_lagrange',
            'test_interfaces_move_as_their_poses',
            'test_acceleration_of_13_32_has_the_second_rate_of_the_modes',
        ),
        correction='(13.32): alpha_fl = [etaddot; alpha]',
    ),
    Item(
        120,
        '13.2.4, 13.2.5',
        '13.36 to 13.41',
        'Modal forces, gyroscopic and of strain',
        'n',
        functions=(
            f'{_FLEXIBLE}.modal_body.ModalBody.gyroscopic',
            f'{_FLEXIBLE}.modal_body.ModalBody.strain_force',
            f'{_FLEXIBLE}.flexible_tree.bias_forces',
        ),
        tests=(
            'test_nodal_equations_give_the_modal_ones',
            'test_bias_of_flexible_links_is_that_of_lagrange',
            'test_strain_of_13_47_comes_from_the_deformation',
        ),
    ),
    Item(
        121,
        '13.3',
        '13.42 to 13.50',
        'SKO model of flexible links',
        'n',
        functions=(
            f'{_FLEXIBLE}.flexible_tree.sko_model',
            f'{_FLEXIBLE}.flexible_tree.FlexibleTree',
        ),
        tests=(
            'test_mass_matrix_of_flexible_links_by_every_route',
            'test_energy_of_a_free_flexible_robot_changes_by_the_power_put_in',
            'test_flexible_arm_has_the_frequencies_of_many_small_bodies',
        ),
        correction='(13.47) to (13.50), (13.63): K vartheta, without a dot',
    ),
    Item(
        122,
        '13.4',
        'Alg 13.1 (13.51 to 13.55)',
        'Inverse dynamics of flexible links',
        'n',
        functions=(f'{_FLEXIBLE}.flexible_inverse_dynamics.inverse_dynamics',),
        tests=(
            'test_inverse_dynamics_of_flexible_links_by_every_route',
            'test_rigid_links_are_those_of_chapter_5',
        ),
        correction='(13.52): A_fl(k) has Pi of O_(k-1)^+',
    ),
    Item(
        123,
        '13.5',
        'Alg 13.2, Lem 13.1 (13.56 to 13.58)',
        'Mass matrix of flexible links',
        'n^2',
        functions=(f'{_FLEXIBLE}.flexible_mass_matrix.mass_matrix',),
        tests=(
            'test_mass_matrix_of_flexible_links_by_every_route',
            'test_factors_of_the_flexible_mass_matrix',
        ),
    ),
    Item(
        124,
        '13.6, 13.7',
        'Alg 13.3, 13.4, Lem 13.2 (13.59 to 13.63)',
        'Articulated bodies and forward dynamics, standard',
        'n n_md^3',
        functions=(
            'formulations.jain.articulated_bodies.articulated',
            'formulations.jain.sko.dynamics.forward_dynamics',
        ),
        tests=(
            'test_factors_of_the_flexible_mass_matrix',
            'test_forward_dynamics_of_flexible_links_by_every_route',
        ),
    ),
    Item(
        125,
        '13.7.1',
        'Alg 13.5, 13.6 (13.64 to 13.69)',
        'Modes first, hinges then: two stages, and simplified',
        'n n_md^3',
        functions=(
            f'{_FLEXIBLE}.flexible_articulated.two_stages',
            f'{_FLEXIBLE}.flexible_articulated.simplified',
        ),
        tests=(
            'test_two_stages_are_the_standard_algorithm_in_smaller_steps',
            'test_two_stages_of_13_66_have_the_modes_outside',
        ),
        correction='(13.66): H_R at the inboard node, H_M at the outboard one',
    ),
    Item(
        126,
        '13.7.2',
        'Alg 13.7',
        'Forward dynamics of flexible links, simplified',
        'n n_md^3',
        functions=(
            f'{_FLEXIBLE}.flexible_forward_dynamics.forward_dynamics',
            'algorithms.flexible.forward_dynamics.forward_dynamics',
        ),
        tests=(
            'test_forward_dynamics_of_flexible_links_by_every_route',
            'test_forward_dynamics_is_algorithm_13_7',
            'test_one_mode_of_rotation_is_the_elastic_joint_of_spong',
        ),
    ),
    Item(
        127,
        '13.7.2',
        'Ex 13.1 (13.70, 13.71)',
        'Inverse of D_m by an update, quadratic in the modes',
        'n n_md^2',
        functions=(
            f'{_FLEXIBLE}.flexible_articulated.modal_inverses',
            f'{_FLEXIBLE}.flexible_articulated.simplified',
        ),
        tests=(
            'test_quadratic_update_of_the_modal_inverse',
            'test_factors_take_fewer_operations_up_to_forty_modes',
            'test_articulated_weight_of_13_70_is_singular',
        ),
        correction="(13.70): L - U Gamma (1 + O Gamma)^-1 U', as Gamma has no inverse",
    ),
)
