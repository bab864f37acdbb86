# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fault table: what goes wrong, what happens, and which tests show it beside `test_row_N_*`.

What no test shows is in the last field of a row, with the reason.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    number: int
    fault: str
    happens: str
    tests: str = ''  # file::function without their test_, separated by spaces
    untested: str = ''  # what no test shows, and why


ROWS = tuple(
    Row(number, *fields)
    for number, fields in enumerate(
        (
            (
                'No robot description',
                'WAIT_MODEL; nothing is published.',
                'controller_lifecycle::without_a_description_it_waits_and_publishes_nothing',
            ),
            (
                'A description that is late, repeated or another one',
                'A late one is accepted, the same one ignored, another one reported and ignored '
                'while configured.',
                'controller_lifecycle::it_becomes_active_in_any_order_of_starts',
            ),
            (
                'No joint states yet',
                'WAIT_STATE; no effort.',
                'supervisor_states::without_joint_state_it_waits_and_publishes_nothing',
            ),
            (
                'Joint states stop',
                'STALE within state_timeout and two periods: the predicted motion is braked, and '
                'the weight held by stale_action. What was followed is not resumed.',
                'controller_inputs::stale_states_lead_to_gravity_then_to_nothing',
            ),
            (
                'Fresh stamps, frozen values',
                'Of a joint that moves: STALE by stuck_action. At rest only with stuck_at_rest.',
                'sensor_and_perturbation::a_frozen_sensor_repeats_and_a_lossy_one_drops '
                'controller_simulated::a_robot_that_dies_behind_a_broadcaster_is_lost '
                'control_library::a_lost_robot_is_found_under_a_constant_torque_if_asked_for',
            ),
            (
                'Stamps that are zero, old, ahead or impossible',
                'Age counts from the receipt; such a stamp is ignored for the order. A trajectory '
                'with an impossible one is refused.',
                'controller_inputs::stamps_do_not_matter '
                'controller_inputs::an_impossible_stamp_is_refused',
            ),
            (
                'NaN, infinity, 1e308, subnormal numbers in a state',
                'Refused whole, the last valid one stays; STALE if it persists.',
                'controller_inputs::a_bad_joint_state_is_refused_and_the_controller_recovers',
            ),
            (
                'NaN or empty effort, empty velocity',
                'Efforts are ignored; a state without velocities is refused.',
                'messages::effort_of_any_length_is_ignored '
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'False lengths, messages of any size',
                'Refused by bytes, then by counts, before '
                'anything loops; large ones are taken and read without the GIL.',
                'messages::an_enormous_message_is_refused_by_its_size '
                'any_sender::lengths_that_lie_take_no_memory '
                'controller_faults::huge_joint_states_are_refused_by_their_size',
            ),
            (
                'Other joints only',
                'Refused, the missing ones are named; STALE in time.',
                'messages::missing_joints_are_named '
                'controller_inputs::a_bad_joint_state_is_refused_and_the_controller_recovers',
            ),
            (
                'A joint missing',
                'Refused as incomplete.',
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'Extra joints, changing order',
                'Read by name, message by message.',
                'messages::every_permutation_is_read_by_name '
                'controller_inputs::order_and_extra_joints_do_not_matter',
            ),
            (
                'A joint twice',
                'Refused, DUPLICATE_JOINT.',
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'Two publishers of joint states',
                'Reported in log and diagnostics.',
                'controller_faults::two_publishers_of_joint_states_are_reported',
            ),
            (
                'States out of order, or repeated',
                'Older ones are dropped and counted; a clock that is set back costs two of them.',
            ),
            (
                'A position beyond its limit',
                'Beyond the margin only torque inwards.',
                'control_guards::beyond_a_position_limit_torque_only_acts_inwards',
            ),
            (
                'A velocity beyond its limit',
                'Torque only brakes; beyond overspeed FAULT.',
                'control_guards::above_the_velocity_limit_torque_only_brakes '
                'supervisor_faults::an_arm_that_races_gets_the_safe_torque',
            ),
            (
                'A step of the reference',
                'Refused beyond what the velocity limit allows.',
                'controller_inputs::streamed_targets_are_followed_and_their_end_is_a_hold',
            ),
            (
                'An invalid reference',
                'Refused whole with a sentence; what is followed goes on.',
                'control_trajectory::senseless_trajectory_is_refused_with_a_sentence '
                'controller_inputs::a_bad_trajectory_is_refused_whole',
            ),
            ('The reference stops', 'HOLD within reference_timeout and two periods, no drift.'),
            (
                'References from before activation',
                'Dropped.',
                'supervisor_states::reference_before_activation_is_discarded '
                'supervisor_states::reference_from_before_a_deactivation_is_not_resumed',
            ),
            (
                'A stop that reaches some joints',
                'Every message holds every joint.',
                'messages::what_is_filled_in_is_what_is_read '
                'supervisor_states::deactivation_goes_to_the_safe_torque_and_then_ends',
            ),
            (
                'Saturation, limits changed live',
                'Clamped; a lowered limit is approached at the rate; what learns stops.',
                'controller_inputs::effort_limits_clamp_and_are_reported',
            ),
            (
                'Invalid parameters',
                'Refused as a whole; the values in force stay.',
                'controller_inputs::bad_parameters_are_refused_and_nothing_changes '
                'parameters::an_enormous_array_is_refused_by_its_size',
            ),
            (
                'Gains changed while moving',
                'Between two cycles, at the rate limit.',
                'supervisor_states::gain_change_while_moving_is_continuous',
            ),
            (
                'Parameters of another type, undeclared ones',
                'Refused.',
                'manners::a_gain_of_an_unknown_joint_names_those_that_there_are '
                'parameters::type_change_and_undeclaring_are_refused '
                'parameters::when_a_parameter_may_change',
            ),
            (
                'A text that is no URDF',
                'A sentence with line or element.',
                'urdf_refusals::what_is_not_a_urdf_is_refused '
                'urdf_refusals::any_bytes_spliced_in_give_a_model_or_a_sentence',
            ),
            (
                'XML bombs, 50 MB, 300 000 links',
                'Refused; little memory, no file opened.',
                'urdf_refusals::a_bomb_is_refused '
                'urdf_refusals::bombs_stay_small_in_memory_and_open_no_file',
            ),
            (
                'Numbers such as nan, 1e400, 0x10',
                'Refused with the element.',
                'urdf_refusals::any_number_replaced_gives_a_model_or_a_sentence '
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'A moving link without mass',
                'Where nothing behind it has mass, dynamics are refused; kinematics work.',
                'model_build::a_tip_that_has_nothing_to_move_has_no_dynamics',
            ),
            (
                'Masses that are negative or absurd',
                'Refused.',
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'Inertias no body can have',
                'Refused or reported.',
                'urdf_refusals::the_sentence_names_the_element '
                'model_report::a_doubtful_thing_is_named',
            ),
            (
                'Axes that are zero, not of length one, missing',
                'Refused, normalised, x.',
                'urdf_refusals::the_sentence_names_the_element '
                'model_report::a_doubtful_thing_is_named '
                'urdf::origin_defaults_to_identity_and_axis_to_x',
            ),
            (
                'Loops, two roots, orphans, names twice',
                'Refused with the names.',
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'Joint types, mimic joints',
                'Supported, or refused by name.',
                'urdf_refusals::the_sentence_names_the_element '
                'model_build::impossible_mimic_joints_are_refused '
                'robot_source::floating_joint_moves_when_it_is_named',
            ),
            (
                'Effort limits of zero, missing; crossed limits',
                'Zero is zero; missing refuses to activate; crossed ones are refused.',
                'urdf_refusals::the_sentence_names_the_element '
                'model_build::effort_zero_stays_zero '
                'supervisor_states::activation_without_effort_limit_is_refused_by_name',
            ),
            (
                'A mass matrix that is nearly singular',
                'A pivot of zero is a FAULT with the number of its body; nothing infinite leaves '
                'a kernel.',
                'articulated::singular_kernels_return_the_body_and_stay_finite',
            ),
            (
                'Joints of model and driver differ',
                'No activation: the states are refused, the missing joints named.',
                'messages::missing_joints_are_named '
                'supervisor_states::ready_with_fresh_states_and_waiting_again_without',
            ),
            (
                'The simulation blows up',
                'The last valid state is kept, latched and reported.',
                'plant_commands::blow_up_leaves_the_last_valid_state '
                'simulator_process::blow_up_is_contained_and_over_by_reset',
            ),
            (
                'Bad commands to the simulator',
                'Ignored whole, counted with their reason.',
                'plant_commands::bad_command_is_ignored_whole_and_counted '
                'plant_commands::a_command_of_another_size_raises_and_changes_nothing '
                'simulator_behaviour::refused_commands_are_counted_with_their_reason',
            ),
            (
                'The controller of the simulator dies',
                'After command_timeout the drives brake.',
                'simulator_behaviour::killed_commander_leaves_no_torque',
            ),
            (
                'The simulated arm meets a stop',
                'No energy is added.',
                'plant_stops::no_sweep_adds_energy '
                'plant_stops::full_effort_into_the_stops_adds_no_energy',
            ),
            (
                'Energy drifts',
                'Within the bounds of the integrators.',
                'plant_motion::runge_kutta_keeps_the_energy plant_motion::euler_bounds_the_energy',
            ),
            (
                'kill -9 of the controller',
                'The next one takes over; see the long runs.',
                'controller_lifecycle::killed_and_started_again_it_takes_over '
                'controller_simulated::the_controller_dies_and_another_takes_over_in_its_place '
                'controller_simulated::a_sagging_arm_is_taken_over_where_it_is',
            ),
            (
                'A cache that is damaged, foreign, read-only, absent',
                'Compiled anew, or without.',
                'cache::damaged_code_is_never_run_and_replaced '
                'cache::cache_that_others_may_write_is_not_used '
                'cache::where_no_cache_can_be_had_kernels_still_run '
                'cache::without_any_home_there_is_no_cache',
            ),
            (
                'Sources edited within one time stamp',
                'The new code runs.',
                'cache::edited_source_is_compiled_anew',
            ),
            (
                'Many processes on a cold cache',
                'All start, with the same results.',
                'cache::four_processes_race_on_a_cold_cache',
            ),
            (
                'Another processor',
                'A folder of its own; the self-test guards what is loaded.',
                'cache::another_processor_has_its_own_folder '
                'known_answers::wrong_results_are_noticed_and_named',
            ),
            (
                'SIGINT, SIGTERM, rclpy.shutdown(), twice',
                'The safe torque last, then the end with an exit code.',
                'controller_lifecycle::a_signal_ends_it_after_the_safe_command '
                'controller_lifecycle::a_second_signal_does_not_interrupt_the_end',
            ),
            (
                'An exception anywhere',
                'Reported as what it is; safe torque where the law or the '
                'loop failed, nothing lost where a report failed.',
                'controller_faults::an_exception_in_a_callback_is_not_the_end '
                'loop::a_tick_that_raises_is_reported_and_the_loop_goes_on',
            ),
            (
                'The context is shut down in mid-loop',
                'The last safe command is still published.',
                'wire::after_shutdown_the_buffer_is_published_and_nothing_crashes',
            ),
            (
                'The system clock is set',
                'No effect on rate or age.',
                'loop::ticks_stand_at_multiples_of_the_period',
            ),
            (
                'A clock that jumps back or stands still',
                'The reference goes on from there.',
                'supervisor_states::clock_between_two_ticks_is_never_far_ahead',
            ),
            (
                'Cycles after no, negative or much time',
                'Nothing moves, or three periods at most; counted.',
                'control_guards::no_time_no_change',
            ),
            (
                'A starved controller',
                'Missed cycles are skipped and counted; see [the page of gaps](starved.md).',
                'loop::cycles_and_missed_add_up_to_elapsed_time '
                'starved_controller::late_it_comes_to_rest_with_the_guard',
            ),
            (
                'A busy Python thread',
                'A switch interval of 50 us, set by every node.',
                'loop::what_the_system_refuses_becomes_a_sentence',
            ),
            (
                'Floods of requests',
                'Bounded by bytes and entries; beyond a queue BUSY.',
                'controller_faults::services_and_parameters_may_be_called_at_any_rate',
            ),
            (
                'Huge requests',
                'Refused by their size before Python makes anything of them. The middleware has '
                'decoded them by then: a bound on the memory of the process holds for lengths '
                'that lie, and the loop goes on, while other requests may wait for seconds. What '
                'it prints about such lengths comes once a second.',
                'controller_services::a_bad_request_is_answered_with_a_sentence',
            ),
            (
                'Subscribers that come, go or are slow',
                'Best effort, depth one: publishers never wait. How long publishing takes is a '
                'figure of a machine: doc/benchmarks.md has it.',
            ),
            (
                'Late joiners',
                'Status and description are latched.',
                'controller_lifecycle::the_status_is_latched_for_late_joiners',
            ),
            (
                'The robot is suddenly elsewhere',
                'Once confirmed, the new posture is held.',
                'controller_inputs::a_position_jump_is_held_at_the_new_posture '
                'controller_simulated::a_jump_of_the_robot_is_held_where_it_is',
            ),
            (
                'Any order of starting',
                'They find each other.',
                'controller_simulated::in_either_order_they_find_each_other',
            ),
            (
                'Two controllers, one arm',
                'Who comes second refuses; a late rival is met by rival_action.',
                'controller_lifecycle::a_second_controller_on_the_same_topic_refuses_to_activate',
            ),
            (
                'Loss of the network, another domain',
                'No message crosses domains. To a controller a lost network is states that stop: '
                'see row 4.',
                'controller_inputs::stale_states_lead_to_gravity_then_to_nothing',
                'A network that fails: to cut one takes rights on interfaces of the system.',
            ),
            (
                'Another middleware',
                'Where the layout of a library is unknown, rclpy takes and publishes.',
                'wire::a_library_of_another_layout_is_not_used',
                'Any other than Fast DDS where none is installed, as among the wheels that tests '
                'install.',
            ),
            (
                'Peers with an incompatible QoS',
                'States are taken best effort, so that every sender fits. A best-effort sender of '
                'references is named with its policy, in log and diagnostics.',
            ),
            (
                'Garbage collections',
                'None while active.',
                'loop::no_garbage_collection_during_a_pause',
            ),
            (
                'Compilations and allocations in the loop',
                'None.',
                'allocation::kernels_do_not_allocate '
                'control_laws::wrong_dtype_is_an_error_and_never_a_compilation',
            ),
            (
                'Fast arithmetic without NaN',
                'It does not.',
                'compile::fast_arithmetic_still_sees_nan_and_infinity '
                'interpreted::without_the_compiler_numbers_are_the_same_and_no_index_leaves_its_array',
            ),
            (
                'Several threads',
                'No torn states.',
                'supervisor_faults::tick_survives_requests_from_another_thread',
            ),
            (
                'The system refuses priority, processors, memory',
                'Reported in log, status and diagnostics; realtime.require refuses to activate.',
                'loop::what_the_system_refuses_becomes_a_sentence',
            ),
            (
                'A node without permissions',
                'With security enforced, SROS2 keeps it out by the policy in config/security. '
                'Without a keystore a node ends with a sentence.',
                '',
                'A node that is denied, where Fast DDS has no security plug-ins: the wheels that '
                'tests install have none, and the test is skipped there with this reason.',
            ),
            (
                'Both settings of ROS_PYTHON_CHECK_FIELDS',
                'The same messages, no aliases.',
                'messages::an_outgoing_message_is_filled_in_place_despite_setters '
                'messages::an_earlier_message_does_not_change_with_a_later_one',
            ),
            (
                'Versions of Python and NumPy',
                'Under Python 3.10 to 3.13, tests that rest on them pass with the oldest and the '
                'newest NumPy and Numba, see [the versions](versions.md).',
                'generated_pages::every_combination_of_versions_has_passed',
                'Python 3.14, which `setup.py` does not exclude, has not been tried.',
            ),
            (
                'Any fault for a minute',
                'Lines in the log have a budget.',
                'controller_faults::a_fault_does_not_flood_the_log',
            ),
            (
                'A full disk, a read-only root',
                'It starts without cache and without log files.',
                'cache::a_full_disk_costs_only_the_cache '
                'texts::a_folder_that_cannot_be_written_keeps_nothing '
                'unreadable_files::a_file_that_may_not_be_read_is_named_and_the_node_runs_on '
                'cache::a_file_that_may_not_be_read_is_not_used',
            ),
            ('Two arms in namespaces', 'No messages between them.'),
            (
                'A model that is wrong about the arm',
                'A bounded sag, no runaway.',
                'control_closed_loop::wrong_payload_gives_a_bounded_sag '
                'control_closed_loop::gravity_compensation_keeps_the_arm_where_it_is',
            ),
            (
                'The emergency stop',
                'Next cycle, latched; by service, topic and signal, by a participant and a '
                'thread of its own. Its release moves nothing.',
                'controller_inputs::stop_is_latched_until_reset',
            ),
            (
                'Anything, in any order',
                'The invariant holds.',
                'supervisor_interleavings::invariant_holds_for_an_arbitrary_law '
                'supervisor_interleavings::invariant_holds_for_the_built_in_laws',
            ),
        ),
        start=1,
    )
)
