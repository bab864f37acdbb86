# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's chapters 16 and 17."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        140,
        '16.1',
        '16.1 to 16.5',
        'Equations of motion of driven and free hinges',
        'n^3',
        functions=(
            'formulations.jain.under_actuated.mixed_blocks.mixed_blocks',
            'formulations.jain.under_actuated.arms.active_arm',
            'formulations.jain.under_actuated.arms.passive_arm',
        ),
        tests=(
            'test_blocks_of_16_4_give_the_mixed_solution',
            'test_blocks_of_lemma_16_1_are_schur_complements',
            'test_active_hinges_are_one_bool_a_body',
        ),
    ),
    Item(
        141,
        '16.1.1',
        'Alg 16.1 (16.6 to 16.10)',
        'Articulated inertias of the passive arm',
        'n',
        functions=('formulations.jain.under_actuated.arms.passive_arm',),
        tests=(
            'test_passive_arm_inertias_lie_between_articulated_and_composite',
            'test_riccati_equation_of_16_8_has_psi_on_one_side',
        ),
        correction="(16.8): M = P - E_psi P E_phi'",
    ),
    Item(
        142,
        '16.1.2',
        'Lem 16.1, Ex 16.1 (16.11 to 16.13)',
        'Blocks S by operators',
        'n^3',
        functions=('formulations.jain.under_actuated.mixed_blocks.mixed_blocks',),
        tests=(
            'test_blocks_of_lemma_16_1_are_schur_complements',
            'test_free_hinges_lower_the_inertia_of_driven_ones',
        ),
    ),
    Item(
        143,
        '16.2',
        'Alg 16.2, Lem 16.2 (16.14 to 16.17)',
        'Generalised (hybrid) dynamics',
        'n',
        functions=('formulations.jain.under_actuated.hybrid_dynamics.hybrid_dynamics',),
        tests=(
            'test_hybrid_dynamics_solve_the_equations_of_motion',
            'test_blocks_of_16_4_give_the_mixed_solution',
            'test_all_active_is_inverse_and_all_passive_forward_dynamics',
            'test_torque_of_16_15_takes_the_acceleration_inside_p',
        ),
        correction='(16.15c): z stands outside P',
    ),
    Item(
        144,
        '16.3.1',
        'Alg 16.3, Lem 16.3, Ex 16.2 (16.19 to 16.22)',
        'Generalised Jacobian',
        'n N_a',
        functions=(
            'formulations.jain.under_actuated.generalized_jacobian.jacobians',
            'formulations.jain.under_actuated.generalized_jacobian.products',
        ),
        tests=('test_generalized_jacobian_has_the_motion_of_free_hinges',),
        correction="Ex 16.2: J_a = B' phi' H_a'",
    ),
    Item(
        145,
        '16.3.3',
        'Lem 16.4 (16.20, 16.23, 16.24)',
        'Disturbance Jacobian',
        'n N_a',
        functions=('formulations.jain.under_actuated.generalized_jacobian.jacobians',),
        tests=(
            'test_generalized_jacobian_has_the_motion_of_free_hinges',
            'test_base_jacobian_of_a_free_flyer_keeps_the_momentum_zero',
        ),
    ),
    Item(
        146,
        '16.3.2',
        'Alg 16.4 (16.25)',
        'Computed torque with motors lost',
        'n N_a',
        functions=('formulations.jain.under_actuated.generalized_jacobian.computed_torque',),
        tests=(
            'test_computed_torque_moves_the_node_as_asked',
            'test_redundant_motors_hold_the_free_hinge',
        ),
    ),
    Item(
        147,
        '16.4',
        '16.26 to 16.28',
        'Free-flyer as an under-actuated robot',
        'n^2',
        functions=('formulations.jain.under_actuated.generalized_jacobian.base_jacobian',),
        tests=('test_base_jacobian_of_a_free_flyer_keeps_the_momentum_zero',),
    ),
    Item(
        148,
        '17.1',
        'Alg 17.1 (17.3 to 17.6)',
        'Articulated inertias of the dual model',
        'n',
        functions=('formulations.jain.free_flying.base_invariant.dual',),
        tests=(
            'test_dual_hinges_pass_on_nothing_along_themselves',
            'test_dual_is_for_free_flyers',
        ),
    ),
    Item(
        149,
        '17.2',
        'Alg 17.2, 17.3, Lem 17.1 (17.7 to 17.12)',
        'Base-invariant forward dynamics',
        'n',
        functions=('formulations.jain.free_flying.base_invariant.forward_dynamics',),
        tests=(
            'test_every_link_finds_its_acceleration',
            'test_free_base_of_the_package',
            'test_dual_bias_of_17_7_belongs_to_its_own_hinge',
        ),
        correction='(17.7): a_d(k) = -a(k); Alg 17.2 begins with the wrench on the base',
    ),
    Item(
        150,
        '17.4',
        'Alg 17.5, Lem 17.3 to 17.6 (17.47 to 17.52)',
        'Operational-space inertia of every link',
        'n',
        functions=('formulations.jain.free_flying.base_invariant.operational_inertias',),
        tests=('test_operational_inertia_of_every_link_is_p_plus_s',),
    ),
)
