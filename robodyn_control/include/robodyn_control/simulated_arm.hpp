// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robodyn_control/emitted_model.hpp"

namespace robodyn_control
{

/// Kind of the command of a joint.
enum class Mode {EFFORT, VELOCITY, POSITION};

/// Limits and drive of a joint; a missing limit is infinite.
struct SimulatedJoint
{
  double lower, upper;    ///< [rad or m] stops, at which the joint rests
  double effort;          ///< [N m or N] limit of the motor
  double stiffness;       ///< [N m/rad or N/m] Kp of position commands
  double rate_gain;       ///< [N m s/rad or N s/m] Kd of position commands
  double velocity_gain;   ///< [N m s/rad or N s/m] Kv of velocity commands
};

/// Replace gains that are NaN by those of critical damping at 50 rad/s.
/// The inertia of each joint is that at a posture of all joints, with payloads (null: none).
void derive_gains(
  const EmittedModel & model, const double * q, const double * payload,
  std::vector<SimulatedJoint> & joints);

/// An arm that moves by its emitted articulated-body dynamics, as the simulator node does.
/// The drives have the law of robodyn_ros/simulation/servo.py: w + Kp (q_d - q) - Kd qd or
/// w + Kv (v_d - qd), within the limit of the motor. w is the gravity torque at the start of
/// `advance`. Steps are semi-implicit: friction and drives are those at the end of a step. They are
/// added to the diagonal of the mass matrix, so that stiff ones are stable. Stops are inelastic
/// (Jain 2011, equations 11.48 and 11.49). Only the constructor allocates.
class SimulatedArm
{
public:
  /// Drives add the gravity torque if they carry the weight.
  /// payload : ten numbers for each of the model; empty without payloads.
  SimulatedArm(
    const EmittedModel & model, const std::vector<SimulatedJoint> & joints, bool carries_weight,
    const std::vector<double> & payload = {});

  /// Rest at a posture.
  void place(const double * q) noexcept;
  /// Advance by dt [s] in equal steps; return 0, or stop with the status of the dynamics.
  int advance(const double * commands, const Mode * modes, double dt, int steps) noexcept;

  std::size_t size() const noexcept {return n_;}
  const double * q() const noexcept {return q_.data();}
  const double * qd() const noexcept {return qd_.data();}
  const double * effort() const noexcept {return effort_.data();}  ///< of motors in the last step

private:
  enum class Side {NONE, LOW, HIGH};  ///< of a range that a joint has reached

  int step(const double * commands, const Mode * modes, double h) noexcept;
  /// Write the effort of each drive at zero velocity, its gain, and the slope of friction.
  int linearise(const double * commands, const Mode * modes, double h) noexcept;
  /// Solve for the velocities at the end of the step, with these stops and saturated drives.
  int solve(double h) noexcept;
  /// Solve with the stops that hold; joints push against a stop, and never pull.
  int solve_within_stops(double h) noexcept;
  /// Find joints that cross a stop or leave it; return whether there are any.
  bool correct_stops(double h) noexcept;
  /// Find drives that reach their limit or return from it; return whether there are any.
  bool correct_saturation() noexcept;
  const double * payload() const noexcept {return payload_.empty() ? nullptr : payload_.data();}
  double effort_at_the_end(std::size_t joint) const noexcept;
  double slowest(std::size_t joint, double h) const noexcept;
  double fastest(std::size_t joint, double h) const noexcept;

  std::size_t n_;
  EmittedModel model_;  // keeps the library loaded
  EmittedModel::DampedForwardDynamics forward_dynamics_;
  EmittedModel::InverseDynamics inverse_dynamics_;
  EmittedModel::Friction friction_;
  std::vector<SimulatedJoint> joints_;
  bool carries_weight_;
  std::vector<double> payload_, q_, qd_, qdd_, effort_, tau_, friction_torque_, diagonal_, speeds_, zero_;
  std::vector<double> weight_, at_rest_, gain_, slope_, next_, needed_;
  std::vector<Side> saturated_, stopped_;
};

}  // namespace robodyn_control
