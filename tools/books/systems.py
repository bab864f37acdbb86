# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The systems that the five books treat: their places here, and the tests that move them."""

from typing import NamedTuple


class System(NamedTuple):
    """A system of a book, the functions or classes for it, and its tests.

    `robot` are the methods of Robot that serve it, below Robot; without any it is readable only.
    """

    name: str
    books: str
    functions: tuple[str, ...]
    tests: tuple[str, ...]
    robot: tuple[str, ...] = ()


J = 'formulations.jain.'
SYSTEMS = (
    System(
        'Serial arms of revolute and prismatic joints',
        'Angeles 7.4, Turney 3, Spong 6.6, Craig 6.5, Jain 5',
        ('robot.robot.Robot.inverse_dynamics', 'robot.robot.Robot.forward_dynamics'),
        ('test_all_formulations_agree', 'test_six_revolute_arm_has_the_known_torques'),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Planar and spatial arms of three joints, worked by hand',
        'Angeles, Examples 7.3.1, 7.6.1, 7.6.2, Exercises 7.11, 7.14',
        ('formulations.angeles.planar.inverse_dynamics',),
        (
            'test_planar_arm_has_the_torques_of_example_7_3_1',
            'test_spatial_arm_has_the_corrected_torque_of_example_7_6_1',
            'test_rrp_arm_has_the_torques_of_example_7_11',
            'test_planar_arm_has_the_mass_matrices_of_exercise_7_14',
        ),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Pointing arm and wrist',
        'Angeles, Exercise 7.7; Turney 6',
        ('formulations.angeles.pointing_arm.kinetic_energy',),
        ('test_pointing_arm_of_exercise_7_7', 'test_wrist_matches_its_closed_form'),
        ('energy', 'mass_matrix', 'inverse_dynamics'),
    ),
    System(
        'Arm on a moving base',
        'Angeles 7.5.2; Jain 17',
        ('formulations.angeles.moving_base.bias',),
        ('test_moving_base_equals_an_arm_on_six_joints',),
        ('extended.with_free_base', 'forward_dynamics'),
    ),
    System(
        'Belts, bevel gears and cams',
        'Angeles, Exercise 7.4',
        ('formulations.angeles.coupled_bodies.rolling',),
        (
            'test_belt_makes_rim_speeds_equal',
            'test_bevel_gears_of_any_angle_roll',
            'test_eccentric_cam_lifts_its_follower',
        ),
    ),
    System(
        'Unknown load on a wrist sensor',
        'Turney 6',
        ('formulations.turney.modified_newton_euler.inverse_dynamics',),
        ('test_wrist_sensor_stands_for_an_unknown_load',),
        ('inverse_dynamics',),
    ),
    System(
        'Mass that moves vertically',
        'Spong 6.1',
        ('formulations.spong.spong_arms.vertical_mass',),
        ('test_a_lifted_mass_obeys_its_lagrangian',),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Single link behind a gear, rigid and elastic',
        'Spong, Examples 6.1, 6.2',
        (
            'formulations.spong.spong_arms.geared_link',
            'formulations.spong.spong_arms.elastic_link',
        ),
        (
            'test_geared_link_is_a_robot_with_a_rotor',
            'test_elastic_link_conserves_energy',
            'test_one_elastic_joint_is_the_link_of_spong',
        ),
        ('inverse_dynamics', 'extended.with_elastic_joints'),
    ),
    System(
        'Cartesian arm of two slides',
        'Spong 6.4',
        ('formulations.spong.spong_arms.cartesian',),
        ('test_cartesian_arm_has_the_known_forces',),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Planar elbow, also driven from the base',
        'Spong 6.4; Craig 6.7',
        (
            'formulations.spong.spong_arms.planar_elbow',
            'formulations.spong.spong_arms.remotely_driven',
        ),
        (
            'test_planar_elbow_has_the_known_matrices',
            'test_remotely_driven_elbow_has_the_known_matrices',
            'test_two_link_arm_has_the_printed_state_and_configuration_space_form',
        ),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Five-bar linkage',
        'Spong 6.4',
        ('formulations.spong.spong_arms.five_bar',),
        (
            'test_five_bar_linkage_has_the_known_matrices',
            'test_five_bar_comes_from_the_energies_of_its_bars',
        ),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Two links that turn and slide, bodies of simple shape',
        'Craig, Examples 6.1, 6.2, 6.5',
        ('formulations.craig.iterative_newton_euler.inverse_dynamics',),
        (
            'test_rp_arm_has_the_torques_of_example_6_5',
            'test_solids_have_the_inertias_of_examples_6_1_and_6_2',
        ),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Pendulum with friction, and friction of every joint',
        'Angeles 7.8; Craig 6.8, 6.9',
        ('formulations.angeles.dissipation.Friction',),
        (
            'test_pendulum_with_the_corrected_sign_has_its_known_period',
            'test_friction_is_added_to_the_torque_and_taken_from_the_motion',
        ),
        ('extended.with_joint_friction',),
    ),
    System(
        'One rigid body, and hinges of every kind',
        'Jain 1 to 3, appendices A, B',
        (f'{J}single_body.spatial_inertia', f'{J}hinges.Hinge', f'{J}attitude.quaternion_rate'),
        ('test_four_forms_give_the_same_force', 'test_hinge_map_is_the_velocity_of_the_placement'),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Trees of bodies',
        'Jain 4 to 9',
        (f'{J}operators.spatial_operators.SpatialOperators',),
        (
            'test_velocities_are_those_of_the_operators',
            'test_mass_matrix_and_factors_of_any_sizes',
        ),
        ('links.operators', 'mass_operator.factors', 'forward_dynamics'),
    ),
    System(
        'Closed loops, two arms with one load, contacts',
        'Jain 11, 14, 15',
        (
            f'{J}constraints.direct.forward_dynamics',
            f'{J}embedding.constraint_embedding.Embedding',
        ),
        (
            'test_all_routes_are_the_direct_solution',
            'test_embedded_forward_dynamics_are_the_direct_solution',
            'test_dual_arm_dynamics_solve_the_kkt_system',
            'test_contact_forces_are_the_one_solution',
        ),
        ('forward_dynamics', 'constraint_forces', 'task_space.constrained_dynamics'),
    ),
    System(
        'Move and squeeze torques of more motors than freedoms',
        'Jain 11.2.1',
        (f'{J}constraints.move_squeeze.decompose',),
        (
            'test_squeeze_torques_move_nothing_and_move_torques_are_smallest',
            'test_fourteen_motors_share_what_the_bar_leaves_to_them',
            'test_squeeze_torques_only_strain',
        ),
        ('loops.actuator_torques',),
    ),
    System(
        'Geared motors as bodies',
        'Jain 12',
        (f'{J}gears.geared_chain.GearedChain',),
        ('test_geared_mass_matrix_by_every_route', 'test_geared_forward_dynamics_by_every_route'),
        ('inverse_dynamics', 'forward_dynamics'),
    ),
    System(
        'Flexible links and elastic joints',
        'Jain 13; Spong, Example 6.2',
        (
            f'{J}flexible.flexible_tree.FlexibleTree',
            'algorithms.flexible.forward_dynamics.forward_dynamics',
        ),
        (
            'test_forward_dynamics_of_flexible_links_by_every_route',
            'test_forward_dynamics_is_algorithm_13_7',
            'test_flexible_arm_has_the_frequencies_of_many_small_bodies',
            'test_elastic_joints_solve_the_equations_of_the_tree',
        ),
        ('extended.with_flexible_links', 'extended.with_elastic_joints'),
    ),
    System(
        'Arms with joints that have no motor',
        'Jain 16',
        (
            f'{J}under_actuated.hybrid_dynamics.hybrid_dynamics',
            f'{J}under_actuated.generalized_jacobian.computed_torque',
        ),
        (
            'test_hybrid_dynamics_solve_the_equations_of_motion',
            'test_computed_torque_moves_the_arm_of_the_node_as_commanded',
        ),
        ('variants.hybrid_dynamics',),
    ),
    System(
        'Free-flying robots',
        'Jain 17',
        (f'{J}free_flying.base_invariant.forward_dynamics',),
        ('test_every_link_finds_its_acceleration', 'test_free_base_of_the_package'),
        ('extended.with_free_base', 'forward_dynamics', 'centroidal.momentum'),
    ),
    System(
        'Operational-space inertias P + S of all links of a free-flyer, by two sweeps',
        'Jain 17.4',
        (f'{J}free_flying.base_invariant.operational_inertias',),
        ('test_operational_inertia_of_every_link_is_p_plus_s',),
    ),
    System(
        'Free-flyer with another link as its base',
        'Jain 17.3',
        (f'{J}free_flying.base_switch.switched',),
        ('test_links_move_as_before_on_another_base', 'test_forward_dynamics_from_another_base'),
    ),
    System(
        'Arms in diagonal velocities',
        'Jain 19',
        (f'{J}diagonalised.diagonal_motion.motion',),
        ('test_motion_is_that_of_the_package', 'test_every_diagonal_velocity_decays_by_itself'),
        ('mass_operator.factor_product', 'mass_operator.joint_inertias'),
    ),
)
