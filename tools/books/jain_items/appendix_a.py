# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's appendix A: identities of vectors and matrices."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        152,
        'A.1, A.2',
        'A.1, A.2',
        'Cross products, norms',
        functions=('formulations.posture.skew',),
        tests=('test_cross_products_of_three_vectors',),
    ),
    Item(
        153,
        'A.3',
        'A.3 to A.16',
        'Matrices by blocks, with constraints',
        'n^3',
        functions=(
            'formulations.jain.matrix_identities.factors',
            'formulations.jain.matrix_identities.solve_by_d',
            'formulations.jain.matrix_identities.solve_by_a',
            'formulations.jain.matrix_identities.solve_constrained',
        ),
        tests=(
            'test_block_factors_solve_block_systems',
            'test_block_solutions_satisfy_their_constraints',
        ),
    ),
    Item(
        154,
        'A.4 to A.6',
        'A.17 to A.29',
        'Inverses of sums, resolvents, gradients, rates of inverse and determinant',
        'n^3',
        functions=(
            'formulations.jain.matrix_identities.updated_inverse',
            'formulations.jain.digraph.power_series',
            'formulations.complex_step.gradient',
            'formulations.jain.matrix_identities.inverse_rate',
            'formulations.jain.matrix_identities.log_det_rate',
        ),
        tests=(
            'test_inverses_of_sums_and_resolvents',
            'test_gradients_of_products_and_chains',
            'test_rates_of_inverses_and_determinants',
            'test_trace_of_a_29_has_the_inverse_and_not_its_transpose',
        ),
        correction='(A.29): A^-1',
    ),
)
