# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's appendix B: attitude."""

from tools.books.jain_items.item import Item

ITEMS = (
    Item(
        155,
        'B',
        'B.1, B.2',
        'ZXZ Euler angles, their rates and second rates, both ways',
        functions=(
            'formulations.jain.attitude.euler_zxz',
            'formulations.jain.attitude.euler_zxz_velocity',
            'formulations.jain.attitude.euler_zxz_rates',
            'formulations.jain.attitude.euler_zxz_accelerations',
        ),
        tests=(
            'test_euler_angle_rates_give_the_angular_velocity',
            'test_rates_of_euler_angles_come_back_from_the_angular_velocity',
            'test_entry_33_of_b_1_is_the_cosine_of_gamma',
        ),
        correction='(B.1): R33 is cos gamma',
    ),
    Item(
        156,
        'B',
        'B.5, B.8, B.10, B.11',
        'Angle and axis, their rates and second rates; characteristic polynomials',
        functions=(
            'formulations.jain.attitude.axis_angle_velocity',
            'formulations.jain.attitude.axis_angle_rates',
            'formulations.jain.attitude.axis_angle_accelerations',
            'formulations.jain.attitude.characteristic_of_cross',
            'formulations.jain.attitude.characteristic_of_rotation',
        ),
        tests=(
            'test_rates_of_axis_and_angle_give_the_angular_velocity',
            'test_second_rates_of_axis_and_angle_are_those_along_the_motion',
            'test_cross_products_and_rotations_have_the_polynomials_of_b_5_and_b_8',
        ),
    ),
    Item(
        157,
        'B',
        'B.14, B.34 to B.43',
        'Unit quaternions: products, rates, second rates',
        functions=(
            'formulations.jain.attitude.quaternion',
            'formulations.jain.attitude.e_plus',
            'formulations.jain.attitude.e_minus',
            'formulations.jain.attitude.quaternion_rate',
            'formulations.jain.attitude.quaternion_velocity',
            'formulations.jain.attitude.quaternion_velocity_fixed',
            'formulations.jain.attitude.quaternion_acceleration',
            'formulations.jain.attitude.angular_acceleration',
        ),
        tests=(
            'test_quaternion_products_compose_rotations',
            'test_quaternion_rates_give_the_angular_velocity',
            'test_second_rate_of_b_42_turns_towards_the_quaternion',
            'test_velocity_in_fixed_axes_is_that_of_the_body_turned',
            'test_both_terms_of_b_37_are_doubled',
            'test_square_of_b_43_is_added',
        ),
        correction='(B.37), (B.40): 2 before both terms; (B.42): - |omega|^2 q / 4; (B.43): +',
    ),
    Item(
        158,
        'B',
        'B.45, B.47, B.49',
        'Gibbs vectors; rotations that take a to b',
        functions=(
            'formulations.jain.attitude.gibbs_rotation',
            'formulations.jain.attitude.gibbs_rate',
            'formulations.jain.attitude.gibbs_acceleration',
            'formulations.jain.attitude.gibbs_between',
        ),
        tests=(
            'test_rates_of_gibbs_vectors_give_the_angular_velocity',
            'test_second_rate_of_a_gibbs_vector_is_that_along_the_motion',
            'test_rotations_of_b_49_take_one_vector_to_the_other',
        ),
        correction='solution B.18: (a - b) x (a + b)',
    ),
)
