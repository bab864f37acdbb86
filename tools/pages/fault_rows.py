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
    measured: str  # what the tests count or time, as tools.pages.fault_figures reads it
    tests: str = ''  # file::function without their test_, separated by spaces
    untested: str = ''  # what no test shows, and why


ROWS = tuple(
    Row(number, *fields)
    for number, fields in enumerate(
        (
            (
                'No robot description',
                'WAIT_MODEL; nothing is published.',
                'one case: no command',
                'controller_lifecycle::without_a_description_it_waits_and_publishes_nothing',
            ),
            (
                'A description that is late, repeated or another one',
                'A late one is accepted, the same one ignored, another one reported and ignored '
                'while configured.',
                '{row_2_a_description_is_kept_unchanged_and_reported_once|cases} texts kept; '
                "{without_a_description_it_waits_and_publishes_nothing|count('Another robot "
                "description') == #} line for another one",
                'controller_lifecycle::it_becomes_active_in_any_order_of_starts',
            ),
            (
                'No joint states yet',
                'WAIT_STATE; no effort.',
                '{without_joint_state_it_waits_and_publishes_nothing|run(#, fresh=False)} '
                'cycles, no command',
                'supervisor_states::without_joint_state_it_waits_and_publishes_nothing',
            ),
            (
                'Joint states stop',
                'STALE within state_timeout and two periods: the predicted motion is braked, and '
                'the weight held by stale_action. What was followed is not resumed.',
                'STALE within {test/control/supervisor/test_supervisor_faults.py|TIMEOUT = #} s '
                'and {row_4_stale_within_the_timeout_plus_two_periods|TIMEOUT + # * PERIOD} '
                'cycles; zeros are still published after '
                '{row_4_stale_holds_gravity_and_then_goes_to_zero_still_publishing|run(#, '
                'fresh=False) assert (bench.command == 0.0)} more',
                'controller_inputs::stale_states_lead_to_gravity_then_to_nothing',
            ),
            (
                'Fresh stamps, frozen values',
                'Of a joint that moves: STALE by stuck_action. At rest only with stuck_at_rest.',
                'found within {row_5_one_sensor_that_freezes_in_motion_is_found_at_once|'
                'until=State.STALE) < #} s in motion',
                'sensor_and_perturbation::a_frozen_sensor_repeats_and_a_lossy_one_drops '
                'controller_simulated::a_robot_that_dies_behind_a_broadcaster_is_lost '
                'control_library::a_lost_robot_is_found_under_a_constant_torque_if_asked_for',
            ),
            (
                'Stamps that are zero, old, ahead or impossible',
                'Age counts from the receipt; such a stamp is ignored for the order. A trajectory '
                'with an impossible one is refused.',
                '{row_6_a_meaningless_stamp_orders_nothing|cases} useless stamps, '
                '{row_6_receipt_in_the_future_is_not_fresh_for_ever|cases} wrong receipts, '
                '{stamps_do_not_matter|cases} stamps at the node',
                'controller_inputs::stamps_do_not_matter '
                'controller_inputs::an_impossible_stamp_is_refused',
            ),
            (
                'NaN, infinity, 1e308, subnormal numbers in a state',
                'Refused whole, the last valid one stays; STALE if it persists.',
                '{row_7_state_that_is_not_finite_is_rejected_whole|cases} cases; '
                '{row_7_persisting_rejection_becomes_stale|range(#)} in a row are STALE',
                'controller_inputs::a_bad_joint_state_is_refused_and_the_controller_recovers',
            ),
            (
                'NaN or empty effort, empty velocity',
                'Efforts are ignored; a state without velocities is refused.',
                '{effort_of_any_length_is_ignored|cases} lengths of efforts; '
                '{a_bad_message_is_refused_with_its_reason_and_changes_nothing|cases} bad '
                'messages, twice each',
                'messages::effort_of_any_length_is_ignored '
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'False lengths, messages of any size',
                'Refused by bytes, then by counts, before '
                'anything loops; large ones are taken and read without the GIL.',
                "{row_9_no_trajectory_drops_the_arm|== ('#', '10')} of the longest trajectories "
                "accepted and {row_9_no_trajectory_drops_the_arm|== ('5', '#')} refused, never "
                'STALE; {huge_joint_states_are_refused_by_their_size|for _ in range(#)} states '
                'of {huge_joint_states_are_refused_by_their_size|for k in range(#)} names, HOLD',
                'messages::an_enormous_message_is_refused_by_its_size '
                'any_sender::lengths_that_lie_take_no_memory '
                'controller_faults::huge_joint_states_are_refused_by_their_size',
            ),
            (
                'Other joints only',
                'Refused, the missing ones are named; STALE in time.',
                '{a_bad_joint_state_is_refused_and_the_controller_recovers|cases} bad states: '
                'STALE, then HOLD again',
                'messages::missing_joints_are_named '
                'controller_inputs::a_bad_joint_state_is_refused_and_the_controller_recovers',
            ),
            (
                'A joint missing',
                'Refused as incomplete.',
                '{a_bad_message_is_refused_with_its_reason_and_changes_nothing|cases} bad '
                'messages, twice each',
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'Extra joints, changing order',
                'Read by name, message by message.',
                '{order_and_extra_joints_do_not_matter|arm.published > sent + #} states, none '
                'refused',
                'messages::every_permutation_is_read_by_name '
                'controller_inputs::order_and_extra_joints_do_not_matter',
            ),
            (
                'A joint twice',
                'Refused, DUPLICATE_JOINT.',
                '{a_bad_message_is_refused_with_its_reason_and_changes_nothing|cases} bad '
                'messages, twice each',
                'messages::a_bad_message_is_refused_with_its_reason_and_changes_nothing',
            ),
            (
                'Two publishers of joint states',
                'Reported in log and diagnostics.',
                '{two_publishers_of_joint_states_are_reported|"There are # publishers of '
                "'/joint_states'\"} publishers: one line, one entry",
                'controller_faults::two_publishers_of_joint_states_are_reported',
            ),
            (
                'States out of order, or repeated',
                'Older ones are dropped and counted; a clock that is set back costs two of them.',
                '{row_15_states_older_than_the_newest_are_dropped_and_counted|== # assert '
                'bench.supervisor.rejection} late states dropped, none used',
            ),
            (
                'A position beyond its limit',
                'Beyond the margin only torque inwards.',
                '{beyond_a_position_limit_torque_only_acts_inwards|cases} corners of three joints',
                'control_guards::beyond_a_position_limit_torque_only_acts_inwards',
            ),
            (
                'A velocity beyond its limit',
                'Torque only brakes; beyond overspeed FAULT.',
                '{above_the_velocity_limit_torque_only_brakes|cases} velocities; '
                '{an_arm_that_races_gets_the_safe_torque|cases} races, FAULT at the third state',
                'control_guards::above_the_velocity_limit_torque_only_brakes '
                'supervisor_faults::an_arm_that_races_gets_the_safe_torque',
            ),
            (
                'A step of the reference',
                'Refused beyond what the velocity limit allows.',
                '{row_18_step_of_a_stream_is_bounded_by_the_velocity_limit|cases} steps',
                'controller_inputs::streamed_targets_are_followed_and_their_end_is_a_hold',
            ),
            (
                'An invalid reference',
                'Refused whole with a sentence; what is followed goes on.',
                '{senseless_trajectory_is_refused_with_a_sentence|cases} trajectories, '
                '{a_bad_trajectory_is_refused_whole|cases} at the node; '
                '{row_19_every_message_is_read_as_the_middleware_reads_it|max_examples=#} drawn '
                'messages',
                'control_trajectory::senseless_trajectory_is_refused_with_a_sentence '
                'controller_inputs::a_bad_trajectory_is_refused_whole',
            ),
            (
                'The reference stops',
                'HOLD within reference_timeout and two periods, no drift.',
                'HOLD within {row_20_stream_that_stops_is_held_within_its_timeout|<= # + 2 * '
                'PERIOD} s and {row_20_stream_that_stops_is_held_within_its_timeout|<= 0.1 + # * '
                'PERIOD} cycles; drift below {row_20_lost_stream_is_held_without_drift|.max() < '
                '#} rad in {row_20_lost_stream_is_held_without_drift|arm.step(#) assert np.abs} '
                'cycles',
            ),
            (
                'References from before activation',
                'Dropped.',
                '{reference_before_activation_is_discarded|run(#) is State.HOLD} cycles in HOLD',
                'supervisor_states::reference_before_activation_is_discarded '
                'supervisor_states::reference_from_before_a_deactivation_is_not_resumed',
            ),
            (
                'A stop that reaches some joints',
                'Every message holds every joint.',
                '{what_is_filled_in_is_what_is_read|range(#)} messages of '
                '{what_is_filled_in_is_what_is_read|cases} types, whole',
                'messages::what_is_filled_in_is_what_is_read '
                'supervisor_states::deactivation_goes_to_the_safe_torque_and_then_ends',
            ),
            (
                'Saturation, limits changed live',
                'Clamped; a lowered limit is approached at the rate; what learns stops.',
                '{row_23_no_setting_takes_a_torque_beyond_its_limit_or_its_rate|cases} times '
                '{test/control/supervisor/test_settings_at_random_times.py|TICKS = #} cycles, no '
                'effort beyond limit or rate',
                'controller_inputs::effort_limits_clamp_and_are_reported',
            ),
            (
                'Invalid parameters',
                'Refused as a whole; the values in force stay.',
                '{bad_parameters_are_refused_and_nothing_changes|cases} settings; an array of '
                '{an_enormous_array_is_refused_by_its_size|[1.0] * #} entries',
                'controller_inputs::bad_parameters_are_refused_and_nothing_changes '
                'parameters::an_enormous_array_is_refused_by_its_size',
            ),
            (
                'Gains changed while moving',
                'Between two cycles, at the rate limit.',
                'at most {gain_change_while_moving_is_continuous|.max() <= # +} N m in the cycle '
                'of the change',
                'supervisor_states::gain_change_while_moving_is_continuous',
            ),
            (
                'Parameters of another type, undeclared ones',
                'Refused.',
                '{row_26_a_value_of_no_type_is_refused_with_a_sentence|cases} services; two '
                'unknown names',
                'manners::a_gain_of_an_unknown_joint_names_those_that_there_are '
                'parameters::type_change_and_undeclaring_are_refused '
                'parameters::when_a_parameter_may_change',
            ),
            (
                'A text that is no URDF',
                'A sentence with line or element.',
                '{what_is_not_a_urdf_is_refused|cases} texts; '
                '{test/model/test_urdf_refusals.py|max_examples=#} drawn ones',
                'urdf_refusals::what_is_not_a_urdf_is_refused '
                'urdf_refusals::any_bytes_spliced_in_give_a_model_or_a_sentence',
            ),
            (
                'XML bombs, 50 MB, 300 000 links',
                'Refused; little memory, no file opened.',
                '{a_bomb_is_refused|cases} bombs, each within '
                '{bombs_stay_small_in_memory_and_open_no_file|(size + #, size} bytes; no file',
                'urdf_refusals::a_bomb_is_refused '
                'urdf_refusals::bombs_stay_small_in_memory_and_open_no_file',
            ),
            (
                'Numbers such as nan, 1e400, 0x10',
                'Refused with the element.',
                '{test/model/test_urdf_refusals.py|max_examples=#} drawn descriptions; '
                '{the_sentence_names_the_element|cases} chosen ones',
                'urdf_refusals::any_number_replaced_gives_a_model_or_a_sentence '
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'A moving link without mass',
                'Where nothing behind it has mass, dynamics are refused; kinematics work.',
                '{a_tip_that_has_nothing_to_move_has_no_dynamics|cases} tips',
                'model_build::a_tip_that_has_nothing_to_move_has_no_dynamics',
            ),
            (
                'Masses that are negative or absurd',
                'Refused.',
                'among {the_sentence_names_the_element|cases} descriptions refused',
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'Inertias no body can have',
                'Refused or reported.',
                'among {the_sentence_names_the_element|cases} descriptions refused, '
                '{a_doubtful_thing_is_named|cases} reported',
                'urdf_refusals::the_sentence_names_the_element '
                'model_report::a_doubtful_thing_is_named',
            ),
            (
                'Axes that are zero, not of length one, missing',
                'Refused, normalised, x.',
                'among {the_sentence_names_the_element|cases} descriptions refused, '
                '{a_doubtful_thing_is_named|cases} reported',
                'urdf_refusals::the_sentence_names_the_element '
                'model_report::a_doubtful_thing_is_named '
                'urdf::origin_defaults_to_identity_and_axis_to_x',
            ),
            (
                'Loops, two roots, orphans, names twice',
                'Refused with the names.',
                'among {the_sentence_names_the_element|cases} descriptions refused',
                'urdf_refusals::the_sentence_names_the_element',
            ),
            (
                'Joint types, mimic joints',
                'Supported, or refused by name.',
                '{impossible_mimic_joints_are_refused|cases} mimic joints refused, and among '
                '{the_sentence_names_the_element|cases} descriptions',
                'urdf_refusals::the_sentence_names_the_element '
                'model_build::impossible_mimic_joints_are_refused '
                'robot_source::floating_joint_moves_when_it_is_named',
            ),
            (
                'Effort limits of zero, missing; crossed limits',
                'Zero is zero; missing refuses to activate; crossed ones are refused.',
                '{activation_without_effort_limit_is_refused_by_name|cases} joints without a '
                'limit',
                'urdf_refusals::the_sentence_names_the_element '
                'model_build::effort_zero_stays_zero '
                'supervisor_states::activation_without_effort_limit_is_refused_by_name',
            ),
            (
                'A mass matrix that is nearly singular',
                'A pivot of zero is a FAULT with the number of its body; nothing infinite leaves '
                'a kernel.',
                'FAULT after {row_37_status_of_a_kernel_is_a_fault|run(#) is State.FAULT} cycle; '
                'three kernels name the body',
                'articulated::singular_kernels_return_the_body_and_stay_finite',
            ),
            (
                'Joints of model and driver differ',
                'No activation: the states are refused, the missing joints named.',
                '{ready_with_fresh_states_and_waiting_again_without|run(#, fresh=False)} cycles '
                'without such states: WAIT_STATE',
                'messages::missing_joints_are_named '
                'supervisor_states::ready_with_fresh_states_and_waiting_again_without',
            ),
            (
                'The simulation blows up',
                'The last valid state is kept, latched and reported.',
                '{blow_up_leaves_the_last_valid_state|cases} blow-ups, each contained in its step',
                'plant_commands::blow_up_leaves_the_last_valid_state '
                'simulator_process::blow_up_is_contained_and_over_by_reset',
            ),
            (
                'Bad commands to the simulator',
                'Ignored whole, counted with their reason.',
                '{row_40_a_command_cut_off_is_refused_undecoded|cases} cut off, '
                '{bad_command_is_ignored_whole_and_counted|cases} of bad values, '
                '{a_command_of_another_size_raises_and_changes_nothing|cases} of another size',
                'plant_commands::bad_command_is_ignored_whole_and_counted '
                'plant_commands::a_command_of_another_size_raises_and_changes_nothing '
                'simulator_behaviour::refused_commands_are_counted_with_their_reason',
            ),
            (
                'The controller of the simulator dies',
                'After command_timeout the drives brake.',
                'at rest within '
                '{row_41_a_command_that_is_not_renewed_ends_in_the_brake|range(#): plant.step() '
                'stopped} steps, and for '
                '{row_41_a_command_that_is_not_renewed_ends_in_the_brake|range(#): plant.step() '
                'assert} more',
                'simulator_behaviour::killed_commander_leaves_no_torque',
            ),
            (
                'The simulated arm meets a stop',
                'No energy is added.',
                '{no_sweep_adds_energy|seed in range(#)} impacts of {no_sweep_adds_energy|_ in '
                'range(#)} sweeps; {full_effort_into_the_stops_adds_no_energy|cases} '
                'integrators, {full_effort_into_the_stops_adds_no_energy|range(#)} steps each',
                'plant_stops::no_sweep_adds_energy '
                'plant_stops::full_effort_into_the_stops_adds_no_energy',
            ),
            (
                'Energy drifts',
                'Within the bounds of the integrators.',
                "below {runge_kutta_keeps_the_energy|integrator='rk4') < #} of the energy in "
                '{runge_kutta_keeps_the_energy|energy_error(elbow, #,} steps',
                'plant_motion::runge_kutta_keeps_the_energy plant_motion::euler_bounds_the_energy',
            ),
            (
                'kill -9 of the controller',
                'The next one takes over.',
                '{killed_and_started_again_it_takes_over|range(#)} kills, as often HOLD; `make '
                'soak ARGS=kills`: {soak kills|# kills of each node} of each node',
                'controller_lifecycle::killed_and_started_again_it_takes_over '
                'controller_simulated::the_controller_dies_and_another_takes_over_in_its_place '
                'controller_simulated::a_sagging_arm_is_taken_over_where_it_is',
            ),
            (
                'A cache that is damaged, foreign, read-only, absent',
                'Compiled anew, or without.',
                '{damaged_code_is_never_run_and_replaced|cases} damages, '
                '{where_no_cache_can_be_had_kernels_still_run|cases} places that keep none',
                'cache::damaged_code_is_never_run_and_replaced '
                'cache::cache_that_others_may_write_is_not_used '
                'cache::where_no_cache_can_be_had_kernels_still_run '
                'cache::without_any_home_there_is_no_cache',
            ),
            (
                'Sources edited within one time stamp',
                'The new code runs.',
                'three starts, {edited_source_is_compiled_anew|hits in found] == [#, 0, 0]} of '
                'them with old code',
                'cache::edited_source_is_compiled_anew',
            ),
            (
                'Many processes on a cold cache',
                'All start, with the same results.',
                '{four_processes_race_on_a_cold_cache|ThreadPoolExecutor(#)} processes at once, '
                'one more; {four_processes_race_on_a_cold_cache|[RIGHT] * #} right results',
                'cache::four_processes_race_on_a_cold_cache',
            ),
            (
                'Another processor',
                'A folder of its own; the self-test guards what is loaded.',
                '{another_processor_has_its_own_folder|cases} processors, '
                '{another_processor_has_its_own_folder|iterdir())) == #} folders each',
                'cache::another_processor_has_its_own_folder '
                'known_answers::wrong_results_are_noticed_and_named',
            ),
            (
                'SIGINT, SIGTERM, rclpy.shutdown(), twice',
                'The safe torque last, then the end with an exit code.',
                '{a_signal_ends_it_after_the_safe_command|cases} ends by a signal, code '
                '{a_signal_ends_it_after_the_safe_command|code == #}; by rclpy code '
                '{row_49_after_a_shutdown_of_rclpy_the_last_word_is_the_safe_torque|code == #}',
                'controller_lifecycle::a_signal_ends_it_after_the_safe_command '
                'controller_lifecycle::a_second_signal_does_not_interrupt_the_end',
            ),
            (
                'An exception anywhere',
                'Reported as what it is; safe torque where the law or the '
                'loop failed, nothing lost where a report failed.',
                '{row_50_an_error_in_telemetry_drops_no_arm|len(published) == #} efforts beside '
                'as many errors; '
                '{row_50_exception_in_the_law_is_a_fault_and_the_safe_torque_goes_on|run(#) '
                'assert np.allclose} cycles of safe torque',
                'controller_faults::an_exception_in_a_callback_is_not_the_end '
                'loop::a_tick_that_raises_is_reported_and_the_loop_goes_on',
            ),
            (
                'The context is shut down in mid-loop',
                'The last safe command is still published.',
                'one case: the last message arrives',
                'wire::after_shutdown_the_buffer_is_published_and_nothing_crashes',
            ),
            (
                'The system clock is set',
                'No effect on rate or age.',
                '{row_52_a_clock_that_is_set_back_costs_two_states|[Reason.OUT_OF_ORDER] * #} '
                'states of {row_52_a_clock_that_is_set_back_costs_two_states|cases} clocks set '
                'back',
                'loop::ticks_stand_at_multiples_of_the_period',
            ),
            (
                'A clock that jumps back or stands still',
                'The reference goes on from there.',
                '{row_53_clock_that_jumps_back_goes_on_from_there|bench.tick(-#)} s back; HOLD '
                'in {row_53_clock_that_jumps_back_goes_on_from_there|run(#) is State.HOLD} cycles',
                'supervisor_states::clock_between_two_ticks_is_never_far_ahead',
            ),
            (
                'Cycles after no, negative or much time',
                'Nothing moves, or three periods at most; counted.',
                '{row_54_no_or_negative_time_changes_nothing_but_is_counted|cases} times; a gap '
                'of {row_54_long_gap_advances_three_periods_and_is_counted|bench.tick(# * '
                'PERIOD)} cycles moves '
                '{row_54_long_gap_advances_three_periods_and_is_counted|before[0] + # * PERIOD}',
                'control_guards::no_time_no_change',
            ),
            (
                'A starved controller',
                'Missed cycles are skipped and counted; see [the page of gaps](starved.md).',
                '{cycles_and_missed_add_up_to_elapsed_time|cases} runs of '
                '{cycles_and_missed_add_up_to_elapsed_time|in range(#)]} cycles, all counted; no '
                'trip by a gap of '
                '{row_55_a_gap_of_50_ms_trips_nothing_as_the_page_states|starve(law, task, #)} ms',
                'loop::cycles_and_missed_add_up_to_elapsed_time '
                'starved_controller::late_it_comes_to_rest_with_the_guard',
            ),
            (
                'A busy Python thread',
                'A switch interval of 50 us, set by every node.',
                '{robodyn_ros/realtime/os_requests.py|switch_interval: float = #} s by default',
                'loop::what_the_system_refuses_becomes_a_sentence',
            ),
            (
                'Floods of requests',
                'Bounded by bytes and entries; beyond a queue BUSY.',
                'at most {robodyn_ros/ros/common/parameter_services.py|MOST_PARAMETERS = #} '
                'parameters; {services_and_parameters_may_be_called_at_any_rate|range(#)} '
                'answers of two services; BUSY to '
                '{row_57_requests_beyond_a_bounded_queue_get_busy|[False] * #} of '
                '{row_57_requests_beyond_a_bounded_queue_get_busy|for _ in range(#)]}',
                'controller_faults::services_and_parameters_may_be_called_at_any_rate',
            ),
            (
                'Huge requests',
                'Refused by their size before Python makes anything of them. The middleware has '
                'decoded them by then: a bound on the memory of the process holds for lengths '
                'that lie, and the loop goes on, while other requests may wait for seconds. What '
                'it prints about such lengths comes once a second.',
                '{row_58_a_length_that_lies_takes_no_memory|range(#)} requests that lie, below '
                '{row_58_a_length_that_lies_takes_no_memory|before + #} MB; '
                '{a_bad_request_is_answered_with_a_sentence|cases} bad ones; '
                '`make soak ARGS=undecodable`: {soak undecodable|count #} on '
                '{soak undecodable|on # services} services',
                'controller_services::a_bad_request_is_answered_with_a_sentence',
            ),
            (
                'Subscribers that come, go or are slow',
                'Best effort, depth one: publishers never wait. How long publishing takes is a '
                'figure of a machine: doc/benchmarks.md has it.',
                '{row_59_listeners_that_sleep_come_and_go_cost_no_cycle|range(#)} listeners, no '
                'cycle of {row_59_listeners_that_sleep_come_and_go_cost_no_cycle|first.cycles + '
                '#} missed',
            ),
            (
                'Late joiners',
                'Status and description are latched.',
                '{the_status_is_latched_for_late_joiners|range(#)} late joiners of the status',
                'controller_lifecycle::the_status_is_latched_for_late_joiners',
            ),
            (
                'The robot is suddenly elsewhere',
                'Once confirmed, the new posture is held.',
                '{row_61_one_impossible_state_ends_no_trajectory|range(#)} single jumps ignored; '
                "{row_61_position_jump_is_held_at_the_new_posture|counters['jumps'] == #} that "
                'stays is held',
                'controller_inputs::a_position_jump_is_held_at_the_new_posture '
                'controller_simulated::a_jump_of_the_robot_is_held_where_it_is',
            ),
            (
                'Any order of starting',
                'They find each other.',
                '{in_either_order_they_find_each_other|cases} orders',
                'controller_simulated::in_either_order_they_find_each_other',
            ),
            (
                'Two controllers, one arm',
                'Who comes second refuses; a late rival is met by rival_action.',
                'one of {row_63_of_four_controllers_that_start_together_one_commands|for _ in '
                'range(#)} commands; '
                '{row_63_a_late_rival_is_reported_held_against_or_stopped_for|cases} '
                'answers to a rival',
                'controller_lifecycle::a_second_controller_on_the_same_topic_refuses_to_activate',
            ),
            (
                'Loss of the network, another domain',
                'No message crosses domains. To a controller a lost network is states that stop: '
                'see row 4.',
                '{row_64_no_message_crosses_domains|for k in range(#): publisher} messages at '
                'home, none elsewhere',
                'controller_inputs::stale_states_lead_to_gravity_then_to_nothing',
                'A network that fails: to cut one takes rights on interfaces of the system.',
            ),
            (
                'Another middleware',
                'Where the layout of a library is unknown, rclpy takes and publishes.',
                'one case',
                'wire::a_library_of_another_layout_is_not_used',
                'Any other than Fast DDS where none is installed, as among the wheels that tests '
                'install.',
            ),
            (
                'Peers with an incompatible QoS',
                'States are taken best effort, so that every sender fits. A best-effort sender of '
                'references is named with its policy, in log and diagnostics.',
                '{row_66_joint_states_are_taken_from_every_sender|cases} senders',
            ),
            (
                'Garbage collections',
                'None while active.',
                '{no_garbage_collection_during_a_pause|pause.collections == #} collections; '
                '`make soak ARGS=traffic`: memory {soak traffic|memory # MB} MB in {soak '
                'traffic|references in # s} s',
                'loop::no_garbage_collection_during_a_pause',
            ),
            (
                'Compilations and allocations in the loop',
                'None.',
                'below {row_68_tick_keeps_no_memory_and_makes_no_arrays|highest < #} bytes a '
                'cycle, none kept; {wrong_dtype_is_an_error_and_never_a_compilation|cases} laws',
                'allocation::kernels_do_not_allocate '
                'control_laws::wrong_dtype_is_an_error_and_never_a_compilation',
            ),
            (
                'Fast arithmetic without NaN',
                'It does not.',
                '{fast_arithmetic_still_sees_nan_and_infinity|for place in range(#)} places of '
                'three values',
                'compile::fast_arithmetic_still_sees_nan_and_infinity '
                'interpreted::without_the_compiler_numbers_are_the_same_and_no_index_leaves_its_array',
            ),
            (
                'Several threads',
                'No torn states.',
                '{row_70_loop_never_sees_halves_of_two_states|assert len(seen) >= #} states '
                'seen, none torn',
                'supervisor_faults::tick_survives_requests_from_another_thread',
            ),
            (
                'The system refuses priority, processors, memory',
                'Reported in log, status and diagnostics; realtime.require refuses to activate.',
                'three refusals, a sentence each; '
                '{row_71_only_what_is_required_and_refused_ends_it|cases} settings of '
                'realtime.require',
                'loop::what_the_system_refuses_becomes_a_sentence',
            ),
            (
                'A node without permissions',
                'With security enforced, SROS2 keeps it out by the policy in config/security. '
                'Without a keystore a node ends with a sentence.',
                'one case',
                '',
                'A node that is denied, where Fast DDS has no security plug-ins: the wheels that '
                'tests install have none, and the test is skipped there with this reason.',
            ),
            (
                'Both settings of ROS_PYTHON_CHECK_FIELDS',
                'The same messages, no aliases.',
                '{an_outgoing_message_is_filled_in_place_despite_setters|cases} settings',
                'messages::an_outgoing_message_is_filled_in_place_despite_setters '
                'messages::an_earlier_message_does_not_change_with_a_later_one',
            ),
            (
                'Versions of Python and NumPy',
                'Under Python 3.10 to 3.13, tests that rest on them pass with the oldest and the '
                'newest NumPy and Numba, see [the versions](versions.md).',
                '{versions|environments #} environments, {versions|tests #} tests or more in each',
                'generated_pages::every_combination_of_versions_has_passed',
                'Python 3.14, which `setup.py` does not exclude, has not been tried.',
            ),
            (
                'Any fault for a minute',
                'Lines in the log have a budget.',
                '{row_75_a_lying_length_prints_nothing|cases} lying lengths, no line; at most '
                '{a_fault_does_not_flood_the_log|len(lines) <= # +} lines and '
                '{a_fault_does_not_flood_the_log|+ # * (time} a second in '
                "{a_fault_does_not_flood_the_log|['stale_episodes'] + #} faults",
                'controller_faults::a_fault_does_not_flood_the_log',
            ),
            (
                'A full disk, a read-only root',
                'It starts without cache and without log files.',
                '{row_76_a_node_starts_without_a_folder_for_its_log|cases} places without a log',
                'cache::a_full_disk_costs_only_the_cache '
                'texts::a_folder_that_cannot_be_written_keeps_nothing '
                'unreadable_files::a_file_that_may_not_be_read_is_named_and_the_node_runs_on '
                'cache::a_file_that_may_not_be_read_is_not_used',
            ),
            (
                'Two arms in namespaces',
                'No messages between them.',
                'two arms, '
                '{row_77_two_arms_in_namespaces_keep_to_themselves|get_subscription_count() == '
                '#} listeners of a global name',
            ),
            (
                'A model that is wrong about the arm',
                'A bounded sag, no runaway.',
                'the sag of theory within a share of {wrong_payload_gives_a_bounded_sag|rtol=#}; '
                'drift below {gravity_compensation_keeps_the_arm_where_it_is|.max() < #} rad in '
                '{gravity_compensation_keeps_the_arm_where_it_is|arm.step(#)} cycles',
                'control_closed_loop::wrong_payload_gives_a_bounded_sag '
                'control_closed_loop::gravity_compensation_keeps_the_arm_where_it_is',
            ),
            (
                'The emergency stop',
                'Next cycle, latched; by service, topic and signal, by a participant and a '
                'thread of its own. Its release moves nothing.',
                '{row_79_every_way_to_stop_latches|cases} ways; FAULT after '
                '{row_79_emergency_stop_acts_in_the_next_tick_and_latches|bench.run(#) is '
                'State.FAULT} cycle',
                'controller_inputs::stop_is_latched_until_reset',
            ),
            (
                'Anything, in any order',
                'The invariant holds.',
                '{invariant_holds_for_an_arbitrary_law|max_examples=#} and '
                '{invariant_holds_for_the_built_in_laws|cases} times '
                '{invariant_holds_for_the_built_in_laws|max_examples=#} drawn runs; `python -m '
                'tools.fuzz`: {fuzz|inputs #} inputs, {fuzz|findings #} findings',
                'supervisor_interleavings::invariant_holds_for_an_arbitrary_law '
                'supervisor_interleavings::invariant_holds_for_the_built_in_laws',
            ),
        ),
        start=1,
    )
)
