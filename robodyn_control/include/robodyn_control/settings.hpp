// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace robodyn_control
{

/// Rows of the torque terms; their sum is the torque.
enum Term {FEEDBACK, INERTIA, CORIOLIS, GRAVITY, FRICTION, OTHER, TERMS};

/// Limits, gains and timeouts of a supervisor, in joint order. Names are those of the node's
/// parameters.
struct Settings
{
  double period = 0.0;                      ///< [s] of the control loop
  std::vector<double> position_gains;       ///< unit of the law
  std::vector<double> velocity_gains;
  std::vector<double> effort_limits;        ///< [N m or N]; NaN prevents activation
  std::vector<double> effort_rate;          ///< [N m/s or N/s]
  std::vector<double> velocity_limits;      ///< [rad/s or m/s]
  std::vector<double> lower;                ///< [rad or m]
  std::vector<double> upper;                ///< [rad or m]
  std::vector<double> turns;                ///< [rad] of a joint without end, else 0; may be empty
  std::vector<double> following_error;      ///< [rad or m] from the reference that is reported
  bool holds_behind = true;                 ///< twice that ends a motion
  std::array<bool, TERMS> enabled{{true, true, true, true, true, true}};
  double position_margin = 0.002;           ///< [rad or m] beyond which torque acts inwards only
  double state_timeout = 0.02;              ///< [s], clamped to 2 periods ... 0.2 s
  double reference_timeout = 0.1;           ///< [s] after the last streamed target
  bool gravity_hold = true;                 ///< without joint states, gravity torque without end
  double stale_hold = 0.1;                  ///< [s] of gravity torque otherwise
  double stop_time_constant = 0.1;          ///< [s] of the velocity in FAULT and STALE
  int recovery_states = 3;                  ///< consecutive fresh joint states that end STALE
  double max_start_error = 0.1;             ///< [rad or m] between the arm and a first target
  double position_jump = 0.1;               ///< [rad or m] beyond the motion at the velocity limit
  bool stuck_is_stale = true;               ///< stuck joint states count as stale
  bool stuck_at_rest = false;               ///< bit-equal states are stuck at rest, too
  double stuck_time = 4.0;                  ///< [s] after which they are
  double overspeed = 2.0;                   ///< velocity over its limit that is a fault
  bool robot_compensates_gravity = false;

  /// Return the number of joints.
  std::size_t size() const {return lower.size();}

  /// Return the reason to refuse the settings, or an empty string. May allocate.
  std::string refusal() const;

  /// Return the timeout in use [s]; it cannot be disabled.
  double effective_state_timeout() const;

  /// Return the time constant in use [s], at least two periods.
  double effective_stop_time_constant() const;
};

}  // namespace robodyn_control
