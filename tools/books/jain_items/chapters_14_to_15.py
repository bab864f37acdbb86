# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of chapters 14 and 15: aggregation and constraint embedding."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        128,
        '14.1',
        'Lem 14.1, Ex 14.1',
        'Induced and path-induced sub-graphs, parts C, S, P',
        'n depth',
        functions=(
            'formulations.jain.embedding.subgraphs.induced_edges',
            'formulations.jain.embedding.subgraphs.path_induced',
            'formulations.jain.embedding.subgraphs.partition',
        ),
        tests=(
            'test_induced_subgraphs_keep_the_edges',
            'test_subgraphs_contain_each_other',
            'test_path_induced_subgraphs_part_the_tree',
        ),
    ),
    Item(
        129,
        '14.2',
        'Lem 14.2 (14.2 to 14.5)',
        'SKO and SPO operators by parts',
        'n^3',
        functions=(
            'formulations.jain.embedding.partitioned.parts',
            'formulations.jain.embedding.partitioned.resolvent',
        ),
        tests=('test_operators_of_the_whole_follow_from_the_parts',),
    ),
    Item(
        130,
        '14.2.2',
        'Ex 14.2 (14.6, 14.7)',
        'Mass matrix of the outer bodies',
        'n^3',
        functions=('formulations.jain.embedding.partitioned.mass_matrix_by_parts',),
        tests=(
            'test_outer_mass_matrix_does_not_know_what_is_inboard',
            'test_connector_of_14_7_is_transposed_inside',
        ),
        correction="(14.7): E_S' inside X and Y",
    ),
    Item(
        131,
        '14.3',
        '14.8 to 14.10',
        'Serial branches and the zeros they make',
        'n^2',
        functions=(
            'formulations.jain.embedding.branches.branches',
            'formulations.jain.embedding.branches.resolvent_blocks',
        ),
        tests=('test_branches_make_the_zeros',),
    ),
    Item(
        132,
        '14.4',
        'Lem 14.3 to 14.6 (14.11)',
        'Which sub-graphs may become one node',
        'n depth',
        functions=(
            'formulations.jain.embedding.subgraphs.may_aggregate',
            'formulations.jain.embedding.subgraphs.aggregation',
            'formulations.jain.embedding.subgraphs.aggregated_edges',
        ),
        tests=(
            'test_aggregates_leave_a_tree_just_where_they_have_one_parent',
            'test_subgraphs_contain_each_other',
            'test_root_of_lemma_14_6_stays_where_it_belongs_to_s',
        ),
        correction='Lem 14.6: a root in S stays',
    ),
    Item(
        133,
        '14.5, 14.6',
        'Lem 14.7 to 14.9, Ex 14.3 (14.12 to 14.37)',
        'Aggregated SKO model',
        'n_S^2',
        functions=(
            'formulations.jain.embedding.aggregation.aggregate',
            'formulations.jain.embedding.aggregation.resolvent_of',
        ),
        tests=(
            'test_aggregation_changes_no_motion',
            'test_operators_of_an_aggregated_tree',
            'test_two_aggregates_one_after_the_other',
            'test_aggregates_with_several_parents_are_refused',
        ),
        correction="(14.20), (14.21): H_S A_S and A_S' a_S; (14.29): A(j, c) in the rows of j",
    ),
    Item(
        134,
        '15.1',
        '',
        'Constraint embedding: spanning tree, sub-graphs, one node each',
        'n depth',
        functions=(
            'formulations.jain.embedding.subgraphs.loop',
            'formulations.jain.embedding.constraint_embedding.merged',
            'formulations.jain.embedding.constraint_embedding.embed',
        ),
        tests=(
            'test_cut_edges_of_a_digraph_make_their_subgraphs',
            'test_subgraphs_of_the_examples_are_minimal',
            'test_merging_reaches_a_third_subgraph',
            'test_user_chooses_the_independent_velocities',
        ),
    ),
    Item(
        135,
        '15.1.1',
        'Lem 15.1, 15.2 (15.1 to 15.12)',
        'SKO model with embedded constraints',
        'n',
        functions=(
            'formulations.jain.embedding.constraint_embedding.embed',
            'formulations.jain.embedding.constraint_embedding.restrict',
            'formulations.jain.embedding.constraint_embedding.Embedding',
        ),
        tests=(
            'test_velocities_of_all_three_models_are_one',
            'test_embedded_mass_matrix_is_the_projected_one',
            'test_embedded_inverse_dynamics_projects_the_tree_torques',
            'test_compliance_of_a_closed_chain',
        ),
    ),
    Item(
        136,
        '15.2',
        '15.13 to 15.15',
        'Gears, and a four-bar cut at its end or inside',
        'n',
        functions=(
            'formulations.jain.embedding.constraint_embedding.Coupling',
            'formulations.jain.constraints.loop_constraints.Loop',
        ),
        tests=(
            'test_gears_are_a_special_case_of_constraint_embedding',
            'test_four_bar_terms_match_the_example',
            'test_child_of_15_14_hangs_on_its_own_parent',
        ),
        correction='(15.14), (15.15): phi(j, c) in the rows of j',
    ),
    Item(
        137,
        '15.3',
        '15.16 to 15.23',
        'Articulated-body forward dynamics of closed chains',
        'n + n_S^2 + n_R^3',
        functions=(
            'formulations.jain.sko.dynamics.forward_dynamics',
            'formulations.jain.articulated_bodies.articulated',
            'formulations.jain.embedding.constraint_embedding.Embedding.multipliers',
        ),
        tests=(
            'test_embedded_forward_dynamics_are_the_direct_solution',
            'test_joint_inertia_of_an_aggregate_is_its_projection',
            'test_motion_in_independent_velocities_keeps_loops_and_energy',
            'test_closed_chains_agree_with_constraint_dynamics_of_pinocchio',
            'test_joint_map_of_15_22_is_that_of_the_aggregate',
        ),
        correction="(15.22): H_RS is X_S' H_S A_S",
    ),
    Item(
        138,
        '15.4',
        'Ex 15.1 (15.24 to 15.27)',
        'Velocities by the independent ones, and the rate of the map',
        'n_c^3',
        functions=(
            'formulations.jain.embedding.independent.reduction',
            'formulations.jain.embedding.independent.map_rate',
            'formulations.jain.embedding.independent.of_coordinates',
        ),
        tests=('test_rate_of_the_velocity_map', 'test_nonlinear_couplings_by_complex_step'),
    ),
    Item(
        139,
        '15.5',
        '',
        'Several loops, bases and children; the world; many hinges; rank',
        'n',
        functions=(
            'formulations.jain.embedding.constraint_embedding.embed',
            'formulations.jain.embedding.constraint_embedding.Coupling',
            'formulations.jain.embedding.independent.rank_margin',
        ),
        tests=(
            'test_embedded_forward_dynamics_are_the_direct_solution',
            'test_gears_mimic_joints_and_differentials_embed',
            'test_loops_and_couplings_embed_together',
            'test_loops_that_close_on_the_world',
            'test_rank_is_lost_where_a_four_bar_folds',
            'test_choices_that_do_not_fit_are_refused',
        ),
    ),
)
